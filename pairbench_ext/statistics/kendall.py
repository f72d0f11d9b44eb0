r"""Kendall's tau-b of two ordered variables, computed from their count table.

For n observations with counts n_ij of (level i of x, level j of y), row sums a_i, column sums b_j:

    tau_b = (P - Q) / sqrt((N - T_x) (N - T_y))

    N   = n (n - 1) / 2                                     pairs of observations
    T_x = sum_i a_i (a_i - 1) / 2,  T_y likewise            pairs tied in x, in y
    P   = sum_ij n_ij sum_{k<i, l<j} n_kl                   concordant pairs
    Q   = sum_ij n_ij sum_{k<i, l>j} n_kl                   discordant pairs

Ratings have about ten levels and ground truths three, so the table is tiny whatever n is: counting
is linear in n, there is no sort, and a bootstrap needs only the resampled tables.

Reference: Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945). PairBench
("Are Vision-Language Models Reliable at Comparing What They See?"), Section 2.2.1, uses it as
MMScore.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

# n squared must fit into int64.
MAX_OBSERVATIONS = math.isqrt(2**63 - 1)


def count_table(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[IntArray, npt.NDArray[Any], Any]:
    """Return how often each pair of values occurs in two paired samples, values in ascending order.

    Returns:
        `(counts, x_levels, y_levels)`: counts of shape (R, T) and the R and T distinct values in
        ascending order, so that `counts[i, j]` pairs have `x_levels[i]` and `y_levels[j]`.

    Raises:
        ValueError: if the samples are not of one length, not one-dimensional, or contain NaN.

    >>> counts, x_levels, y_levels = count_table([1, 10, 10], [1, 6, 6])
    >>> counts.tolist(), x_levels.tolist(), y_levels.tolist()
    ([[1, 0], [0, 2]], [1, 10], [1, 6])
    """
    x_values, y_values = np.asarray(x), np.asarray(y)
    if x_values.ndim != 1 or x_values.shape != y_values.shape:
        raise ValueError(f"two samples must be paired, got {x_values.shape} and {y_values.shape}")
    if (x_values != x_values).any() or (y_values != y_values).any():
        raise ValueError("samples must not hold NaN, because NaN cannot be ranked")
    x_levels, x_codes = np.unique(x_values, return_inverse=True)
    y_levels, y_codes = np.unique(y_values, return_inverse=True)
    shape = (len(x_levels), len(y_levels))
    cells = x_codes * shape[1] + y_codes
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    return counts.astype(np.int64, copy=False), x_levels, y_levels


def tau_b_from_counts(counts: npt.ArrayLike) -> float | FloatArray:
    """Return Kendall's tau-b of a count table, or of each table in a batch.

    Pairs are counted exactly, in int64: a table may hold up to 3,037,000,499 observations.

    Args:
        counts: integers of shape (..., R, T), levels ascending along both axes. Empty rows and
            columns are allowed, so resampled tables need no trimming.

    Returns:
        tau-b in [-1, 1], a float for one table, else an array of shape (...). NaN where a marginal
        is constant or there are fewer than two observations.

    >>> tau_b_from_counts([[2, 0], [0, 3]])
    1.0
    """
    table = np.asarray(counts, dtype=np.int64)
    difference = _concordant_minus_discordant(table)
    x_untied, y_untied = (_untied(table.sum(axis=axis)) for axis in (-1, -2))
    defined = (x_untied > 0) & (y_untied > 0)
    # Neither ratio exceeds 1 in size, so the root of their product needs no clipping, and perfect
    # agreement gives exactly 1.
    ratios = [
        np.divide(difference, untied, out=np.full(untied.shape, np.nan), where=defined)
        for untied in (x_untied, y_untied)
    ]
    tau = np.sign(difference) * np.sqrt(ratios[0] * ratios[1])
    return float(tau) if tau.ndim == 0 else tau


def somers_d_from_counts(counts: npt.ArrayLike) -> float | FloatArray:
    """Return Somers' D of x given y, for a count table or for each table in a batch.

        D = (P - Q) / (N - T_y)

    Unlike tau-b it does not punish x for telling apart what y ties. Somers, "A New Asymmetric
    Measure of Association for Ordinal Variables", American Sociological Review 27 (1962).

    Returns:
        In [-1, 1]; NaN where y is constant.

    >>> somers_d_from_counts([[1, 0], [1, 0], [0, 1], [0, 1]])
    1.0
    """
    table = np.asarray(counts, dtype=np.int64)
    untied = _untied(table.sum(axis=-2))
    difference = _concordant_minus_discordant(table)
    d = np.divide(difference, untied, out=np.full(untied.shape, np.nan), where=untied > 0)
    return float(d) if d.ndim == 0 else d


def highest_tau_b(y: npt.ArrayLike) -> float:
    """Return the highest tau-b that any x without ties can have with y: sqrt((N - T_y) / N).

    >>> round(highest_tau_b([1, 1, 10, 10]), 3)
    0.816
    """
    _, counts = np.unique(np.asarray(y), return_counts=True)
    pairs = math.comb(int(counts.sum()), 2)
    return math.sqrt(int(_untied(counts)) / pairs) if pairs else math.nan


def coupled_counts(counts: npt.ArrayLike, *, reverse: bool = False) -> IntArray:
    """Return the count table of two samples after pairing them for the highest possible tau-b.

    The smallest of x is paired with the smallest of y, and so on: the upper bound of Frechet and
    Hoeffding, F_ij = min(F_i, F_j) for the cumulative counts.

    Args:
        counts: shape (R, T), as `count_table` has it.
        reverse: pair the smallest with the largest instead, for the lowest tau-b.

    >>> coupled_counts([[1, 1], [1, 1]]).tolist()
    [[2, 0], [0, 2]]
    """
    table = np.asarray(counts, dtype=np.int64)
    x_totals, y_totals = table.sum(axis=1), table.sum(axis=0)
    if reverse:
        y_totals = y_totals[::-1]
    below = np.minimum.outer(np.cumsum(x_totals), np.cumsum(y_totals))
    paired: IntArray = np.diff(np.diff(below, axis=0, prepend=0), axis=1, prepend=0)
    return paired[:, ::-1] if reverse else paired


def tau_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Kendall's tau-b of two paired samples.

    Returns:
        A number in [-1, 1]; NaN if either sample is constant or has fewer than two values.

    Raises:
        ValueError: as `count_table`.

    >>> tau_b([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    counts, _, _ = count_table(x, y)
    return float(tau_b_from_counts(counts))


def _untied(totals: IntArray) -> IntArray:
    """Return the number of pairs of observations on different levels, from the levels' totals."""
    n = totals.sum(axis=-1)
    return np.asarray((n * n - (totals * totals).sum(axis=-1)) // 2)


def _concordant_minus_discordant(table: IntArray) -> IntArray:
    above = np.cumsum(table, axis=-2) - table  # observations with a smaller x, per level of y
    above_left = np.cumsum(above, axis=-1) - above  # ... and a smaller y
    above_right = above.sum(axis=-1, keepdims=True) - above_left - above  # ... and a larger y
    difference: IntArray = (table * (above_left - above_right)).sum(axis=(-2, -1))
    return difference
