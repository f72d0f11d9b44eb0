"""The validation split as training data."""

import json

import pytest
from PIL import Image

from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials
from tests.files import pairbench
from tests.lmms_eval_tasks.subtlebench.conftest import VAL, options, write_data

GREETING = "You are a helpful assistant that answers multiple-choice questions"


def export(*arguments):
    return pairbench("export", "subtlebench-training", *arguments)


def rows(folder):
    return [json.loads(line) for line in (folder / "training.jsonl").read_text().splitlines()]


@pytest.fixture(autouse=True)
def _data(subtlebench_data, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))


@pytest.mark.parametrize("layout", ["llava", "messages"])
def test_a_row_asks_as_the_task_does_and_replies_with_the_right_letter(tmp_path, layout):
    done = export("--out", tmp_path / "train", "--layout", layout)
    assert done.exit_code == 0, done.output
    found = rows(tmp_path / "train")
    assert len(found) == len(VAL)
    trials = ChoiceTrials({"split": "val"})
    for row, wanted, number in zip(found, VAL, range(len(VAL)), strict=True):
        trial = trials.describe(trials.requests[number])
        request = trials.ask(trial)
        if layout == "llava":
            asked, reply = (turn["value"] for turn in row["conversations"])
            assert [turn["from"] for turn in row["conversations"]] == ["human", "gpt"]
            images, prompt = row["image"], f"{request.system}\n\n{request.parts[1]}"
        else:
            system, asked, reply = (turn["content"] for turn in row["messages"])
            assert [turn["role"] for turn in row["messages"]] == ["system", "user", "assistant"]
            assert system == request.system
            images, prompt = row["images"], request.parts[1]
        assert asked == f"<image>\n<image>\n{prompt}"
        assert GREETING in request.system
        assert options(prompt)[reply] == wanted["answer"]
        shown = [Image.open(tmp_path / "train" / path).convert("RGB") for path in images]
        assert [one.tobytes() for one in shown] == [one.tobytes() for one in request.images()]


def test_the_test_split_is_refused_and_nothing_is_written(tmp_path):
    done = export("--out", tmp_path / "train", "--split", "test")
    assert done.exit_code == 1
    assert "the test split is what models are measured on" in done.output
    assert not (tmp_path / "train").exists()
    done = export("--out", tmp_path / "train", "--split", "test", "--allow-test")
    assert done.exit_code == 0, done.output
    assert "do not report numbers" in done.output
    assert len(rows(tmp_path / "train")) == 9


def test_what_cannot_be_written_or_read_is_refused_whole(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    assert "holds something else, such as 'notes.txt'" in export("--out", tmp_path / "full").output
    (tmp_path / "file").write_text("mine")
    assert "is a file" in export("--out", tmp_path / "file").output
    data = write_data(tmp_path / "data", VAL, "val")
    assert export("--out", data, "--data", data).exit_code == 1
    next(data.rglob("*_2.png")).unlink()
    done = export("--out", tmp_path / "train", "--data", data)
    assert done.exit_code == 0, done.output  # the row is left out, as in a run
    assert len(rows(tmp_path / "train")) == len(VAL) - 1
    done = export("--out", tmp_path / "other", "--data", tmp_path / "nowhere")
    assert done.exit_code == 1
    assert not (tmp_path / "other").exists()
