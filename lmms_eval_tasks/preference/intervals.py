"""Intervals of a judge's accuracies, by cluster bootstrap over items."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.grouping import Grouping
from lmms_eval_tasks.preference.votes import VoteTable
from pairbench_ext.statistics.bootstrap import Interval, exact_interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic, cluster_interval, mean_interval
from pairbench_ext.statistics.shares import ratio_of_sums


class Intervals(NamedTuple):
    """Intervals of overall and macro accuracy."""

    overall: Interval
    macro: Interval


def accuracy_intervals(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> Intervals:
    """Intervals of overall and macro accuracy by `cluster_interval` over items that count.

    An item is of one group, so macro accuracy is a mean of independent shares (`mean_interval`).

    Returns:
        The intervals; NaN, NaN with fewer than two items or where the accuracy is undefined.
    """
    items = accuracy.tally(table, grouping, strict=strict)
    if len(items) < 2:
        return Intervals(Interval(math.nan, math.nan), Interval(math.nan, math.nan))
    overall = _interval(overall_of_items(table, grouping, strict=strict))
    present = accuracy.groups_present(table, grouping)
    groups = items[:, present].swapaxes(0, 1)
    found = [_interval(_share(table, group)) for group in groups]
    values = ratio_of_sums(groups.sum(axis=1)).tolist()
    return Intervals(overall, mean_interval(values, found))


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
