r"""Probabilities beside what was right: calibration error, recalibration, votes.

-   Expected calibration error: sum_b |sum_(i in b) (p_i - y_i)| / n, over ten bins of equal width,
    for the probability p_i of an answer and y_i = 1 if it is right (Guo et al., "On Calibration of
    Modern Neural Networks", ICML 2017). It is an absolute value, so that few items give a
    calibrated judge one above 0.
-   Recalibration: Platt's sigmoid of logit(p), fitted to labels of other items (Platt,
    "Probabilistic Outputs for Support Vector Machines", 1999; its targets are drawn from 0 and 1).
-   Votes: of K independent answers more than half are right with the probability
    P(Binomial(K, p) > K / 2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.intervals import FloatArray, SumStatistic
from pairbench_ext.statistics.shares import Share

BINS = 10
_LEAST = 1e-6  # how far probabilities are kept from 0 and 1


class Bin(NamedTuple):
    """Answers whose probability lies in one bin: its mean, the share that is right, how many."""

    probability: float
    right: float
    n: int


def reliability(probability: FloatArray, right: FloatArray) -> list[Bin]:
    """The bins of a reliability diagram that have answers, from low probabilities to high ones.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or the share of people who agree.
    """
    place = _bins(probability)
    inside = (place == number for number in np.unique(place))
    return [
        Bin(float(probability[in_bin].mean()), float(right[in_bin].mean()), int(in_bin.sum()))
        for in_bin in inside
    ]


def calibration_error(probability: FloatArray, right: FloatArray, clusters: npt.ArrayLike) -> Share:
    """Expected calibration error with its 95% interval by cluster bootstrap; NaN without answers.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or the share of people who agree.
        clusters: shape (n,); which belong together, by any number.

    >>> p, right = np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 1, 0, 0])
    >>> round(calibration_error(p, right, [0, 1, 2, 3]).value, 3)
    0.1
    """
    names, code = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.zeros((len(names), BINS, 2))
    columns = np.stack([probability - right, np.ones(len(probability))], axis=1)
    np.add.at(sums, (code, _bins(probability)), columns)
    total = sums.sum(axis=0)
    opposite = np.stack([total[:, 1], total[:, 1]], axis=1)
    statistic = SumStatistic(sums, _error, total * (0, 1), opposite)
    value = statistic.estimate() if len(names) else math.nan
    interval = clustered_interval(Clustered(tuple(names.tolist()), statistic))
    return Share(value, interval, len(probability))


def _bins(probability: FloatArray) -> npt.NDArray[np.int64]:
    return np.clip(np.ceil(probability * BINS).astype(np.int64) - 1, 0, BINS - 1)


def _error(sums: FloatArray) -> FloatArray:
    n = np.maximum(sums[..., 1].sum(axis=-1), 1)
    return np.asarray(np.abs(sums[..., 0]).sum(axis=-1) / n)


def recalibrated(
    probability: FloatArray, right: FloatArray, folds: npt.NDArray[np.int64]
) -> FloatArray:
    """Probabilities after recalibration, each by the labels of all other folds.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or a share.
        folds: shape (n,); clusters are whole (`voting.folds_of`).

    Returns:
        Shape (n,), in (0, 1); NaN where there is no other fold.
    """
    from scipy.special import expit, logit

    x, made = logit(np.clip(probability, _LEAST, 1 - _LEAST)), np.full(len(right), np.nan)
    for fold in np.unique(folds):
        others = folds != fold
        if others.any():
            slope, shift = _platt(x[others], right[others])
            made[~others] = expit(slope * x[~others] + shift)
    return made


def _platt(x: FloatArray, y: FloatArray) -> FloatArray:
    """Slope, which is not negative, and shift of the sigmoid of greatest likelihood."""
    from scipy.optimize import minimize

    n_right, n_wrong = y.sum(), (1 - y).sum()
    targets = y * (n_right + 1) / (n_right + 2) + (1 - y) / (n_wrong + 2)

    def loss(parameters: FloatArray) -> float:
        z = parameters[0] * x + parameters[1]
        return float(np.mean(np.logaddexp(0, z) - targets * z))

    found = minimize(loss, (0.0, 0.0), bounds=((0, None), (None, None)), method="L-BFGS-B")
    return np.asarray(found.x)


def right_by_votes(right: npt.ArrayLike, k: int | None) -> float:
    """The share of questions of which more than half of K answers are right.

    Args:
        right: shape (n,), n > 0: the probability that an answer to a question is right.
        k: how many answers; None for the limit of many.

    >>> right_by_votes([0.6, 0.6], 3).__round__(3), right_by_votes([0.6, 0.6], None)
    (0.648, 1.0)
    """
    from scipy.stats import binom

    p = np.asarray(right, dtype=np.float64)
    return float(np.mean(p > 0.5 if k is None else binom.sf(k // 2, k, p)))
