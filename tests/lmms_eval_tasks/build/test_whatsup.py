"""A miniature WhatsUp download, in the form of the real one, and what is built of it."""

import json
import re

import pytest
from PIL import Image, ImageFile

from lmms_eval_tasks.build.whatsup import read_views
from lmms_eval_tasks.pairbench.entry import entry_of
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core import sources
from tests.files import pairbench
from tests.judges import SightedJudge, evaluate, numbers, rate

PHRASES = {
    "left_of": "to the left of", "right_of": "to the right of", "on": "on", "under": "under",
    "in-front_of": "in front of", "behind": "behind",
}  # fmt: skip
OPPOSITE = {"left_of": "right_of", "on": "under", "in-front_of": "behind"}
OPPOSITE |= {value: key for key, value in OPPOSITE.items()}
TOKENS = {
    "controlled_images": ("left_of", "right_of", "on", "under"),
    "controlled_clevr": ("left_of", "right_of", "in-front_of", "behind"),
}
OBJECTS = {
    "controlled_images": [("beer-bottle", "armchair"), ("mug", "table"), ("cap", "chair")],
    "controlled_clevr": [("book", "cap"), ("can", "candle"), ("mug", "plate")],
}
LEVELS = (20, 90, 160, 230)


def colour(folder, objects, token):
    """A colour that says what a picture shows, also after a JPEG."""
    number = OBJECTS[folder].index(objects)
    return LEVELS[number], LEVELS[TOKENS[folder].index(token)], 40 if folder.endswith("r") else 200


def caption(objects, token):
    first, second = (name.replace("-", " ") for name in objects)
    return f"A {first} {PHRASES[token]} a {second}"


def item(folder, objects, token):
    others = [other for other in TOKENS[folder] if other != token]
    return {
        "image_path": f"data/{folder}/{objects[0]}_{token}_{objects[1]}.jpeg",
        "caption_options": [caption(objects, one) for one in (token, *others)],
    }


def write_download(root, folder):
    """One subset as the authors' code leaves it in `data`; its items."""
    (root / folder).mkdir(parents=True)
    items = []
    for objects in OBJECTS[folder]:
        for token in TOKENS[folder]:
            items.append(item(folder, objects, token))
            photograph = Image.new("RGB", (64, 48), colour(folder, objects, token))
            photograph.save(root / items[-1]["image_path"].removeprefix("data/"), quality=95)
    write_items(root, folder, items)
    return items


def write_items(root, folder, items):
    (root / f"{folder}_dataset.json").write_text(json.dumps(items), encoding="utf-8")


@pytest.fixture(scope="module")
def download(tmp_path_factory):
    """Both subsets, complete, three sets each, in `data` of the authors' repository."""
    root = tmp_path_factory.mktemp("whatsup_vlms") / "data"
    for folder in TOKENS:
        write_download(root, folder)
    return root


def run(*arguments, status=None):
    return pairbench("build", *arguments, catch_exceptions=False, status=status)


@pytest.fixture(scope="module")
def built(download, tmp_path_factory):
    """Both subsets, the position alone and with each transformation."""
    out = tmp_path_factory.mktemp("built") / "whatsup"
    done = run("whatsup", "--whatsup", download, "--out", out, status=0)
    assert "--tasks pairbench_wu_ii,pairbench_wu_it" in done.output
    return out


def rows(built, config, split):
    return sources.open_split(str(built), config, split)


