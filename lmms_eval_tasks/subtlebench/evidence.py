"""What answers to multiple-choice questions say on the card of a judge."""

from __future__ import annotations

from typing import Any

from pairbench_ext.evidence.choices import Answer, choice_evidence
from pairbench_ext.evidence.replies import READABLE


def answers(run: Any) -> list[Answer]:
    """The answers of a run, each once."""
    return [
        Answer(one.item, one.n_options, one.truth, one.chosen, one.swapped, repeat=one.repeat)
        for one in run.table.rows
    ]


CARD = (READABLE, *choice_evidence(answers, "accuracy", same="consistency"))
