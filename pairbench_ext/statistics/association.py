"""Do replies follow the truth? A permutation test that needs no model of the replies.

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
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

FloatArray = npt.NDArray[np.float64]


class Association(NamedTuple):
    """The association of replies with the truth, as sums over strata.

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
        """Return whether the association can vary: other orders of the replies change it."""
        return self.spread > 0 and self.reach > 0

    @property
    def ability(self) -> float:
        """Return the ability: 0 is chance, 1 the best order of these replies, -1 the worst."""
        if not self.defined:
            return math.nan
        return self.excess / (self.reach if self.excess >= 0 else self.depth)

    @property
    def error(self) -> float:
        """Return the standard error of the ability under chance."""
        return self.spread / self.reach if self.defined else math.nan

    def p_no_more(self, ability: float = 0.0) -> float:
        """Return the one-sided p-value of an ability of at most `ability`, or NaN."""
        if not self.defined:
            return math.nan
        return float(scipy.special.ndtr((ability * self.reach - self.excess) / self.spread))

    @property
    def difference(self) -> float:
        """Return the Mantel-Haenszel difference of two shares (replies and truths are 0 or 1)."""
        return self.excess / self.weight if self.weight else math.nan

    @property
    def p_difference(self) -> float:
        """Return the two-sided p-value of the Mantel-Haenszel test.

        Without correction for continuity, which only makes up for rounding up to the exact
        conditional test and costs half of the power with 50 items. 1 where there is no spread:
        nothing speaks against the null.
        """
        if not self.spread:
            return 1.0
        return float(2 * scipy.special.ndtr(-abs(self.excess) / self.spread))


def association(strata: Iterable[tuple[npt.ArrayLike, npt.ArrayLike]]) -> Association:
    """Return the association of replies with the truth; strata are independent.

    Args:
        strata: replies and truths of each, shape (n,): numbers, or labels if they are texts.
    """
    excess, variance, best, worst, weight = 0.0, 0.0, 0.0, 0.0, 0.0
    for replies, truths in strata:
        x, y, reach, depth = _columns(replies, truths)
        n = len(x)
        if n < 2:
            continue
        centred_x, centred_y = x - x.mean(axis=0), y - y.mean(axis=0)
        excess += float((centred_x * centred_y).sum())
        variance += float(((centred_x.T @ centred_x) * (centred_y.T @ centred_y)).sum()) / (n - 1)
        best += reach
        worst += depth
        weight += float((centred_y**2).sum())
    return Association(excess, math.sqrt(variance), best, worst, weight)


def _columns(
    replies: npt.ArrayLike, truths: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, float, float]:
    """Replies and truths as columns; how far the best T is above, the worst below the mean one."""
    x, y = np.asarray(replies), np.asarray(truths)
    if x.dtype.kind in "US":
        labels = np.union1d(x, y)
        columns = (x[:, None] == labels).astype(float), (y[:, None] == labels).astype(float)
        replied, right = (column.sum(axis=0) for column in columns)
        chance = float(replied @ right) / max(1, len(x))
        most, least = (
            np.minimum(replied, right).sum(),
            np.maximum(0, replied + right - len(x)).sum(),
        )
        return *columns, float(most) - chance, chance - float(least)
    a, b = x.astype(np.float64), y.astype(np.float64)
    chance = len(a) * float(a.mean()) * float(b.mean())
    best, worst = float(np.sort(a) @ np.sort(b)), float(np.sort(a) @ np.sort(b)[::-1])
    return a[:, None], b[:, None], best - chance, chance - worst
