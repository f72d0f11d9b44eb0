"""Accuracy by type of error (Figure 5a)."""

from __future__ import annotations

from collections.abc import Callable

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.votes import Tag, VoteTable, votes
from lmms_eval_tasks.vl_rewardbench.groups import group_of
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable


def by_tag(of: Callable[[OutcomeTable], VoteTable] = votes) -> Breakdown:
    """Accuracy by type of error.

    Untagged items of the reasoning group have the type `reasoning`, as in Section 4.1; other
    untagged items are left out. An item with several types counts for each. The paper's error rates
    are over all items of a type, so they are not 1 minus this where items are undecided.

    Args:
        of: the votes of a table.
    """

    def accuracies(table: OutcomeTable) -> dict[str, float]:
        labels: list[Tag] = [
            "reasoning" if not tag and group_of(source) == "reasoning" else tag
            for source, tag in zip(of(table).sources, of(table).tags, strict=True)
        ]
        return accuracy.accuracy_by_label(of(table), labels)

    return Breakdown(
        "by_tag",
        "accuracy by type of error",
        accuracies,
        shown=lambda table: any(tag is not None for tag in of(table).tags),
    )
