r"""Compute the accuracy of a judge that chooses the better of two responses.

Paper: VL-RewardBench, Section 3.2. Each pair is judged K times, each time in a newly drawn order,
and an item is decided by majority: correct if more than half of its votes are for the better
response, wrong if more than half are for the other, else undecided (a tie, unusable answers).

    overall accuracy = correct / (correct + wrong)
    macro accuracy   = mean of that over the groups of items

The authors' code computes them in this way: undecided items leave the denominator, but an unusable
vote is still one of the K. With `strict=True` the denominator is all items: an undecided one counts
as wrong. The paper draws orders at random against position bias, and balances the lengths of better
and worse responses (Section 2.3); here both biases are measured, too.

Every function is pure and defined for every table of votes (`votes.votes`): NaN says that a number
is undefined. `table.first_repeats(k)` has the votes of the first k repeats of each item.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.preference.votes import Grouping, Tag
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.core.table import IntArray, integers, once_per_table
from pairbench_ext.statistics.bootstrap import Interval, exact_interval
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.intervals import SumStatistic, mean_interval
from pairbench_ext.statistics.shares import mean_of_shares, ratio_of_sums

BoolArray = npt.NDArray[np.bool_]

KS = (1, 3, 5, 7, 9)  # Figure 5b
CORRECT, WRONG, UNUSABLE, SPLIT = range(4)


@once_per_table
def outcomes(table: OutcomeTable) -> IntArray:
    """Return the outcome of the majority vote on each of the m items.

    Returns:
        Shape (m,): `CORRECT`, `WRONG`, `UNUSABLE` (more than half of the votes are) or `SPLIT`.
    """
    kind = np.where(table.chosen < 0, UNUSABLE, np.where(right(table), CORRECT, WRONG))
    return _majority(table.codes("item"), kind, len(table.items))


def pair_winner(table: OutcomeTable) -> IntArray:
    """Return, for each of m items, the response (0 or 1) with over half of the votes, or -1."""
    kind = np.where(table.chosen < 0, UNUSABLE, table.chosen)
    won = _majority(table.codes("item"), kind, len(table.items))
    return np.where(won <= WRONG, won, -1)


def overall(table: OutcomeTable, *, strict: bool = False) -> Clustered:
    """Return accuracy over all items; undecided items are left out or, if `strict`, wrong."""
    return _share(table, _counted(table, strict=strict))


def of_group(
    table: OutcomeTable, *, grouping: Grouping, group: str, strict: bool = False
) -> Clustered:
    """Return accuracy over the items of one group; each item is a cluster."""
    member = _groups(table, grouping) == grouping.names.index(group)
    return _share(table, member[:, None] * _counted(table, strict=strict))


def macro(table: OutcomeTable, *, grouping: Grouping, strict: bool = False) -> Clustered:
    """Return the mean of the groups' accuracies; groups without items are left out.

    A group is never left out because its items are all undecided. Its interval is that of a mean of
    independent shares, as an item is of one group.
    """

    def interval() -> Interval:
        parts = [
            of_group(table, grouping=grouping, group=grouping.names[number], strict=strict)
            for number in names
        ]
        values = [part.statistic.estimate() for part in parts]
        return mean_interval(values, list(map(clustered_interval, parts)))

    groups = _groups(table, grouping)
    names = np.unique(groups)
    member = groups[:, None] == names
    counted = _counted(table, strict=strict).astype(np.float64)
    statistic = mean_of_shares(member[:, :, None] * counted[:, None, :])
    return Clustered(tuple(table.labels("item")), statistic, interval)


def accuracy_over(table: OutcomeTable, mask: BoolArray, *, strict: bool = False) -> float:
    """Return accuracy over the items that `mask` selects; NaN if there is none to count.

    Undecided items are left out; with `strict`, they count as wrong.
    """
    return float(ratio_of_sums(_counted(table, strict=strict)[mask].sum(axis=0)))


def accuracy_by_label(table: OutcomeTable, labels: Sequence[Tag]) -> dict[str, float]:
    """Return accuracy for each label, over the decided items that have it among their labels."""
    of_items = [(tag,) if isinstance(tag, str) else tag or () for tag in labels]
    return {
        name: accuracy_over(table, np.array([name in names for names in of_items]))
        for name in sorted({name for names in of_items for name in names})
    }


@once_per_table
def right(table: OutcomeTable) -> BoolArray:
    """Return whether each of the n votes is for the better response."""
    truth = integers(row.truth for row in table.items)
    return np.asarray((table.chosen == truth[table.codes("item")]) & (table.chosen >= 0))


def sources(table: OutcomeTable) -> list[str]:
    """Return, for each item, the data set that it is from."""
    return [row.facets.get("source", "") for row in table.items]


def _majority(cluster: IntArray, kind: IntArray, n_clusters: int) -> IntArray:
    """Return, for each cluster, the kind (0 to 2) of more than half of its entries, or `SPLIT`.

    Args:
        cluster: shape (n,), which cluster each entry belongs to, from 0.
        kind: shape (n,), 0 to 2.
        n_clusters: how many clusters there are; one without entries is `SPLIT`.
    """
    counts = np.bincount(cluster * 3 + kind, minlength=n_clusters * 3).reshape(n_clusters, 3)
    return np.where(2 * counts.max(axis=1) > counts.sum(axis=1), counts.argmax(axis=1), SPLIT)


def _counted(table: OutcomeTable, *, strict: bool) -> IntArray:
    """Return whether each item is right, and whether it counts, shape (m, 2)."""
    outcome = outcomes(table)
    counted = np.ones(len(outcome), dtype=np.bool_) if strict else outcome <= WRONG
    return np.stack([outcome == CORRECT, counted], axis=1).astype(np.int64)


@once_per_table
def _groups(table: OutcomeTable, grouping: Grouping) -> IntArray:
    """Return the index of each item's group, shape (m,)."""
    of_items = sources(table)
    place = {source: grouping.place(source) for source in dict.fromkeys(of_items)}
    return np.array([place[source] for source in of_items], dtype=np.int64)


def _share(table: OutcomeTable, items: npt.NDArray[Any]) -> Clustered:
    """Return a share with items as clusters, from each item's numerator and denominator.

    Items that add nothing to the denominator are left out. If only one of several items is left,
    the interval is the exact one of a single trial: nearly all of [0, 1].
    """
    kept = items[:, 1] > 0
    counted = items[kept].astype(np.float64)
    total = counted[:, 1].sum()
    none, all_right = np.array([0, total]), np.array([total, total])
    labels = table.labels("item")
    names = tuple(labels[place] for place in np.flatnonzero(kept))
    statistic = SumStatistic(counted, ratio_of_sums, none, all_right)
    if len(names) == 1 < len(labels):
        return Clustered(names, statistic, lambda: exact_interval(statistic.estimate(), 1))
    return Clustered(names, statistic)
