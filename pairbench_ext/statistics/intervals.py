r"""Confidence intervals that hold even for near-perfect judges: a widened cluster bootstrap.

A bootstrap draws from the clusters (source rows, items, pairs) that were seen. Where none of them
shows an error, all resamples are equal and the interval has no width, though the next cluster may
be wrong. `cluster_interval` is the BCa interval by cluster bootstrap with two corrections:

1.  Few clusters. Percentiles of a bootstrap are too near by the factor by which Student's t exceeds
    the normal distribution and n - 1 is below n. So they are taken at

        Phi(+- sqrt(n / (n - 1)) t_(n-1, (1 + level) / 2))

    Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69
    (2015), Section 4.4. For 200 clusters this widens an interval by 1%, for 50 by 4%, for 8 by 29%.

2.  What was not seen. Clusters worse than all n that were seen are, with confidence
    (1 + level) / 2, at most the share

        q = 1 - ((1 - level) / 2)^(1/n)

    of all clusters: the interval of Clopper and Pearson for 0 of n, or the "rule of three" with 3.7
    for 3 (Hanley and Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", JAMA 249,
    1983). The lower end is not above

        T((1 - q) F + q (m / (m + 1) W + 1 / (m + 1) L))

    for the statistic T, the clusters seen F, the one W of them that lowers T most, the lowest that
    a cluster could be L, and the number m of clusters that lower T. That splits q as Laplace's rule
    of succession does: of m bad clusters none was like L, the next may be. The upper end likewise.

So a share without an error has the exact interval of Clopper and Pearson, one that has seen many
bad clusters has the bootstrap's. `python -m benchmarks.coverage` measures how often they hold.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.bootstrap import End, Interval, bca_interval, cluster_weights

FloatArray: TypeAlias = npt.NDArray[np.float64]

_BLOCK_CELLS = 1_000_000  # weights that are held as floats at a time: 8 MB
_ROUNDING = 1e-12
_TAIL = (1 - 0.95) / 2  # outside of an interval, on each side


class ClusterStatistic(Protocol):
    """A statistic of values that come in clusters."""

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""

    def estimate(self) -> float:
        """Return the statistic computed from all clusters; NaN where it is undefined."""

    def resampled(self, weights: npt.NDArray[np.int16]) -> FloatArray:
        """Return the statistic's value in each resample, given how often each cluster was drawn."""

    def left_out(self) -> FloatArray:
        """Return the statistic's value without each cluster in turn: one value per cluster."""

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:
        """Return the statistic's value if clusters that the sample may lack are added.

        Args:
            cluster: one that was seen.
            again: how many more there are like it, per cluster seen.
            extreme: how many more there are, per cluster seen, that are as low or high as can be.
            end: which of the two.
        """


