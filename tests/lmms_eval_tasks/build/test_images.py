"""`pairbench build images`: a folder of pictures becomes a PairBench data set."""

import json
from pathlib import Path

import datasets
import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.build import images
from lmms_eval_tasks.build.images import Settings
from lmms_eval_tasks.build.photos import load_photos
from lmms_eval_tasks.build.pictures import Source, Usable, find_sources, load_picture, select
from lmms_eval_tasks.pairbench import prompts, promptset
from lmms_eval_tasks.pairbench.rating_pool import PairPool, find_leaves
from pairbench_ext.core import sources
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.visual import encoded
from pairbench_ext.synthetic.transforms import TRANSFORMS, identical, transform
from tests.conftest import picture
from tests.files import pairbench


def noise(number):
    """A picture that differs by number."""
    return picture(number, 0, (40, 34))


GREY = noise(0).convert("L")
EXIF = Image.Exif()
EXIF[0x0112] = 6  # lies on its side


@pytest.fixture
def folder(tmp_path):
    """Four thumbnails, a copy, and what is no picture."""
    place = tmp_path / "pictures"
    place.mkdir()
    for number, photo in enumerate(load_photos(48)[:4]):
        photo.image.save(place / f"{photo.name}.{'jpg' if number % 2 else 'png'}", quality=95)
    (place / "copy.png").write_bytes((place / "astronaut.png").read_bytes())
    (place / "notes.txt").write_text("hello")
    return place


def source(tmp_path, content):
    path = tmp_path / "picture"
    path.write_bytes(content)
    return Source("picture", path)


# --- Pictures


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (encoded(noise(1)), noise(1)),
        (encoded(GREY), GREY.convert("RGB")),
        (encoded(noise(3), exif=EXIF), noise(3).rotate(-90, expand=True)),
        (encoded(Image.fromarray((np.asarray(GREY).astype(np.uint16)) * 257)), GREY.convert("RGB")),
        (encoded(Image.new("RGBA", (40, 40), (9, 9, 9, 0))), Image.new("RGB", (40, 40), "white")),
    ],
    ids=["rgb", "grey", "on its side", "16 bits", "transparent"],
)
def test_pictures_become_upright_rgb(tmp_path, content, expected):
    picture = load_picture(source(tmp_path, content))
    assert (picture.image.mode, picture.image.size) == ("RGB", expected.size)
    assert picture.image.tobytes() == expected.tobytes()


def test_the_choice_follows_from_names_and_seed(folder):
    found = find_sources(folder)
    chosen = select(found, most=2).used
    assert [x[:2] for x in select(found[::-1], most=2).used] == [x[:2] for x in chosen]
    drawn = {tuple(x.name for x in select(found, most=2, seed=seed).used) for seed in range(9)}
    assert len(drawn) > 2
    everything = select(found)
    assert len(everything.used) == 4
    why = dict(everything.skipped)
    assert why["notes.txt"] == "not an image"
    assert len(why) == 2


# --- Rows


def test_an_irrelevant_picture_is_of_another_scene():
    """The first three of five pictures are one scene, taken again."""
    used = [
        Usable(Source(str(k), Path(str(k))), b"", np.array([1.0, 0] if k < 3 else [0, 1.0]))
        for k in range(5)
    ]
    assert {images._other(used, 0, "rotate", seed) for seed in range(20)} == {3, 4}


