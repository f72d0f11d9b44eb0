import math
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pairbench_ext.statistics import bootstrap
from pairbench_ext.statistics.bootstrap import (
    ClusterTables,
    bca_interval,
    cluster_weights,
    exact_interval,
)
from pairbench_ext.statistics.kendall import tau_b


def reference_interval(values, statistic, resampled, level):
    """scipy's BCa interval from the same resampled values."""
    result = stats.bootstrap(
        (values,),
        statistic,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=np.asarray(resampled, dtype=float)),
        confidence_level=level,
        method="BCa",
    )
    return result.confidence_interval


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("n", [5, 16, 200])
def test_interval_is_scipys(n, level):
    values = np.random.default_rng(n).exponential(size=n)
    resampled = cluster_weights(n, n_resamples=400, seed=1) @ values / n
    ours = bca_interval(values.mean(), resampled, (values.sum() - values) / (n - 1), level)
    assert ours == pytest.approx(reference_interval(values, np.mean, resampled, level), abs=1e-12)


@given(st.lists(st.sampled_from((-0.1, 0.2, 0.3, 0.7)), min_size=20, max_size=60))
def test_interval_does_not_depend_on_last_digits(values):
    """Resamples with the sample's own statistic, computed on machines that round otherwise."""
    rounded = [np.nextafter(value, side) for value, side in zip(values, cycle((-1, 0, 1)))]
    left_out = [0.1, 0.2, 0.35]
    expected = bca_interval(0.2, values, left_out)
    assert bca_interval(0.2, rounded, left_out) == pytest.approx(expected, abs=1e-12)


def test_exact_intervals_are_clopper_and_pearsons():
    for right, n in [(0, 1), (1, 1), (0, 12), (12, 12), (5, 12), (183, 749)]:
        expected = stats.binomtest(right, n).proportion_ci(method="exact")
        assert exact_interval(right, n) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert all(map(math.isnan, exact_interval(0, 0)))


@pytest.mark.parametrize("block", [40, 10**6], ids=["in blocks", "all at once"])
def test_tau_of_resamples_and_without_each_cluster(block, monkeypatch):
    monkeypatch.setattr(bootstrap, "_BLOCK_CELLS", block)
    rng = np.random.default_rng(0)
    clusters = np.sort(rng.integers(6, size=40))
    x, y = rng.integers(-1, 5, size=40), rng.integers(3, size=40)
    weights = cluster_weights(6, n_resamples=25)
    expected = [
        tau_b(np.repeat(x, resample[clusters]), np.repeat(y, resample[clusters]))
        for resample in weights
    ]
    tables = ClusterTables(x, y, clusters, 6)
    np.testing.assert_array_equal(tables.resampled(weights), expected)
    without = [tau_b(x[clusters != k], y[clusters != k]) for k in range(6)]
    np.testing.assert_array_equal(tables.left_out(), without)
