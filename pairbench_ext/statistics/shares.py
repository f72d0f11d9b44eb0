"""Shares and means, with 95% intervals, of values that come in clusters."""

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import FloatArray, SumStatistic, cluster_interval


class Share(NamedTuple):
    """A share or another mean, with its 95% interval.

    Attributes:
        value: NaN if it is of nothing.
        interval: NaN, NaN where none can be given.
        n: how many values it is of.
    """

    value: float
    interval: Interval
    n: int


def share(hits: npt.NDArray[Any]) -> float:
    """Return the share of hits, in [0, 1], or the mean of values; NaN if there are no values."""
    return float(hits.mean()) if hits.size else math.nan


def mean_with_interval(
    values: npt.NDArray[Any],
    clusters: npt.NDArray[np.int64],
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
) -> Share:
    """Return the mean of values, or the share of hits, with its 95% interval over clusters.

    A drawn cluster brings all its values. For a judge that is always right, the interval is the
    exact one of Clopper and Pearson for as many trials as there are clusters: at worst, what is in
    a cluster is all the same.

    Args:
        values: shape (n,); numbers, or whether each is a hit.
        clusters: shape (n,); which cluster each of them belongs to, by any number.
        lowest: what the mean could be at least.
        highest: what it could be at most.

    Returns:
        The mean, NaN if a value is; its interval is then NaN, NaN, as with fewer than two clusters.
    """
    mean = share(values)
    statistic = mean_of_clusters(values, clusters, lowest=lowest, highest=highest).statistic
    return Share(mean, cluster_interval(statistic), len(values))


def mean_of_clusters(
    values: npt.NDArray[np.float64],
    clusters: npt.NDArray[np.int64],
    labels: Sequence[Hashable] | None = None,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    lowest: float = 0.0,
    highest: float = 1.0,
) -> Clustered:
    """Return the mean of values, as a statistic that can be resampled by clusters.

    Args:
        values: shape (n,).
        clusters: shape (n,); which cluster each of them belongs to, by any number.
        labels: names of the clusters, by these numbers; the numbers themselves unless given.
        weights: shape (n,); of the values, 1 each unless given.
        lowest: what the mean could be at least.
        highest: what it could be at most.
    """
    codes, cluster = np.unique(clusters, return_inverse=True)
    w = np.ones(len(values)) if weights is None else weights
    totals = np.bincount(cluster, w * values, len(codes))
    counts = np.bincount(cluster, w, len(codes))
    statistic = SumStatistic(
        np.stack([totals, counts], axis=1),
        ratio_of_sums,
        *(np.array([end * w.sum(), w.sum()]) for end in (lowest, highest)),
    )
    numbers = codes.tolist()
    names = tuple(numbers if labels is None else (labels[n] for n in numbers))
    return Clustered(names, statistic, sizes=tuple(counts.tolist()))


def ratio_of_sums(sums: npt.NDArray[Any]) -> FloatArray:
    """Return sum / count for pairs (sum, count) along the last axis; NaN where the count is 0."""
    values = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=values, where=sums[..., 1] > 0)
    return values


def mean_of_shares(sums: FloatArray) -> SumStatistic:
    """Return the mean of several shares, in a form whose clusters can be resampled.

    Args:
        sums: shape (clusters, shares, 2): the hits and the count of each share in each cluster.

    Returns:
        The statistic; NaN without shares, or where one has no count.
    """
    total = sums.sum(axis=0)
    ends = [np.stack([total[:, 1] * end, total[:, 1]], axis=1) for end in (0.0, 1.0)]

    def mean(sums: npt.NDArray[Any]) -> FloatArray:
        n = sums.shape[-2]
        shares = ratio_of_sums(sums).sum(axis=-1)
        return np.asarray(shares / n if n else np.full_like(shares, math.nan))

    return SumStatistic(sums, mean, *ends)
