"""Statistics of rankings other than Kendall's tau (PairBench, Appendix C.2)."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Spearman's rank correlation: Pearson's correlation of the ranks.

    Returns:
        A number in [-1, 1]; NaN if either sample is constant or has fewer than two values.

    >>> round(spearman([1, 2, 3, 4], [1, 2, 4, 3]), 12)
    0.8
    """
    first, second = (scipy.stats.rankdata(np.asarray(v, dtype=np.float64)) for v in (x, y))
    middle = (len(first) + 1) / 2
    first, second = first - middle, second - middle
    scale = math.sqrt((first @ first) * (second @ second))
    return float(np.clip(first @ second / scale, -1, 1)) if scale > 0 else math.nan


def spearman_from_counts(counts: npt.ArrayLike) -> float | npt.NDArray[np.float64]:
    """Return Spearman's rank correlation of a count table, or of each table in a batch.

    Args:
        counts: shape (..., R, T), levels ascending along both axes. Empty rows and columns are
            allowed.

    Returns:
        In [-1, 1], a float for one table, else an array of shape (...). NaN where a marginal is
        constant.

    >>> spearman_from_counts([[2, 0], [0, 3]])
    1.0
    """
    table = np.asarray(counts, dtype=np.float64)
    x_totals, y_totals = table.sum(axis=-1), table.sum(axis=-2)
    x_ranks, y_ranks = _centred_ranks(x_totals), _centred_ranks(y_totals)
    product = (table * x_ranks[..., :, None] * y_ranks[..., None, :]).sum(axis=(-2, -1))
    x_squares = (x_totals * x_ranks**2).sum(axis=-1)
    y_squares = (y_totals * y_ranks**2).sum(axis=-1)
    defined = (np.count_nonzero(x_totals, axis=-1) > 1) & (np.count_nonzero(y_totals, axis=-1) > 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = np.clip(product / np.sqrt(x_squares) / np.sqrt(y_squares), -1, 1)
    rho = np.where(defined, rho, np.nan)
    return float(rho) if rho.ndim == 0 else rho


def _centred_ranks(totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean rank of each level's observations minus the mean of all ranks."""
    n = totals.sum(axis=-1, keepdims=True)
    ranks: npt.NDArray[np.float64] = np.cumsum(totals, axis=-1) - (totals + n) / 2
    return ranks


def ndcg(relevance: npt.ArrayLike, score: npt.ArrayLike) -> float:
    """Return a ranking's normalised discounted cumulative gain, averaged over orders of ties.

        DCG = sum_k relevance_k / log2(k + 1),  k = 1, 2, ... by descending score

    divided by the DCG of the best order. Items of equal score share the mean gain of their places
    (scikit-learn's `ndcg_score` with `ignore_ties=False`), so a constant score has a value, that of
    a random order.

    Args:
        relevance: n numbers, none negative.
        score: n numbers.

    Returns:
        A number in [0, 1]. NaN for fewer than two items or if no item is relevant.

    >>> round(ndcg([10, 6, 1], [3, 2, 1]), 12)
    1.0
    """
    relevances = np.asarray(relevance, dtype=np.float64)
    if len(relevances) < 2 or not relevances.any():
        return math.nan
    gains = np.cumsum(1 / np.log2(np.arange(2, len(relevances) + 2)))  # of the first k places
    best = np.sort(relevances)[::-1] @ np.diff(gains, prepend=0)
    _, group, sizes = np.unique(-np.asarray(score), return_inverse=True, return_counts=True)
    means = np.bincount(group, weights=relevances) / sizes
    return float(means @ np.diff(gains[np.cumsum(sizes) - 1], prepend=0) / best)


def levenshtein(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the Levenshtein (edit) distance between two sequences.

    >>> levenshtein("kitten", "sitting"), levenshtein("", "AB")
    (3, 2)
    """
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        previous, row[0] = row[0], i
        for j, b in enumerate(second, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
