"""The authors' rules against their own `cal.py`, run on made-up logs."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lmms_eval_tasks.preference.accuracy import outcomes, sources
from lmms_eval_tasks.preference.votes import votes as votes_of_table
from lmms_eval_tasks.preference.votes import votes_by_authors
from lmms_eval_tasks.vl_rewardbench.authors import plain_rows
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING, GROUPS
from pairbench_ext.core.records import Record, read_jsonl
from pairbench_ext.runs.samples import read_record

TESTS = Path(__file__).parents[2]
LOG = TESTS.parent.parent / "shared/data/vlrb/logs.jsonl"
EXPECTED = json.loads((TESTS / "vectors/vlrb/expected.json").read_text())
RUNS = EXPECTED["identity_shuffle_reparse"]
NAMES = ("agree", "reject", "doesntMatch", "other")


@pytest.fixture(scope="module")
def log():
    if not LOG.exists():
        pytest.skip(f"the authors' log format needs {LOG}")
    return list(read_jsonl(LOG))


def votes_of(records, rule):
    """The votes of a log, in its order."""
    readings = [read_record(BENCHMARK, record, rule) for record in plain_rows(records)]
    return [vote for reading in readings for vote in reading.outcomes]


@pytest.fixture(scope="module")
def votes(log):
    return votes_of(log, "authors")


def scored(votes, k=None):
    return BENCHMARK.table(votes, k=k)


def counts(table, of, name):
    """Items by outcome, in the authors' order, of those whose `of(source)` is the name."""
    chosen = np.array([of(source) == name for source in sources(table)])
    return tuple(int((outcomes(table)[chosen] == kind).sum()) for kind in range(4))


def counted(counts, suffix=""):
    return tuple(counts[f"{name}{suffix}"] for name in NAMES)


@pytest.mark.parametrize("k", RUNS)
def test_every_number_of_the_authors_is_reproduced(votes, k):
    run, theirs = scored(votes, int(k)), RUNS[k]
    found = {number.name: number.of(run) for number in BENCHMARK.numbers}
    assert counts(votes_of_table(run), lambda _: "all", "all") == counted(theirs["counts"])
    for end in ("", "_authors"):
        overall, macro = found[f"overall_accuracy{end}"], found[f"macro_accuracy{end}"]
        assert overall == pytest.approx(theirs["overall_accuracy"], abs=1e-12)
        assert macro == pytest.approx(theirs["macro_average"], abs=1e-12)
    assert set(GROUPS) == set(theirs["groups"])
    for name, group in theirs["groups"].items():
        assert counts(votes_of_table(run), GROUPING.of, name) == counted(group)
        assert found[name] == pytest.approx(group["accuracy_cal"], abs=1e-12)
        assert found[f"{name}_strict"] == pytest.approx(group["accuracy_over_all_items"])
    # Their last lines: "Overall Accuracy: 51.22", "Macro Average Acc: 51.83".
    assert f"Overall Accuracy: {100 * found['overall_accuracy']:.2f}\n" in theirs["printed"]
    assert f"Macro Average Acc: {100 * found['macro_accuracy']:.2f}\n" in theirs["printed"]
    by_source = BENCHMARK.breakdowns[0].of(run)
    assert set(by_source) == set(theirs["datasets"])
    for name, source in theirs["datasets"].items():
        assert counts(votes_of_table(run), str, name) == counted(source, "_number")
        assert round(by_source[name], 4) == source["accept_rate"]


def test_the_careful_rule_reads_more_of_the_same_log(log, votes):
    table, careful = votes_of_table(scored(votes)), scored(votes_of(log, "careful"))
    more = votes_of_table(careful)
    # Two replies are for an answer that was not shown: to the authors, agreement.
    read, read_more = table.chosen >= 0, more.chosen >= 0
    assert (read.sum(), read_more.sum(), len(table)) == (409 + 2, 479, 521)
    both = read & read_more
    assert (table.chosen[both] == more.chosen[both]).all()
    assert (votes_by_authors(careful).chosen == table.chosen).all()


@pytest.mark.parametrize("truth", [0, 1])
def test_an_answer_that_was_not_shown_counts_as_agreement(truth):
    row = {"item": "a", "source": "povid", "repeat": 0, "order": "fwd", "truth": truth}
    row["response"] = "Overall Judgment: Answer 3 is better."
    numbers = {}
    for rule in ("careful", "authors"):
        reading = read_record(BENCHMARK, Record("line 1", row), rule)
        numbers[rule] = BENCHMARK.score(scored(reading.outcomes))
    assert math.isnan(numbers["careful"]["overall_accuracy"])
    assert numbers["careful"]["overall_accuracy_authors"] == 1
    assert numbers["authors"]["overall_accuracy"] == 1


ROW = {
    "id": "mmmu_Art_9",
    "query": "What is it?",
    "response": ["a dog", "a brown dog"],
    "human_ranking": [1, 0],
    "meta": {"filter_choice": "Therefore, Answer 1 is better.", "random_number": 1},
}


def rows(*changes):
    return [Record(f"line {n}", {**ROW, **change}) for n, change in enumerate(changes)]


def test_items_are_told_apart_by_id_query_and_responses_in_any_order():
    swapped = {"response": ROW["response"][::-1], "human_ranking": [0, 1]}
    changed = rows({}, {"query": "Who?"}, swapped, {"response": ["a", "b"]}, {"id": "x"}, {})
    votes = votes_of(changed, "authors")
    assert [vote.repeat for vote in votes] == [0, 0, 1, 0, 0, 2]
    first = "mmmu_Art_9"
    assert [vote.item for vote in votes] == [first, f"{first}#2", first, f"{first}#3", "x", first]
    # Of the swapped row, too, response 1 is the better and longer one; it is shown second.
    assert votes[2] == replace(votes[0], repeat=1, order="fwd")
    assert len(votes_of_table(scored(votes)).items) == 4
