"""Do replies follow the truth? A permutation test that needs no model of the replies.

In each stratum the truths are dealt to the replies at random; the statistic is the sum of products

    T = sum_i x_i . y_i

of reply and truth, as numbers or as indicators of labels. Under the permutations it has, exactly,

    E T = n mean(x) . mean(y),   Var T = |C_x . C_y| / (n - 1)

with C the matrices of centred cross products (Hoeffding, "A Combinatorial Central Limit Theorem",
Annals of Mathematical Statistics 22 (1951)); sums over strata are compared with a normal
distribution. Margins are kept: a judge that always says the same has variance 0 and no p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

FloatArray = npt.NDArray[np.float64]


class Association(NamedTuple):
    """A test that replies follow the truth no more than by chance.

    Attributes:
        p: one-sided; NaN where all replies, or all truths, of each stratum are the same.
        power: how likely it is to reject chance at `alpha` for a judge half-way between chance and
            the best that these very replies could be, estimated with the spread under chance, so
            rather too low; 0 where there is no p-value.
    """

    p: float
    power: float


def association(
    strata: Iterable[tuple[npt.ArrayLike, npt.ArrayLike]], alpha: float = 0.05
) -> Association:
    """Test that replies do not go with the truth; strata are independent of each other.

    Args:
        strata: replies and truths of each, shape (n,): numbers, or labels if they are texts.
        alpha: the level that the power is for.
    """
    excess, variance, best = 0.0, 0.0, 0.0
    for replies, truths in strata:
        x, y, reach = _columns(replies, truths)
        n = len(x)
        if n < 2:
            continue
        centred_x, centred_y = x - x.mean(axis=0), y - y.mean(axis=0)
        excess += float((centred_x * centred_y).sum())
        variance += float(((centred_x.T @ centred_x) * (centred_y.T @ centred_y)).sum()) / (n - 1)
        best += reach
    if variance <= 0 or best <= 0:
        return Association(math.nan, 0.0)
    spread = math.sqrt(variance)
    p = float(ndtr(-excess / spread))
    return Association(p, float(ndtr(best / 2 / spread - float(ndtri(1 - alpha)))))


def _columns(replies: npt.ArrayLike, truths: npt.ArrayLike) -> tuple[FloatArray, FloatArray, float]:
    """Replies and truths as columns, and how far the best dealing is above the mean one."""
    x, y = np.asarray(replies), np.asarray(truths)
    if x.dtype.kind in "US":
        labels = np.union1d(x, y)
        columns = (x[:, None] == labels).astype(float), (y[:, None] == labels).astype(float)
        met = np.minimum(*(column.sum(axis=0) for column in columns)).sum()
        chance = float(columns[0].sum(axis=0) @ columns[1].sum(axis=0)) / max(1, len(x))
        return *columns, float(met) - chance
    a, b = x.astype(np.float64), y.astype(np.float64)
    reach = float(np.sort(a) @ np.sort(b)) - len(a) * float(a.mean()) * float(b.mean())
    return a[:, None], b[:, None], reach
