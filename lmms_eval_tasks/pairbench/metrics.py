r"""PairBench's metrics, as the paper defines them.

Paper: PairBench, "Are Vision-Language Models Reliable at Comparing What They See?", Section 2.2.
s_C(a, b) is the rating of the pair (a, b) under condition C in {sens, inv}, V = [1, 10], D the
pairs, rev(D) the same pairs in reverse order, S_C the ratings of both. An unusable rating is -1.

    MMScore(C)   = tau_b(S_C, GT_C), or another `statistic`                            (2.2.1, C.2)
    eps-RelaxSym = 1/N sum [|s_C(a, b) - s_C(b, a)| <= eps and both in V]              (2.2.2)
    SM(C)        = Ent({s in S_C, s in V})                                             (2.2.3)
    Cont         = 1 - |MMScore(sens) - MMScore(inv)| / sqrt(MMScore(sens) MMScore(inv)) (2.2.4)

Every function is pure and defined for every table: NaN says that a number is undefined (a constant
judge, no usable rating, one order only, an empty table). `authors` has the rules of the authors'
code, which differ.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.ratings import (
    Condition,
    both_orders,
    conditions,
    filled,
    under,
    usable,
)
from lmms_eval_tasks.pairbench.statistic import Statistic, definition, entropy
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.statistics.means import mean_of
from pairbench_ext.statistics.shares import share

# Decimal ratings 8.3 and 7.3 differ by 1, but not in binary.
_ROUNDING = 1e-9


def mmscore(
    table: OutcomeTable, condition: Condition | None = None, statistic: str = Statistic.KENDALL
) -> float:
    """Return MMScore (Section 2.2.1): Kendall's tau-b between ratings and ground truth.

    Unusable ratings count as -1, below every usable one.

    Args:
        table: the ratings.
        condition: one condition, or None for the mean over the conditions that occur.
        statistic: another one in place of Kendall's tau (Appendix C.2).

    Returns:
        A number in [-1, 1]. NaN if a condition asked for has fewer than two ratings, ratings that
        are all equal or truths that are all equal (for `nmi` and `ndcg` see `statistic`), or if
        the table is empty.

    Raises:
        ValueError: if the statistic or the condition is unknown.
    """
    statistic_of = definition(statistic).of
    return over_conditions(table, condition, lambda p: statistic_of(filled(p), p.column("truth")))


def relaxsym(table: OutcomeTable, eps: float = 1.0) -> float:
    """Return eps-RelaxSym: the share of trials with similar ratings in both orders (Section 2.2.2).

    A trial is an item under a condition with a template whose both orders occur in the table; one
    that was asked in one order only is not counted. An unusable rating makes its trial not
    symmetric.

    Returns:
        A number in [0, 1]. NaN, "not measurable", if no trial has both orders, or if the backend
        could not show them (`order_shown` False): both would be one prompt.
    """
    return share(symmetric(table, eps))


def symmetric(table: OutcomeTable, eps: float) -> npt.NDArray[np.bool_]:
    """Return, for each trial asked in both orders, whether its ratings differ by at most eps."""
    first, second = both_orders(table)
    value = table.column("said")
    return np.asarray(np.abs(value[first] - value[second]) <= eps + _ROUNDING)


def smoothness(table: OutcomeTable) -> float:
    """Return Smoothness (Section 2.2.3): the entropy of the readable ratings.

    Returns:
        The mean over the conditions that occur, in nats, the unit in which the paper's Table 8 is
        printed: in [0, log(10)] for integer ratings. NaN if a condition has no usable rating, or
        if the table is empty.
    """

    def measure(part: OutcomeTable) -> float:
        _, counts = np.unique(part.column("said")[usable(part)], return_counts=True)
        return entropy(counts)

    return over_conditions(table, None, measure)


def controllability(sens: float, inv: float) -> float:
    """Return controllability: how similar the two conditions' MMScores are (Section 2.2.4).

        Cont = 1 - |sens - inv| / sqrt(sens inv)

    Returns:
        A number up to 1, without lower bound. NaN unless both are positive: the root of a negative
        product does not exist, and two equally wrong conditions are not control.

    >>> controllability(0.5, 0.5)
    1.0
    """
    if not (sens > 0 and inv > 0):
        return math.nan
    # Two roots, so that the product of two tiny numbers does not become 0.
    return 1 - abs(sens - inv) / (math.sqrt(sens) * math.sqrt(inv))


def n_both_orders(table: OutcomeTable) -> int:
    """Return the number of different pairs that were shown in both orders."""
    return len({table.rows[place].item for place in both_orders(table)[0]})


def over_conditions(
    table: OutcomeTable, condition: Condition | None, measure: Callable[[OutcomeTable], float]
) -> float:
    """Return a measure of the ratings under one condition, or its mean over conditions."""
    if condition is not None:
        return measure(under(table, condition))
    return mean_of(measure(under(table, name)) for name in conditions(table))
