r"""Correct a judge's mean verdict with people's labels of some items.

People label n of the items, a judge gives a verdict on all of them. The mean label of all items is
estimated in two ways.

`Sample.prediction_powered_mean` trusts the judge as far as the labels show (PPI++):

    theta = mean(Y) - lambda (mean(f of labelled items) - mean(f of the others))

with labels Y, verdicts f, and lambda in [0, 1] such that the variance is least. With lambda = 0 it
is the mean of the labels: a judge that is noise costs nothing. Valid for any judge, as long as the
labelled items were drawn at random, or with known probabilities. Of a finite list of items alone
(`finite`) the mean over the others becomes that over all N, the variance of the verdicts is none,
and distances of ends shrink by the root of 1 - n / N.
Reference: Angelopoulos, Duchi and Zrnic, "PPI++: Efficient Prediction-Powered Inference" (2023).

`Sample.error_rate_mean` inverts the judge's error rates, for labels 0 and 1:

    theta = (mean(f) + specificity - 1) / (sensitivity + specificity - 1)

Reference: Rogan and Gladen, "Estimating Prevalence from the Results of a Screening Test", American
Journal of Epidemiology 107 (1978); Lee et al., "How to Correctly Report LLM-as-a-Judge Evaluations"
(2025).

Both return how much each item moves the estimate (its influence). Standard errors are sums of
influences over clusters, squared.

Intervals stay on the scale of the labels, and hold for rare labels, which have no normal
distribution: the lower end is the 2.5% quantile of means of the labels and one more at the lowest
end of the scale, with weights from a Dirichlet distribution; the upper end likewise. Of labels 0
and 1 alone that is the interval of Clopper and Pearson.
Reference: Gaffke, "Three Test Statistics for a Nonparametric One-Sided Hypothesis on the Mean of a
Nonnegative Variable", Mathematical Methods of Statistics 14 (2005); Learned-Miller and Thomas, "A
New Confidence Interval for the Mean of a Bounded Random Variable" (2019).
Weights and clusters reduce the effective number of labels: Korn and Graubard, "Confidence Intervals
for Proportions with Small Expected Number of Positive Counts Estimated from Survey Data", Survey
Methodology 24 (1998).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.bootstrap import Interval, exact_interval
from pairbench_ext.statistics.estimate import Codes, Estimate, FloatArray
from pairbench_ext.statistics.seeds import generator

Mask: TypeAlias = npt.NDArray[np.bool_]

_TAIL = 0.975
_FEW = 5  # fewer labels than this besides the commonest one, and their variance is unknown
_KINDS = 3  # of labels: a choice, or a tie
_DRAWS, _CELLS = 10_000, 4_000_000  # of weights; fewer draws where there are many labels
_NOTHING = Interval(math.nan, math.nan)
# The interval by error rates covers too little where one more of the heaviest labels could move the
# value by more half widths than this, or where Youden's index is less than so many of its own.
_MOVED, _CLEARLY = 0.4, 1.5


@dataclass(frozen=True, eq=False)
class Sample:
    """Items with a judge's verdicts, some of which people labelled too.

    Attributes:
        labels: shape (n_items,); NaN where nobody labelled.
        verdicts: shape (n_items,), on the scale of the labels.
        clusters: shape (n_items,), from 0.
        among: shape (n_items,): the items whose mean is estimated.
        probabilities: shape (n_items,): with which an item was drawn to be labelled, in (0, 1];
            None where all are the same.
        scale: the least and the largest label that there may be; None for those that there are.
        finite: whether the mean is that of these items alone, not of all that there could be. Not
            where items were drawn with unequal probabilities.
    """

    labels: FloatArray
    verdicts: FloatArray
    clusters: Codes
    among: Mask
    probabilities: FloatArray | None = None
    scale: Interval | None = None
    finite: bool = False

    def prediction_powered_mean(self, trust: float | None = None) -> Estimate:
        """Estimate the mean of people's labels by PPI++ (prediction-powered inference).

        Args:
            trust: lambda; by default the one of least variance. 0 is the mean of the labels alone.

        Returns:
            The estimate; undefined for fewer than two labels, without an interval for labels of a
            single cluster.
        """
        y, f, w = self._labelled
        if len(y) < 2:
            return self.undefined()
        others = self.among & np.isnan(self.labels)
        # With unequal probabilities the others are no random sample; of a finite list all count.
        apart = self.probabilities is None and others.sum() > 1 and not self.finite
        rest = others if apart else self.among
        if trust is None:
            shared = 1 + len(y) / rest.sum() if rest is others else 1.0
            variance = float(np.var(self.verdicts[self.among], ddof=1)) * shared
            covariance = float(w @ ((y - w @ y) * f))
            trust = min(max(covariance / variance, 0.0), 1.0) if variance else 0.0
        errors, mean = y - trust * f, float(self.verdicts[rest].mean())
        value = self._on_scale(float(w @ errors) + trust * mean)
        left = self._left
        moved = w * (errors - w @ errors)
        by_verdicts = trust * (self.verdicts[rest] - mean) / rest.sum() * (not self.finite)
        influence = self._influence(left * moved, by_verdicts, rest)
        interval = _NOTHING
        if self._freedom > 0:
            below, above = self._distances(errors, moved, trust)
            rest_half = self._half(self._influence(0.0 * moved, by_verdicts, rest))
            below, above = left * below, left * above
            ends = value - math.hypot(below, rest_half), value + math.hypot(above, rest_half)
            interval = Interval(*map(self._on_scale, ends))
        return Estimate(value, influence, self.clusters, interval, self._ends, trust)

    def error_rate_mean(self) -> Estimate:
        """Estimate the mean of people's 0/1 labels from the judge's sensitivity and specificity.

        Returns:
            The estimate, in [0, 1]; undefined where labels are others than 0 and 1 or all the same,
            or where the judge is no better than chance: sensitivity + specificity <= 1. Without an
            interval where one more label could move it too far, where the judge is not shown to be
            clearly better than chance, or where its rates and verdicts contradict each other.
        """
        y, f, w = self._labelled
        if set(y.tolist()) != {0.0, 1.0}:
            return self.undefined()
        positive, negative = w * y / (w @ y), w * (1 - y) / (w @ (1 - y))
        sensitivity, false_alarms = float(positive @ f), float(negative @ f)
        better = sensitivity - false_alarms  # Youden's index
        if better <= 0:
            return self.undefined()
        rates = positive * (f - sensitivity), negative * (f - false_alarms)
        rates_half = self._half(self._influence(rates[0] - rates[1], 0.0, self.among))
        verdicts = self.verdicts[self.among]
        mean = float(verdicts.mean())
        value = (mean - false_alarms) / better
        moved = -value * rates[0] - (1 - value) * rates[1]
        by_verdicts = (verdicts - mean) / len(verdicts) / better
        influence = self._influence(moved / better, by_verdicts, self.among)
        half, mean = self._half(influence), self._on_scale(value)
        # One more of the heaviest labels, of either kind, with the verdict that is rarer there.
        another = max(
            share * max(rate, 1 - rate) / (1 + float(w @ of_kind) / w.max()) / better
            for share, rate, of_kind in ((mean, sensitivity, y), (1 - mean, false_alarms, 1 - y))
        )
        impossible = max(-value, value - 1) >= half  # by these rates: labels of other items
        if impossible or better < _CLEARLY * rates_half or another > _MOVED * half:
            half = math.nan
        interval = Interval(self._on_scale(value - half), self._on_scale(value + half))
        return Estimate(mean, influence, self.clusters, interval, self._ends)

    @property
    def _left(self) -> float:
        """Return the root of the share of a finite list that is not labelled; else 1."""
        share = self._where.sum() / self.among.sum()
        return math.sqrt(1 - share) if self.finite and self.probabilities is None else 1.0

    @cached_property
    def _where(self) -> Mask:
        return self.among & ~np.isnan(self.labels)

    @cached_property
    def _labelled(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the labels, verdicts and weights of labelled items; weights sum to 1."""
        labels, verdicts = self.labels[self._where], self.verdicts[self._where]
        drawn = (
            np.ones(len(labels)) if self.probabilities is None else self.probabilities[self._where]
        )
        return labels, verdicts, (1 / drawn) / (1 / drawn).sum()

    @cached_property
    def _ends(self) -> Interval:
        if self.scale is not None:
            return self.scale
        values = np.concatenate([self.labels[self._where], self.verdicts[self.among]])
        return Interval(float(values.min()), float(values.max()))

    def undefined(self) -> Estimate:
        """Return NaN as the estimate, for a mean that cannot or need not be estimated."""
        nothing = np.zeros(len(self.labels))
        return Estimate(math.nan, nothing, self.clusters, _NOTHING, self._ends)

    def _on_scale(self, value: float) -> float:
        return float(np.clip(value, *self._ends))

    def _influence(
        self, moved: FloatArray, by_verdicts: FloatArray | float, rest: Mask
    ) -> FloatArray:
        """Of labelled items, which move an estimate so much, and of the verdicts of the rest."""
        influence = np.zeros(len(self.labels))
        influence[self._where] += _inflation(self.clusters[self._where]) * moved
        influence[rest] += _inflation(self.clusters[rest]) * by_verdicts
        return influence

    @cached_property
    def _cluster_weights(self) -> FloatArray:
        return np.bincount(self.clusters[self._where], self._labelled[2]).astype(np.float64)

    @cached_property
    def _freedom(self) -> float:
        """Return degrees of freedom of a standard error.

        Satterthwaite's, for errors alike: (sum w^2)^2 / sum w^4 - 1 (Bell and McCaffrey, "Bias
        Reduction in Standard Errors for Linear Regression with Multi-Stage Samples", Survey
        Methodology 28, 2002). With equal weights that is one per cluster, less one.
        """
        squares = self._cluster_weights**2
        return float(squares.sum() ** 2 / (squares**2).sum()) - 1

    @cached_property
    def _quantile(self) -> float:
        return float(scipy.stats.t.ppf(_TAIL, self._freedom)) if self._freedom > 0 else math.nan

    def _half(self, influence: FloatArray) -> float:
        """Return half of the width of an interval by Student's t."""
        return self._quantile * float(np.sqrt((np.bincount(self.clusters, influence) ** 2).sum()))

    def _distances(
        self, errors: FloatArray, moved: FloatArray, trust: float
    ) -> tuple[float, float]:
        """Return how far the ends of the interval of the mean error are from it."""
        y, _, w = self._labelled
        low, high = self._ends
        mean, n = float(w @ errors), self._effective(errors, moved)
        if trust == 0 and np.isin(y, self._ends).all() and high > low:
            share = (mean - low) / (high - low)
            ends = exact_interval(share * n, n)
            return (share - ends.low) * (high - low), (ends.high - share) * (high - low)
        # Of few kinds of labels, the unseen one has the verdict that moves the mean most.
        verdicts = self.verdicts[self.among]
        few = len(np.unique(y)) <= _KINDS
        least, most = (verdicts.min(), verdicts.max()) if few else (verdicts.mean(),) * 2
        values, place = np.unique(errors.round(12), return_inverse=True)
        weights = generator(0, "labels").standard_gamma(
            np.append(np.bincount(place, w) * n, 1.0),
            (max(1000, min(_DRAWS, _CELLS // len(values))), len(values) + 1),
        )
        seen, total = weights[:, :-1] @ values, weights.sum(axis=1)
        lows, highs = (
            (seen + weights[:, -1] * unseen) / total
            for unseen in (low - trust * most, high - trust * least)
        )
        below, above = mean - np.quantile(lows, 1 - _TAIL), np.quantile(highs, _TAIL) - mean
        return max(float(below), 0.0), max(float(above), 0.0)

    def _effective(self, errors: FloatArray, moved: FloatArray) -> float:
        """How many independent labels of equal weight are worth as much (Korn and Graubard)."""
        y, _, w = self._labelled
        count, least = 1 / float((w**2).sum()), 1 / float(self._cluster_weights.max())
        variance = float(w @ (errors - w @ errors) ** 2)
        half = self._half(self._influence(moved, 0.0, self.among))
        # How alike the labels of a cluster are, where one kind is rare, is unknown: worth one.
        if len(y) - np.unique(y, return_counts=True)[1].max() < _FEW or not half > 0:
            return least
        quantile = float(scipy.stats.t.ppf(_TAIL, count - 1))
        return min(max(variance * count / (count - 1) * (quantile / half) ** 2, least), count)


def _inflation(clusters: Codes) -> float:
    """The square root of G / (G - 1), for G clusters: sums of squares are too small by that."""
    count = len(np.unique(clusters))
    return math.sqrt(count / (count - 1)) if count > 1 else math.nan


def labels_needed(
    half_width: float, deviation: float, correlation: float, items: int, *, future: bool = False
) -> float:
    """Return how many labels are needed for a 95% interval of the given half width.

        variance(n) = deviation^2 (1 - correlation^2) (1 / n - 1 / items)        of these items
        variance(n) = deviation^2 ((1 - correlation^2) / n + correlation^2 / items)    of others too

    Args:
        half_width: of the 95% interval.
        deviation: the standard deviation of labels; at most 0.5 for labels 0 and 1.
        correlation: of verdicts with labels; 0 for labels alone.
        items: with a verdict.
        future: whether the mean is of all items that there could be.

    Returns:
        The number, rounded up; infinity if labels on all items are not enough.

    >>> labels_needed(0.05, 0.5, 0.0, 2000), labels_needed(0.05, 0.5, 0.8, 2000)
    (323.0, 130.0)
    >>> labels_needed(0.05, 0.5, 0.0, 2000, future=True)
    385.0
    """
    explained = correlation**2
    allowed = (half_width / (scipy.stats.norm.ppf(_TAIL) * deviation)) ** 2
    left = allowed + (-explained if future else 1 - explained) / items
    needed = math.ceil((1 - explained) / left) if left > 0 else math.inf
    return float(needed) if needed <= items else math.inf
