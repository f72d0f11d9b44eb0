"""A log that was written to twice, two logs in one file, and numbers of documents."""

import json

import pytest

from pairbench_ext.core import registry
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.scoring import read_run
from tests.judges import score_file
from tests.pairbench_ext.runs.test_compare import ratings

TASK = "pairbench_demo_rotate"
DATE = "20261122_163255"


@pytest.fixture
def log(tmp_path):
    """Writes a log of 16 pairs, four samples each, of which the first cannot be read."""

    def log(change=lambda samples: samples, results=None):
        samples = [{"doc_id": n, **row} for n, row in enumerate(ratings(0.5, 0, rows=4))]
        for sample in samples:
            sample["trial"] |= {"trials": len(samples), "benchmark": "pairbench"}
        samples[0]["filtered_resps"] = ["no number"]
        file = tmp_path / f"{DATE}_samples_{TASK}.jsonl"
        file.write_text("".join(json.dumps(sample) + "\n" for sample in change(samples)))
        if results is not None:
            (tmp_path / f"{DATE}_results.json").write_text(results)
        return file

    return log


def run(file):
    [benchmark] = registry.benchmarks()["pairbench"]
    return score_file(benchmark, file)


def test_a_doubled_log_counts_once_and_says_so(log):
    once = run(log())
    twice = run(log(lambda samples: samples * 2))
    assert dict(twice.unusable) == dict(once.unusable)
    assert sum(once.unusable.values()) == 1
    assert repr(twice.numbers) == repr(once.numbers)
    [line] = twice.asked.describe()
    assert line == f"{once.asked.samples} repeated lines: each sample counts once"
    assert once.asked.describe() == []


def changed(**fields):
    def change(samples):
        for field, value in fields.items():
            place = samples[1] if field in samples[1] else samples[1]["trial"]
            place[field] = value
        return samples

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda samples: [*samples, {**samples[3], "filtered_resps": ["Score: 1"]}],
            r"line 49: field 'doc_id' is 3, as on line 4, with a different reply or trial: the",
        ),
        (
            changed(benchmark="cast"),
            "line 2, trial: field 'benchmark' is 'cast', not 'pairbench' as before: the file ",
        ),
        (lambda samples: [{**samples[0], "doc_id": None}], "line 1: field 'doc_id' must be int"),
        (changed(rule=["careful"]), r"line 2, trial: field 'rule' must be str, not \['careful'\]"),
    ],
)
def test_what_cannot_be_a_log_of_one_run_is_named(log, change, message):
    with pytest.raises(RecordError, match=message):
        read_run(log(change))
