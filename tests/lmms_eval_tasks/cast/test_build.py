"""Pairs of scenes of one's own: bins, what is left out, and the task that runs on them."""

import csv
import json

import numpy as np
import pytest
from datasets import load_dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lmms_eval_tasks.build.photos import load_photos
from lmms_eval_tasks.cast.build import pairs_in_bins
from pairbench_ext.core.sources import SourceError
from pairbench_ext.judges.encoders import ClassicalEncoder, unit_rows
from tests.files import pairbench, write_lines
from tests.judges import SightedJudge, evaluate, numbers

BINS = "-1,0.1,0.3,0.5,1"
SETTINGS = ("--encoder", "classical", "--bins", BINS, "--per-bin", 2, "--characters", 40)


@pytest.fixture(scope="module")
def docci(tmp_path_factory):
    """Photographs and parts of them, in DOCCI's layout; two more that cannot be used."""
    folder = tmp_path_factory.mktemp("docci")
    (folder / "images").mkdir()
    rows = []
    for photo in load_photos(160):
        part = photo.image.crop((0, 0, photo.image.width * 9 // 10, photo.image.height * 9 // 10))
        for name, image in ((photo.name, photo.image), (f"{photo.name}_part", part)):
            image.save(folder / "images" / f"{name}.png")
            text = f"A description of {name} of more than forty characters."
            rows.append({"split": "train", "image_file": f"{name}.png", "description": text})
    photo.image.save(folder / "images" / "twice.png")
    rows.append({**rows[0], "image_file": "twice.png"})
    part.resize((99, 80)).save(folder / "images" / "short.png")
    rows.append({**rows[0], "image_file": "short.png", "description": "Short."})
    rows.append({**rows[0], "image_file": "unseen.png", "split": "test"})
    write_lines(folder / "docci_descriptions.jsonlines", rows)
    return folder


def build(folder, out, *more):
    done = pairbench("build", "cast", folder, "--out", out, *SETTINGS, *more)
    return done, " ".join(done.output.split())


def test_from_pictures_to_a_models_numbers(docci, tmp_path, task_manager, monkeypatch):
    out = tmp_path / "pairs"
    done, said = build(docci, out)
    assert done.exit_code == 0, done.output
    assert "34 pictures with captions; 33 captions have 40 characters or more" in said
    assert "8 pairs, 2 for each bin" in said
    assert "twice.png, has the same pixels as" in (out / "README.md").read_text()
    pairs = load_dataset(str(out), "cast", split="test")
    names = [name for row in pairs for name in row["pair"].split(" + ")]
    assert len(set(names)) == len(names) == 16
    assert not {"short.png", "unseen.png"} & set(names)
    ends = [float(end) for end in BINS.split(",")]
    assert np.digitize(pairs["similarity"], ends).tolist() == [4, 4, 3, 3, 2, 2, 1, 1]
    for row in pairs:
        names = row["pair"].split(" + ")
        images = [Image.open(docci / "images" / name).convert("RGB") for name in names]
        first, second = ClassicalEncoder().embed(images)
        assert row["similarity"] == pytest.approx(float(first @ second), abs=1e-5)
        assert row["image_2"].tobytes() == images[1].tobytes()
        assert names[0].removesuffix(".png") in row["description_1"]
    shown = {side_by_side(row).tobytes() for row in pairs}
    monkeypatch.setenv("CAST_DATA", str(out))

    def answer(prompt, images):
        assert {image.tobytes() for image in images} <= shown
        assert {image.size for image in images} <= {(1024, 512)}
        return "1. Both show a thing." if "numbered list" in prompt else "yes, both, true"

    found = numbers(evaluate(SightedJudge(answer), "cast_custom", task_manager), "cast_custom")
    assert (found["pairs"], found["coverage"]) == (8, 1)
    assert (found["own_rate"], found["own_minus_swapped"]) == (1, 0)


def side_by_side(row):
    """As `get_concat_h` of the authors' utils.py makes it of pictures resized as in dataset.py."""
    first, second = (row[column].resize((512, 512)) for column in ("image_1", "image_2"))
    canvas = Image.new("RGB", (first.width + second.width, first.height))
    canvas.paste(first, (0, 0))
    canvas.paste(second, (first.width, 0))
    return canvas


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(1, 4))
def test_every_bin_is_full_and_no_scene_is_in_two_pairs(seed, per_bin):
    vectors = unit_rows(np.random.default_rng(seed).normal(size=(80, 3)))
    ends = [-0.5, 0, 0.5, 0.9]
    found = pairs_in_bins(vectors, ends, per_bin, seed)
    scenes = [scene for first, second, _ in found for scene in (first, second)]
    assert len(set(scenes)) == len(scenes)
    likeness = [float(vectors[first] @ vectors[second]) for first, second, _ in found]
    assert [one for *_, one in found] == pytest.approx(likeness)
    assert np.digitize(likeness, ends).tolist() == np.repeat([3, 2, 1], per_bin).tolist()
    with pytest.raises(SourceError, match=r"similarity 0\.9 to 0\.95: "):
        pairs_in_bins(vectors[:10], [0.5, 0.9, 0.95], 25, seed)


def test_captions_of_a_table_and_what_is_wrong_with_them(docci, tmp_path):
    rows = [json.loads(line) for line in (docci / "docci_descriptions.jsonlines").open()]
    lines = [[row["image_file"], f"{row['description']} – é"] for row in rows[:32]]
    (name, text), more, out = lines[0], lines[1:], tmp_path / "out"
    for changed, message in (
        ([[name, ""], *more], "line 2: field 'caption' is empty"),
        (
            [["no.png", text], *more],
            "captions.csv, line 2: the file named in field 'image' does not exist",
        ),
        ([*lines, lines[0]], "captions.csv, line 34: 'astronaut.png' is there twice"),
        ([], "0 of them usable; at least 2 different pictures are needed"),
        (lines[:6], "of 2 pairs are missing; give more"),
        (lines, "32 pictures with captions"),
    ):
        table = tmp_path / "captions.csv"
        with table.open("w", encoding="cp1252") as file:  # as Western Excel saves it
            csv.writer(file).writerows([["image", "caption"], *changed])
        done, said = build(docci / "images", out, "--captions", table)
        assert message in said, said
        assert (done.exit_code == 0) == (changed is lines) == bool(list(tmp_path.glob("*out*")))
    done, said = build(tmp_path, tmp_path / "more")
    assert (done.exit_code, "docci_descriptions.jsonlines: cannot be read" in said) == (1, True)