def shown(picture):
    """Which photograph a picture is, by its colour: number of the set, number of the relation."""
    red, green, _ = picture.convert("RGB").getpixel((picture.width // 2, picture.height // 2))
    return tuple(min(range(4), key=lambda k: abs(LEVELS[k] - value)) for value in (red, green))


# --- Balanced


def test_sizes_tell_nothing_of_balanced_pairs(download, tmp_path):
    out = tmp_path / "whatsup"
    done = run("whatsup", "--whatsup", download, "--out", out, "--balanced", status=0)
    assert "--tasks pairbench_wu_img_img_balanced" in done.output
    assert "None: all pictures of a pair have one size" in (out / "README.md").read_text()
    trials = PairTrials({**entry_of(str(out), "wu_img_img_balanced", "a_sp"), "data": str(out)})
    assert len(trials) == 12 * 16  # rows, and pairs x conditions x orders
    seen = {"img4": [], "img6": [], "img8": []}
    for row in trials.table:
        params = json.loads(row["params"])
        assert {Image.open(row[f"img{k}"]).size for k in range(1, 9)} == {(64, 48)}
        assert {params[f"img{k}"]["name"] for k in (1, 2, 3, 5, 7)} == {row["name"]}
        for k in (1, 3, 5, 7):
            assert params[f"img{k}"]["copy"] != params[f"img{k + 1}"]["copy"]
        for column, names in seen.items():
            names.append(params[column]["name"])
        assert not set(params["img8"]["objects"]) & set(params["objects"])
        assert len({x["relation"] for x in (params, params["img4"], params["img6"])}) == 3
    for names in seen.values():  # each view stands in each place once
        assert sorted(names) == sorted(trials.table["name"])


def test_a_photograph_of_other_proportions_is_left_out_of_balanced_pairs(broken):
    root, items = broken
    write_download(root, "controlled_clevr")
    Image.new("RGB", (48, 64), (9, 9, 9)).save(file_of(root, items[0]))
    run("whatsup", "--whatsup", root, "--out", root / "out", "--balanced", status=0)
    card = " ".join((root / "out" / "README.md").read_text().split())
    assert "one size, but this one has 48x64, and most pictures 64x48" in card


# What is not as it should be.


@pytest.fixture
def broken(tmp_path):
    """A copy of subset a, to be damaged, and its items."""
    return tmp_path, write_download(tmp_path, "controlled_images")


def file_of(root, entry):
    return root / entry["image_path"].removeprefix("data/")


def test_photographs_that_cannot_be_used_are_named(broken, monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)  # as the command does
    root, items = broken
    file_of(root, items[0]).unlink()  # beer-bottle, left
    mug = file_of(root, items[4])
    mug.write_bytes(mug.read_bytes()[:-300])  # mug, left
    items[8]["caption_options"] = items[8]["caption_options"][::-1]  # cap, left: another is true
    items[9]["caption_options"][1] = "A cap near a chair"
    items.append({**items[5], "image_path": "data/controlled_images/mug_above_table.jpeg"})
    items.append({**items[5], "image_path": "data/controlled_images/mug_behind_table.jpeg"})
    items.append(dict(items[5]))
    write_items(root, "controlled_images", items)
    views, selection = read_views(root, "a")
    assert [view.name for view in views] == [one.name for one in selection.used]
    assert [name for name, _ in selection.skipped] == [
        *("beer-bottle_left_of_armchair", "cap_left_of_chair", "cap_right_of_chair"),
        *("mug_above_table", "mug_behind_table", "mug_left_of_table", "mug_right_of_table"),
    ]
    assert len(views) == 8

    write_download(root, "controlled_clevr")
    done = run("whatsup", "--whatsup", root, "--out", root / "out", status=0)
    assert "7 pictures left out" in done.output
    assert len(rows(root / "out", "wu_img_img", "a_sp")) == 4
    assert len(rows(root / "out", "wu_img_text", "a_sp")) == 8
    card = (root / "out" / "README.md").read_text(encoding="utf-8")
    assert "- 'mug_left_of_table': cannot be read" in card


# The built data through the harness.


def by_sight(prompt, images):
    """The ground truth of two pictures of a subset, by what they show and what is asked."""
    one, other = map(shown, images)
    if one[0] != other[0]:
        return rate(1)
    sensitive = re.search("[Bb]e sensitive to .*spatial positions", prompt)
    return rate(6 if sensitive and one != other else 10)


@pytest.mark.parametrize("task", ["pairbench_wu_ii_a_sp", "pairbench_wu_ii_b_sp_rotate"])
def test_the_pictures_shown_deserve_their_ground_truth(task, built, task_manager, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(built))
    found = numbers(evaluate(SightedJudge(by_sight), task, task_manager), task)
    assert found["mmscore"] == 1
    assert found["pairs"] == 48


def by_reading(prompt, images):
    """The ground truth of a picture of subset a and a caption."""
    [(number, relation)] = map(shown, images)
    objects, token = OBJECTS["controlled_images"][number], TOKENS["controlled_images"][relation]
    text = prompt.rsplit('"', 2)[1]
    about = [caption(objects, other) for other in TOKENS["controlled_images"]]
    sensitive = "Be sensitive to the spatial positions" in prompt
    if text not in about:
        return rate(1)
    return rate(6 if sensitive and text != caption(objects, token) else 10)


def test_the_captions_shown_deserve_their_ground_truth(built, task_manager, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(built))
    found = numbers(
        evaluate(SightedJudge(by_reading), "pairbench_wu_it_a", task_manager), "pairbench_wu_it_a"
    )
    assert found["mmscore"] == 1
    assert found["pairs"] == 48
