"""Correlations between two raters, means of correlations, and correlations in resamples.

Values are rounded to 12 decimals first: (0.5 + 1 + 1) / 3 and its like differ in the last bit with
the order of the sum, and would break ties at random.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.kendall import tau_b
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.ranking import spearman

FloatArray: TypeAlias = npt.NDArray[np.float64]
Statistic: TypeAlias = Literal["spearman", "pearson", "kendall"]
TIE_DECIMALS = 12
_BLOCK_CELLS = 1_000_000  # counts that are held at a time: 8 MB
_MOST_RANKED = 10**9  # items times pairs of values: half a minute


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Pearson's product-moment correlation of two paired samples.

    Returns:
        A number in [-1, 1]; NaN if either sample is constant or has fewer than two values.

    Raises:
        ValueError: if the samples are not of one length.

    >>> round(pearson([1, 2, 3], [1, 2, 4]), 6)
    0.981981
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:  # scipy would warn
        return math.nan
    return float(scipy.stats.pearsonr(first, second).statistic)


STATISTICS: Mapping[Statistic, Callable[[npt.ArrayLike, npt.ArrayLike], float]] = {
    "spearman": spearman,
    "pearson": pearson,
    "kendall": tau_b,
}


def correlation(x: npt.ArrayLike, y: npt.ArrayLike, statistic: Statistic = "spearman") -> float:
    """Return a correlation of two paired samples; values equal to 12 decimals count as ties.

    Args:
        x: n numbers.
        y: n numbers, paired with `x`.
        statistic: a key of `STATISTICS`.

    Returns:
        A number in [-1, 1]; NaN if either sample is constant or has fewer than two values.

    Raises:
        ValueError: if the samples are not of one length.

    >>> correlation([0.1 + 0.2, 0.3, 1], [0, 0, 1])
    1.0
    """
    return STATISTICS[statistic](_rounded(x), _rounded(y))


def fisher_mean(correlations: Sequence[float]) -> float:
    """Return the mean of correlations on Fisher's z scale: tanh(mean(arctanh(r))).

    Returns:
        A number in [-1, 1] over those that are not NaN; NaN if there is none, or both a 1 and a -1.
        A correlation of exactly 1 or -1 is infinite on that scale and outweighs all others.

    >>> round(fisher_mean([0.0, 0.8]), 12)
    0.5
    """
    defined = [r for r in correlations if not math.isnan(r)]
    infinite = {math.copysign(1, r) for r in defined if abs(r) >= 1}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else math.nan
    return math.tanh(mean_of_defined([math.atanh(r) for r in defined]))


def resampled_spearman(x: npt.ArrayLike, y: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """Return Spearman's correlation in each of many resamples, without sorting values again.

    The ranks of a resample follow from how often each distinct value was drawn.

    Args:
        x: n numbers.
        y: n numbers, paired with `x`.
        weights: shape (B, n); how often each pair was drawn, or its weight; zeros allowed.

    Returns:
        Shape (B,), in [-1, 1]; NaN where a resample leaves it undefined.

    >>> resampled_spearman([1, 2, 3], [1, 3, 2], [[1, 1, 1], [1, 1, 0]]).tolist()
    [0.5, 1.0]
    """
    counts = np.asarray(weights, dtype=np.float64)
    first, second = (_weighted_ranks(_rounded(sample), counts) for sample in (x, y))
    return _weighted_pearson(first, second, counts, (1e-6, 1e-6))  # ranks are halves of integers


def resampled_pearson(x: npt.ArrayLike, y: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """Return Pearson's correlation in each resample, with the arguments of `resampled_spearman`.

    >>> resampled_pearson([1, 2, 3], [1, 3, 2], [[1, 1, 1], [1, 1, 0]]).round(12).tolist()
    [0.5, 1.0]
    """
    moments, least = _moments(x, y)
    return _of_moments(np.asarray(weights, dtype=np.float64) @ moments, least)


def _moments(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, list[float]]:
    """Return what Pearson's correlation adds up, shape (n, 6), and the least sums of squares.

    Of a resample's sum of squares, below the least it is 0 but for rounding.
    """
    samples = [np.asarray(sample, dtype=np.float64) for sample in (x, y)]
    least = [1e-12 * len(sample) * max(float(sample.var()), 1e-300) for sample in samples]
    a, b = (sample - sample.mean() for sample in samples)
    return np.column_stack([np.ones(len(a)), a, b, a * b, a * a, b * b]), least


def _of_moments(sums: FloatArray, least: Sequence[float]) -> FloatArray:
    """Return Pearson's correlations, shape (B,), from sums of moments, shape (B, 6)."""
    n, x, y, both, x_square, y_square = sums.T
    n = np.maximum(n, 1)
    return _ratio(both - x * y / n, x_square - x * x / n, y_square - y * y / n, least)


