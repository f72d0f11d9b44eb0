import math

import numpy as np
import pytest

from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import (
    ClusteredCorrelation,
    fisher_mean,
    pearson,
    spearman,
)
from pairbench_ext.statistics.difference import difference
from pairbench_ext.statistics.shares import mean_of_clusters


def judge(values, names=None):
    values = np.asarray(values, dtype=float)
    clusters = np.arange(len(values))
    return Resampled(mean_of_clusters(values, clusters, names or clusters.tolist()))


def test_clusters_are_matched_by_name_in_any_order():
    rng = np.random.default_rng(3)
    values, others = (rng.random(60) < p for p in (0.8, 0.7))
    shuffled = rng.permutation(60)
    straight = difference([judge(values)], [judge(others)])
    crossed = difference([judge(values)], [judge(others[shuffled], shuffled.tolist())])
    assert crossed.p == pytest.approx(straight.p)
    assert crossed.interval == pytest.approx(straight.interval)


def test_fishers_mean_over_tasks_is_resampled_as_that():
    rng = np.random.default_rng(7)

    def correlation(task, noise):
        x = rng.normal(size=60)
        made = ClusteredCorrelation(pearson, x, x + noise * rng.normal(size=60), np.arange(60), 60)
        return Resampled(Clustered(tuple((task, n) for n in range(60)), made))

    clear, noisy = ([correlation(task, noise) for task in "ab"] for noise in (0.5, 2.0))
    combined = Combination(clear, mean=fisher_mean)
    expected = math.tanh(sum(math.atanh(part.estimate) for part in clear) / 2)
    assert combined.estimate() == pytest.approx(expected)
    assert combined.drawn()[3] == pytest.approx(fisher_mean([part.drawn[3] for part in clear]))
    without = fisher_mean([clear[0].left_out[5], clear[1].estimate])
    assert combined.left_out()[5] == pytest.approx(without)
    less = difference(clear, noisy, fisher_mean)
    assert less.value == pytest.approx(expected - Combination(noisy, mean=fisher_mean).estimate())
    assert less.interval.low < less.value < less.interval.high
    assert less.p < 0.001
    assert difference(clear, clear, fisher_mean).p == 1


@pytest.mark.parametrize("statistic", [pearson, spearman])
def test_a_clustered_correlation_is_that_of_the_repeated_sample(statistic):
    rng = np.random.default_rng(6)
    x = rng.integers(1, 6, 40).astype(float)
    y = x + rng.normal(0, 2, 40)
    clusters = np.arange(40) // 2
    made = ClusteredCorrelation(statistic, x, y, clusters, 20)
    weights = rng.multinomial(20, [1 / 20] * 20, size=5)
    assert made.estimate() == pytest.approx(statistic(x, y), abs=1e-9)
    for value, drawn in zip(made.resampled(weights), weights, strict=True):
        times = drawn[clusters]
        assert value == pytest.approx(statistic(np.repeat(x, times), np.repeat(y, times)), abs=1e-9)
    assert made.left_out()[0] == pytest.approx(statistic(x[2:], y[2:]), abs=1e-9)


@pytest.mark.parametrize("statistic", [pearson, spearman])
def test_a_correlation_of_many_items_leaves_out_each(statistic):
    rng = np.random.default_rng(2)
    n = 50_000
    values = rng.random(n)
    for x, apart in ((np.ceil(5 * values), 1e-12), (values, 1e-4)):
        y = x + rng.integers(0, 3, n)
        made = ClusteredCorrelation(statistic, x, y, np.arange(n), n)
        without = statistic(np.delete(x, 7), np.delete(y, 7))
        assert made.left_out()[7] == pytest.approx(without, abs=apart)