@pytest.mark.parametrize("size", [None, 64, (64, 64)])
def test_crops_of_one_photograph_are_never_irrelevant_to_each_other(size, tmp_path):
    """Four photographs, three crops of each that overlap by half or more; four crops of one."""
    for photo in load_photos()[:5]:
        width, height = photo.image.size
        for part in range(3):
            left = part * width // 8
            crop = photo.image.crop((left, 0, left + width * 3 // 4, height - 8 * part))
            crop.save(tmp_path / f"{photo.name}_{part}.jpg", quality=85)
    used = select(find_sources(tmp_path), size=size).used
    assert len(used) == 15
    photograph = [picture.name.partition("_")[0] for picture in used]
    for seed in range(6):
        others = [images._other(used, place, "rotate", seed) for place in range(15)]
        for paired in (others, images.balanced.irrelevant_pictures(used, 0.0, seed, "rotate")):
            assert all(photograph[one] != photograph[two] for one, two in enumerate(paired))
    with pytest.raises(SourceError, match=r"'astronaut_0.jpg' overlaps every other picture"):
        images._other(used[:3], 0, "rotate", 0)


def test_the_rows_of_a_split(folder, tmp_path):
    selection = select(find_sources(folder))
    settings = Settings("few", {"rotate": TRANSFORMS["rotate"]}, seed=7)
    images.write_splits(tmp_path, selection.used, settings)
    pictures = {x.name: load_picture(x.source) for x in selection.used}
    for row in datasets.load_dataset(
        "imagefolder", data_dir=str(tmp_path / "few" / "rotate"), split="train"
    ):
        picture, record = pictures[row["name"]], json.loads(row["params"])
        other = record["img4"]["name"]
        assert other != row["name"]
        expected = {
            "img1": picture.image,
            "img2": identical(picture.image),
            "img3": transform("rotate", picture.image, 7, row["name"]),
            "img4": transform("rotate", pictures[other].image, 7, other),
        }
        for column, image in expected.items():
            shown = np.asarray(row[column].convert("RGB")).astype(int)
            lossy = pictures[other if column == "img4" else row["name"]].lossy
            assert row[column].format == ("JPEG" if lossy else "WEBP")
            assert np.abs(shown - np.asarray(image)).mean() <= (4 if lossy else 0)


# --- The command


def build(folder, out, *options, status=None):
    arguments = ["build", "images", "--images", str(folder), "--name", "thumbs", "--out", str(out)]
    arguments += ["--splits", "rotate, elastic"]
    return pairbench(*arguments, *options, status=status)


def test_a_folder_becomes_a_data_set(folder, tmp_path, task_manager, monkeypatch):
    out = tmp_path / "out"
    done = build(folder, out, "--seed", "3", "--licence", "mine", status=0)
    assert "4 pictures, 2 splits, 48 pairs: " in done.stdout
    assert (
        sum(cell.rows for cell in PairPool(find_leaves(str(out))).cells) == 48
    )  # as `pairbench rate pairs` counts them
    next_step = f"Next: PAIRBENCH_DATA={out} lmms-eval --model ... --tasks pairbench_thumbs"
    assert next_step in done.stdout
    assert "2 pictures left out; " in done.stderr
    table = sources.open_split(str(out), "thumbs", "elastic")
    assert len(table) == 4
    assert json.loads(table[0]["params"])["transform"] == "elastic"
    asked = promptset.load(str(out), "thumbs", image_text=False)
    assert asked.templates == prompts.IMAGE_IMAGE_TEMPLATES
    assert asked.conditions == {x: prompts.IMAGE_IMAGE_CONDITIONS[x] for x in ("rotate", "elastic")}
    assert asked.kinds == ("identical", "transformed", "irrelevant")
    card = (out / "README.md").read_text()
    assert "- 'notes.txt': not an image" in card
    assert "Licence of the pictures: mine" in card
    build(folder, tmp_path / "again", "--seed", "3", "--licence", "mine", status=0)
    for path in filter(Path.is_file, out.rglob("*")):
        assert (tmp_path / "again" / path.relative_to(out)).read_bytes() == path.read_bytes()


def test_an_interrupted_build_leaves_nothing(folder, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(images, "write_about", stopped)
    assert build(folder, tmp_path / "out").exit_code != 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pictures"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n", "9"], "6 pictures were found, 4 of them usable"),
        (["--splits", "spin"], "unknown transformation 'spin': choose from colorjitter"),
        (["--name", "demo"], "--name 'demo' is taken by other tasks"),
        (["--name", "../up"], "--name '../up' must be letters and digits"),
        (["--images", "/none"], "'/none' is no folder, or has no files"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_clear_sentence(folder, tmp_path, options, message):
    [line] = build(folder, tmp_path / "out", *options, status=1).stderr.strip().splitlines()[-1:]
    assert line.startswith("error: ")
    assert message in line
    assert not (tmp_path / "out").exists()
