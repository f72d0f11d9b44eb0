"""Votes on two candidates, as several judges' votes are put together.

A panel picks as a judge does whose votes are the panel's. A knockout asks each judge about pairs of
its own choosing; only those that all were asked about count.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from lmms_eval_tasks.best_of_n.contests import Comparison
from pairbench_ext.benchmark import Answers


def _question(outcome: Any) -> Hashable | None:
    if not isinstance(outcome, Comparison):
        return None
    return outcome.question, outcome.pair, outcome.repeat, outcome.order


def _candidate(comparison: Comparison, position: int | None) -> int | None:
    """The candidate that was shown at a position; None at none of the two."""
    if position not in (1, 2):
        return None
    return comparison.pair[(position == 2) ^ (comparison.order == "rev")]


def _saying(comparisons: Sequence[Comparison], candidate: int | None) -> Comparison:
    one = comparisons[0]
    places = (1, 2)
    verdict = next((p for p in places if _candidate(one, p) == candidate), None)
    return one._replace(verdict=None if candidate is None else verdict)


ANSWERS = Answers(
    "choice",
    _question,
    lambda one: _candidate(one, one.verdict),
    lambda one: _candidate(one, one.better),
    _saying,
)
