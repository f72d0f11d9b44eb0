"""Order judges in a table by their main number."""

import math
from collections.abc import Sequence

from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes


def best_first(judges: Sequence[Judge]) -> list[Judge]:
    """Return judges ordered by the mean of their main number over tasks, the best first.

    Only tasks count that all judges have, if there are any, and of these only the items that all
    were asked. Judges without a number stand last, in their order.
    """
    shared = set.intersection(*({*judge.runs} for judge in judges)) if judges else set()
    sides = {task: _measured(judges, task) for task in shared}

    def place(judge: Judge) -> tuple[bool, float]:
        values = [
            _goodness(sides[task].on_common.get(judge.name) or run if task in sides else run)
            for task, run in judge.runs.items()
            if run.measured and (task in shared or not shared)
        ]
        defined = [value for value in values if not math.isnan(value)]
        return not defined, -sum(defined) / max(1, len(defined))

    return sorted(judges, key=place)


def _measured(judges: Sequence[Judge], task: str) -> SideBySide:
    """The judges of whom a task has anything; nothing in common if they are of two benchmarks."""
    runs = {judge.name: judge.runs[task] for judge in judges if judge.runs[task].measured}
    benchmarks = {run.benchmark.name for run in runs.values()}
    side = SideBySide(task, judges[0].runs[task].benchmark, runs if len(benchmarks) == 1 else {})
    return side if side.common else SideBySide(task, side.benchmark, {})


def _goodness(run: TaskOutcomes) -> float:
    """Return the main number, turned round where a lower one is better."""
    number = run.benchmark.ranked_by
    if number is None:
        return math.nan
    return run.number(number) * (-1 if number.better == "lower" else 1)
