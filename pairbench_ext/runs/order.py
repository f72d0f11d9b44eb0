"""The order in which judges stand: by the main number that a table shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pairbench_ext.runs.scoring import Judge, Run


def best_first(judges: Sequence[Judge]) -> list[Judge]:
    """Return judges by the mean of the main numbers of their tasks, the best first.

    Only tasks count that all judges have, if there are any. Judges without a number stand last, in
    their order.
    """
    shared = set.intersection(*({*judge.runs} for judge in judges)) if judges else set()

    def place(judge: Judge) -> tuple[bool, float]:
        values = [
            _goodness(run) for task, run in judge.runs.items() if task in shared or not shared
        ]
        known = [value for value in values if not math.isnan(value)]
        return not known, -sum(known) / max(1, len(known))

    return sorted(judges, key=place)


def _goodness(run: Run) -> float:
    """The main number, turned round where a lower one is better."""
    number = run.benchmark.ranked_by
    if number is None or not run.measured:
        return math.nan
    return run.number(number) * (-1 if number.better == "lower" else 1)
