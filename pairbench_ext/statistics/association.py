"""Test by permutation whether replies follow the true answers, without a model of the replies.

In each stratum the truths are dealt to the replies at random; the statistic is the sum of products

    T = sum_i x_i . y_i

of reply and truth, as numbers or as indicators of labels. Under the permutations it has, exactly,

    E T = n mean(x) . mean(y),   Var T = |C_x . C_y| / (n - 1)

with C the matrices of centred cross products (Hoeffding, "A Combinatorial Central Limit Theorem",
Annals of Mathematical Statistics 22 (1951)); sums over strata are compared with a normal
distribution. Margins are kept: a judge that always says the same has variance 0 and no p-value.
Of replies and truths that are 0 or 1 it is Mantel and Haenszel's test ("Statistical Aspects of the
Analysis of Data from Retrospective Studies of Disease", JNCI 22 (1959)); of one pair a stratum,
McNemar's.
"""

import math
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.clusters import codes_of, sums_of
from pairbench_ext.statistics.estimate import Codes, FloatArray


class Association(NamedTuple):
    """The association between replies and the true answers, summed over strata.

    Attributes:
        excess: T - E T.
        spread: the standard deviation of T under the permutations; 0 where all replies, or all
            truths, of each stratum are the same.
        reach: the excess of the best that these very replies could be dealt.
        depth: the same of the worst, taken positive.
        weight: the sum of squares of the truths about their means: of ones and zeros, excess /
            weight is the Mantel-Haenszel difference of the two shares of replies.
    """

    excess: float
    spread: float
    reach: float
    depth: float
    weight: float

    @property
    def defined(self) -> bool:
        """Return whether reordering the replies could change their association with the truth."""
        return self.spread > 0 and self.reach > 0

    @property
    def ability(self) -> float:
        """Return how well replies follow the truth: 0 is chance, 1 is the best possible order."""
        if not self.defined:
            return math.nan
        return self.excess / (self.reach if self.excess >= 0 else self.depth)

    @property
    def error(self) -> float:
        """Return the ability's standard error if replies did not depend on the truth."""
        return self.spread / self.reach if self.defined else math.nan

    def p_no_more(self, ability: float = 0.0) -> float:
        """Return the one-sided p-value of "the ability is at most `ability`"; NaN if undefined."""
        if not self.defined:
            return math.nan
        return float(scipy.special.ndtr((ability * self.reach - self.excess) / self.spread))

    @property
    def difference(self) -> float:
        """Return the Mantel-Haenszel difference of two shares; replies and answers are 0 or 1."""
        return self.excess / self.weight if self.weight else math.nan

    @property
    def p_difference(self) -> float:
        """Return the two-sided p-value of the Mantel-Haenszel test of no association.

        Without correction for continuity, which only makes up for rounding up to the exact
        conditional test and costs half of the power with 50 items. 1 where there is no spread:
        nothing speaks against the null.
        """
        if not self.spread:
            return 1.0
        return float(2 * scipy.special.ndtr(-abs(self.excess) / self.spread))


def association(rows: Iterable[tuple[Hashable, Any, Any]]) -> Association:
    """Return the association between replies and the truth, summed over strata.

    Args:
        rows: stratum, reply and truth of each answer: numbers, or labels if they are texts.
    """
    answers = list(rows)
    if not answers:
        return Association(0.0, 0.0, 0.0, 0.0, 0.0)
    strata, *both = zip(*answers, strict=True)
    _, codes = codes_of(strata)
    n = np.bincount(codes).astype(np.float64)[:, None]
    x, y, most, least = _columns(codes, *map(np.array, both))
    chance = float((sums_of(codes, x) * sums_of(codes, y) / n).sum())
    x, y = (scores - (sums_of(codes, scores) / n)[codes] for scores in (x, y))
    variance = 0.0
    for of_x, of_y in zip(x.T, y.T, strict=True):
        products = sums_of(codes, x * of_x[:, None]) * sums_of(codes, y * of_y[:, None])
        variance += float((products / np.maximum(1, n - 1)).sum())
    return Association(
        float((x * y).sum()),
        math.sqrt(variance),
        most - chance,
        chance - least,
        float((y**2).sum()),
    )


def _columns(
    codes: Codes, replies: npt.NDArray[Any], truths: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray, float, float]:
    """Replies and truths as columns, and the largest and the least T, summed over strata."""
    if replies.dtype.kind in "US":
        labels = np.union1d(replies, truths)
        x, y = ((values[:, None] == labels).astype(np.float64) for values in (replies, truths))
        replied, right, n = sums_of(codes, x), sums_of(codes, y), np.bincount(codes)[:, None]
        most, least = np.minimum(replied, right), np.maximum(0, replied + right - n)
        return x, y, float(most.sum()), float(least.sum())
    a, b = replies.astype(np.float64), truths.astype(np.float64)
    rising, falling = (b[np.lexsort((sign * b, codes))] for sign in (1, -1))
    ordered = a[np.lexsort((a, codes))]
    return a[:, None], b[:, None], float(ordered @ rising), float(ordered @ falling)
