import json
from pathlib import Path

import pytest
from PIL import Image

from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.pairbench import prompts, promptset
from pairbench_ext.core import sources
from tests.files import pairbench


@pytest.fixture
def folder(tmp_path):
    """Four thumbnails, a copy, and what is no picture."""
    place = tmp_path / "pictures"
    place.mkdir()
    for photo in load_photos(48)[:4]:
        photo.image.save(place / f"{photo.name}.png")
    (place / "copy.png").write_bytes((place / "brick.png").read_bytes())
    (place / "notes.txt").write_text("hello")
    return place


def build(folder, out, *options):
    arguments = ["build", "images", "--images", str(folder), "--name", "thumbs", "--out", str(out)]
    return pairbench(*arguments, "--splits", "rotate, elastic", *options)


def test_a_folder_becomes_a_data_set(folder, tmp_path):
    out = tmp_path / "out"
    done = build(folder, out, "--seed", "3")
    assert done.exit_code == 0, done.output
    assert "rotate: 4 rows, " in done.stdout
    assert "4 pictures, 2 splits: " in done.stdout
    assert (
        f"Next: PAIRBENCH_DATA={out} lmms-eval --model ... --tasks pairbench_thumbs" in done.stdout
    )
    assert "left out: 1 duplicate, 1 not an image; " in done.stderr
    table = sources.open_split(str(out), "thumbs", "elastic")
    assert len(table) == 4
    record = json.loads(table[0]["params"])
    assert record["transform"] == "elastic"
    asked = promptset.load(str(out), "thumbs", image_text=False)
    assert asked.templates == prompts.IMAGE_IMAGE_TEMPLATES
    assert asked.conditions == {
        name: prompts.IMAGE_IMAGE_CONDITIONS[name] for name in ("rotate", "elastic")
    }
    assert asked.kinds == ("identical", "transformed", "irrelevant")


def test_options_reach_the_build(folder, tmp_path):
    ranges = tmp_path / "ranges.yaml"
    ranges.write_text("rotate: {degrees: [90, 90]}")
    options = (
        "--n",
        "3",
        "--size",
        "32",
        "--params",
        str(ranges),
        "--licence",
        "mine",
        "--lossless",
    )
    done = build(folder, tmp_path / "out", *options, "--splits", "rotate")
    assert done.exit_code == 0, done.output
    table = sources.open_split(str(tmp_path / "out"), "thumbs", "rotate")
    assert len(table) == 3
    assert max(table[0]["img1"].size) == 32
    assert abs(json.loads(table[0]["params"])["img3"]["angle"]) == 90
    recipe = json.loads((tmp_path / "out" / "build.json").read_text())["recipe"]
    assert (recipe["licence"], recipe["lossless"], recipe["seed"]) == ("mine", True, 0)
    assert list(recipe["transforms"]) == ["rotate"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n", "9"], "6 files found and 4 usable (1 duplicate, 1 not an image), but 9 different"),
        (["--splits", "spin"], "unknown transformation 'spin': choose from colorjitter"),
        (["--params", "/none.yaml"], "cannot read /none.yaml"),
        (["--name", "demo"], "--name 'demo' is taken"),
        (["--name", "custom"], "--name 'custom' is taken"),
        (["--name", "coco_rotate"], "--name 'coco_rotate' is taken"),
        (["--name", "birds_authors"], "--name 'birds_authors' ends as variants of tasks do"),
        (["--name", "b" * 101], "has 101 letters, at most 100 may be"),
        (["--out", __file__], f"{Path(__file__).name} is a file: name the folder"),
        (["--name", "my birds"], "--name 'my birds' must be letters and digits"),
        (["--name", "../up"], "--name '../up' must be letters and digits"),
        (["--images", "/none"], "no folder '/none'"),
        (["--out", "/proc/none"], "No such file or directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_clear_sentence(folder, tmp_path, options, message):
    done = build(folder, tmp_path / "out", *options)
    assert done.exit_code == 1
    [line] = done.stderr.strip().splitlines()[-1:]
    assert line.startswith("error: ")
    assert message in line
    assert not (tmp_path / "out" / "build.json").exists()


def test_another_seed_is_refused(folder, tmp_path):
    build(folder, tmp_path / "out", "--splits", "rotate")
    done = build(folder, tmp_path / "out", "--splits", "rotate", "--seed", "1")
    assert done.exit_code == 1
    assert "was begun with seed 0, not 1: choose another folder" in done.stderr


def test_rows_that_are_not_in_order_are_named(folder, tmp_path):
    ranges = tmp_path / "ranges.yaml"
    ranges.write_text("rotate: {degrees: [0, 0]}")
    Image.new("RGB", (40, 40), "red").save(folder / "red.png")
    Image.new("RGB", (40, 40), "blue").save(folder / "blue.png")
    done = build(folder, tmp_path / "out", "--splits", "rotate", "--params", str(ranges))
    assert done.exit_code == 0
    assert "rotate: 6 rows, 0.0% in order" in done.stdout
    assert "does not hold for " in done.stderr
    assert " and 1 more\n" in done.stderr
    assert "warning: rotate has fewer than 95% of its rows in order" in done.stderr
