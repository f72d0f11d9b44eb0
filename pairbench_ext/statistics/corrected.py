r"""A judge's mean verdict, corrected by the labels that people gave to some of the items.

People label n of the items, a judge gives a verdict on all of them. The mean label of all items is
estimated in two ways.

`Sample.prediction_powered_mean` trusts the judge as far as the labels show (PPI++):

    theta = mean(Y) - lambda (mean(f of labelled items) - mean(f of the others))

with labels Y, verdicts f, and lambda in [0, 1] such that the variance is least. With lambda = 0 it
is the mean of the labels: a judge that is noise costs nothing. Valid for any judge, as long as the
labelled items were drawn at random, or with known probabilities.
Reference: Angelopoulos, Duchi and Zrnic, "PPI++: Efficient Prediction-Powered Inference" (2023).

`Sample.error_rate_mean` inverts the judge's error rates, for labels 0 and 1:

    theta = (mean(f) + specificity - 1) / (sensitivity + specificity - 1)

Reference: Rogan and Gladen, "Estimating Prevalence from the Results of a Screening Test", American
Journal of Epidemiology 107 (1978); Lee et al., "How to Correctly Report LLM-as-a-Judge Evaluations"
(2025).

Both return how much each item moves the estimate (its influence). Standard errors are sums of
influences over clusters, squared; those of strata and of differences follow from the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, norm, t

from pairbench_ext.statistics.bootstrap import Interval

FloatArray: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

_TAIL = 0.975
_FEW = 5  # fewer labels of one kind than this, and the normal distribution is no approximation


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimated mean.

    Attributes:
        value: the estimate; NaN where it is undefined.
        influence: shape (n_items,): how much each item moves it. Zero for items of other systems.
        clusters: shape (n_items,): the cluster of each item, from 0.
        freedom: degrees of freedom of the standard error.
        trust: the weight of the judge's verdicts (lambda), in [0, 1].
        least: half the width below which the interval must not fall.
    """

    value: float
    influence: FloatArray
    clusters: Codes
    freedom: float
    trust: float = math.nan
    least: float = 0.0

    @property
    def standard_error(self) -> float:
        """The square root of the sum over clusters of (sum of influences)^2."""
        if math.isnan(self.value):
            return math.nan
        return float(np.sqrt((np.bincount(self.clusters, self.influence) ** 2).sum()))

    @property
    def interval(self) -> Interval:
        """The 95% interval, by Student's t."""
        if math.isnan(self.value) or not self.freedom > 0:
            return Interval(math.nan, math.nan)
        half = max(float(t.ppf(_TAIL, self.freedom)) * self.standard_error, self.least)
        return Interval(self.value - half, self.value + half)

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference of two estimates from the same items."""
        return combined([self, other], [1.0, -1.0])


def combined(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """Return the weighted sum of estimates from the same items, of strata or of systems.

    Degrees of freedom are Satterthwaite's.
    """
    pairs = list(zip(weights, estimates, strict=True))
    variances = np.array([(w * e.standard_error) ** 2 for w, e in pairs])
    shares = variances / variances.sum() if variances.any() else np.full(len(pairs), 0.0)
    freedom = sum(s**2 / e.freedom for s, e in zip(shares, estimates, strict=True))
    return Estimate(
        math.fsum(w * e.value for w, e in pairs),
        np.sum([w * e.influence for w, e in pairs], axis=0),
        estimates[0].clusters,
        1 / freedom if freedom else min(e.freedom for e in estimates),
        least=math.hypot(*(w * e.least for w, e in pairs)),
    )


@dataclass(frozen=True, eq=False)
class Sample:
    """Items with verdicts, of which some are labelled.

    Attributes:
        labels: shape (n_items,); NaN where nobody labelled.
        verdicts: shape (n_items,), on the scale of the labels.
        clusters: shape (n_items,), from 0.
        among: shape (n_items,): the items whose mean is estimated.
        probabilities: shape (n_items,): with which an item was drawn to be labelled, in (0, 1];
            None where all are the same.
    """

    labels: FloatArray
    verdicts: FloatArray
    clusters: Codes
    among: Mask
    probabilities: FloatArray | None = None

    def prediction_powered_mean(self, trust: float | None = None) -> Estimate:
        """Estimate the mean label by PPI++.

        Args:
            trust: lambda; the best one by default. 0 is the mean of the labels alone.
        """
        y, f, w = self._labelled
        if len(y) < 2:
            return self._estimate(math.nan)
        others = self.among & np.isnan(self.labels)
        # With unequal probabilities the others are no random sample.
        rest = others if self.probabilities is None and others.sum() > 1 else self.among
        if trust is None:
            shared = 1 + len(y) / rest.sum() if rest is others else 1.0
            variance = float(np.var(self.verdicts[self.among], ddof=1)) * shared
            covariance = float(w @ ((y - w @ y) * f))
            trust = min(max(covariance / variance, 0.0), 1.0) if variance else 0.0
        errors, mean = y - trust * f, float(self.verdicts[rest].mean())
        value = float(w @ errors) + trust * mean
        moved = w * (errors - w @ errors) / (1 - self._leverage)
        by_verdicts = trust * (self.verdicts[rest] - mean) / rest.sum()
        least = _least_half_width(y)
        return self._estimate(value, moved, by_verdicts, rest, trust=trust, least=least)

    def error_rate_mean(self) -> Estimate:
        """Estimate the mean of labels 0 and 1 from the judge's sensitivity and specificity.

        Returns:
            The estimate, in [0, 1]; undefined where labels are others than 0 and 1 or all the same,
            or where the judge is no better than chance: sensitivity + specificity <= 1.
        """
        y, f, w = self._labelled
        if set(y.tolist()) != {0.0, 1.0}:
            return self._estimate(math.nan)
        positive, negative = w * y / (w @ y), w * (1 - y) / (w @ (1 - y))
        sensitivity, false_alarms = float(positive @ f), float(negative @ f)
        better = sensitivity - false_alarms  # Youden's index
        if better <= 0:
            return self._estimate(math.nan)
        verdicts = self.verdicts[self.among]
        mean = float(verdicts.mean())
        value = (mean - false_alarms) / better
        moved = value * positive * (sensitivity - f) + (1 - value) * negative * (false_alarms - f)
        by_verdicts = (verdicts - mean) / len(verdicts) / better
        return self._estimate(min(max(value, 0.0), 1.0), moved / better, by_verdicts, self.among)

    @cached_property
    def _where(self) -> Mask:
        return self.among & ~np.isnan(self.labels)

    @cached_property
    def _labelled(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The labels, verdicts and weights of labelled items; weights sum to 1."""
        labels, verdicts = self.labels[self._where], self.verdicts[self._where]
        drawn = (
            np.ones(len(labels)) if self.probabilities is None else self.probabilities[self._where]
        )
        return labels, verdicts, (1 / drawn) / (1 / drawn).sum()

    @property
    def _leverage(self) -> FloatArray | float:
        """Of each labelled item; 0 where all weigh the same.

        An item of large weight draws the mean, and lambda, towards itself, so that its error looks
        small (MacKinnon and White, "Some Heteroskedasticity-Consistent Covariance Matrix Estimators
        with Improved Finite Sample Properties", Journal of Econometrics 29, 1985: HC3).
        """
        if self.probabilities is None:
            return 0.0
        _, f, w = self._labelled
        apart = (f - w @ f) ** 2
        return np.asarray(w * (1 + apart / max(float(w @ apart), 1e-12)))

    def _estimate(
        self,
        value: float,
        moved: FloatArray | float = 0.0,
        by_verdicts: FloatArray | float = 0.0,
        rest: Mask | None = None,
        **known: float,
    ) -> Estimate:
        """An estimate that labelled items move so much, and the verdicts of the rest so much.

        Degrees of freedom are Satterthwaite's, for errors alike: (sum w^2)^2 / sum w^4 - 1 (Bell
        and McCaffrey, "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage
        Samples", Survey Methodology 28, 2002). With equal weights that is one per cluster.
        """
        influence = np.zeros(len(self.labels))
        if rest is None:
            return Estimate(value, influence, self.clusters, math.nan)
        influence[self._where] += _inflation(self.clusters[self._where]) * moved
        influence[rest] += _inflation(self.clusters[rest]) * by_verdicts
        squares = np.bincount(self.clusters[self._where], self._labelled[2]) ** 2
        freedom = float(squares.sum() ** 2 / (squares**2).sum()) - 1
        return Estimate(value, influence, self.clusters, freedom, **known)


