"""What votes on two candidates say.

A panel picks as a judge does whose votes are the panel's. A knockout asks each judge about pairs of
its own choosing; only those that all were asked about count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lmms_eval_tasks.best_of_n.contests import Comparison
from lmms_eval_tasks.preference.answers import shown_place
from pairbench_ext.core.benchmark import Answers, Chosen


def _answer(outcome: Any) -> Chosen | None:
    """A vote; what a question offers is no answer."""
    if not isinstance(outcome, Comparison):
        return None
    reverse = outcome.order == "rev"
    right = None if outcome.better is None else (outcome.better - 1) ^ reverse
    item, said = (outcome.question, outcome.pair), shown_place(outcome.verdict)
    return Chosen(item, 2, right, said, reverse, repeat=outcome.repeat)


def _put(comparisons: Sequence[Comparison], place: int | None) -> Comparison:
    return comparisons[0]._replace(verdict=None if place is None else place + 1)


ANSWERS = Answers("choice", _answer, _put)
