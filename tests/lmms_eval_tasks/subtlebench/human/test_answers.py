"""Answers on disk, and the logs that follow from them."""

import json

import pytest

from lmms_eval_tasks.subtlebench.human.answers import collect
from pairbench_ext.core.records import RecordError
from tests.files import pairbench, write_lines
from tests.lmms_eval_tasks.subtlebench.conftest import ROWS
from tests.lmms_eval_tasks.subtlebench.human.conftest import begun, right

LINE = {"rater": "anna", "task": "subtlebench", "item": "i", "order": "fwd", "choice": "B"}


def write(path, *lines):
    return write_lines(path, lines)


@pytest.fixture
def answered(path):
    """Anna is right but in questions on attributes; Ben answers A, and not all."""
    with begun(path, ("anna", "ben")) as [anna, ben]:
        for question in anna.state()["questions"]:
            name = question["id"]
            wrong = anna.study.trials[anna._key(name)]["category"] == "attribute"
            n = len(question["options"])
            anna.rate(name, right(anna, name) % n + 1 if wrong else right(anna, name))
        for question in ben.state()["questions"][:4]:
            ben.rate(question["id"], 1)
    return path


def test_of_several_answers_the_last_holds(path):
    changed = {**LINE, "choice": "A"}
    undone = {**LINE, "event": "undo"}
    found = collect([write(path, LINE, changed, {**LINE, "item": "j"}, changed, undone)])
    assert [(one.key.item, one.score) for one in found.ratings] == [("i", 1), ("j", 2)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"choice": "AB"}, "choice 'AB' is none of"),
        ({"choice": "b"}, "choice 'b' is none of"),
        ({"choice": ""}, "choice '' is none of"),
        ({"choice": 2}, "choice"),
        ({"order": "up"}, "order 'up' is none of"),
        ({"rater": ""}, "rater"),
        ({"item": None}, "item"),
        ({"event": "think"}, "event"),
    ],
)
def test_a_line_that_says_nothing_is_named(path, change, said):
    found = collect([write(path, LINE, {**LINE, "item": "j", **change})])
    assert len(found.ratings) == 1
    [line] = found.skipped
    assert "line 2" in line
    assert said in line
    with pytest.raises(RecordError, match=r"line 1"):
        collect([write(path, {**LINE, **change})])


def test_one_question_in_two_files_is_refused(tmp_path):
    files = [write(tmp_path / name, LINE) for name in ("a", "b")]
    with pytest.raises(RecordError, match="'anna' rated the same in two files"):
        collect(files)


def test_accuracy_by_type(answered):
    done = pairbench("people", "answers", answered, "--json")
    assert done.exit_code == 0, done.output
    anna = json.loads(done.stdout)["people"]["anna"]
    assert anna["attribute"]["accuracy"] == 0
    assert {name for name, one in anna.items() if one["accuracy"] == 1} == {
        "state", "temporal", "existence", "viewpoint", "quantity",
    }  # fmt: skip
    assert anna["AVG"]["accuracy"] == pytest.approx(7 / 9)
    assert anna["AVG"]["n"] == len(ROWS) == 9
    both = json.loads(done.stdout)["all"]
    assert both["AVG"]["n"] == 13
    low, high = both["AVG"]["interval"]
    assert 0 <= low < both["AVG"]["accuracy"] < high <= 1


def test_logs_are_read_as_those_of_models(answered, tmp_path):
    out = tmp_path / "humans"
    done = pairbench("people", "answers", answered, "--out", out)
    assert done.exit_code == 0, done.output
    assert "paper's people" in done.output
    scored = pairbench("score", "subtlebench", out / "anna", "--json")
    assert scored.exit_code == 0, scored.output
    [run] = json.loads(scored.stdout)["runs"]
    assert run["numbers"]["accuracy"] == pytest.approx(7 / 9)
    panel = pairbench("panel", out / "anna", out / "ben")
    assert panel.exit_code == 0, panel.output
    compared = pairbench("compare", out / "anna", out / "ben")
    assert compared.exit_code == 0, compared.output
    again = pairbench("people", "answers", answered, "--out", out)
    assert again.exit_code == 1
    assert "is there already" in again.output
    assert pairbench("people", "answers", answered, "--out", out, "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"item": "gone"}, "'gone' (fwd) on other data than those of subtlebench"),
        ({"choice": "Z"}, "on other data than those of"),
        ({"content": "0" * 16}, "on other data than those of"),
        ({"task": "subtlebench_grid"}, "no task that asks the plain question"),
    ],
)
def test_answers_on_other_data_are_refused(answered, tmp_path, change, said):
    lines = [json.loads(line) for line in answered.read_text().splitlines()]
    path = write(tmp_path / "other.jsonl", *lines[:-1], {**lines[-1], **change})
    done = pairbench("people", "answers", path, "--out", tmp_path / "humans")
    assert done.exit_code == 1
    assert said in done.output
    assert f"{path}, line {len(lines)}: " in done.output
    assert not (tmp_path / "humans").exists()


def test_names_never_lead_out_of_the_folder(answered, tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_text(answered.read_text().replace('"ben"', '"../../ben"'))
    done = pairbench("people", "answers", path, "--out", tmp_path / "humans")
    assert done.exit_code == 1
    assert "'../../ben' cannot name a folder; rename the rater" in done.output


def test_wrong_options(tmp_path):
    done = pairbench("rate", "questions", "--raters", "a", "--task", "subtlebench_grid")
    assert done.exit_code == 1
    assert "asks the plain question" in done.output
    done = pairbench("people", "answers", tmp_path)
    assert done.exit_code == 1
    assert "cannot be read" in done.output
