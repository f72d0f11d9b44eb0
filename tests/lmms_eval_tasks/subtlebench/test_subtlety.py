"""How alike the images of pairs are to an encoder."""

import json

import numpy as np
import pytest

from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials
from lmms_eval_tasks.subtlebench.subtlety import mean, means, similarities
from pairbench_ext.judges.encoders.base import load_encoder, unit_rows
from tests.files import pairbench
from tests.lmms_eval_tasks.subtlebench.conftest import ROWS, write_data


class Pixels:
    """The mean colour as an embedding."""

    name = "pixels"

    def embed(self, images):
        return unit_rows(np.array([np.asarray(one.resize((1, 1)))[0, 0] for one in images]))


@pytest.fixture(autouse=True)
def _data(subtlebench_data, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))


def invoke(*arguments):
    return pairbench("score", "subtlety", *arguments)


def test_similarities_by_hand():
    trials = ChoiceTrials({})
    found = similarities(trials, Pixels())
    assert len(found) == len(ROWS) - 1  # two questions are about one pair
    for pair in found:
        row = next(one for one in trials.rows if trials.pairs.items[one].pair == pair.name)
        first, second = (np.array(one.getpixel((0, 0)), float) for one in trials.pairs.images(row))
        wanted = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
        assert pair.cosine == pytest.approx(wanted, abs=1e-6)
    by_type = means(found, "category")
    assert list(by_type) == [
        "attribute", "state", "temporal", "existence", "quantity", "viewpoint",
    ]  # fmt: skip
    values = [pair.cosine for pair in found if pair.category == "state"]
    assert by_type["state"].value == pytest.approx(np.mean(values))
    assert (by_type["state"].n, mean(found).n) == (2, 8)


def test_scenes_are_alike_to_pixels():
    found = similarities(ChoiceTrials({"data": "synthetic", "set": "mix", "n": 4}), Pixels())
    assert len(found) == 4
    assert all(0.9 < pair.cosine <= 1 for pair in found)


def test_the_command(tmp_path):
    done = invoke("--encoder", "classical", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    direct = similarities(ChoiceTrials({}), load_encoder("classical"))
    assert document["all"]["mean"] == pytest.approx(mean(direct).value)
    assert document["all"]["pairs"] == 8
    assert set(document["by_domain"]) == {"natural", "game", "industrial", "aerial", "medical"}
    assert set(document["by_source"]) == {row["source"] for row in ROWS}
    printed = invoke("--encoder", "classical", "--task", "subtlebench_val")
    assert printed.exit_code == 0
    assert "classical has a scale of its own" in printed.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--encoder", "classical", "--task", "nope"], "no task 'nope'"),
        (["--encoder", "./nowhere"], "cannot load './nowhere' as a vision encoder"),
        (["--encoder", "classical", "--task", "subtlebench_game", "--batch-size", "0"], "1"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said):
    done = invoke(*arguments)
    assert done.exit_code in (1, 2)
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_pair_whose_image_cannot_be_read_is_left_out_and_said(tmp_path, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(write_data(tmp_path / "data")))
    file = ChoiceTrials({}).pairs.files(0)[0]
    file.write_bytes(b"no image")
    done = invoke("--encoder", "classical", "--json")
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)
    assert made["all"]["pairs"] == len(ROWS) - 2
    assert made["left_out"]
    assert all(file.name in reason for reason in made["left_out"])
    assert "left out: " in done.stderr


def test_no_readable_pair_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(write_data(tmp_path / "data")))
    pairs = ChoiceTrials({}).pairs
    for row in range(len(pairs.items)):
        for file in pairs.files(row):
            file.write_bytes(b"no image")
    done = invoke("--encoder", "classical")
    assert done.exit_code == 1
    assert "error: " in done.stderr
