"""Scores from files of plain rows and of logged samples."""

import math

import pytest

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs import scoring
from tests.files import write_lines

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] boom"
ROW = {"item": "a", "category": "state", "options": ["up", "down"], "truth": "B"}


def row(item, response, truth="B", **others):
    return {**ROW, "item": item, "truth": truth, "response": response, **others}


LINES = [
    row("a", "B", domain="industry", source="mvtec-ad", pair="p"),
    row("b", "The answer is A", domain="industrial", source="mvtec-ad", pair="p"),
    row("c", "down", category="quantity", source="UBC", domain="natural", options=["up", "down"]),
    row("d", "Difference in the cup.", category="attribute", truth="D", options=5),
    row("e", FAILED, category="attribute", truth="A", options=4),
]


def as_two_steps(lines):
    """The harness's own reply is that of both steps; the one to read is in the trial."""
    for number, line in enumerate(lines):
        trial = {key: value for key, value in line.items() if key != "response"}
        said = [("describe", "Answer: A"), ("choose", line["response"])]
        steps = [{"step": step, "response": reply} for step, reply in said]
        trial |= {"benchmark": "subtlebench", "strategy": "two_step", "exchanges": steps}
        replies = [["Answer: A", line["response"]]]
        yield {"doc_id": number, "filtered_resps": replies, "trial": trial}


def score_file(path, rule=None):
    return scoring.score_file(CHOICES, path, rule=rule)


@pytest.mark.parametrize("form", [list, as_two_steps])
def test_every_form_of_log_gives_the_same_numbers(form, tmp_path):
    scored = score_file(write_lines(tmp_path / "1_samples_subtlebench.jsonl", form(LINES)))
    assert scored.name == "subtlebench"
    expected = {
        "accuracy": 2 / 5,
        "accuracy_state": 1 / 2,
        "accuracy_quantity": 1,
        "accuracy_attribute": 0,
        "accuracy_action": math.nan,
        "domain_industrial": 1 / 2,
        "domain_natural": 1,
        "coverage": 3 / 5,
        "random_guess": (1 / 2 * 3 + 1 / 5 + 1 / 4) / 5,
        "items": 5,
        "pairs": 4,
        "consistency": math.nan,
    }
    found = {name: scored.numbers[name] for name in expected}
    assert found == pytest.approx(expected, nan_ok=True)
    parts = scored.breakdowns()
    assert {name: share.value for name, share in parts["by_source"].items()} == {
        "": 0,
        "UBC": 1,
        "mvtec-ad": 1 / 2,
    }
    assert {name: share.n for name, share in parts["by_domain"].items()} == {
        "": 2,
        "aerial": 1,  # UBC, as Table 10 counts it
        "industrial": 2,
    }
    assert scored.failed == 1
    assert "cells" not in parts
    assert dict(scored.unusable) == {"no option named": 1, "the request failed": 1}


def rights(scored):
    return [choice.right for choice in scored.table.rows]


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
    assert rights(score_file(write_lines(tmp_path / "a.jsonl", lines))) == [True, False]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"item": "a"}], r"line 1: no field 'category', only"),
        ([row("a", "A", truth="C")], r"line 1: truth 'C' is none of \['A', 'B'\]"),
        ([row("a", "A"), row("a", "B")], r"a\.jsonl: item 'a', .* occurs twice"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_what_is_missing_or_wrong_is_named(lines, message, tmp_path):
    with pytest.raises(RecordError, match=message):
        score_file(write_lines(tmp_path / "a.jsonl", lines))
