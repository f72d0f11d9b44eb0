import math

import numpy as np
import pytest
from scipy import stats

from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.intervals import SumStatistic, cluster_interval, mean_interval


def mean_of(values, lowest=0.0, highest=1.0):
    n = len(values)
    return SumStatistic(
        np.stack([np.asarray(values, dtype=float), np.ones(n)], axis=1),
        lambda sums: sums[:, 0] / sums[:, 1],
        *(np.array([end * n, n]) for end in (lowest, highest)),
    )


@pytest.mark.parametrize("n", [2, 8, 16, 50, 1000])
def test_without_an_error_the_interval_is_clopper_and_pearsons(n):
    for hits in (0, n):
        expected = stats.binomtest(hits, n).proportion_ci(method="exact")
        interval = cluster_interval(mean_of(np.full(n, hits / n)))
        assert tuple(interval) == pytest.approx((expected.low, expected.high))


def test_the_interval_of_a_mean_of_independent_means_is_students():
    rng = np.random.default_rng(1)
    samples = [rng.normal(mean, 1, 400) for mean in (0, 1, 5)]
    intervals = [Interval(*stats.t.interval(0.95, 399, s.mean(), stats.sem(s))) for s in samples]
    spread = math.hypot(*(stats.sem(sample) for sample in samples)) / 3
    expected = stats.norm.interval(0.95, np.mean([s.mean() for s in samples]), spread)
    interval = mean_interval([float(sample.mean()) for sample in samples], intervals)
    assert tuple(interval) == pytest.approx(expected, abs=1e-3)
