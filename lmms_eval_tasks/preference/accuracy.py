r"""Accuracy of a judge that prefers one of two responses, and what its votes depend on.

Paper: VL-RewardBench, Section 3.2. Each pair is judged K times, each time in an order of its own,
and an item is decided by majority: correct if more than half of its votes are for the better
response, wrong if more than half are for the other, else undecided (a tie, unusable answers).

    overall accuracy = correct / (correct + wrong)
    macro accuracy   = mean of that over the groups of items

So the authors' code computes them: undecided items leave the denominator, yet an unusable vote uses
up one of the K. With `strict=True` the denominator is all items: an undecided one counts as wrong.
Random orders mitigate position bias, and Section 2.3 balances the lengths of the better and the
worse responses; here both biases are measured.

Every function is pure and defined for every table: NaN says that a number is undefined. They use
all votes of a table; `table.first_repeats(k)` has the first k repeats of each item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.preference.votes import Grouping, IntArray, Tag, VoteTable
from pairbench_ext.statistics.bootstrap import Interval, exact_interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic, cluster_interval, mean_interval
from pairbench_ext.statistics.shares import ratio_of_sums, share

BoolArray = npt.NDArray[np.bool_]

KS = (1, 3, 5, 7, 9)  # Figure 5b
CORRECT, WRONG, UNUSABLE, SPLIT = range(4)


def outcomes(table: VoteTable) -> IntArray:
    """The verdict of the majority of each item's votes.

    Returns:
        Shape (m,): `CORRECT`, `WRONG`, `UNUSABLE` (more than half of the votes are) or `SPLIT`.
    """
    kind = np.where(table.winner < 0, UNUSABLE, np.where(_right(table), CORRECT, WRONG))
    return _majority(table.item, kind, len(table.items))


def pair_winner(table: VoteTable) -> IntArray:
    """The response with more than half of each item's votes.

    Returns:
        Shape (m,): 0 or 1; -1 for neither (a tie, unusable votes).
    """
    kind = np.where(table.winner < 0, UNUSABLE, table.winner)
    won = _majority(table.item, kind, len(table.items))
    return np.where(won <= WRONG, won, -1)


def by_votes(table: VoteTable) -> Clustered:
    """Share of votes for the better response, unusable ones among the rest, by item.

    What a user gets who asks once. Over both orders of every item it has no position bias in it.
    """
    n = len(table.items)
    return _share(
        table, np.stack([np.bincount(table.item, w, n) for w in (_right(table), None)], 1)
    )


def overall(table: VoteTable, *, strict: bool = False) -> Clustered:
    """Overall accuracy, by item that counts: by items decided or, if strict, by all."""
    return _share(table, _counted(table, strict=strict))


def of_group(
    table: VoteTable, *, grouping: Grouping, group: str, strict: bool = False
) -> Clustered:
    """The accuracy of one group, by item that counts."""
    member = _groups(table, grouping) == grouping.names.index(group)
    return _share(table, member[:, None] * _counted(table, strict=strict))


def macro(table: VoteTable, *, grouping: Grouping, strict: bool = False) -> Clustered:
    """Mean accuracy of the groups that occur, by item; NaN if one of them has no accuracy.

    A group is never left out because its items are all undecided.
    """
    groups = _groups(table, grouping)
    names = np.unique(groups)
    member = groups[:, None] == names
    counted = _counted(table, strict=strict).astype(np.float64)
    items = member[:, :, None] * counted[:, None, :]  # (m, groups, 2)
    total = items.sum(axis=0)
    ends = [np.stack([total[:, 1] * end, total[:, 1]], axis=1) for end in (0.0, 1.0)]
    mean = partial(_mean_of_groups, n=len(names))
    return Clustered(table.items, SumStatistic(items, mean, *ends))


def _mean_of_groups(sums: npt.NDArray[Any], n: int) -> npt.NDArray[np.float64]:
    total = ratio_of_sums(sums).sum(axis=-1)
    return np.asarray(total / n if n else np.full_like(total, math.nan))


def overall_interval(table: VoteTable, *, strict: bool = False) -> Interval:
    """The interval of overall accuracy, by cluster bootstrap over items that count.

    Returns:
        NaN, NaN with fewer than two items or where the accuracy is undefined.
    """
    if len(table.items) < 2:
        return Interval(math.nan, math.nan)
    return _interval(overall(table, strict=strict))


def macro_interval(table: VoteTable, *, grouping: Grouping, strict: bool = False) -> Interval:
    """The interval of macro accuracy: a mean of independent shares, as an item is of one group.

    Returns:
        NaN, NaN with fewer than two items or where the accuracy is undefined.
    """
    if len(table.items) < 2:
        return Interval(math.nan, math.nan)
    names = [grouping.names[number] for number in np.unique(_groups(table, grouping))]
    groups = [of_group(table, grouping=grouping, group=name, strict=strict) for name in names]
    values = [group.statistic.estimate() for group in groups]
    return mean_interval(values, list(map(_interval, groups)))


def accuracy_over(table: VoteTable, mask: BoolArray, *, strict: bool = False) -> float:
    """Accuracy over some of the items; NaN if none of them counts.

    Args:
        table: the votes.
        mask: shape (m,), which items.
        strict: whether undecided items count as wrong.
    """
    return float(ratio_of_sums(_counted(table, strict=strict)[mask].sum(axis=0)))


def accuracy_by_label(table: VoteTable, labels: Sequence[Tag]) -> dict[str, float]:
    """Accuracy over the decided items of each label; those labelled None are left out.

    Args:
        table: the votes.
        labels: of the m items; one that has several counts for each.
    """
    of_items = [(tag,) if isinstance(tag, str) else tag or () for tag in labels]
    return {
        name: accuracy_over(table, np.array([name in names for names in of_items]))
        for name in sorted({name for names in of_items for name in names})
    }


def position_consistency(table: VoteTable) -> float:
    """Share of items with the same winner in both orders, of the items judged in both.

    The winner in an order has more than half of the item's votes in that order. An item without a
    winner in one of them is not consistent.

    Returns:
        A number in [0, 1]; NaN if no item was judged in both orders.
    """
    kind = np.where(table.winner < 0, UNUSABLE, table.winner)
    winner = _majority(table.item * 2 + table.order, kind, 2 * len(table.items)).reshape(-1, 2)
    same = (winner[:, 0] == winner[:, 1]) & (winner[:, 0] < UNUSABLE)
    return share(same[judged_in_both_orders(table)])


def judged_in_both_orders(table: VoteTable) -> BoolArray:
    """Shape (m,): whether each item was judged in both orders."""
    votes = np.bincount(table.item * 2 + table.order, minlength=2 * len(table.items))
    return np.asarray((votes.reshape(-1, 2) > 0).all(axis=1))


def first_position_rate(table: VoteTable) -> float:
    """Share of usable votes for the answer shown first; NaN if no vote is usable.

    A judge without position bias has 0.5 where the orders are balanced.
    """
    return share(table.first[table.usable])


def _right(table: VoteTable) -> BoolArray:
    """Shape (n,): whether each vote is for the better response."""
    return np.asarray(table.winner == table.truth[table.item])


def _majority(cluster: IntArray, kind: IntArray, n_clusters: int) -> IntArray:
    """Of kinds 0 to 2, the one of more than half of each cluster's entries, else `SPLIT`.

    Args:
        cluster: shape (n,), which cluster each entry belongs to, from 0.
        kind: shape (n,), 0 to 2.
        n_clusters: how many clusters there are; one without entries is `SPLIT`.
    """
    counts = np.bincount(cluster * 3 + kind, minlength=n_clusters * 3).reshape(n_clusters, 3)
    decided = 2 * counts.max(axis=1) > counts.sum(axis=1)
    return np.where(decided, counts.argmax(axis=1), SPLIT)


def _counted(table: VoteTable, *, strict: bool) -> IntArray:
    """Shape (m, 2): whether each item is correct, and whether it is in the denominator."""
    outcome = outcomes(table)
    counted = np.ones(len(outcome), dtype=np.bool_) if strict else outcome <= WRONG
    return np.stack([outcome == CORRECT, counted], axis=1).astype(np.int64)


def _groups(table: VoteTable, grouping: Grouping) -> IntArray:
    """Shape (m,): the number of each item's group."""
    return np.array([grouping.place(source) for source in table.sources], dtype=np.int64)


def _interval(clustered: Clustered) -> Interval:
    """Of a share; where one item counts, its exact interval, which is nearly all of [0, 1]."""
    if len(clustered.names) == 1:
        return exact_interval(clustered.statistic.estimate(), 1)
    return cluster_interval(clustered.statistic)


def _share(table: VoteTable, items: npt.NDArray[Any]) -> Clustered:
    """A share, from what each item adds to hits and counted; items that add nothing are left."""
    kept = items[:, 1] > 0
    counted = items[kept].astype(np.float64)
    total = counted[:, 1].sum()
    none, every = np.array([0, total]), np.array([total, total])
    names = tuple(table.items[place] for place in np.flatnonzero(kept))
    return Clustered(names, SumStatistic(counted, ratio_of_sums, none, every))
