r"""Calibration: are answers with a probability of 80% right in 80% of cases?

-   Expected calibration error: sum_b |sum_(i in b) (p_i - y_i)| / n, over ten bins of equal width,
    for the probability p_i of an answer and y_i = 1 if it is right (Guo et al., "On Calibration of
    Modern Neural Networks", ICML 2017). As an absolute value it is above 0 for a calibrated judge,
    by chance alone, so it is not reported as it is: `calibration_error` asks which true errors E
    make the observed one likely, and reports the E of which it is the median, with the interval of
    those E that a test does not reject. For each E, the bins' errors are the nearest to the
    observed ones with this sum; for the upper end half of each is E in every bin, where chance adds
    least. Bins vary by the covariance of their sums over clusters, at least binomially.
-   Recalibration: Platt's sigmoid of logit(p), fitted to labels of other items (Platt,
    "Probabilistic Outputs for Support Vector Machines", 1999; its targets are drawn from 0 and 1).
-   Votes: of K independent answers more than half are right with the probability
    P(Binomial(K, p) > K / 2).
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.intervals import FloatArray
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import Share

BINS = 10
# A true error is rejected where the observed one is this unlikely to be as high, or as low. The
# interval is the shorter for it where the judge is calibrated.
_TOO_HIGH, _TOO_LOW = 0.014, 0.027
_DRAWS, _HALVINGS = 1000, 20
_LEAST = 1e-6  # how far probabilities are kept from 0 and 1


class Bin(NamedTuple):
    """The answers in one bin of probabilities: their mean probability, accuracy and number."""

    probability: float
    right: float
    n: int


def reliability(probability: FloatArray, right: FloatArray) -> list[Bin]:
    """Return the nonempty bins of a reliability diagram, from low to high probability.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or the share of people who agree.
    """
    place = bins_of(probability)
    return [
        Bin(float(probability[in_bin].mean()), float(right[in_bin].mean()), int(in_bin.sum()))
        for in_bin in (place == number for number in np.unique(place))
    ]


def calibration_error(probability: FloatArray, right: FloatArray, clusters: npt.ArrayLike) -> Share:
    """Return the expected calibration error, corrected for its upward bias, with its 95% interval.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or the share of people who agree.
        clusters: shape (n,); which belong together, by any number.

    Returns:
        The error; NaN without answers, the interval with fewer than two clusters.

    >>> p, right = np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 1, 0, 0])
    >>> calibration_error(p, right, [0, 1, 2, 3]).value
    0.0
    """
    n = len(probability)
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if not n or codes.max() < 1:
        crude = float(np.abs(np.bincount(bins_of(probability), probability - right)).sum())
        return Share(crude / n if n else math.nan, Interval(math.nan, math.nan), n)
    errors = _BinErrors(probability, right, codes)
    return Share(
        errors.root(0.5), Interval(errors.root(1 - _TOO_HIGH), errors.root(_TOO_LOW, upper=True)), n
    )


class _BinErrors:
    """Each bin's part of the calibration error, and how it varies.

    Args:
        probability, right: as for `calibration_error`.
        clusters: shape (n,): numbers from 0, of two clusters or more.
    """

    def __init__(
        self, probability: FloatArray, right: FloatArray, clusters: npt.NDArray[np.int64]
    ) -> None:
        place = np.unique(bins_of(probability), return_inverse=True)[1]
        n, k, m = len(place), int(place.max()) + 1, int(clusters.max()) + 1
        counts = np.bincount(place, minlength=k)
        self.shares: FloatArray = counts / n
        off = probability - right
        signed = np.bincount(place, off, k) / n
        self.parts: FloatArray = np.abs(signed)
        self.crude = float(self.parts.sum())
        sums, sizes = np.zeros((m, k)), np.zeros((m, k))
        np.add.at(sums, (clusters, place), off - (signed / self.shares)[place])
        np.add.at(sizes, (clusters, place), 1)
        covariance = sums.T @ sums / n**2 * (m / (m - 1) * (n - 1) / max(1, n - k))
        likely = (np.bincount(place, right, k) + 2) / (counts + 4)
        binomial = counts * likely * (1 - likely) / n**2
        errors = np.sqrt(np.diag(covariance))
        self.errors: FloatArray = np.maximum(errors, np.sqrt(binomial))
        scale = np.divide(1, errors, out=np.zeros(k), where=errors > 0)
        correlation = covariance * np.outer(scale, scale)
        np.fill_diagonal(correlation, 1)
        values, vectors = np.linalg.eigh(correlation)
        rng = generator(0, "calibration error", n, m)
        normal = rng.standard_normal((_DRAWS, k)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
        few = np.sqrt((m - 1) / rng.chisquare(m - 1, (_DRAWS, 1)))
        self.noise: FloatArray = normal * few * self.errors
        self.weighed = rng.standard_normal(_DRAWS)
        self.weights = sizes.T @ sizes / n**2
        # Bins that agree better than chance lets them do not show that none is off.
        self.least = max(self.crude, float(np.median(np.abs(self.noise).sum(axis=1))))
        self.spread = float(np.clip(10 * k / n, 0.5, 1))

    def nearest(self, error: float) -> FloatArray:
        """Return the accuracies nearest to those observed that have this calibration error."""
        variances = self.errors**2

        def parts(shift: float) -> FloatArray:
            return np.maximum(self.parts + shift * variances, 0)

        low = -(1 + _LEAST) * float((self.parts / variances).max())
        high = (error + 1) / float(variances.sum())
        return parts(scipy.optimize.brentq(lambda s: parts(s).sum() - error, low, high))

    def below(self, error: float, spread: float, observed: float) -> float:
        """Return how likely a raw error up to `observed` is, given the true error."""
        parts = (1 - spread) * self.nearest(error) + spread * error * self.shares
        uneven = parts / self.shares - parts.sum()
        of_weights = self.weighed * math.sqrt(max(0.0, float(uneven @ self.weights @ uneven)))
        return float(np.mean(np.abs(parts + self.noise).sum(axis=1) + of_weights <= observed))

    def root(self, level: float, *, upper: bool = False) -> float:
        """Return the true error for which this share of draws is below the observed error."""
        spread, observed = (self.spread, self.least) if upper else (0.0, self.crude)
        low, high = 0.0, 1.0
        if self.below(0.0, 0.0, observed) <= level:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            above = self.below(middle, spread, observed) > level
            low, high = (middle, high) if above else (low, middle)
        return low


def bins_of(probability: FloatArray) -> npt.NDArray[np.int64]:
    """Return each probability's bin number, from 0; a bin includes its upper bound."""
    return np.clip(np.ceil(probability * BINS).astype(np.int64) - 1, 0, BINS - 1)


