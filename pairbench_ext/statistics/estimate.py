"""Estimates of means with 95% intervals, and weighted sums of such estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import Interval

FloatArray: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimated mean, with its 95% interval and each item's influence on the estimate.

    Attributes:
        value: the estimate; NaN where it is undefined.
        influence: shape (n_items,): how much each item moves it. Zero for items of other systems.
        clusters: shape (n_items,): the cluster of each item, from 0.
        interval: the 95% interval; NaN, NaN where there is none.
        scale: the least and the largest value that there may be.
        trust: the weight of the judge's verdicts (lambda), in [0, 1].
    """

    value: float
    influence: FloatArray
    clusters: Codes
    interval: Interval
    scale: Interval
    trust: float = math.nan

    @property
    def standard_error(self) -> float:
        """Return the standard error: the root of the sum of the clusters' squared influences."""
        if math.isnan(self.value):
            return math.nan
        return float(np.sqrt((np.bincount(self.clusters, self.influence) ** 2).sum()))

    def __sub__(self, other: Estimate) -> Estimate:
        """Return the difference of two estimates from the same items."""
        return combined([self, other], [1.0, -1.0])


def combined(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """Return the weighted sum of several estimates that come from the same items.

    Distances of ends from values add up as standard errors do, with the correlations of estimates
    whose items share clusters (Zou and Donner, "Construction of Confidence Limits about Effect
    Measures", Statistics in Medicine 27, 2008).
    """
    w = np.array(weights)
    values = np.array([estimate.value for estimate in estimates])
    influence = w[:, None] * [estimate.influence for estimate in estimates]
    sums = np.array([np.bincount(estimates[0].clusters, moved) for moved in influence])
    sizes = np.sqrt((sums**2).sum(axis=1))
    sizes[sizes == 0] = 1.0
    correlations = sums @ sums.T / np.outer(sizes, sizes)
    np.fill_diagonal(correlations, 1.0)
    lows, highs = np.sort(w * np.array([e.interval for e in estimates]).T, axis=0)
    least, most = np.sort(w * np.array([e.scale for e in estimates]).T, axis=0).sum(axis=1)
    value = float(w @ values)
    below, above = (
        float(np.sqrt(np.maximum(distances @ correlations @ distances, 0.0)))
        for distances in (w * values - lows, highs - w * values)
    )
    return Estimate(
        value,
        influence.sum(axis=0),
        estimates[0].clusters,
        Interval(float(np.maximum(value - below, least)), float(np.minimum(value + above, most))),
        Interval(float(least), float(most)),
    )
