import json

import pytest

from lmms_eval_tasks.best_of_n.benchmark import BENCHMARK
from lmms_eval_tasks.best_of_n.contests import Choices, Comparison
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.samples import read_record

ROW = {
    "question": "q",
    "worth": [0, 1, 0.5],
    "pair": [0, 2],
    "order": "rev",
    "repeat": 1,
    "response": "Therefore, Answer 2 is better.",
}


def read(fields, rule="careful"):
    """Choices, comparisons and the reading itself."""
    reading = read_record(BENCHMARK, Record("line 1", fields), rule)
    choices = [one for one in reading.outcomes if isinstance(one, Choices)]
    return choices, [one for one in reading.outcomes if one not in choices], reading


def test_a_plain_row():
    choices, comparisons, reading = read(ROW)
    assert choices == [Choices("q", (0, 1, 0.5), alike=(0, 1, 2), unread=0, knockout=False)]
    # Shown second under "rev" is the first of the pair; the other one is worth more.
    assert comparisons == [Comparison("q", (0, 2), 1, "rev", 2, better=1)]
    assert reading.log == {"verdict": 2, "unusable": None}


@pytest.mark.parametrize(
    ("change", "better", "right"),
    [
        ({}, 1, 0),
        ({"order": "fwd"}, 2, 1),
        ({"pair": [1, 2]}, 2, 1),
        ({"worth": [1, 0, 1]}, None, None),
        ({"response": "?"}, 1, 0),
    ],
    ids=str,
)
def test_a_vote_is_right_if_it_is_for_what_is_worth_more(change, better, right):
    _, [comparison], _ = read({**ROW, **change})
    assert (comparison.better, comparison.right) == (better, right)


def test_what_a_vote_says_of_position():
    replies = ("Therefore, Answer 1 is better.", ROW["response"], "?")
    votes = [read({**ROW, "response": reply})[1][0] for reply in replies]
    assert [vote.first for vote in votes] == [1, 0, None]
    assert [vote.usable for vote in votes] == [1, 1, 0]


def test_a_request_that_stands_for_several_repeats():
    assert [c.repeat for c in read({**ROW, "repeats": [0, 2]})[1]] == [0, 2]


def test_the_rule_decides_what_can_be_read():
    row = {**ROW, "response": "[[1]]"}
    verdicts = [read(row, rule)[1][0].verdict for rule in ("careful", "authors", "official")]
    assert verdicts == [1, None, None]
    assert [read({**row, said: "official"}, None)[1][0].verdict for said in ("rule", "parser")] == [
        None,
        None,
    ]


def test_a_failed_request_is_counted():
    row = {**ROW, "response": "[LMMS_EVAL_REQUEST_FAILED after 5 retries] ..."}
    _, [comparison], reading = read(row)
    assert reading.failed == 1
    assert comparison.verdict is None
    assert reading.unusable == ("the request failed",)


def test_a_knockout():
    asked = [{k: ROW[k] for k in ("pair", "order", "repeat", "response")}] * 2
    asked[1] = {**asked[1], "pair": [0, 1], "response": "?"}
    trial = {"question": 5, "worth": [1, 0, 0], "comparisons": asked}
    choices, comparisons, reading = read({"trial": trial, "filtered_resps": ["x"]})
    assert choices == [Choices("5", (1, 0, 0), alike=(0, 1, 2), unread=0, knockout=True)]
    assert [c.pair for c in comparisons] == [(0, 2), (0, 1)]
    assert [c.verdict for c in comparisons] == [2, None]
    assert [row["verdict"] for row in reading.rows] == [2, None]
    trial["complete"] = False  # too few replies, or too many: not those of this knockout
    assert read({"trial": trial, "filtered_resps": ["x"]})[1] == []


@pytest.mark.parametrize("more", [{}, {"comparisons": []}], ids=["pairs", "knockout"])
def test_what_comes_with_a_question_unasked(more):
    settled = [{"question": 7, "worth": [1, 1], "alike": [0, 0], "unread": 2}]
    row = {**ROW, "alike": [0, 1, 1], "unread": 1, "settled": settled, **more}
    first, second = read(row)[0]
    assert first[:4] == ("q", (0, 1, 0.5), (0, 1, 1), 1)
    assert second[:4] == ("7", (1, 1), (0, 0), 2)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (ROW, True),
        ({"question": "q", "worth": [0, 1]}, True),
        ({"item": "a", "truth": 1}, False),
        ({"item": "a", "question": "q"}, False),
    ],
    ids=["row", "sample", "vote", "sample of another task"],
)
def test_a_best_of_n_record_is_told_by_its_fields(fields, expected):
    assert BENCHMARK.recognises(fields) is expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": ...}, "line 1: no field 'question'"),
        ({"question": 1.5}, "field 'question' must be a text or a whole number, not 1.5"),
        ({"worth": [1]}, r"field 'worth' must be .* 2 or more, not \[1\]"),
        ({"worth": [1, "x"]}, r"field 'worth' must be .*, not \[1, 'x'\]"),
        ({"worth": [1, 1.5]}, r"field 'worth' must be .* from 0 to 1.*, not \[1, 1.5\]"),
        ({"pair": [0]}, r"field 'pair' must be a list .*, not \[0\]"),
        ({"pair": [0, True]}, r"field 'pair' must be a list of .*, not \[0, True\]"),
        ({"order": "up"}, "line 1: field 'order' must be 'fwd' or 'rev', not 'up'"),
        ({"repeat": ...}, "line 1: no field 'repeat'"),
        ({"repeats": []}, r"line 1: field 'repeats' must be .* 1 or more.*, not \[\]"),
        ({"response": ...}, "line 1: no field 'response'"),
        ({"alike": [0, 0]}, r"must say for each of the 3 candidates .*, not \[0, 0\]"),
        ({"alike": [0, 2, 2]}, r"field 'alike' must say .*, not \[0, 2, 2\]"),
        ({"alike": [0, [1], 2]}, r"field 'alike' must be .*, not \[0, \[1\], 2\]"),
        ({"unread": "1"}, "field 'unread' must be a whole number, not '1'"),
        ({"settled": {}}, "field 'settled' must be .*, not {}"),
        ({"settled": [{"question": 1}]}, "line 1, settled 0: no field 'worth'"),
        ({"comparisons": [3]}, "line 1, comparisons 0: a JSON object is expected, not 3"),
        ({"comparisons": [{"pair": [0, 1], "response": "", "order": "fwd"}]}, "0: no field 'repe"),
        ({"comparisons": [{"pair": [0, 1]}]}, "line 1, comparisons 0: no field 'order'"),
        (
            {"comparisons": [{"pair": [0, 1], "order": "fwd", "repeat": 0}]},
            "line 1, comparisons 0: no field 'response'",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else json.dumps(value, default=str),
)
def test_mistakes_name_line_and_field(change, message):
    row = {key: value for key, value in {**ROW, **change}.items() if value is not ...}
    with pytest.raises(RecordError, match=message):
        read(row)
