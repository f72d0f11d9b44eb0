"""How much the answers to multiple-choice questions depend on the order of the options.

No paper reports it for VLM-SubtleBench, whose options are shuffled once. Every function is pure and
defined for every table; NaN says that a number is undefined.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.subtlebench.choices import ChoiceTable
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.shares import Share, mean_of_clusters, share, share_with_interval


class LetterCounts(NamedTuple):
    """What the usable answers make of one letter.

    Attributes:
        truth: how often the right option was there.
        chosen: how often it was chosen.
        right: how often both.
    """

    truth: int
    chosen: int
    right: int


def by_letter(table: ChoiceTable) -> dict[str, LetterCounts]:
    """How often usable answers choose each letter, and how often they should.

    Returns:
        By letter, as many as the item with the most options has.
    """
    usable = [choice for choice in table.rows if choice.usable]
    truth = Counter(choice.truth for choice in usable)
    chosen = Counter(choice.chosen for choice in usable)
    right = Counter(choice.truth for choice in usable if choice.right)
    n_letters = max((choice.n_options for choice in table.rows), default=0)
    return {
        letter: LetterCounts(truth[place], chosen[place], right[place])
        for place, letter in enumerate(string.ascii_uppercase[:n_letters])
    }


def letter_bias(table: ChoiceTable) -> float:
    """How far the letters chosen are from those at which the right options were.

    The total variation distance, half the sum of |share chosen - share right| over the letters, of
    usable answers: the least share of them that would have to name another letter to make the two
    distributions equal. It is 0 for a judge that is always right and, but for chance, for one whose
    errors favour no letter; one that always says A has the share of right options elsewhere.

    Returns:
        A number in [0, 1]; NaN if no answer is usable.
    """
    counts = by_letter(table).values()
    n = sum(one.chosen for one in counts)
    return sum(abs(one.chosen - one.truth) for one in counts) / (2 * n) if n else math.nan


def consistency(table: ChoiceTable) -> Share:
    """Share of items whose two answers, one per order of the options, name the same option.

    An unusable answer is not consistent with anything. A random guesser has 1 / options, one that
    always says A has 0. With repeats, the k-th answers in both orders are compared.

    Returns:
        The share of the items asked in both orders, with its interval by cluster bootstrap over the
        pairs of images; NaN if there are none.
    """
    same, pairs = _same_option(table)
    return share_with_interval(same, pairs)


def consistency_of_pairs(table: ChoiceTable) -> Clustered:
    """The same by pair of images."""
    same, pairs = _same_option(table)
    return mean_of_clusters(same.astype(np.float64), pairs, table.labels("pair"))


def accuracy_both_orders_of_pairs(table: ChoiceTable) -> Clustered:
    """`accuracy_both_orders` by pair of images."""
    right = [one.right and other.right for one, other in table.both_orders()]
    return mean_of_clusters(np.array(right, np.float64), _pairs(table), table.labels("pair"))


def _same_option(table: ChoiceTable) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Whether both answers name the same option, and the pair of images that they are about."""
    same = [one.usable and one.option == other.option for one, other in table.both_orders()]
    return np.array(same, dtype=np.bool_), _pairs(table)


def _pairs(table: ChoiceTable) -> npt.NDArray[np.int64]:
    """The pair of images of each item that was asked in both orders."""
    code = {pair: number for number, pair in enumerate(table.labels("pair"))}
    return np.array([code[one.pair] for one, _ in table.both_orders()], dtype=np.int64)


def accuracy_both_orders(table: ChoiceTable) -> float:
    """Share of items answered right in both orders, of those asked in both; NaN if there are none.

    What position bias alone cannot reach: one that always says A has 0.
    """
    return _share(one.right and other.right for one, other in table.both_orders())


def first_option_rate(table: ChoiceTable) -> float:
    """Share of usable answers for the option shown first, over items asked in both orders.

    A judge without position bias has 1/2 where there are two options; NaN if no answer is usable.
    """
    asked = (choice for both in table.both_orders() for choice in both)
    return _share(choice.chosen == 0 for choice in asked if choice.usable)


def _share(hits: Iterable[bool]) -> float:
    return share(np.array(list(hits), dtype=np.bool_))
