"""A benchmark's numbers as metrics of the harness: what is logged, and what is aggregated."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from lmms_eval.api.metrics import clustered_stderr

from pairbench_ext.core.benchmark import Benchmark, Group, Reading, Task
from pairbench_ext.core.registry import every_benchmark
from pairbench_ext.harness import hooks
from pairbench_ext.harness.numbers import (
    CLUSTER,
    SCORE,
    Aggregations,
    compute,
    group_metrics,
    sample_results,
)
from tests import toy_benchmark
from tests.conftest import picture
from tests.files import write_lines
from tests.toy_benchmark import CALLS, TOY, docs


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
    [found] = [m for m in Aggregations(benchmark).metric_list() if m["metric"] == name]
    return found["aggregation"]


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
    values = [sample_results(TOY, docs([{}]).trials, one, {}) for one in readings]
    items = aggregated(values, "accuracy")
    share = number("accuracy")(items)
    assert share == pytest.approx(np.concatenate(given).mean())
    scores, clusters = [[one[key] for one in items] for key in (SCORE, CLUSTER)]
    assert np.mean(scores) == pytest.approx(share)

    sums, counts = (np.bincount(item, weights) for weights in (list(map(sum, given)), lengths))
    drawn = rng.multinomial(150, np.full(150, 1 / 150), 20_000)
    bootstrap = np.std(drawn @ sums / (drawn @ counts))
    assert clustered_stderr(scores, clusters) == pytest.approx(bootstrap, rel=0.05)
    logged_means = [dict(one)["accuracy"] for one in values]
    assert logged_means == [pytest.approx(xs.mean()) for xs in given]  # in [0, 1], as they are
    unweighted = clustered_stderr(logged_means, clusters)
    assert abs(unweighted / bootstrap - 1) > 0.05  # or this test would show nothing


def test_all_numbers_are_computed_once_however_they_were_gathered(toy_docs):
    """Results that come from other ranks are other objects, for every metric."""
    given = results(toy_docs)
    CALLS.clear()
    metrics = Aggregations(TOY).metric_list()
    values = {}
    for metric in metrics:
        items = pickle.loads(pickle.dumps(aggregated(given, metric["metric"])))
        values[metric["metric"]] = metric["aggregation"](items)
    assert CALLS == [10]
    # Counts and intervals are in `pairbench score`.
    assert values == {"accuracy": 0.6, "coverage": 1, "left_out": 0}


def test_another_run_with_the_same_answers_is_told_its_own_warnings(toy_docs, warned):
    one_item = results(toy_docs)[:2]
    accuracy = number("accuracy")
    for _ in range(2):
        accuracy(aggregated(one_item, "accuracy"))
    assert warned == ["Toy: there is one item only\n"] * 2


def test_a_number_that_a_task_does_not_have_is_not_given(toy_docs, monkeypatch):
    some = tuple(
        dataclasses.replace(one, when=lambda trials: trials.entry.seed == 0) for one in TOY.numbers
    )
    for seed, has in ((0, True), (1, False)):
        asked = docs([{"seed": seed}])
        monkeypatch.setattr(asked, "benchmark", dataclasses.replace(TOY, numbers=some))
        assert ("accuracy" in dict(hooks.process_results(asked[0], ["yes"]).items())) is has


def test_nothing_is_raised_and_nothing_is_guessed(warned):
    contradicting = [
        Reading((toy_benchmark.answer("a", "plain", truth, 1.0),)) for truth in ("yes", "no")
    ]
    assert compute(TOY, contradicting) == {}
    [said] = warned
    assert "Toy: no numbers, all are nan" in said
    assert "occurs twice, differently" in said
    values = [sample_results(TOY, docs([{}]).trials, one, {}) for one in contradicting]
    assert math.isnan(number("accuracy")(aggregated(values, "accuracy")))


def test_one_number_that_cannot_be_computed_costs_itself_alone(warned):
    def fails(table):
        raise ZeroDivisionError("of nothing")

    numbers = tuple(
        dataclasses.replace(one, of=fails) if one.name == "coverage" else one for one in TOY.numbers
    )
    found = compute(
        dataclasses.replace(TOY, numbers=numbers),
        [Reading((toy_benchmark.answer("a", "plain", "yes", 1.0),))],
    )
    assert found["accuracy"] == 1
    assert math.isnan(found["coverage"])
    assert "Toy: coverage is nan (ZeroDivisionError('of nothing'))" in "".join(warned)


def test_a_reply_that_cannot_be_read_costs_that_sample(toy_docs, warned, monkeypatch):
    """The harness would try again for a while, then lose every finished task."""

    def read(trial, exchanges, rule):
        if exchanges[0].reply == "?":
            raise KeyError("no such thing")
        return toy_benchmark.read(trial, exchanges, rule)

    monkeypatch.setattr(toy_docs, "benchmark", Benchmark(**{**TOY.__dict__, "read": read}))
    given = results(toy_docs, lambda doc: "?" if doc["item"] == "0" else doc["truth"])
    sample = logged(given[0])
    assert sample["trial"]["benchmark"] == "toy"
    assert sample["trial"]["error"] == "KeyError('no such thing')"
    assert number("accuracy")(aggregated(given, "accuracy")) == 1
    assert len([line for line in warned if "Toy: a sample is left out" in line]) == 2


def test_failed_requests_are_counted(toy_docs, warned):
    failed = results(toy_docs, lambda doc: "[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout")
    assert number("coverage")(aggregated(failed, "coverage")) == 0
    assert "Toy: 10 requests failed; they count as unusable replies\n" in warned


def test_a_groups_numbers_are_means_and_sums(warned):
    grouped = Benchmark(**{**TOY.__dict__, "tasks": (Group("g", ("a", "b"), ""),)})
    merged = {m["metric"]: m["aggregation"] for m in group_metrics(grouped)}
    assert merged["accuracy"]([0.5, 1.0, math.nan], [1, 1, 1], False) == 0.75
    assert merged["left_out"]([10, 12], [1, 1], False) == 22
    assert "a group number is of 2 of 3 tasks" in warned[0]
    assert isinstance(TOY.tasks[0], Task)


@pytest.mark.parametrize("benchmark", every_benchmark(), ids=lambda benchmark: benchmark.name)
def test_the_harnesss_table_has_no_rows_of_intervals_which_groups_have_not(benchmark):
    assert not [m["metric"] for m in group_metrics(benchmark) if "ci95" in m["metric"]]
