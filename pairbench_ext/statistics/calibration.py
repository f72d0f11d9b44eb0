r"""Probabilities beside what was right: Brier score, calibration error, recalibration, votes.

-   Brier score: mean (p_i - y_i)^2, for the probability p_i of an answer and y_i = 1 if it is right
    (Brier, "Verification of Forecasts Expressed in Terms of Probability", Monthly Weather Review
    78, 1950).
-   Expected calibration error: sum_b |sum_(i in b) (p_i - y_i)| / n, over ten bins of equal width
    (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017). It is an absolute value, so
    that few items give a calibrated judge one above 0.
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


def brier_score(probability: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """Mean squared distance of probabilities and what was right, in [0, 1]; NaN without any.

    >>> brier_score([1.0, 0.5], [1, 1])
    0.125
    """
    p, y = np.asarray(probability, dtype=np.float64), np.asarray(right, dtype=np.float64)
    return float(np.mean((p - y) ** 2)) if p.size else math.nan


def reliability(probability: npt.ArrayLike, right: npt.ArrayLike, bins: int = BINS) -> list[Bin]:
    """The bins of a reliability diagram that have answers, from low probabilities to high ones."""
    p, y = np.asarray(probability, dtype=np.float64), np.asarray(right, dtype=np.float64)
    place = _bins(p, bins)
    inside = (place == number for number in np.unique(place))
    return [Bin(float(p[of].mean()), float(y[of].mean()), int(of.sum())) for of in inside]


def calibration_error(
    probability: npt.ArrayLike, right: npt.ArrayLike, clusters: npt.ArrayLike, bins: int = BINS
) -> Share:
    """Expected calibration error with its 95% interval by cluster bootstrap.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or the share of people who agree.
        clusters: shape (n,); which belong together, by any number.
        bins: how many, of equal width.

    >>> calibration_error([0.9, 0.9, 0.1, 0.1], [1, 1, 0, 0], [0, 1, 2, 3]).value.__round__(3)
    0.1
    """
    p, y = np.asarray(probability, dtype=np.float64), np.asarray(right, dtype=np.float64)
    names, code = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.zeros((len(names), bins, 2))
    np.add.at(sums, (code, _bins(p, bins)), np.stack([p - y, np.ones(len(p))], axis=1))
    total = sums.sum(axis=0)
    calibrated = total * (0, 1)
    opposite = np.stack([total[:, 1], total[:, 1]], axis=1)
    statistic = SumStatistic(sums, _error, calibrated, opposite)
    value = statistic.estimate() if p.size else math.nan
    return Share(value, clustered_interval(Clustered(tuple(names.tolist()), statistic)), len(p))


def _bins(probability: FloatArray, bins: int) -> npt.NDArray[np.int64]:
    return np.clip(np.ceil(probability * bins).astype(np.int64) - 1, 0, bins - 1)


def _error(sums: FloatArray) -> FloatArray:
    n = np.maximum(sums[..., 1].sum(axis=-1), 1)
    return np.asarray(np.abs(sums[..., 0]).sum(axis=-1) / n)


def recalibrated(
    probability: npt.ArrayLike, right: npt.ArrayLike, folds: npt.ArrayLike
) -> FloatArray:
    """Probabilities after recalibration, each by the labels of all other folds.

    Args:
        probability: shape (n,).
        right: shape (n,); 1 or 0, or a share.
        folds: shape (n,); clusters are whole (`voting.folds_of`).

    Returns:
        Shape (n,), in (0, 1); NaN where there is no other fold.
    """
    p, y = np.asarray(probability, dtype=np.float64), np.asarray(right, dtype=np.float64)
    numbers, made = np.asarray(folds), np.full(len(p), np.nan)
    for fold in np.unique(numbers):
        others = numbers != fold
        if others.any():
            made[~others] = _sigmoid(*_platt(_logit(p[others]), y[others]), _logit(p[~others]))
    return made


def _logit(p: FloatArray) -> FloatArray:
    inside = np.clip(p, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(inside / (1 - inside)))


def _sigmoid(slope: float, shift: float, x: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(slope * x + shift))


def _platt(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Slope, which is not negative, and shift of the sigmoid of greatest likelihood."""
    from scipy.optimize import minimize

    n_right, n_wrong = y.sum(), (1 - y).sum()
    targets = y * (n_right + 1) / (n_right + 2) + (1 - y) / (n_wrong + 2)

    def loss(parameters: FloatArray) -> float:
        z = parameters[0] * x + parameters[1]
        return float(np.mean(np.logaddexp(0, z) - targets * z))

    start = (0.0, float(_logit(targets.mean()[None])[0]))
    slope, shift = minimize(loss, start, bounds=((0, None), (None, None)), method="L-BFGS-B").x
    return float(slope), float(shift)


def right_by_votes(right: npt.ArrayLike, k: int | None) -> float:
    """The share of questions of which more than half of K answers are right; NaN without any.

    Args:
        right: shape (n,): the probability that an answer to a question is right.
        k: how many answers; None for the limit of many.

    >>> right_by_votes([0.6, 0.6], 3).__round__(3), right_by_votes([0.6, 0.6], None)
    (0.648, 1.0)
    """
    from scipy.stats import binom

    p = np.asarray(right, dtype=np.float64)
    if not p.size:
        return math.nan
    return float(np.mean(p > 0.5 if k is None else binom.sf(k // 2, k, p)))
