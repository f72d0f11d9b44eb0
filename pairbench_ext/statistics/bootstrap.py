"""Cluster bootstrap: confidence intervals for statistics of values that come in clusters.

The ratings of one source row (its pairs, conditions, orders, templates) are not independent, so
rows are resampled, not ratings. Only how often each row was drawn matters; a statistic that is a
function of counts is computed from `weights @ counts per row`.

Reference: Davison and Hinkley, "Bootstrap Methods and their Application" (1997), Sections 3.8, 5.3.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.kendall import (
    MAX_OBSERVATIONS,
    count_table,
    coupled_counts,
    tau_b_from_counts,
)
from pairbench_ext.statistics.seeds import generator

#: A statistic of one count table, or of a batch of them, shape (..., R, T).
OfCounts: TypeAlias = Callable[[npt.NDArray[np.int64]], float | npt.NDArray[np.float64]]

End: TypeAlias = Literal["low", "high"]  # of an interval

# Resampled count tables held at a time: about 32 MB.
_BLOCK_CELLS = 4_000_000
_DRAWN = 100_000  # clusters drawn at a time
_SAME = 1e-9  # how near two values of a statistic must be to be one


class Interval(NamedTuple):
    """A confidence interval; both bounds are NaN where it is undefined."""

    low: float
    high: float

    @property
    def tells_nothing(self) -> bool:
        """Return whether the interval is missing, or covers more than half of [0, 1]."""
        return not self.high - self.low <= 0.5


@lru_cache(maxsize=2)  # the numbers of a task have the same clusters; a draw may take 0.5 GB
def cluster_weights(
    n_clusters: int, n_resamples: int = 1000, seed: int = 0
) -> npt.NDArray[np.int16]:
    """Return how often each bootstrap resample draws each cluster: one row per resample.

    Args:
        n_clusters: number of clusters (source rows).
        n_resamples: number of resamples. The first k resamples do not depend on it.
        seed: of the draws; the same seed gives the same weights everywhere.

    Returns:
        Shape (n_resamples, n_clusters), read-only; each row sums to `n_clusters`.

    >>> cluster_weights(3, n_resamples=2).sum(axis=1).tolist()
    [3, 3]
    """
    weights = np.zeros((n_resamples, n_clusters), dtype=np.int16)
    if n_clusters == 0:
        return weights
    rng = generator(seed, "cluster bootstrap", n_clusters)
    at_once = max(1, _DRAWN // n_clusters)
    for start in range(0, n_resamples, at_once):
        block = weights[start : start + at_once]
        drawn = rng.integers(n_clusters, size=block.shape)
        drawn += np.arange(0, block.size, n_clusters)[:, None]  # each resample counts its own
        block[:] = np.bincount(drawn.ravel(), minlength=block.size).reshape(block.shape)
    weights.flags.writeable = False
    return weights


def bca_interval(
    estimate: float, resampled: npt.ArrayLike, left_out: npt.ArrayLike, level: float = 0.95
) -> Interval:
    """Return the bias-corrected and accelerated (BCa) interval of a statistic.

    A percentile interval is off where resampling shifts the statistic: with few clusters, a cluster
    that is drawn twice is compared with itself more often than in the sample.

    Args:
        estimate: the statistic of the sample.
        resampled: the statistic in each resample. NaN, where a resample leaves it undefined (every
            rating equal, say), is left out.
        left_out: the statistic with each cluster left out in turn (the jackknife); NaN is left out.
        level: share of the distribution between the two ends.

    Returns:
        The interval; NaN, NaN if the estimate or every resampled value is NaN.

    Reference: Efron, "Better Bootstrap Confidence Intervals" (1987); Davison and Hinkley (5.21).
    """
    values = np.asarray(resampled, dtype=np.float64)
    values = values[~np.isnan(values)]
    if values.size == 0 or math.isnan(estimate):
        return Interval(math.nan, math.nan)
    # A resample with the statistic of the sample may differ from it in the last digits.
    same = np.isclose(values, estimate, rtol=0, atol=_SAME)
    below = np.mean(np.where(same, 0.5, values < estimate))
    # All values on one side would put an end at infinity.
    bias = scipy.special.ndtri(np.clip(below, 0.5 / values.size, 1 - 0.5 / values.size))
    shifted = bias + scipy.special.ndtri([(1 - level) / 2, (1 + level) / 2])
    slope = 1 - _acceleration(left_out) * shifted
    # The correction has a pole: beyond it, the end is as far out as there are values.
    moved = np.where(
        slope > 0, shifted / np.where(slope > 0, slope, 1), np.copysign(np.inf, shifted)
    )
    low, high = np.quantile(values, scipy.special.ndtr(bias + moved))
    return Interval(float(low), float(high))


def _acceleration(left_out: npt.ArrayLike) -> float:
    """Return BCa's acceleration: the change of the spread with the value; 0 without any."""
    values = np.asarray(left_out, dtype=np.float64)
    values = values[~np.isnan(values)]
    deviations = values.mean() - values if values.size else values
    squares = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def exact_interval(right: float, n: float) -> Interval:
    """Return the 95% Clopper-Pearson interval of the share `right / n`; (NaN, NaN) for n = 0."""
    if n == 0:
        return Interval(math.nan, math.nan)
    tail = (1 - 0.95) / 2
    low = float(scipy.special.betaincinv(right, n - right + 1, tail)) if right > 0 else 0.0
    high = float(scipy.special.betaincinv(right + 1, n - right, 1 - tail)) if right < n else 1.0
    return Interval(low, high)


