"""Logs of version 0.1 still score, and every number is the same.

`tests/logs_0_1` holds samples that version 0.1 logged (its judges' replies are canned) and, for
commands of `pairbench score`, the numbers that it printed.
"""

import json
import math

import pytest

from pairbench_ext.core import registry
from pairbench_ext.harness.numbers import compute
from pairbench_ext.runs.files import owner
from pairbench_ext.runs.scoring import score_file, score_readings
from tests.conftest import REPOSITORY
from tests.files import pairbench

LOGS = REPOSITORY / "tests/logs_0_1"
COMMANDS = [
    pytest.param(folder.name, given["arguments"], given["numbers"], id=f"{folder.name} {number}")
    for folder in sorted(LOGS.iterdir())
    if folder.is_dir()
    for number, given in enumerate(json.loads((folder / "expected.json").read_text()))
]


def in_order_of_ranks(readings, ranks):
    """As the harness hands them over: all of a rank, then all of the next one."""
    return [one for rank in range(ranks) for one in readings[rank::ranks]]


@pytest.mark.parametrize("log", sorted(LOGS.glob("*/*.jsonl")), ids=lambda log: log.stem)
def test_four_ranks_give_the_numbers_of_one(log):
    """To the last digit, whichever rank measured what."""
    run = score_file(owner(registry.every_benchmark(), log), log)
    order = in_order_of_ranks(run.readings, 4)
    shared = score_readings(run.benchmark, log, order)
    assert repr(shared.numbers) == repr(run.numbers)
    asked = [dict(compute(run.benchmark, own)) for own in (run.readings, order)]
    assert repr(asked[0]) == repr(asked[1])


def numbers(document):
    """What a command prints, by run; "mean" and the like are runs, too."""
    found = {run["name"]: run["numbers"] | once_numbers(run) for run in document["runs"]}
    if "mean" in document:
        found["mean"] = document["mean"]
    for name, scores in document.get("over_tasks", {}).items():
        found[f"over_tasks {name}"] = scores
    return found


def once_numbers(run):
    """CAST's tables whose cells were numbers of their own in version 0.1."""
    names = {
        "coverage_by_prompt": "coverage_{}_{}",
        "swapped_matrix": "swapped_{}_by_{}",
    }
    return {
        name.format(row.replace("/", "_"), column): value
        for breakdown, name in names.items()
        for row, cells in run.get(breakdown, {}).items()
        for column, value in cells.items()
    }


def same(one, other):
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


def holds(name, old, new):
    """Whether a value is as it was; an end of an interval may be further out, and not much less.

    In 0.1, macro accuracy of few items without an error had the mean of its groups' intervals,
    which is far wider than that of their mean.
    """
    if "ci95" not in name or old is None or new is None:
        return same(old, new)
    outwards = (new - old) * (1 if "high" in name else -1)
    return outwards > (-0.3 if name.startswith("macro") else -0.1)


@pytest.mark.parametrize(("benchmark", "arguments", "expected"), COMMANDS)
def test_an_old_log_scores_as_it_did(benchmark, arguments, expected, monkeypatch):
    monkeypatch.chdir(LOGS / benchmark)
    done = pairbench("score", benchmark, *arguments)
    assert done.exit_code == 0, done.output
    found = numbers(json.loads(done.stdout))
    assert set(expected) <= set(found)
    for run, scores in expected.items():
        different = {
            name: (value, found[run].get(name, "missing"))
            for name, value in scores.items()
            if name not in found[run] or not holds(name, value, found[run][name])
        }
        assert not different, run
