import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from pairbench_ext.core.records import RecordError
from tests import files
from tests.files import write_lines

FIRST, SECOND = "Therefore, Answer 1 is better.", "[[2]]"


def score_file(path, k=None, **options):
    return files.score_file(BENCHMARK, path, options={"k": k}, **options)


def row(item="a", repeat=0, order="fwd", truth=0, response=FIRST, **more):
    fields = {"item": item, "source": "povid", "repeat": repeat, "order": order, "truth": truth}
    return {**fields, "response": response, **more}


def by_k(path, **options):
    return score_file(path, **options).breakdowns()["by_k"]


@pytest.fixture
def write(tmp_path):
    return lambda *rows: write_lines(tmp_path / "rows.jsonl", rows)


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


def test_first_k_votes(write):
    path = write(*(row(repeat=n, response=FIRST if n == 0 else SECOND) for n in range(3)))
    assert score_file(path).numbers["overall_accuracy"] == 0
    assert score_file(path, k=1).numbers["overall_accuracy"] == 1
    assert {k: v["overall_accuracy"] for k, v in by_k(path, k=1).items()} == {1: 1, 3: 0}
    with pytest.raises(
        RecordError,
        match=r"rows\.jsonl: no item was judged 5 times; the most judgments of an item are 3",
    ):
        score_file(path, k=5)