def _weighted_pearson(
    x: FloatArray, y: FloatArray, counts: FloatArray, least: Sequence[float]
) -> FloatArray:
    """Return the correlations, shape (B,), of x and y, shape (n,) or (B, n), in B resamples."""
    total = np.maximum(counts.sum(axis=1), 1)[:, None]
    deviations = [s - (counts * s).sum(axis=1, keepdims=True) / total for s in (x, y)]
    covariance, x_square, y_square = (
        np.einsum("bn,bn,bn->b", counts, deviations[i], deviations[j])
        for i, j in ((0, 1), (0, 0), (1, 1))
    )
    return _ratio(covariance, x_square, y_square, least)


def _ratio(
    covariance: FloatArray, x_square: FloatArray, y_square: FloatArray, least: Sequence[float]
) -> FloatArray:
    defined = (x_square > least[0]) & (y_square > least[1])
    scale = np.sqrt(np.where(defined, x_square * y_square, 1))
    return np.where(defined, np.clip(covariance / scale, -1, 1), np.nan)


def resampled_kendall(x: npt.ArrayLike, y: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """Return Kendall's tau-b in each resample, with the arguments of `resampled_spearman`.

    >>> resampled_kendall([1, 2, 3], [1, 3, 2], [[1, 1, 1], [1, 1, 0]]).round(12).tolist()
    [0.333333333333, 1.0]
    """
    counts = np.asarray(weights, dtype=np.float64)
    signs_x, signs_y = pair_signs(x), pair_signs(y)
    both, first, second = (
        ((counts @ pairs) * counts).sum(axis=1)
        for pairs in (signs_x * signs_y, signs_x**2, signs_y**2)
    )
    defined = (first > 0) & (second > 0)
    return np.where(defined, both / np.sqrt(np.where(defined, first * second, 1)), np.nan)


def pair_signs(values: npt.ArrayLike) -> FloatArray:
    """Return the sign (1, 0 or -1) of the difference between any two values, shape (n, n)."""
    column = np.asarray(values, dtype=np.float64)
    return np.sign(column[:, None] - column[None, :])


#: The resampled form of each statistic.
RESAMPLED: Mapping[Callable[..., float], Callable[..., FloatArray]] = {
    pearson: resampled_pearson,
    spearman: resampled_spearman,
    tau_b: resampled_kendall,
}


class ClusteredCorrelation:
    """A correlation of paired values that come in clusters, so that clusters can be resampled.

    Unseen clusters are not allowed for, because no correlation is the lowest that one could have.

    Args:
        statistic: a key of `RESAMPLED`.
        x: shape (n,).
        y: shape (n,).
        clusters: shape (n,); from 0.
        n_clusters: how many there are.
        weights: shape (n,); of the pairs, 1 each unless given.
    """

    def __init__(
        self,
        statistic: Callable[..., float],
        x: FloatArray,
        y: FloatArray,
        clusters: npt.NDArray[np.int64],
        n_clusters: int,
        weights: FloatArray | None = None,
    ) -> None:
        self.n_clusters, self._of = n_clusters, RESAMPLED[statistic]
        # Equal pairs count together: of ratings there are few, however many the items are.
        pairs, codes = np.unique(np.column_stack([x, y]), axis=0, return_inverse=True)
        self._x, self._y = pairs.T
        counts = np.ones(len(x)) if weights is None else weights
        shape = n_clusters, len(pairs)
        self._counts = scipy.sparse.csr_array((counts, (clusters, codes.ravel())), shape=shape)
        self._every = np.asarray(np.bincount(codes.ravel(), counts, len(pairs)), dtype=np.float64)
        by_sums = statistic is pearson and len(pairs) > 1
        self._sums = self._sums_of(self._x, self._y) if by_sums else None

    def estimate(self) -> float:
        """Return the correlation over all clusters."""
        return float(self._values(np.ones((1, self.n_clusters)))[0])

    def resampled(self, weights: npt.NDArray[np.int16]) -> FloatArray:
        """Return the correlation in each bootstrap resample."""
        return self._values(weights)

    def left_out(self) -> FloatArray:
        """Return the correlation without each cluster in turn: one value per cluster.

        Of very many items with as many values the ranks stay as they are with all of them. That
        moves an interval's ends by less than a hundredth of its width.
        """
        if self._sums:
            return _left_out(*self._sums)
        if self._of is resampled_spearman and self.n_clusters * len(self._x) > _MOST_RANKED:
            every = self._every[None]
            ranks = (_weighted_ranks(_rounded(values), every)[0] for values in (self._x, self._y))
            return _left_out(*self._sums_of(*ranks))
        return self._in_blocks(
            self.n_clusters, lambda part: self._every - self._counts[part].toarray()
        )

    def _sums_of(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, list[float]]:
        """Return the moments of each cluster, of values by pair; and the least sums of squares."""
        moments, least = _moments(x, y)
        return self._counts @ moments, least

    def with_unseen(self, cluster: int, again: float, extreme: float, end: str) -> float:  # noqa: ARG002
        """Return the correlation's value if clusters that the sample may lack are added."""
        weights = np.ones((1, self.n_clusters))
        weights[0, cluster] += again * self.n_clusters
        return float(self._values(weights)[0])

    def _values(self, weights: npt.NDArray[Any]) -> FloatArray:
        if self._sums:
            sums, least = self._sums
            parts = [weights[part] @ sums for part in self._parts(len(weights))]
            return _of_moments(np.concatenate(parts), least)
        return self._in_blocks(len(weights), lambda part: weights[part] @ self._counts)

    def _in_blocks(self, n: int, counts: Callable[[slice], FloatArray]) -> FloatArray:
        """Return the correlation for each of n rows of counts of the pairs, made in blocks."""
        if len(self._x) < 2:
            return np.full(n, np.nan)
        blocks = [self._of(self._x, self._y, counts(part)) for part in self._parts(n)]
        return np.concatenate(blocks)

    def _parts(self, n: int) -> list[slice]:
        size = max(1, _BLOCK_CELLS // max(len(self._x), self.n_clusters))
        return [slice(start, start + size) for start in range(0, n, size)]


def _left_out(sums: FloatArray, least: Sequence[float]) -> FloatArray:
    """Return Pearson's correlation without each cluster, from the moments of clusters."""
    return _of_moments(sums.sum(axis=0) - sums, least)


def _rounded(values: npt.ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    return np.asarray(np.round(numbers, TIE_DECIMALS), dtype=np.float64)


def _weighted_ranks(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Return mean ranks, shape (B, n), of values of which there are `counts`."""
    levels, codes = np.unique(values, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    begins = np.searchsorted(codes[order], np.arange(len(levels)))
    per_level = np.add.reduceat(counts[:, order], begins, axis=1)
    upper = np.cumsum(per_level, axis=1)
    return np.asarray((upper - (per_level - 1) / 2)[:, codes], dtype=np.float64)
