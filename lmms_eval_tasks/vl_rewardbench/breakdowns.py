"""Accuracy by type of error (Figure 5a)."""

from __future__ import annotations

from lmms_eval_tasks.preference import accuracy
from lmms_eval_tasks.preference.votes import Tag, votes
from lmms_eval_tasks.vl_rewardbench.groups import group_of
from pairbench_ext.core.benchmark import Breakdown, OutcomeTable


def _by_tag(table: OutcomeTable) -> dict[str, float]:
    """Accuracy by type of error.

    Untagged items of the reasoning group have the type `reasoning`, as in Section 4.1; other
    untagged items are left out. An item with several types counts for each. The paper's error rates
    are over all items of a type, so they are not 1 minus this where items are undecided.
    """
    cast = votes(table)
    labels: list[Tag] = [
        "reasoning" if not pair["tag"] and group_of(pair["source"]) == "reasoning" else pair["tag"]
        for pair in cast.items
    ]
    return accuracy.accuracy_by_label(cast, labels)


BY_TAG = Breakdown(
    "by_tag",
    "accuracy by type of error",
    _by_tag,
    shown=lambda table: any(pair["tag"] is not None for pair in votes(table).items),
)
