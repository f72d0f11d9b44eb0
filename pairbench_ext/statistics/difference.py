r"""Test how much two judges differ in a metric, and give the difference's 95% interval.

Each of n clusters (items, source rows) adds an effect e_c to the difference, whose mean it is: the
jackknife's pseudo-value n D - (n - 1) D_(-c) (Tukey, "Bias and Confidence in Not-Quite Large
Samples", 1958). For a share it is the difference of the cluster's shares. The mean over all
clusters that there could be is taken to be distributed as

    sum_c w_c e_c + w_0 e_0,   (w_0, ..., w_n) uniform on the simplex (Dirichlet)

with one cluster more than were seen, whose effect e_0 is as low as it can be, for the lower end of
an interval, and as high as it can be for the upper end: Gaffke, "Three Test Statistics for a
Nonparametric One-Sided Hypothesis on the Mean of a Nonnegative Variable", Mathematical Methods of
Statistics 14 (2005); Learned-Miller and Thomas, "A New Confidence Interval for the Mean of a
Bounded Random Variable" (2019). For effects of 1, 0 and -1 that is McNemar's exact test, for those
of 1 and -1 the interval of Clopper and Pearson. Two things make it less cautious:

-   Both ends are read from the mean of these two distributions, which gives McNemar's mid-p:
    Fagerland, Lydersen and Laake, "The McNemar Test for Binary Matched-Pairs Data: Mid-p and
    Asymptotic Are Better Than Exact Conditional", BMC Medical Research Methodology 13 (2013).
-   The lowest possible effect L gives way to the lowest one that was seen, W, as what was seen
    below 0 adds up to m = sum_c max(0, -e_c) / |L| clusters like it: e_0 = (m W + L) / (m + 1).
    Or to what the judges' own clusters make likely, if that is nearer: by the same rule for each
    judge, whose m counts the clusters that lower its number (`intervals`). It is no nearer than W.
    The highest likewise.

Clusters may differ in size. Then, with twelve clusters or more, the signs of their parts in the
difference are flipped (`sign_flip`). That alone calls judges different too often of which one fails
on whole clusters and the other at random, so one cluster more stands against the difference: as low
as e_0 by the rule above, and as large as the geometric mean of the mean cluster and of the one that
a value is in on average, both without the largest cluster. So one cluster with half of the values
shows a difference only where the others agree with it.

For Kendall's tau-b (MMScore) the signs of the pseudo-values are flipped, against one unseen cluster
of the mean size; where one cluster has half of the ratings, nothing can be told.

Which test is used depends on the sizes of clusters, never on what the judges said: equal clusters
have the one above. Whether clusters are few, large or alike, equal judges differ in at most 5%
(`python -m benchmarks.claims`); of the two tests each is wrong where the other one is used.

The interval holds what a test of that difference does not reject at 5%, so that they never
contradict each other. `python -m benchmarks.claims` measures how often both are right.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy

from pairbench_ext.statistics.bootstrap import ClusterTables, End, Interval
from pairbench_ext.statistics.combination import Combination, Mean, Resampled
from pairbench_ext.statistics.intervals import FloatArray, SumStatistic, pseudo_values
from pairbench_ext.statistics.sign_flip import SignFlips

Method: TypeAlias = Literal["none", "McNemar, mid-p", "Gaffke, mid-p", "sign flips"]

_DIGITS = 10  # to which effects are told apart
_ROUNDING = 1e-12
_TAIL = 0.025
_FEW = 12  # clusters: with fewer, flips of signs are no test
_HALF = 0.5
_EVEN = 1e-6  # how near the sizes of clusters must be to be equal
# The extreme of a rank correlation is of values seen, in opposite order. A cluster of unreadable
# replies, ranked below all of them, moves it about so many times as far.
_UNREADABLE = 1.5


class MeanOfEffects:
    """The mean of a difference between judges, with one value per cluster.

    Args:
        effects: shape (n,).
        possible: what an effect could be at least, and at most.
        likely: how low, and how high, a cluster is likely to be that was not seen; no nearer than
            the farthest that was.

    >>> mean = MeanOfEffects(np.array([1.0] * 6 + [-1.0] + [0.0] * 43))
    >>> round(mean.p, 4), round(mean.interval.low, 3)
    (0.0703, -0.009)
    """

    def __init__(
        self,
        effects: FloatArray,
        possible: Sequence[float] = (-1.0, 1.0),
        likely: Sequence[float] = (-math.inf, math.inf),
    ) -> None:
        self._effects = effects
        self._unseen = _both_unseen(effects, possible, likely)

    @property
    def p(self) -> float:
        """Return the two-sided p-value of "the judges do not differ"."""
        below = self._share_below(0)
        return min(1.0, 2 * min(below, 1 - below))

    @cached_property
    def interval(self) -> Interval:
        """Return the mean's 95% interval, which takes much longer to compute than the p-value."""
        return Interval(self._end(_TAIL), self._end(1 - _TAIL))

    def _share_below(self, mean: float) -> float:
        return sum(below_zero(np.append(self._effects, e) - mean) for e in self._unseen) / 2

    def _end(self, share: float) -> float:
        low, high = self._unseen
        if not self._share_below(low) < share < self._share_below(high):  # all are as low, or high
            return self._unseen[share > 0.5]
        root = scipy.optimize.brentq(
            lambda x: self._share_below(x) - share, low, high, xtol=_ROUNDING
        )
        return float(root)


