"""Intervals of a judge's accuracies, by cluster bootstrap over items."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.votes import Grouping, VoteTable
from pairbench_ext.statistics.bootstrap import Interval, exact_interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic, cluster_interval, mean_interval
from pairbench_ext.statistics.shares import ratio_of_sums


def overall_interval(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> Interval:
    """The interval of overall accuracy, by cluster bootstrap over items that count.

    Returns:
        NaN, NaN with fewer than two items or where the accuracy is undefined.
    """
    if len(table.items) < 2:
        return Interval(math.nan, math.nan)
    return _interval(overall_of_items(table, grouping, strict=strict))


def macro_interval(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> Interval:
    """The interval of macro accuracy: a mean of independent shares, as an item is of one group.

    Returns:
        NaN, NaN with fewer than two items or where the accuracy is undefined.
    """
    if len(table.items) < 2:
        return Interval(math.nan, math.nan)
    items = accuracy.tally(table, grouping, strict=strict)
    groups = items[:, accuracy.groups_present(table, grouping)].swapaxes(0, 1)
    values = ratio_of_sums(groups.sum(axis=1)).tolist()
    return mean_interval(values, [_interval(_share(table, group)) for group in groups])


def votes_of_items(table: VoteTable) -> Clustered:
    """The accuracy per vote, by item."""
    right = table.winner == table.truth[table.item]
    n = len(table.items)
    items = [np.bincount(table.item, weights, n) for weights in (right, None)]
    return _share(table, np.stack(items, axis=1))


def overall_of_items(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> Clustered:
    """Overall accuracy, by item that counts."""
    return _share(table, accuracy.tally(table, grouping, strict=strict).sum(axis=1))


def group_of_items(
    table: VoteTable, grouping: Grouping, group: str, *, strict: bool = False
) -> Clustered:
    """The accuracy of one group, by item that counts."""
    items = accuracy.tally(table, grouping, strict=strict)
    return _share(table, items[:, grouping.names.index(group)])


def macro_of_items(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> Clustered:
    """Macro accuracy over the groups that occur, by item."""
    items = accuracy.tally(table, grouping, strict=strict).astype(np.float64)
    total = items.sum(axis=0)
    ends = [np.stack([total[:, 1] * end, total[:, 1]], axis=1) for end in (0.0, 1.0)]
    present = accuracy.groups_present(table, grouping)
    return Clustered(
        table.items, SumStatistic(items, partial(accuracy.macro, present=present), *ends)
    )


def _interval(share: Clustered) -> Interval:
    """Of a share; where one item counts, its exact interval, which is nearly all of [0, 1]."""
    if len(share.names) == 1:
        return exact_interval(share.statistic.estimate(), 1)
    return cluster_interval(share.statistic)


def _share(table: VoteTable, items: npt.NDArray[Any]) -> Clustered:
    """A share, from what each item adds to hits and counted; items that add nothing are left."""
    kept = items[:, 1] > 0
    counted = items[kept].astype(np.float64)
    total = counted[:, 1].sum()
    none, every = np.array([0, total]), np.array([total, total])
    names = tuple(table.items[place] for place in np.flatnonzero(kept))
    return Clustered(names, SumStatistic(counted, ratio_of_sums, none, every))
