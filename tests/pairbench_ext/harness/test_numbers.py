"""A benchmark's numbers as metrics of the harness: what is logged, and what is aggregated."""

import math

import pytest

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.harness import hooks
from pairbench_ext.harness.numbers import Aggregations, compute, sample_results
from tests import toy_benchmark
from tests.conftest import picture
from tests.files import write_lines
from tests.toy_benchmark import TOY, docs


@pytest.fixture
def toy_docs(tmp_path, monkeypatch):
    picture(0, 0).save(tmp_path / "a.png")
    write_lines(tmp_path / "rows.jsonl", [{"value": value, "image": "a.png"} for value in range(5)])
    monkeypatch.setenv("TOY_DATA", str(tmp_path))
    return docs([{}])


def results(toy_docs, answer=lambda doc: "yes"):
    return [hooks.process_results(doc, [answer(doc)]) for doc in toy_docs]


def logged(result):
    """What the harness logs of a result: it does so by `update`."""
    sample = {"doc_id": 0}
    sample.update(result)
    return sample


def aggregated(given, name):
    """What the harness hands to a metric's aggregation."""
    return [dict(result.items())[name] for result in given]


def number(name, benchmark=TOY):
    [metric] = [m for m in Aggregations(benchmark).metric_list() if m["metric"] == name]
    return metric["aggregation"]


def test_plain_numbers_are_logged_and_only_means_over_trials(toy_docs):
    sample = logged(results(toy_docs)[0])
    trial = sample.pop("trial")
    assert sample == {"doc_id": 0, "score": 1.0, "accuracy": 1.0, "coverage": 1.0, "cluster": "0"}
    assert trial == {
        "benchmark": "toy", "trials": 10, "row": 0, "wording": "plain", "item": "0", "truth": "yes",
        "rule": "careful", "protocol": None, "said": "yes",
    }  # fmt: skip


def test_nothing_is_raised_and_nothing_is_guessed(warned):
    contradicting = [Reading((toy_benchmark.answer("a", "plain", x, 1.0),)) for x in ("yes", "no")]
    assert compute(TOY, contradicting) == {}
    [message] = warned
    assert "Toy: all numbers are nan" in message
    assert "occurs twice, differently" in message
    values = [sample_results(TOY, docs([{}]).trials, reading, {}) for reading in contradicting]
    assert math.isnan(number("accuracy")(aggregated(values, "accuracy")))
