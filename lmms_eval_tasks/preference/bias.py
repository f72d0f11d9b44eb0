"""How much a judge's votes depend on what should not matter: position and length.

Paper: VL-RewardBench, Section 3.2, asks for each pair in random orders to mitigate position bias;
Section 2.3 balances the lengths of the better and the worse responses. Here both are measured.

Every function is pure and defined for every table; NaN says that a number is undefined.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.preference.accuracy import UNUSABLE, accuracy_over, majority

if TYPE_CHECKING:
    from lmms_eval_tasks.preference.votes import VoteTable


def coverage(table: VoteTable) -> float:
    """Share of usable votes, in [0, 1]; NaN for an empty table."""
    return float(table.usable.mean()) if len(table) else math.nan


def position_consistency(table: VoteTable) -> float:
    """Share of items with the same winner in both orders, of the items judged in both.

    The winner in an order has more than half of the item's votes in that order. An item without a
    winner in one of them is not consistent.

    Returns:
        A number in [0, 1]; NaN if no item was judged in both orders.
    """
    both, same = judged_in_both_orders(table)
    return float((both & same).sum() / both.sum()) if both.any() else math.nan


def first_position_rate(table: VoteTable) -> float:
    """Share of usable votes for the answer shown first; NaN if no vote is usable.

    A judge without position bias has 0.5 where the orders are balanced.
    """
    return float(table.first[table.usable].mean()) if table.usable.any() else math.nan


def accuracy_longer_better(table: VoteTable, *, strict: bool = False) -> float:
    """Accuracy over the items whose better response has more words; NaN if there are none."""
    return accuracy_over(table, table.longer == table.truth, strict=strict)


def accuracy_shorter_better(table: VoteTable, *, strict: bool = False) -> float:
    """Accuracy over the items whose better response has fewer words; NaN if there are none."""
    return accuracy_over(table, table.longer == 1 - table.truth, strict=strict)


def judged_in_both_orders(table: VoteTable) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each item, whether it was judged in both orders and whether their winners are equal."""
    cluster = table.item * 2 + table.order
    kind = np.where(table.winner < 0, UNUSABLE, table.winner)
    n_clusters = 2 * len(table.items)
    winner = majority(cluster, kind, n_clusters).reshape(-1, 2)
    judged = np.bincount(cluster, minlength=n_clusters).reshape(-1, 2) > 0
    same = (winner[:, 0] == winner[:, 1]) & (winner[:, 0] < UNUSABLE)
    return np.asarray(judged.all(axis=1)), same
