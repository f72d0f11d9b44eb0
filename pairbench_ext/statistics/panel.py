r"""Correlations between judges' errors, and how many independent judges would vote as well.

An error is 1 where a judge is wrong and 0 where it is right, or how far a rating is from the truth.
If the errors e_j of N judges on the same questions have the covariances C, that of their mean has
the variance (sum_ij C_ij) / N^2; for independent judges it would be (sum_j C_jj) / N^2. As many
independent judges of the same kind have an equal variance as

    N_eff = mean_j C_jj / Var(mean_j e_j) = N sum_j C_jj / sum_ij C_ij

For equal variances that is Kish's N / (1 + (N - 1) r) for the mean correlation r of errors (Kish,
"Survey Sampling", 1965, Section 8.2; of judges: Kohli, "Nine Judges, Two Effective Votes", 2026).
Errors that all judges make on the same hard questions count, as they should: a vote does not mend
them. Errors are centred judge by judge, so that a judge's error rate, or its mean error, does
not count as shared.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import Interval, cluster_weights
from pairbench_ext.statistics.clusters import sums_of

FloatArray: TypeAlias = npt.NDArray[np.float64]

_ROUNDING = 1e-12


class EffectiveVotes(NamedTuple):
    """The number of independent judges that would vote as well as this panel.

    Attributes:
        votes: N_eff, at least 1 (all judges err alike); N where errors are uncorrelated, more where
            judges err on different questions. NaN where no judge's errors vary, or all cancel.
        interval: its 95% interval over clusters (percentiles); NaN, NaN with fewer than two.
        correlation: mean correlation of two judges' errors, of those that are defined.
        n: how many questions it is of.
    """

    votes: float
    interval: Interval
    correlation: float
    n: int


def effective_votes(errors: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> EffectiveVotes:
    """Return how many independent votes would be as good as the votes of these judges.

    Args:
        errors: shape (judges, questions); questions of which one is NaN are left out.
        clusters: shape (questions,); which belong together, by any number. Each by itself if None.

    Raises:
        ValueError: if the errors are no matrix of at least one judge.

    >>> effective_votes([[0, 1, 0, 1], [0, 1, 0, 1]]).votes
    1.0
    >>> effective_votes([[0, 1, 0, 1], [0, 0, 1, 1]]).votes
    2.0
    """
    matrix = np.asarray(errors, dtype=np.float64)
    if matrix.ndim != 2 or not len(matrix):
        raise ValueError(f"errors must be a matrix (judges, questions), got shape {matrix.shape}")
    complete = ~np.isnan(matrix).any(axis=0)
    groups = np.arange(matrix.shape[1]) if clusters is None else np.asarray(clusters)
    matrix, groups = matrix[:, complete], groups[complete]
    moments = _moments(matrix, groups)
    value = float(_votes(moments.sum(axis=0)[None], len(matrix))[0]) if len(moments) else math.nan
    interval = Interval(math.nan, math.nan)
    if len(moments) > 1 and not math.isnan(value):
        drawn = _votes(cluster_weights(len(moments)).astype(np.float64) @ moments, len(matrix))
        interval = Interval(*map(float, np.nanquantile(drawn, (0.025, 0.975))))
    pairs = correlations(matrix)[np.triu_indices(len(matrix), 1)]
    defined = pairs[~np.isnan(pairs)]
    mean = float(defined.mean()) if defined.size else math.nan
    return EffectiveVotes(value, interval, mean, matrix.shape[1])


def _moments(errors: FloatArray, clusters: npt.NDArray[np.int64]) -> FloatArray:
    """Return sums of each cluster: 1, e_j, e_j^2 over j, and (sum_j e_j)^2."""
    total = errors.sum(axis=0)
    rows = np.stack([np.ones(len(total)), *errors, (errors**2).sum(axis=0), total**2], axis=1)
    _, codes = np.unique(clusters, return_inverse=True)
    return sums_of(codes, rows)


def _votes(sums: FloatArray, n_judges: int) -> FloatArray:
    """Return N_eff from sums of moments, shape (..., judges + 3)."""
    n = sums[..., :1]
    means = sums[..., 1 : n_judges + 1] / n
    apart = sums[..., -2] / n[..., 0] - (means**2).sum(axis=-1)
    together = sums[..., -1] / n[..., 0] - means.sum(axis=-1) ** 2
    scale = _ROUNDING * np.maximum(sums[..., -2] / n[..., 0], 1e-300)
    votes = np.full(together.shape, np.nan)
    np.divide(n_judges * apart, together, out=votes, where=(apart > scale) & (together > scale))
    return np.maximum(votes, 1.0)


def correlations(errors: npt.ArrayLike) -> FloatArray:
    """Return Pearson's correlation between the errors of each two judges.

    Args:
        errors: shape (judges, questions); each two over the questions that are NaN for neither.

    Returns:
        Shape (judges, judges), in [-1, 1]; NaN where a judge's errors do not vary.
    """
    matrix = np.asarray(errors, dtype=np.float64)
    matrix_of_pairs = np.full((len(matrix), len(matrix)), np.nan)
    for i, first in enumerate(matrix):
        for j, second in enumerate(matrix[: i + 1]):
            both = ~np.isnan(first) & ~np.isnan(second)
            x, y = first[both], second[both]
            if len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
                value = float(np.corrcoef(x, y)[0, 1])
                matrix_of_pairs[i, j] = matrix_of_pairs[j, i] = min(1.0, max(-1.0, value))
    return matrix_of_pairs
