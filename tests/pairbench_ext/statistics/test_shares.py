import numpy as np
import pytest

from pairbench_ext.statistics.bootstrap import bca_interval, cluster_weights
from pairbench_ext.statistics.intervals import expanded_level
from pairbench_ext.statistics.shares import mean_with_interval

RNG = np.random.default_rng(0)


def test_the_interval_is_the_bootstraps_over_clusters():
    clusters = RNG.integers(0, 30, 100) * 7 - 50
    hits = RNG.random(100) < 0.6
    names = sorted(set(clusters.tolist()))
    groups = [hits[clusters == name] for name in names]
    resampled = [
        np.concatenate([group for group, n in zip(groups, row, strict=True) for _ in range(n)])
        for row in cluster_weights(len(names))
    ]
    expected = bca_interval(
        float(hits.mean()),
        [values.mean() for values in resampled],
        [hits[clusters != name].mean() for name in names],
        expanded_level(len(names)),
    )
    share = mean_with_interval(hits, clusters)
    assert share.value == hits.mean()
    assert share.n == 100
    assert tuple(share.interval) == pytest.approx(tuple(expected))
