"""A copy of the authors' repository, in small: their layout, our pictures and sentences."""

import json
import re
import shutil

import pytest
from PIL import Image

from lmms_eval_tasks.cast.benchmark import docs
from lmms_eval_tasks.cast.build.authors import is_authors_copy, read_authors
from pairbench_ext.core.left_out import LeftOut
from pairbench_ext.core.sources import SourceError, open_split
from tests.files import pairbench

NUMBERS = (0, 1, 2, 10)
EXAMPLE = 7  # among the examples for prompts
SIZE = (30, 20)


@pytest.fixture
def copy(tmp_path):
    root = tmp_path / "cast"
    for folder in ("data", "data_prompt"):
        (root / folder / "imgs").mkdir(parents=True)
        for number in NUMBERS if folder == "data" else (*NUMBERS, EXAMPLE):
            row = {
                "id": number,
                "docci_idx_0": 100 + number,
                "docci_idx_1": 200 + number,
                "img_pair_similarity": 0.75 + number / 100,
                "desc_pair_similarity": 0.5,
                "description_0": f"The left of {number} in {folder}.",
                "description_1": f"The right of {number}.",
            }
            (root / folder / f"{number}.json").write_text(json.dumps(row))
            for side in (0, 1):
                image = Image.new("RGB", SIZE, (20 * number, 200 * side, 0))
                image.save(root / folder / "imgs" / f"{number}_{side}.jpg")
    return root


def build(*arguments):
    return pairbench("build", "cast", *arguments)


def edited(copy, **changes):
    file = copy / "data/1.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_copy_and_its_data_folder_are_the_same_pairs(copy):
    pairs = read_authors(copy)
    assert read_authors(copy / "data") == pairs
    assert [pair.name for pair in pairs] == ["0", "1", "2", "10"]  # by number, not by letters
    last = pairs[-1]
    assert (last.first.id, last.second.id, last.similarity) == ("110", "210", pytest.approx(0.85))
    assert last.first.description == "The left of 10 in data."


def test_built_files_hold_the_images_as_they_are(copy, tmp_path):
    done = build("--authors", copy, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "4 pairs of the authors" in done.output
    table = open_split(str(tmp_path / "out"), "cast", "test")
    assert table["pair"][:] == ["0", "1", "2", "10"]
    bytes_of = table.data.column("image_2")[3].as_py()["bytes"]
    assert bytes_of == (copy / "data/imgs/10_1.jpg").read_bytes()
    assert "gautierdag/cast" in (tmp_path / "out/README.md").read_text(encoding="utf-8")


def test_a_copy_needs_no_build(copy, tmp_path, monkeypatch):
    """Named in CAST_DATA, it is asked about as what is built of it."""
    build("--authors", copy, "--out", tmp_path / "out")
    asked = []
    for folder in (copy, copy / "data", tmp_path / "out"):
        monkeypatch.setenv("CAST_DATA", str(folder))
        found = docs([{}])
        trials = found.trials
        request = next(trials.ask(trials[1]))
        asked.append(([dict(doc) for doc in found], request.texts, request.images()[0].tobytes()))
    assert asked[0] == asked[1] == asked[2]
    assert len(asked[0][0]) == 6 * len(NUMBERS)


def test_a_table_of_ours_beside_a_folder_data_is_ours(copy, tmp_path):
    build("--authors", copy, "--out", tmp_path / "out", "--max-side", 32)
    shutil.rmtree(copy / "data/imgs")
    shutil.copytree(tmp_path / "out/cast", copy / "cast")
    assert not is_authors_copy(copy)
    assert len(docs([{"data": str(copy)}])) == 6 * len(NUMBERS)


BROKEN = {
    "no image": (lambda copy: (copy / "data/imgs/1_1.jpg").unlink(), r"1\.json: no image .*1_1"),
    "no JSON": (lambda copy: (copy / "data/1.json").write_text("{"), r"1\.json: cannot be read"),
    "no mapping": (lambda copy: (copy / "data/1.json").write_text("[]"), r"1\.json: must be a ma"),
    "no text": (lambda copy: edited(copy, description_1=3), "'description_1' must be"),
    "empty": (lambda copy: edited(copy, description_1=" "), "a description is empty"),
    "missing": (lambda copy: edited(copy, docci_idx_0=None), "no field 'docci_idx_0'"),
}


@pytest.mark.parametrize(("damage", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_pair_costs_that_pair(damage, message, copy, said):
    damage(copy)
    assert [pair.name for pair in read_authors(copy)] == ["0", "2", "10"]
    [line] = [line for line in said if "left out" in line]
    assert line.startswith("1 pairs cannot be used")
    left_out = LeftOut()
    assert len(read_authors(copy, left_out)) == 3
    [reason] = left_out
    assert re.search(message, reason)
    for number in (0, 2, 10):
        (copy / f"data/imgs/{number}_0.jpg").unlink()
    with pytest.raises(SourceError, match=r"no image .*0_0\.jpg"):
        read_authors(copy)
    (copy / "data/0.json").unlink()
    (copy / "data/2.json").unlink()
    (copy / "data/10.json").unlink()
    with pytest.raises(SourceError, match=message):
        read_authors(copy)


def test_other_folders_are_named(tmp_path):
    (tmp_path / "data").mkdir()
    done = build("--authors", tmp_path, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "is no copy of the authors' repository" in " ".join(done.output.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("images", ["canvas", "separate"])
def test_the_example_comes_first_and_is_shown_as_pairs_are(copy, images):
    trials = docs([{"data": str(copy), "examples": 1, "images": images}]).trials
    for trial in trials:
        request = next(trials.ask(trial))
        texts = [part for part in request.content if isinstance(part, str)]
        assert "Both scenes have a yellow road sign" in "".join(texts)
        assert request.text.endswith("Similarities:\n\n1.")
        assert trial["examples"] == 1
        if trial["generated"] == "text":
            assert not request.shows_images
            continue
        shown = request.images()
        n = len(shown) // 2
        assert n == (1 if images == "canvas" else 2)
        plain = docs([{"data": str(copy), "images": images}]).trials
        wanted = next(plain.ask(plain[list(trials).index(trial)])).images()
        assert [one.tobytes() for one in shown[n:]] == [one.tobytes() for one in wanted]
        left = shown[0].getpixel((5, 5))
        assert left == pytest.approx((20 * EXAMPLE, 0, 0), abs=3)  # as JPEG
        # The example's image is before the pair's, each after its own words.
        places = [not isinstance(part, str) for part in request.content]
        assert places[:4] == [False, True, False, True]


def test_examples_are_in_a_copy_and_for_the_authors_prompts(copy, tmp_path):
    (copy / "data_prompt/imgs/7_1.jpg").unlink()
    with pytest.raises(SourceError, match=r"data_prompt/imgs/7_1\.jpg of their repository"):
        docs([{"data": str(copy), "examples": 1}]).trials.requests  # noqa: B018
    build("--authors", copy, "--out", tmp_path / "out")
    with pytest.raises(SourceError, match="git clone"):
        docs([{"data": str(tmp_path / "out"), "examples": 1}]).trials.requests  # noqa: B018
    with pytest.raises(SourceError, match="'examples' are the authors'"):
        docs([{"data": str(copy), "examples": 1, "prompts": "paper"}]).trials.requests  # noqa: B018
