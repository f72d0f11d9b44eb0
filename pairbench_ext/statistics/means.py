"""Means of values that may be undefined (NaN), and means of such means."""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np


def mean_of_defined(values: Sequence[float]) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none.

    >>> mean_of_defined([1.0, float("nan"), 0.0])
    0.5
    """
    defined = [float(value) for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def mean_of(values: Iterable[float]) -> float:
    """Return the mean of values; NaN if any value is NaN, or if there are no values."""
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else math.nan


class Sum(NamedTuple):
    """A sum of values, with their number or total weight."""

    total: float
    n: float


Part: TypeAlias = tuple[Hashable, ...]
Sums: TypeAlias = Mapping[Part, Sum]


class NestedMean:
    r"""A mean of group means, as a linear function of the samples.

    A part is a path of names, such as (cell, prompt): the mean is over the cells that occur, of the
    means over a cell's prompts, of the means of their values. With the only part () it is the plain
    mean of all values.

        mean = sum_p w_p X_p / N_p,   w_p = prod_d 1 / (names that follow p_1 .. p_(d-1))

    for the sum X_p and the number N_p of the values of part p. Of m samples, the linear terms are

        z_i = mean + m sum_p w_p (x_ip - n_ip X_p / N_p) / N_p

    so their mean is the mean, and their variance over the root of m (clustered, if samples are)
    is the delta method's standard error of it, where counts vary as well.

    Reference: Sarndal, Swensson and Wretman, "Model Assisted Survey Sampling" (1992), Section 5.5.

    Args:
        samples: sums of each sample's values by part.
    """

    def __init__(self, samples: Sequence[Sums]) -> None:
        self.samples = [sums for sums in samples if sums]
        self._totals: dict[Part, Sum] = {}
        for sums in self.samples:
            for part, (total, n) in sums.items():
                earlier = self._totals.get(part, Sum(0.0, 0))
                self._totals[part] = Sum(earlier.total + total, earlier.n + n)
        self._weights = _weights(self._totals)

    @property
    def value(self) -> float:
        """Return the mean of means; NaN if there are no values."""
        if not self._totals:
            return math.nan
        return math.fsum(self._weights[p] * total / n for p, (total, n) in self._totals.items())

    def terms(self) -> list[float]:
        """Return each sample's effect on the mean of means (its linear term), if it has values."""
        return [self.value + len(self.samples) * self._excess(sums) for sums in self.samples]

    def _excess(self, sums: Sums) -> float:
        return math.fsum(
            self._weights[part] * (x - n * self._totals[part].total / size) / size
            for part, (x, n) in sums.items()
            for size in (self._totals[part].n,)
        )


def _weights(parts: Collection[Part]) -> dict[Part, float]:
    """Return the weight of each part: as much as its siblings at every level."""
    following: dict[Part, set[Hashable]] = {}
    for part in parts:
        for depth, name in enumerate(part):
            following.setdefault(part[:depth], set()).add(name)
    return {p: 1 / math.prod(len(following[p[:depth]]) for depth in range(len(p))) for p in parts}
