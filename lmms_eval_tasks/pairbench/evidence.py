"""What ratings of pairs say on the card of a judge."""

from __future__ import annotations

from typing import Any

from lmms_eval_tasks.pairbench.ratings import ORDERS
from pairbench_ext.evidence.ratings import Rated, rating_evidence
from pairbench_ext.evidence.replies import READABLE


def ratings(run: Any) -> list[Rated]:
    """The ratings of a run that can be read; of orders that were not shown, the first one."""
    return [
        Rated(
            rating.row,
            rating.pair,
            rating.condition,
            rating.order == ORDERS[1],
            rating.template,
            rating.value,
            rating.truth,
        )
        for rating in run.table.table.rows
        if rating.valid and (rating.order_shown is not False or rating.order == ORDERS[0])
    ]


CARD = (
    READABLE,
    *rating_evidence(
        ratings,
        "mmscore",
        symmetry="relaxsym",
        smoothness="smoothness",
        control="controllability",
    ),
)