class ClusterTables:
    """Each cluster's count table of two paired samples, for statistics that weight clusters.

    The count table of a resample is the weighted sum of the clusters' tables, so nothing is sorted
    or counted again.

    Args:
        x: n numbers.
        y: n numbers, paired with `x`.
        clusters: shape (n,); which cluster each pair of numbers belongs to, from 0.
        n_clusters: how many clusters there are.
        statistic: of count tables whose levels ascend; one that does not change if all counts are
            multiplied. Kendall's tau-b by default.
        times: shape (n,); how often each pair counts, in whole numbers; once each by default.

    Raises:
        ValueError: if `x` and `y` are not paired or hold NaN.
        TypeError: if they are not numbers.
    """

    def __init__(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        clusters: npt.NDArray[np.int64],
        n_clusters: int,
        statistic: OfCounts = tau_b_from_counts,
        times: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._of = statistic
        self.n_clusters = n_clusters
        counts, x_levels, y_levels = count_table(x, y)
        cells = np.searchsorted(x_levels, x) * len(y_levels) + np.searchsorted(y_levels, y)
        times = np.ones(len(cells), dtype=np.int64) if times is None else times
        self._per_cluster = scipy.sparse.csr_array(
            (times, (cells, clusters)), shape=(counts.size, n_clusters), dtype=np.int64
        )
        self.total = self._per_cluster.sum(axis=1).reshape(counts.shape)

    def estimate(self) -> float:
        """Return the statistic computed from all clusters."""
        return float(self._of(self.total))

    def resampled(self, weights: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
        """Return the statistic's value in each bootstrap resample; NaN where it is undefined.

        Args:
            weights: shape (n_resamples, n_clusters), from `cluster_weights`.
        """
        values = np.full(len(weights), np.nan)
        block = max(1, _BLOCK_CELLS // max(self.total.size, weights.shape[1], 1))
        for start in range(0, len(weights), block):
            part = weights[start : start + block].T.astype(np.int64)
            tables = (self._per_cluster @ part).T.reshape(part.shape[1], *self.total.shape)
            values[start : start + block] = self._of(tables)
        return values

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:
        """Return the statistic's value if clusters that the sample may lack are added.

        Args:
            cluster: one of them.
            again: how many more there are like it, per cluster.
            extreme: how many more there are, per cluster, in which the two samples have the values
                that they have, but paired in opposite order, or in the same order.
            end: "low" for opposite order.
        """
        counts = self._per_cluster[:, [cluster]].toarray().reshape(self.total.shape)
        more = again * self.n_clusters * counts.sum()
        n = int(self.total.sum() + more + extreme * self.total.sum())
        scale = max(1, MAX_OBSERVATIONS // (2 * n))  # counts stay integers
        alike = counts * round(scale * again * self.n_clusters)
        new = coupled_counts(self.total, reverse=end == "low") * round(scale * extreme)
        return float(self._of(self.total * scale + alike + new))

    def left_out(self) -> npt.NDArray[np.float64]:
        """Return the statistic's value without each cluster in turn: one value per cluster."""
        values = np.full(self.n_clusters, np.nan)
        block = max(1, _BLOCK_CELLS // max(self.total.size, 1))
        for start in range(0, self.n_clusters, block):
            part = self._per_cluster[:, start : start + block].toarray().T
            values[start : start + block] = self._of(
                self.total - part.reshape(-1, *self.total.shape)
            )
        return values