class FlippedSum:
    """The sum of the clusters' contributions to a difference, tested by sign flips.

    Args:
        parts: shape (n,); what each cluster adds.
        shares: shape (n,); which part of all values each has.
        possible: what the difference in a cluster could be at least, and at most.
        likely: as in `MeanOfEffects`.
    """

    def __init__(
        self,
        parts: FloatArray,
        shares: FloatArray,
        possible: Sequence[float],
        likely: Sequence[float],
    ) -> None:
        effects = parts / np.where(shares > 0, shares, 1.0)
        others = np.delete(shares, shares.argmax())
        size = math.sqrt(others.mean() * float(others @ others) / max(others.sum(), _ROUNDING))
        self._value = float(parts.sum())
        self._low, self._high = (
            SignFlips(
                np.append(parts, size * end) / (1 + size), np.append(shares, size) / (1 + size)
            )
            for end in _both_unseen(effects, possible, likely)
        )

    @property
    def p(self) -> float:
        """Return the two-sided p-value of "the judges do not differ"."""
        against = self._low if self._value > 0 else self._high
        return against.p if against.sum * self._value > 0 else 1.0

    @cached_property
    def interval(self) -> Interval:
        """Return the 95% interval of the sum."""
        return Interval(self._low.interval.low, self._high.interval.high)


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference between two judges in one metric.

    Attributes:
        value: that of the first judge minus that of the second.
        p: two-sided, of the test that it is 0; at most 0.05 where the interval is without 0.
        method: how p was computed.
        clusters: how many there are.
        largest: which part of all values is the largest cluster's.
        mean: the mean of the clusters' effects; None where there is no test.
    """

    value: float
    p: float = math.nan
    method: Method = "none"
    clusters: int = 0
    largest: float = math.nan
    mean: MeanOfEffects | FlippedSum | None = None

    @property
    def interval(self) -> Interval:
        """Return the difference's 95% interval; (NaN, NaN) where no test is possible."""
        return Interval(math.nan, math.nan) if self.mean is None else self.mean.interval

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as a dictionary for JSON."""
        names = ("value", "interval", "p", "method", "clusters", "largest")
        return {name: getattr(self, name) for name in names}


def difference(
    first: Sequence[Resampled], second: Sequence[Resampled], mean: Mean | None = None
) -> Difference:
    """Compare two judges on the same clusters, in one task or averaged over several tasks.

    Args:
        first: of the first judge, task by task.
        second: of the second.
        mean: over the tasks, in place of the plain one.

    Returns:
        NaN where a statistic is undefined; no test with fewer than two clusters.
    """
    if len(first) == len(second):
        first, second = (
            [_on_one_scale(*pair) for pair in zip(*sides, strict=True)]
            for sides in ((first, second), (second, first))
        )
    both = Combination(first, second, mean)
    value, n = both.estimate(), both.n_clusters
    if math.isnan(value) or n < 2:
        return Difference(value, clusters=n)
    largest = float(both.shares.max())
    of_ranks = n >= _FEW and all(_of_ranks(part.statistic) for part in both.terms)
    if of_ranks and largest >= _HALF:
        return Difference(value, clusters=n, largest=largest)
    flipped = _flipped(both, of_ranks=of_ranks) if n >= _FEW else None
    if flipped is not None:
        return Difference(value, flipped.p, "sign flips", n, largest, flipped)
    effects = _effects(both)
    # The effect of one cluster more follows from a difference that has it.
    sums = all(isinstance(part.statistic, SumStatistic) for part in both.terms)
    size = n * float(both.shares @ both.shares)
    tested = MeanOfEffects(effects, *_with_one_more(both, size * (1.0 if sums else _UNREADABLE)))
    binary = np.isin(np.round(effects, _DIGITS), (-1, 0, 1)).all()
    single = all(part.single for part in both.terms)
    method: Method = "McNemar, mid-p" if binary and single else "Gaffke, mid-p"
    return Difference(value, tested.p, method, n, largest, tested)


def _on_one_scale(part: Resampled, other: Resampled) -> Resampled:
    """Return a mean of values that could be as low, and as high, as those of the other judge."""
    mine, its = part.statistic, other.statistic
    if not (isinstance(mine, SumStatistic) and isinstance(its, SumStatistic)):
        return part
    if not mine.lowest.shape == its.lowest.shape == (2,) or not mine.lowest[1] * its.lowest[1]:
        return part
    ends = np.array([[x.lowest, x.highest] for x in (mine, its)])
    values = ends[..., 0] / ends[..., 1]
    low, high = values[:, 0].min(), values[:, 1].max()
    if (low, high) == tuple(values[0]):
        return part
    n = mine.lowest[1]
    widest = replace(mine, lowest=np.array([low * n, n]), highest=np.array([high * n, n]))
    return Resampled(part.clustered._replace(statistic=widest))


def _flipped(both: Combination, *, of_ranks: bool) -> FlippedSum | None:
    """Return the test by flips of signs; None where clusters weigh alike, or have no parts."""
    n = both.n_clusters
    if of_ranks:
        parts, weights = _effects(both) / n, np.full(n, 1 / n)
        return FlippedSum(parts, weights, *_with_one_more(both))
    shifts, weights = both.shifts(), both.weights()
    if shifts is None or float(np.ptp(weights)) * n <= _EVEN:
        return None
    return FlippedSum(shifts, weights, *_with_one_more(both))


def _with_one_more(both: Combination, size: float = 1.0) -> tuple[list[float], list[float]]:
    """Return what one cluster more adds: as low and high as can be, and as is likely.

    Args:
        both: the difference.
        size: of the cluster; 1 is the mean one.
    """
    value, n = both.estimate(), both.n_clusters
    ways = (partial(both.with_unseen, 0, 0.0, 1 / n), both.with_one_more)
    low_high: tuple[End, End] = ("low", "high")
    extreme, likely = (
        [value + (n + 1) * size * (way(end) - value) for end in low_high] for way in ways
    )
    return extreme, likely


def _of_ranks(statistic: Any) -> bool:
    """Return whether a statistic is of tables of counts: tau-b, or a mean of several."""
    parts = statistic.terms if isinstance(statistic, Combination) else ()
    return isinstance(statistic, ClusterTables) or (
        bool(parts) and all(_of_ranks(part.statistic) for part in parts)
    )


def _effects(both: Combination) -> FloatArray:
    """The jackknife's pseudo-values; the part of a cluster itself where the rest has no value."""
    n, value = both.n_clusters, both.estimate()
    left_out = both.left_out()
    effects = pseudo_values(value, left_out)
    parts = both.shifts() if np.isnan(left_out).any() else None
    if parts is not None:
        effects = np.where(np.isnan(left_out), n * parts, effects)
    centred: FloatArray = effects + value - effects.mean()
    return centred


