import pytest

from lmms_eval_tasks.best_of_n.benchmark import BENCHMARK
from lmms_eval_tasks.preference.votes import votes
from pairbench_ext.core.records import RecordError
from tests.files import write_lines
from tests.judges import score_file

FIRST, SECOND = "Therefore, Answer 1 is better.", "[[2]]"


def row(pair, response=FIRST, question="q", worth=(0, 1, 0), **more):
    fields = {"question": question, "worth": list(worth), "pair": list(pair), "order": "fwd"}
    return {**fields, "repeat": 0, "response": response, **more}


@pytest.fixture
def write(tmp_path):
    return lambda *rows, name="rows.jsonl": write_lines(tmp_path / name, rows)


def scores(file, **options):
    return score_file(BENCHMARK, file, **options).numbers


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [row((0, 1)), row((0, 5))],
            r"rows\.jsonl, line 2: question 'q' has 3 candidates; \[0, 5\]",
        ),
        (
            [row((0, 1)), row((0, 1), SECOND)],
            r"item 'q', pair \(0, 1\), repeat 0, order 'fwd' occurs twice",
        ),
    ],
    ids=["pair", "twice"],
)
def test_mistakes_name_file_and_line(rows, message, write):
    with pytest.raises(RecordError, match=message):
        scores(write(*rows))


def test_votes_on_pairs_of_unequal_worth_are_a_preference_tasks(write):
    rows = [row((0, 1)), row((0, 2)), row((1, 2), SECOND)]
    cast = votes(score_file(BENCHMARK, write(*rows)).table)
    assert [(vote.item, vote.truth, vote.option) for vote in cast if vote.truth is not None] == [
        ("q#0-1", 1, 0),
        ("q#1-2", 0, 1),
    ]  # both misjudged
