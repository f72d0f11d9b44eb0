"""Against ppi_py 0.2.3 and truescore 0.7.4; `vectors/corrected.json` has what they return."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.corrected import Sample, labels_needed
from pairbench_ext.statistics.estimate import combined
from tests.conftest import REPOSITORY

VECTORS = json.loads((REPOSITORY / "tests/vectors/corrected.json").read_text())
KINDS = [(row, name) for row in VECTORS for name in row["expected"]]


def sample(labels, verdicts, clusters=None, among=None, probabilities=None, scale=None):
    n = len(labels)
    return Sample(
        np.array(labels, dtype=float),
        np.array(verdicts, dtype=float),
        np.arange(n) if clusters is None else np.array(clusters),
        np.full(n, True) if among is None else among,
        probabilities,
        scale,
    )


@pytest.mark.parametrize(("row", "name"), KINDS)
def test_other_implementations(row, name):
    clusters = row["clusters"] if name == "truescore_clustered" else None
    drawn = sample(row["labels"], row["verdicts"], clusters)
    estimate = (
        drawn.error_rate_mean() if name == "rogan_gladen" else drawn.prediction_powered_mean()
    )
    expected = row["expected"][name]
    if isinstance(expected, float):
        expected = {"value": expected}
    assert {key: getattr(estimate, key) for key in expected} == pytest.approx(expected, abs=1e-9)


def labelled(rng, items, right, chance=0.5, among=200):
    """True labels, verdicts that are right with a probability, and the labels that people gave."""
    truth = (rng.random(items) < chance).astype(float)
    verdicts = np.where(rng.random(items) < right, truth, 1 - truth)
    labels = np.full(items, math.nan)
    drawn = rng.choice(items, among, replace=False)
    labels[drawn] = truth[drawn]
    return truth, verdicts, labels


def test_labels_on_all_items_are_their_mean():
    truth, verdicts, _ = labelled(np.random.default_rng(1), 300, 0.8)
    estimate = sample(truth, verdicts).prediction_powered_mean()
    assert estimate.value == pytest.approx(truth.mean())
    assert estimate.standard_error == pytest.approx(truth.std(ddof=1) / math.sqrt(300))


def test_strata_are_summed_by_their_size():
    truth, verdicts, _ = labelled(np.random.default_rng(3), 1000, 0.8)
    hard = np.arange(1000) < 200
    labels = np.where(hard | (np.arange(1000) % 8 == 0), truth, math.nan)
    parts = [sample(labels, verdicts, None, x).prediction_powered_mean() for x in (hard, ~hard)]
    estimate = combined(parts, [0.2, 0.8])
    assert estimate.value == pytest.approx(0.2 * parts[0].value + 0.8 * parts[1].value)
    errors = [part.standard_error for part in parts]
    assert estimate.standard_error == pytest.approx(math.hypot(0.2 * errors[0], 0.8 * errors[1]))


def test_labels_alone_have_the_interval_of_clopper_and_pearson():
    for ones in (0, 1, 7, 20):
        labels = np.append([1.0] * ones + [0.0] * (20 - ones), [math.nan] * 30)
        made = sample(labels, np.zeros(50), scale=Interval(0, 1)).prediction_powered_mean(0.0)
        expected = binomtest(ones, 20).proportion_ci(method="exact")
        assert tuple(made.interval) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.data())
def test_any_numbers_give_an_interval_around_the_value(data):
    numbers = st.floats(-1e3, 1e3)
    verdicts = data.draw(st.lists(numbers, min_size=3, max_size=30))
    labels = [data.draw(numbers | st.just(math.nan)) for _ in verdicts]
    clusters = [data.draw(st.integers(0, 5)) for _ in verdicts]
    for estimate in (
        sample(labels, verdicts, clusters).prediction_powered_mean(),
        sample(np.sign(labels), verdicts, clusters).error_rate_mean(),
    ):
        low, high = estimate.interval
        least, most = estimate.scale
        assert math.isnan(low) or least <= low <= estimate.value <= high <= most


def test_labels_that_are_needed():
    assert labels_needed(0.098, 0.5, 0, 10_000) == 100
    assert labels_needed(0.01, 0.5, 0.9, 500, future=True) == math.inf
    assert labels_needed(0.01, 0.5, 0.9, 500) < 500  # of these items alone


def test_the_mean_of_a_finite_list_is_known_where_all_of_it_is_labelled():
    rng = np.random.default_rng(0)
    labels = (rng.random(200) < 0.6).astype(float)
    verdicts = np.where(rng.random(200) < 0.9, labels, 1 - labels)
    everything = np.full(200, True)
    made = Sample(labels, verdicts, np.arange(200), everything, finite=True)
    estimate = made.prediction_powered_mean()
    assert tuple(estimate.interval) == pytest.approx((labels.mean(), labels.mean()))
    held = []
    for _ in range(60):
        known = np.where(rng.permutation(200) < 80, labels, math.nan)
        own = [
            Sample(known, verdicts, np.arange(200), everything, None, Interval(0, 1), finite)
            for finite in (True, False)
        ]
        these, future = (each.prediction_powered_mean().interval for each in own)
        assert np.ptp(these) < np.ptp(future)
        held.append(these.low <= labels.mean() <= these.high)
    assert np.mean(held) >= 0.9


def test_error_rates_need_labels_that_weigh_enough():
    """Where the judge says 1, every 50th item is labelled: one more could be an error."""
    said = np.repeat([1.0, 0.0], (600, 400))
    labels = np.full(1000, math.nan)
    labels[:11] = 1.0
    labels[600:840] = [0.0] * 200 + [1.0] * 40
    drawn = np.where(said > 0, 0.02, 0.6)
    seen = np.where(np.isin(np.arange(1000), (9, 10)), 0.0, labels)  # two are
    unseen, wide = (
        Sample(known, said, np.arange(1000), np.full(1000, True), drawn, Interval(0, 1))
        for known in (labels, seen)
    )
    assert math.isnan(unseen.error_rate_mean().interval.low)
    assert np.ptp(wide.error_rate_mean().interval) > 0.25
    alike = sample(seen, said, scale=Interval(0, 1)).error_rate_mean()
    assert alike.value == 1  # above all that there can be: the labelled items are others
    assert math.isnan(alike.interval.low)
