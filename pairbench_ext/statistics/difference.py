"""The difference of a number between two judges: its interval and its test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Combination, Mean, Resampled
from pairbench_ext.statistics.intervals import FloatArray, SumStatistic
from pairbench_ext.statistics.sign_flip import SignTest, sign_flip_test


class Difference(NamedTuple):
    """The difference of a number between two judges.

    Attributes:
        value: of the first judge, less that of the second.
        interval: its 95% interval over the clusters of both.
        test: that it is 0.
        clusters: how many there are.
    """

    value: float
    interval: Interval
    test: SignTest
    clusters: int


def difference(
    first: Sequence[Resampled], second: Sequence[Resampled], mean: Mean | None = None
) -> Difference:
    """Compare two judges on the same clusters, on one task or in the mean over several.

    The interval is from resamples of the clusters, the same for both. The p-value flips signs of
    what each cluster adds to the difference (`sign_flip`):

    -   For a function T of sums, that is what exchanging the judges in one cluster does, halfway
        between them: T(P + (A_c - B_c) / 2) - T(P - (A_c - B_c) / 2) with P = (A + B) / 2. For a
        share it is the difference of the cluster's hits by all that is counted: with one outcome
        in each cluster, McNemar's exact test.
    -   For rank statistics, and means over tasks, it is the jackknife's pseudo-value
        n D - (n - 1) D_(-c), by n. Scales of two judges may differ where their ranks agree, so
        ratings are not exchanged. Tukey, "Bias and Confidence in Not-Quite Large Samples" (1958);
        with random signs, Liu, "Bootstrap Procedures under Some Non-I.I.D. Models", Annals of
        Statistics 16 (1988).

    Args:
        first: of the first judge, task by task.
        second: of the second.
        mean: over the tasks, in place of the plain one.

    Returns:
        NaN for all where a statistic is undefined; no test with fewer than two clusters.
    """
    both = Combination(first, second, mean)
    value = both.estimate()
    if math.isnan(value) or both.n_clusters < 2:
        nothing = Interval(math.nan, math.nan), SignTest(math.nan, "none")
        return Difference(value, *nothing, both.n_clusters)
    # Of two judges, neither side is the longer one; what few clusters say of it is noise.
    interval = both.interval(skewed=False)
    test = sign_flip_test(_effects(both, value))
    return Difference(value, interval, test, both.n_clusters)


def sign_test_of(first: Sequence[Resampled], second: Sequence[Resampled]) -> SignTest:
    """The test of `difference` alone."""
    both = Combination(first, second)
    return sign_flip_test(_effects(both, both.estimate()))


def _effects(both: Combination, value: float) -> FloatArray:
    """The part that each cluster adds to a difference."""
    sums = [part.statistic for part in both.terms if isinstance(part.statistic, SumStatistic)]
    if len(sums) == 2 == len(both.terms):
        effects = _exchanged(both, *sums)
    else:
        n = both.n_clusters
        effects = (n * value - (n - 1) * np.nan_to_num(both.left_out(), nan=value)) / n
        effects += (value - effects.sum()) / n
    return np.nan_to_num(effects, nan=0.0)


def _exchanged(both: Combination, first: SumStatistic, second: SumStatistic) -> FloatArray:
    rows = []
    for statistic, places in zip((first, second), both.places, strict=True):
        every = np.zeros((both.n_clusters, *statistic.sums.shape[1:]))
        every[places] = statistic.sums
        rows.append(every)
    middle, half = (rows[0] + rows[1]).sum(axis=0) / 2, (rows[0] - rows[1]) / 2
    changed = np.flatnonzero(half.reshape(len(half), -1).any(axis=1))
    effects = np.zeros(both.n_clusters)
    effects[changed] = first.of(middle + half[changed]) - first.of(middle - half[changed])
    return effects
