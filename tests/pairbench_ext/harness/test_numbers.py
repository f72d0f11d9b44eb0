"""A benchmark's numbers as metrics of the harness: what is logged, and what is aggregated."""

import math

import numpy as np
import pytest
from lmms_eval.api.metrics import clustered_stderr

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.harness import hooks
from pairbench_ext.harness.numbers import (
    CLUSTER,
    SCORE,
    Aggregations,
    compute,
    sample_results,
)
from tests import toy_benchmark
from tests.conftest import picture
from tests.files import write_lines
from tests.toy_benchmark import TOY, docs


@pytest.fixture
def toy_docs(tmp_path, monkeypatch):
    picture(0, 0).save(tmp_path / "a.png")
    rows = [{"value": value, "image": "a.png"} for value in range(5)]
    write_lines(tmp_path / "rows.jsonl", rows)
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


def test_standard_errors_are_over_outcomes_as_the_numbers_are():
    """Samples of 1 to 5 outcomes each, of which long ones are more often right."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 6, 300)
    given = [(rng.random(n) < 0.3 + 0.1 * n).astype(float) for n in lengths]
    item = np.arange(300) // 2
    readings = [
        Reading(tuple(toy_benchmark.answer(str(i), f"{j}-{k}", "yes", x) for k, x in enumerate(xs)))
        for j, (i, xs) in enumerate(zip(item, given, strict=True))
    ]
    values = [sample_results(TOY, docs([{}]).trials, reading, {}) for reading in readings]
    items = aggregated(values, "accuracy")
    share = number("accuracy")(items)
    assert share == pytest.approx(np.concatenate(given).mean())
    scores, clusters = [[entry[key] for entry in items] for key in (SCORE, CLUSTER)]
    assert np.mean(scores) == pytest.approx(share)

    sums, counts = (np.bincount(item, weights) for weights in (list(map(sum, given)), lengths))
    drawn = rng.multinomial(150, np.full(150, 1 / 150), 20_000)
    bootstrap = np.std(drawn @ sums / (drawn @ counts))
    assert clustered_stderr(scores, clusters) == pytest.approx(bootstrap, rel=0.05)
    logged_means = [dict(value)["accuracy"] for value in values]
    assert logged_means == [pytest.approx(xs.mean()) for xs in given]  # in [0, 1], as they are
    unweighted = clustered_stderr(logged_means, clusters)
    assert abs(unweighted / bootstrap - 1) > 0.05  # or this test would show nothing


def test_nothing_is_raised_and_nothing_is_guessed(warned):
    contradicting = [
        Reading((toy_benchmark.answer("a", "plain", truth, 1.0),)) for truth in ("yes", "no")
    ]
    assert compute(TOY, contradicting) == {}
    [message] = warned
    assert "Toy: no numbers, all are nan" in message
    assert "occurs twice, differently" in message
    values = [sample_results(TOY, docs([{}]).trials, reading, {}) for reading in contradicting]
    assert math.isnan(number("accuracy")(aggregated(values, "accuracy")))


def test_failed_requests_are_counted(toy_docs, warned):
    failed = results(toy_docs, lambda doc: "[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout")
    assert number("coverage")(aggregated(failed, "coverage")) == 0
    assert "Toy: 10 requests failed; they count as unusable replies\n" in warned