def recalibrated(
    probability: FloatArray, right: FloatArray, folds: npt.NDArray[np.int64]
) -> FloatArray:
    """Return recalibrated probabilities; each fold's are fitted on the labels of other folds.

    Args:
        probability: shape (n,), in [0, 1].
        right: shape (n,); 1 or 0, or a share.
        folds: shape (n,); clusters are whole (`voting.folds_of`).

    Returns:
        Shape (n,), in (0, 1); NaN where there is no other fold.
    """
    x, fitted = (
        scipy.special.logit(np.clip(probability, _LEAST, 1 - _LEAST)),
        np.full(len(right), np.nan),
    )
    for fold in np.unique(folds):
        others = folds != fold
        if others.any():
            slope, shift = _platt(x[others], right[others])
            fitted[~others] = scipy.special.expit(slope * x[~others] + shift)
    return fitted


def _platt(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return slope, which is not negative, and shift of the sigmoid of greatest likelihood."""
    n_right, n_wrong = y.sum(), (1 - y).sum()
    targets = y * (n_right + 1) / (n_right + 2) + (1 - y) / (n_wrong + 2)

    def loss(parameters: FloatArray) -> float:
        z = parameters[0] * x + parameters[1]
        return float(np.mean(np.logaddexp(0, z) - targets * z))

    found = scipy.optimize.minimize(
        loss, (0.0, 0.0), bounds=((0, None), (None, None)), method="L-BFGS-B"
    )
    return np.asarray(found.x)


def right_by_votes(right: npt.ArrayLike, k: int | None) -> float:
    """Return the share of questions that the majority of K answers to each question gets right.

    Args:
        right: shape (n,), n > 0: the probability that an answer to a question is right.
        k: how many answers; None for the limit of many.

    >>> right_by_votes([0.6, 0.6], 3).__round__(3), right_by_votes([0.6, 0.6], None)
    (0.648, 1.0)
    """
    p = np.asarray(right, dtype=np.float64)
    return float(np.mean(p > 0.5 if k is None else scipy.stats.binom.sf(k // 2, k, p)))