def _inflation(clusters: Codes) -> float:
    """The square root of G / (G - 1), for G clusters: sums of squares are too small by that."""
    count = len(np.unique(clusters))
    return math.sqrt(count / (count - 1)) if count > 1 else math.nan


def _least_half_width(labels: FloatArray) -> float:
    """Half of Wilson's interval where labels are 0 and 1 and one of them is rare; else 0.

    With no 0 among the labels their variance is 0, though the next label may be one.
    """
    n, ones = len(labels), labels.sum()
    if not np.isin(labels, (0, 1)).all() or min(ones, n - ones) >= _FEW:
        return 0.0
    low, high = binomtest(int(ones), n).proportion_ci(method="wilson")
    return float(high - low) / 2


def labels_needed(half_width: float, deviation: float, correlation: float, items: int) -> float:
    """The number of labels for an interval of a given width, beside verdicts on all items.

        variance(n) = deviation^2 ((1 - correlation^2) / n + correlation^2 / items)

    Args:
        half_width: of the 95% interval.
        deviation: the standard deviation of labels; at most 0.5 for labels 0 and 1.
        correlation: of verdicts with labels; 0 for labels alone.
        items: with a verdict.

    Returns:
        The number, rounded up; infinity if labels on all items are not enough.

    >>> labels_needed(0.05, 0.5, 0.0, 2000), labels_needed(0.05, 0.5, 0.8, 2000)
    (385.0, 158.0)
    """
    explained = correlation**2
    left = (half_width / (norm.ppf(_TAIL) * deviation)) ** 2 - explained / items
    needed = math.ceil((1 - explained) / left) if left > 0 else math.inf
    return float(needed) if needed <= items else math.inf