@dataclass(frozen=True, eq=False)
class SumStatistic:
    """A statistic that is computed from each cluster's sums.

    Attributes:
        sums: shape (n_clusters, ...); of each cluster.
        of: from sums, shape (k, ...), to the statistic, shape (k,).
        lowest, highest: the sums over all clusters, if each were as low, or high, as it can be.
    """

    sums: npt.NDArray[Any]
    of: Callable[[npt.NDArray[Any]], FloatArray]
    lowest: npt.NDArray[Any]
    highest: npt.NDArray[Any]

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return len(self.sums)

    def estimate(self) -> float:
        """Return the statistic computed from all clusters."""
        return float(self.of(self.sums.sum(axis=0)[None])[0])

    def resampled(self, weights: npt.NDArray[np.int16]) -> FloatArray:
        """Return the statistic's value in each bootstrap resample."""
        block = max(1, _BLOCK_CELLS // max(1, self.n_clusters))
        parts = [
            # Exact, and much faster than a product of integers.
            np.tensordot(weights[start : start + block].astype(np.float64), self.sums, axes=1)
            for start in range(0, len(weights), block)
        ]
        return self.of(np.concatenate(parts))

    def left_out(self) -> FloatArray:
        """Return the statistic's value without each cluster in turn: one value per cluster."""
        return self.of(self.sums.sum(axis=0) - self.sums)

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:
        """Return the statistic's value if clusters that the sample may lack are added."""
        new = self.lowest if end == "low" else self.highest
        more = again * self.n_clusters * self.sums[cluster] + extreme * new
        return float(self.of((self.sums.sum(axis=0) + more)[None])[0])


def cluster_interval(statistic: ClusterStatistic, n_resamples: int = 1000) -> Interval:
    """Return the 95% interval of a statistic of clusters, by the widened bootstrap of this module.

    Args:
        statistic: of clusters.
        n_resamples: number of resamples. Those in which the statistic is undefined are left out.

    Returns:
        The interval; NaN, NaN with fewer than two clusters, or where the statistic is undefined.
    """
    if statistic.n_clusters < 2:
        return Interval(math.nan, math.nan)
    weights = cluster_weights(statistic.n_clusters, n_resamples)
    return interval_of_draws(statistic, statistic.resampled(weights), statistic.left_out())


def interval_of_draws(
    statistic: ClusterStatistic,
    resampled: FloatArray,
    left_out: FloatArray,
    freedom: float | None = None,
) -> Interval:
    """Return the interval of `cluster_interval`, from resamples that were already drawn.

    Args:
        statistic: of clusters.
        resampled: the statistic in each resample.
        left_out: the statistic with each cluster left out in turn.
        freedom: degrees of freedom of Student's t; n - 1 unless given.
    """
    n, estimate = statistic.n_clusters, statistic.estimate()
    if n < 2 or math.isnan(estimate):
        return Interval(math.nan, math.nan)
    read_at = expanded_level(n, freedom)
    return _allowing_for_unseen(
        statistic, bca_interval(estimate, resampled, left_out, read_at), left_out
    )


def jackknife_interval(
    statistic: ClusterStatistic, scale: tuple[float, float], *, corrected: bool = True
) -> Interval:
    """Return a statistic's 95% interval from the jackknife's pseudo-values, by Student's t.

    For statistics whose bias a bootstrap doubles, such as an entropy. Tukey, "Bias and Confidence
    in Not-Quite Large Samples" (1958).

    Args:
        statistic: of clusters.
        scale: the least and the largest value that it may have.
        corrected: whether the middle is without bias; where a statistic has a kink, such as that of
            a distance at 0, the correction is mostly noise.

    Returns:
        The interval, which also allows for unseen clusters; NaN, NaN as for `cluster_interval`.
    """
    n, estimate = statistic.n_clusters, statistic.estimate()
    if n < 2 or math.isnan(estimate):
        return Interval(math.nan, math.nan)
    left_out = statistic.left_out()
    values = pseudo_values(estimate, left_out)
    middle = float(values.mean()) if corrected else estimate
    reach = scipy.special.stdtrit(n - 1, 1 - _TAIL) * float(values.std(ddof=1)) / math.sqrt(n)
    ends = np.clip((middle - reach, middle + reach), *scale).tolist()
    return _allowing_for_unseen(statistic, Interval(*ends), left_out)


def pseudo_values(estimate: float, left_out: FloatArray) -> FloatArray:
    """Return the jackknife's pseudo-values; the estimate itself if one would be undefined.

    Args:
        estimate: from all n clusters.
        left_out: shape (n,); without each cluster in turn, NaN where undefined.
    """
    n = len(left_out)
    return n * estimate - (n - 1) * np.nan_to_num(left_out, nan=estimate)


def _allowing_for_unseen(
    statistic: ClusterStatistic, interval: Interval, left_out: FloatArray
) -> Interval:
    """Return an interval that also holds the statistic with the clusters that may be unseen."""
    estimate, unseen = statistic.estimate(), unseen_share(statistic.n_clusters)
    # Without a bad cluster a statistic rises, if at all; without a good one it falls.
    low = with_share_unseen(statistic, left_out - estimate, unseen, "low")
    high = with_share_unseen(statistic, estimate - left_out, unseen, "high")
    return Interval(float(np.fmin(interval.low, low)), float(np.fmax(interval.high, high)))


def unseen_share(n: float) -> float:
    """Return the largest share q of clusters that n random clusters may miss: (1 - q)^n = 0.025.

    >>> round(unseen_share(16), 3), round(unseen_share(1000), 4)
    (0.206, 0.0037)
    """
    return float(1 - _TAIL ** (1 / n))


def expanded_level(n: int, freedom: float | None = None) -> float:
    """Return the nominal level at which a bootstrap of n clusters has 95% coverage.

    Args:
        n: clusters.
        freedom: degrees of freedom of Student's t; n - 1 unless given.

    >>> round(expanded_level(8), 3), round(expanded_level(1000), 3)
    (0.989, 0.95)
    """
    reach = math.sqrt(n / (n - 1)) * scipy.special.stdtrit(freedom or n - 1, 1 - _TAIL)
    # Below 1, the quantiles of which are at infinity.
    return min(float(2 * scipy.special.ndtr(reach) - 1), 1 - _ROUNDING)


def mean_interval(values: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Return the 95% interval of the mean of independent estimates, from the estimates' intervals.

        low = mean(v_k) - sqrt(sum_k (v_k - low_k)^2) / K,   high likewise

    Reference: Zou and Donner, "Construction of Confidence Intervals about Effect Measures: A
    General Approach", Statistics in Medicine 27 (2008).

    Returns:
        The interval; NaN, NaN where a value or an end is NaN, or there is none.
    """
    if not values:
        return Interval(math.nan, math.nan)
    mean = math.fsum(values) / len(values)
    below = math.hypot(*(v - low for v, (low, _) in zip(values, intervals, strict=True)))
    above = math.hypot(*(high - v for v, (_, high) in zip(values, intervals, strict=True)))
    if math.isnan(below + above):
        return Interval(math.nan, math.nan)
    return Interval(mean - below / len(values), mean + above / len(values))


def with_share_unseen(
    statistic: ClusterStatistic, effects: FloatArray, unseen: float, end: End
) -> float:
    """Return the statistic's value if a given share of clusters, missing in the sample, is added.

    Args:
        statistic: of clusters.
        effects: shape (n_clusters,): how far each cluster moves it towards the end.
        unseen: share of clusters.
        end: towards which they move it.
    """
    moves = np.nan_to_num(effects, nan=0.0)
    towards = int((moves > _ROUNDING).sum())
    ratio = unseen / (1 - unseen)  # unseen clusters per cluster seen
    alike = ratio * towards / (towards + 1)
    return statistic.with_unseen(int(moves.argmax()), alike, ratio - alike, end)
