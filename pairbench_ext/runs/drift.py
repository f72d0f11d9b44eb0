"""Drift: what changed between two runs of one judge, two checkpoints or two days apart."""

from __future__ import annotations

from typing import NamedTuple

from pairbench_ext.runs.comparisons import Comparison, compared
from pairbench_ext.runs.side_by_side import SideBySide, Verdicts
from pairbench_ext.statistics.means import mean_of_defined


class Drift(NamedTuple):
    """What changed on one task.

    Attributes:
        task: its name.
        verdicts: on how many items both runs have one, of all orders and repeats together.
        changes: those that changed.
        headline: NEW less OLD; None where nothing can be compared.
        answers: the share of single answers that changed.
        noise: the share of answers to one question that differ within a run; NaN where nothing was
            asked twice.
    """

    task: str
    verdicts: int
    changes: tuple[Verdicts, ...]
    headline: Comparison | None
    answers: float
    noise: float


def drift_of(side: SideBySide) -> Drift:
    """What changed on a task.

    Args:
        side: the earlier run, then the later one.

    Raises:
        RecordError: if they were asked about different data.
    """
    old, new = side.check_same_truths().names
    changes = tuple(verdict for verdict in side.verdicts if len(set(verdict.said)) > 1)
    headline = next((compared(side, number, new, old) for number in side.numbers()), None)
    noise = mean_of_defined([side.disagreement(name, name) for name in (old, new)])
    answers = side.disagreement(old, new)
    return Drift(side.name, len(side.verdicts), changes, headline, answers, noise)