def _both_unseen(
    effects: FloatArray, possible: Sequence[float], likely: Sequence[float]
) -> tuple[float, float]:
    """Return how low, and how high, the effect of a cluster that was not seen may be."""
    low, high = zip(possible, likely, strict=True)
    return _unseen(effects, *low), -_unseen(-effects, -high[0], -high[1])


def _unseen(effects: FloatArray, lowest: float, likely: float) -> float:
    """The effect e_0 of a cluster that was not seen; no less far than the farthest that was."""
    possible = max(-lowest, float(np.abs(effects).max()))
    worst = max(0.0, -float(effects.min()))
    if possible == 0:
        return 0.0
    m = float(np.maximum(-effects, 0).sum()) / possible
    unseen = -(m * worst + possible) / (m + 1)
    return max(unseen, min(likely, -worst)) if likely < 0 else unseen


def below_zero(values: FloatArray) -> float:
    """Return the probability that the sum of values with random exponential weights is at most 0.

    Exact for two different values, by the beta distribution; else Lugannani and Rice's saddlepoint
    approximation ("Saddle Point Approximation for the Distribution of the Sum of Independent Random
    Variables", Advances in Applied Probability 12, 1980) with K(s) = -sum_c log(1 - s x_c).
    """
    scale = float(np.abs(values).max(initial=0.0))
    if scale == 0:
        return 0.5
    x, times = np.unique(np.round(values / scale, _DIGITS), return_counts=True)
    x, times = x[x != 0], times[x != 0]
    if x[0] > 0 or x[-1] < 0:
        return float(x[0] < 0)
    if len(x) == 2:
        return float(scipy.special.betainc(times[1], times[0], -x[0] / (x[1] - x[0])))
    ends, weighted = (1 / x[0], 1 / x[-1]), times * x

    def slope(s: float) -> float:  # K'(s), without its poles at the ends
        return float((weighted / (1 - s * x)).sum() * (s - ends[0]) * (ends[1] - s))

    s = scipy.optimize.brentq(slope, *(end * (1 - _ROUNDING) for end in ends))
    return _lugannani_rice(x, times, s)


def _lugannani_rice(x: FloatArray, times: FloatArray, s: float) -> float:
    tilted = x / (1 - s * x)
    w = math.copysign(math.sqrt(max(2 * float(np.sum(times * np.log1p(-s * x))), 0.0)), s)
    if abs(w) < 1e-4:
        skewness = 2 * np.sum(times * x**3) / np.sum(times * x**2) ** 1.5
        return float(scipy.special.ndtr(w) + _density(0) * skewness / 6)
    u = s * math.sqrt(float(np.sum(times * tilted**2)))
    return float(scipy.special.ndtr(w) + _density(w) * (1 / w - 1 / u))


def _density(z: float) -> float:
    """That of the standard normal distribution; `scipy.stats.norm` takes fifty times as long."""
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
