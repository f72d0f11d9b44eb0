import json

import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs import scoring
from tests.files import pairbench, write_lines

FIRST, SECOND = "Therefore, Answer 1 is better.", "[[2]]"


def score_file(path, k=None, **options):
    return scoring.score_file(BENCHMARK, path, options={"k": k}, **options)


def row(item="a", repeat=0, order="fwd", truth=0, response=FIRST, **more):
    fields = {"item": item, "source": "povid", "repeat": repeat, "order": order, "truth": truth}
    return {**fields, "response": response, **more}


def by_k(path, **options):
    return score_file(path, **options).breakdowns()["by_k"]


@pytest.fixture
def write(tmp_path):
    return lambda *rows: write_lines(tmp_path / "rows.jsonl", rows)


def test_plain_rows(write):
    scored = score_file(write(row(), row("b", response=SECOND, tag="counting", longer=0)))
    assert scored.name == "rows"
    assert scored.numbers["overall_accuracy"] == 1 / 2
    assert scored.numbers["accuracy_longer_better"] == 0
    parts = scored.breakdowns()
    assert parts["by_source"] == {"povid": 1 / 2}
    assert parts["by_tag"] == {"counting": 0}
    assert list(parts["by_k"]) == [1]


def test_an_item_with_several_types_of_errors_counts_for_each(write):
    rows = [
        row("e", tag=["counting", "existence"]),
        row("f", tag="existence", response=SECOND),
        row("g", source="mathverse", tag=None),
        row("h", tag=[]),
    ]
    assert score_file(write(*rows)).breakdowns()["by_tag"] == pytest.approx(
        {"counting": 1, "existence": 1 / 2, "reasoning": 1}
    )


def test_the_rule_decides_what_can_be_read(write):
    path = write(row(response="Answer 3 is better. Therefore Answer 3 is better"), row("b"))
    assert score_file(path).numbers["coverage"] == 1 / 2
    by_authors = score_file(path, rule="authors").numbers
    assert by_authors["overall_accuracy"] == 1  # "Answer 3" counts as agreement
    assert by_authors["coverage"] == 1


def test_first_k_votes(write):
    path = write(*(row(repeat=n, response=FIRST if n == 0 else SECOND) for n in range(3)))
    assert score_file(path).numbers["overall_accuracy"] == 0
    assert score_file(path, k=1).numbers["overall_accuracy"] == 1
    assert {k: v["overall_accuracy"] for k, v in by_k(path, k=1).items()} == {1: 1, 3: 0}
    with pytest.raises(
        RecordError, match=r"rows\.jsonl: no item was judged 5 times; the most is 3"
    ):
        score_file(path, k=5)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], r"rows\.jsonl: no samples in it"),
        ([row(), {**row(), "order": "back"}], "line 2: field 'order' must be 'fwd' or 'rev', not"),
        ([{"item": "a"}], r"line 1: no field 'source', only \['item'\]"),
        ([{**row(), "repeats": []}], r"line 1: field 'repeats' .* at least 1 item"),
        ([{**row(), "truth": 2}], r"rows\.jsonl, line 1: field 'truth' must be 0 or 1, not 2"),
        (
            [row(), row(response=SECOND)],
            r"rows\.jsonl: item 'a', repeat 0, order 'fwd' occurs twice",
        ),
        ([{"bypass": 1}], r"line 1: a run with --predict_only logs replies without their trials"),
    ],
)
def test_what_is_wrong_is_named(rows, message, write):
    with pytest.raises(RecordError, match=message):
        score_file(write(*rows))


def test_the_command_prints_tables_and_json(write):
    path = write(*(row(repeat=n, tag="counting") for n in range(3)))
    shown = pairbench("score", "vl_rewardbench", path)
    assert shown.exit_code == 0, shown.output
    for title in ("accuracy by source", "accuracy by type of error", "accuracy by K (Figure 5b)"):
        assert title in shown.output
    assert "undefined or not measured" in shown.output
    as_json = pairbench("score", "vl_rewardbench", path, "--json", "--k", "1")
    [found] = json.loads(as_json.output)["runs"]
    assert found["numbers"]["overall_accuracy"] == 1
    assert found["numbers"]["position_consistency"] is None
    assert found["by_k"]["3"]["overall_accuracy_strict"] == 1
