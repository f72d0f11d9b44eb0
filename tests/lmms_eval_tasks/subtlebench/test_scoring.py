"""Scores from files of plain rows and of logged samples."""

import pytest

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from tests import files
from tests.files import json_of, pairbench, write_lines

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] boom"
ROW = {"item": "a", "category": "state", "options": ["up", "down"], "truth": "B"}


def row(item, response, truth="B", **others):
    return {**ROW, "item": item, "truth": truth, "response": response, **others}


def score_file(path, rule=None):
    return files.score_file(CHOICES, path, rule=rule)


@pytest.mark.parametrize(
    ("steps", "failed"), [([("describe", "Answer: B")], 0), ([("describe", FAILED)], 1)]
)
def test_without_a_second_step_there_is_no_answer(steps, failed, tmp_path):
    rows = [{"step": step, "response": reply} for step, reply in steps]
    scored = score_file(write_lines(tmp_path / "a.jsonl", [{**ROW, "exchanges": rows}]))
    assert (scored.numbers["coverage"], scored.numbers["answers"]) == (0, 1)
    assert scored.failed == failed


def test_an_option_with_the_text_of_the_right_one_is_right(tmp_path):
    options = ["a cup", "a cat", "a cup"]
    lines = [row("a", "C", truth="A", options=options), row("b", "B", truth="A", options=options)]
    scored = score_file(write_lines(tmp_path / "a.jsonl", lines))
    assert [choice.right for choice in scored.table.rows] == [True, False]


def test_the_picture_has_the_accuracy_of_every_type(tmp_path, figure):
    """Of three types two are in the data, with two and four options and 3/4 and 1/2 right."""
    lines = [row(f"s{n}", "A" if n else "B", truth="A") for n in range(4)]
    four = {"category": "quantity", "options": ["1", "2", "3", "4"]}
    lines += [row(f"q{n}", "AB"[n], truth="A", **four) for n in range(2)]
    file = write_lines(tmp_path / "a.jsonl", lines)
    pairbench("score", "subtlebench", file, "--plot", tmp_path / "a.png", status=0)
    [axes] = figure.figure.axes
    named = [label.get_text() for label in axes.get_yticklabels()]
    heights = dict(zip(named, axes.get_yticks(), strict=True))
    assert [name.split()[0] for name in named] == ["state", "quantity", "all"]
    drawn = [line.get_xydata() for line in axes.lines]
    dots = {y: x for points in drawn if len(points) == 1 for x, y in points}
    guesses = {points[:, 1].mean(): points[0, 0] for points in drawn if len(points) == 2}
    shares = {"state": 0.75, "quantity": 0.5, "all": 4 / 6}
    for name, height in heights.items():
        at = min(dots, key=lambda y, height=height: abs(y - height))
        assert dots[at] == pytest.approx(shares[name.split()[0]])
    expected = [1 / 2, 1 / 4, (4 * 1 / 2 + 2 * 1 / 4) / 6]
    found = [guesses[height] for height in sorted(guesses, reverse=True)]
    assert found[-3:] == pytest.approx(expected)


def test_cells_of_a_controlled_set(tmp_path):
    """One of two answers on small shapes is right; the picture is a map of the cells."""
    lines = [
        row(f"{size} {hue} {k}", "B" if size == 40 or k else "A", cell={"size": size, "hue": hue})
        for size in (40, 5)
        for hue in (0.1, 0.25)
        for k in (0, 1)
    ]
    file = write_lines(tmp_path / "a.jsonl", lines)
    cells = json_of("score", "subtlebench", file, "--plot", tmp_path / "a.png")["runs"][0]["cells"]
    assert [cells[size]["hue=0.1"]["value"] for size in ("size=40", "size=5")] == [1, 0.5]
    assert (tmp_path / "a.png").is_file()
