r"""How often a judge prefers the better of two responses.

Paper: VL-RewardBench, Section 3.2. Each pair is judged K times, each time in an order of its own,
and an item is decided by majority: correct if more than half of its votes are for the better
response, wrong if more than half are for the other, else undecided (a tie, unusable answers).

    overall accuracy = correct / (correct + wrong)
    macro accuracy   = mean of that over the groups of items

So the authors' code computes them: undecided items leave the denominator, yet an unusable vote uses
up one of the K. With `strict=True` the denominator is all items: an undecided one counts as wrong.

Every function is pure and defined for every table: NaN says that a number is undefined. They use
all votes of a table; `table.first_repeats(k)` has the first k repeats of each item.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.shares import ratio_of_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lmms_eval_tasks.preference.votes import Grouping, IntArray, Tag, VoteTable

FloatArray = npt.NDArray[np.float64]

KS = (1, 3, 5, 7, 9)  # Figure 5b
CORRECT, WRONG, UNUSABLE, SPLIT = range(4)


def outcomes(table: VoteTable) -> IntArray:
    """What the majority of each item's votes says.

    Returns:
        Shape (m,): `CORRECT`, `WRONG`, `UNUSABLE` (more than half of the votes are) or `SPLIT`.
    """
    winner = table.winner
    right = winner == table.truth[table.item]
    kind = np.where(winner < 0, UNUSABLE, np.where(right, CORRECT, WRONG))
    return majority(table.item, kind, len(table.items))


def pair_winner(table: VoteTable) -> IntArray:
    """The response with more than half of each item's votes.

    Returns:
        Shape (m,): 0 or 1; -1 for neither (a tie, unusable votes).
    """
    kind = np.where(table.winner < 0, UNUSABLE, table.winner)
    won = majority(table.item, kind, len(table.items))
    return np.where(won <= WRONG, won, -1)


def overall_accuracy(table: VoteTable, *, strict: bool = False) -> float:
    """Share of correct items, of those decided or, if strict, of all; NaN if there are none."""
    return float(ratio_of_sums(_counted(table, strict=strict).sum(axis=0)))


def vote_accuracy(table: VoteTable) -> float:
    """Share of votes for the better response, unusable ones among the rest; NaN without votes.

    What a user gets who asks once. Over both orders of every item it has no position bias in it.
    """
    return float((table.winner == table.truth[table.item]).mean()) if len(table) else math.nan


def macro_accuracy(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> float:
    """Mean accuracy of the groups that occur; NaN if one of them has no accuracy, or none occurs.

    A group is never left out because its items are all undecided.
    """
    counts = tally(table, grouping, strict=strict).sum(axis=0)
    return float(macro(counts, groups_present(table, grouping)))


def accuracy_by_group(
    table: VoteTable, grouping: Grouping, *, strict: bool = False
) -> dict[str, float]:
    """Accuracy of each group by name; NaN for a group without (decided) items."""
    values = ratio_of_sums(tally(table, grouping, strict=strict).sum(axis=0))
    return dict(zip(grouping.names, values.tolist(), strict=True))


def group_accuracy(
    table: VoteTable, grouping: Grouping, group: str, *, strict: bool = False
) -> float:
    """Accuracy of one group; NaN without (decided) items."""
    return accuracy_by_group(table, grouping, strict=strict)[group]


def accuracy_by_label(
    table: VoteTable, labels: Sequence[Tag], *, strict: bool = False
) -> dict[str, float]:
    """Accuracy over the items of each label; those labelled None are left out.

    Args:
        table: the votes.
        labels: of the m items; one that has several counts for each.
        strict: whether undecided items count as wrong.
    """
    of_items = [(tag,) if isinstance(tag, str) else tag or () for tag in labels]
    return {
        name: accuracy_over(table, np.array([name in its for its in of_items]), strict=strict)
        for name in sorted({name for its in of_items for name in its})
    }


def majority(cluster: IntArray, kind: IntArray, n_clusters: int) -> IntArray:
    """Of kinds 0 to 2, the one of more than half of each cluster's entries, else `SPLIT`.

    Args:
        cluster: shape (n,), which cluster each entry belongs to, from 0.
        kind: shape (n,), 0 to 2.
        n_clusters: how many clusters there are; one without entries is `SPLIT`.
    """
    counts = np.bincount(cluster * 3 + kind, minlength=n_clusters * 3).reshape(n_clusters, 3)
    decided = 2 * counts.max(axis=1) > counts.sum(axis=1)
    return np.where(decided, counts.argmax(axis=1), SPLIT)


def accuracy_over(table: VoteTable, mask: npt.NDArray[np.bool_], *, strict: bool = False) -> float:
    """Accuracy over some of the items; NaN if none of them counts.

    Args:
        table: the votes.
        mask: shape (m,), which items.
        strict: whether undecided items count as wrong.
    """
    return float(ratio_of_sums(_counted(table, strict=strict)[mask].sum(axis=0)))


def tally(table: VoteTable, grouping: Grouping, *, strict: bool = False) -> IntArray:
    """What each item adds to the counts that all accuracies are made of.

    Returns:
        Shape (m, groups, 2): in the row of the item's group, whether it is correct and whether it
        is in the denominator; 0 elsewhere.
    """
    member = _group(table, grouping)[:, None] == np.arange(len(grouping.names))
    return np.asarray(member[:, :, None] * _counted(table, strict=strict)[:, None, :])


def groups_present(table: VoteTable, grouping: Grouping) -> npt.NDArray[np.bool_]:
    """Shape (groups,): which of the groups occur."""
    return np.isin(np.arange(len(grouping.names)), _group(table, grouping))


def overall(counts: npt.NDArray[np.integer]) -> FloatArray:
    """Overall accuracy from sums of `tally`, shape (..., groups, 2)."""
    return ratio_of_sums(counts.sum(axis=-2))


def macro(counts: npt.NDArray[np.integer], present: npt.NDArray[np.bool_]) -> FloatArray:
    """Macro accuracy from sums of `tally`, shape (..., groups, 2), over the groups present."""
    values = ratio_of_sums(counts)[..., present]
    return np.asarray(values.sum(axis=-1) / present.sum() if present.any() else np.nan)


def _counted(table: VoteTable, *, strict: bool) -> IntArray:
    """Shape (m, 2): whether each item is correct, and whether it is in the denominator."""
    outcome = outcomes(table)
    counted = np.ones(len(outcome), dtype=np.bool_) if strict else outcome <= WRONG
    return np.stack([outcome == CORRECT, counted], axis=1).astype(np.int64)


def _group(table: VoteTable, grouping: Grouping) -> IntArray:
    index = {source: grouping.place(source) for source in sorted(set(table.sources))}
    return np.array([index[source] for source in table.sources], dtype=np.int64)
