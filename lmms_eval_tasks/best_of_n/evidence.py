"""What comparisons of candidates say on the card of a judge."""

from __future__ import annotations

from typing import Any

from lmms_eval_tasks.best_of_n.contests import Comparison
from pairbench_ext.evidence.choices import Answer, choice_evidence
from pairbench_ext.evidence.replies import READABLE


def answers(run: Any) -> list[Answer]:
    """The comparisons of candidates of unequal worth, as answers with two options."""
    found = {}
    for reading in run.readings:
        for one in [one for one in reading.outcomes if isinstance(one, Comparison)]:
            if one.better is not None:
                found[one.question, one.pair, one.repeat, one.order] = Answer(
                    item=(one.question, one.pair),
                    options=2,
                    right=one.better - 1,
                    said=one.verdict - 1 if one.verdict in (1, 2) else None,
                    reverse=one.order == "rev",
                    repeat=one.repeat,
                )
    return list(found.values())


CARD = (READABLE, *choice_evidence(answers, "vote_accuracy", same="position_consistency"))
