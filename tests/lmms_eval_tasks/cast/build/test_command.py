"""`pairbench build cast`, with a tiny real CLIP checkpoint and with the classical encoder."""

import csv
import json

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.cast.benchmark import docs
from lmms_eval_tasks.cast.build.scenes import DOCCI_TABLE
from pairbench_ext.core.sources import open_split
from tests.files import pairbench

LONG = "A scene. " * 60
# Any pair: tiny random weights see no similarity.
ALIKE = ("--low", "-1", "--high", "1.01", "--bins", "1")


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    sizes["num_attention_heads"] = 2
    config = CLIPConfig(
        text_config={**sizes, "vocab_size": 16, "max_position_embeddings": 8},
        vision_config={**sizes, "image_size": 28, "patch_size": 14},
        projection_dim=24,
    )
    folder = tmp_path_factory.mktemp("clip")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        CLIPModel(config).save_pretrained(folder)
    size = {"height": 28, "width": 28}
    CLIPImageProcessor(size={"shortest_edge": 28}, crop_size=size).save_pretrained(folder)
    return folder


def pictures(folder, count=8):
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for number in range(count):
        pixels = rng.integers(0, 256, (12, 16, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((64, 48)).save(folder / f"{number}.png")
    return [f"{number}.png" for number in range(count)]


@pytest.fixture
def docci(tmp_path):
    """A DOCCI download: six scenes to train, of which one is hardly described, and two to test."""
    names = pictures(tmp_path / "docci" / "images")
    with (tmp_path / "docci" / DOCCI_TABLE).open("w") as file:
        for number, name in enumerate(names):
            split = "train" if number < 6 else "test"
            text = "Short." if number == 0 else f"{LONG}{number}."
            row = {"example_id": f"{split}_{number}", "split": split, "image_file": name}
            file.write(json.dumps(row | {"description": text}) + "\n")
    return tmp_path / "docci"


@pytest.fixture
def folder(tmp_path):
    """Images of one's own with a table."""
    names = pictures(tmp_path / "mine")
    with (tmp_path / "mine" / "descriptions.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "description"])
        writer.writerows([name, f"{LONG}{name}."] for name in names)
    return tmp_path / "mine"


def build(*arguments):
    return pairbench("build", "cast", *arguments)


def test_a_docci_download_with_clip(docci, clip, tmp_path):
    out = tmp_path / "pairs"
    done = build("--docci", docci, "--out", out, "--encoder", clip, "--n", 2, *ALIKE)
    assert done.exit_code == 0, done.output
    assert "2 pairs of 6 scenes" in done.output
    assert f"CAST_DATA={out} lmms-eval" in done.output
    table = open_split(str(out), "cast", "test")
    ids = {*table["id_1"], *table["id_2"]}
    assert len(ids) == 4
    assert ids <= {f"train_{number}" for number in range(1, 6)}
    assert len(docs([{"data": str(out)}])) == 2 * 6
    card = (out / "README.md").read_text(encoding="utf-8")
    assert f"by {clip}" in card
    assert "licence" in card
    assert "| author |" not in card  # nobody is credited in an empty table


def test_a_folder_of_ones_own_is_drawn_by_seed(folder, tmp_path):
    drawn = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        done = build(
            *("--scenes", folder, "--out", tmp_path / name, "--encoder", "classical"),
            *("--n", 3, "--seed", seed, "--max-side", 32, *ALIKE),
        )
        assert done.exit_code == 0, done.output
        table = open_split(str(tmp_path / name), "cast", "test")
        drawn[name] = table["pair"][:]
        assert {max(image.size) for image in table["image_1"]} == {32}
    assert drawn["a"] == drawn["b"] != drawn["c"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one of --authors DIR, --docci DIR and --scenes DIR"),
        (["--docci", "DIR", "--scenes", "DIR"], "name one of --authors DIR, --docci DIR and"),
        (["--authors", "DIR", "--docci", "DIR"], "name one of --authors DIR, --docci DIR and"),
        (["--docci", "DIR"], f"is no DOCCI download: no {DOCCI_TABLE} in it"),
        (["--scenes", "DIR", "--n", "99"], "fewer bins of similarity need fewer"),
        (["--scenes", "DIR", "--n", "99", "--bins", "1"], "99 are asked for"),
        (["--scenes", "DIR", "--min-description", "9999"], "0 of 8 descriptions have 9999"),
        (["--scenes", "nowhere"], "no folder 'nowhere'"),
        (["--scenes", "DIR", "--encoder", "no/model"], "no/model"),
    ],
    ids=[
        "neither",
        "both",
        "both of DOCCI",
        "no DOCCI",
        "too many of one bin",
        "too many",
        "descriptions",
        "folder",
        "encoder",
    ],
)
def test_mistakes_are_one_clear_sentence(arguments, message, folder, tmp_path):
    named = [str(folder) if argument == "DIR" else argument for argument in arguments]
    classical = [] if "--encoder" in named else ["--encoder", "classical"]
    done = build("--out", tmp_path / "out", *named, *classical)
    assert done.exit_code == 1, done.output
    assert message in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()
