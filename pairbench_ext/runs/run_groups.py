"""Runs that are tasks of a group: which they are, and their means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pairbench_ext.core.benchmark import Benchmark, Group, Number, Task
from pairbench_ext.runs.resampling import clustered
from pairbench_ext.runs.sample_log import task_name
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Combination, Resampled
from pairbench_ext.statistics.means import mean_of_defined


def means(runs: Sequence[Run]) -> dict[str, float]:
    """Every number over several runs, as a group of tasks has it, with the ends of its interval."""
    found = {}
    for number in runs[0].benchmark.numbers:
        values = [run.numbers[number.name] for run in runs if number.name in run.numbers]
        if values:
            found[number.name] = group_rule(number)(values)
            found |= zip(number.ends, _mean_interval(number, runs), strict=False)
    return found


def _mean_interval(number: Number, runs: Sequence[Run]) -> Interval:
    """The interval of a group's mean, from joint resamples of the clusters that its tasks share.

    NaN, NaN where the group's number is a count, or a task's is undefined or not to be resampled.
    """
    if number.interval is None or number.kind == "count":
        return Interval(math.nan, math.nan)
    measured = [run for run in runs if run.measured]
    parts = [
        clustered(run.benchmark, task_name(run.file), number, run.table, run.outcomes, run.weights)
        for run in measured
    ]
    known = [Resampled(part) for part in parts if part is not None]
    if not known or len(known) < len(measured):
        return Interval(math.nan, math.nan)
    return Combination(known, mean=number.over).interval()


def group_rule(number: Number) -> Callable[[Sequence[float]], float]:
    """How a group has a number: its own rule; else a count is summed, all else averaged."""
    if number.over is not None:
        return number.over
    return sum_of_defined if number.kind == "count" else mean_of_defined


def sum_of_defined(values: Sequence[float]) -> float:
    """The sum of the values that are not NaN; NaN if there is none.

    >>> sum_of_defined([1, float("nan"), 2])
    3
    """
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) if defined else math.nan


def by_benchmark(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs of each benchmark."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.benchmark.name, []).append(run)
    return list(found.values())


def are_a_group(runs: Sequence[Run]) -> bool:
    """Whether runs are several tasks of a benchmark with groups: their mean means something.

    Runs of one task, or of a benchmark without groups, are judges beside each other.
    """
    names = {task_name(run.file) for run in runs}
    if len(names) < max(2, len(runs)) or len(by_benchmark(runs)) > 1:
        return False
    groups = [task for task in runs[0].benchmark.tasks if isinstance(task, Group) and task.mean]
    declared = {task.name for task in runs[0].benchmark.tasks}
    # Tasks for the user's own data are not declared; they come in groups where others do.
    if groups and not names & declared:
        return True
    return any(names <= leaves(group.name, groups) for group in groups)


def group_of(runs: Sequence[Run]) -> str:
    """The group whose tasks the runs are; empty if they are none's."""
    if len(runs) < 2 or not are_a_group(runs):
        return ""
    return group_with(runs[0].benchmark, {task_name(run.file) for run in runs})


def group_with(benchmark: Benchmark, tasks: set[str]) -> str:
    """The group that holds these tasks and no other; empty if there is none."""
    groups = (one.name for one in benchmark.tasks if isinstance(one, Group))
    return next((name for name in groups if leaves_of(benchmark, name) == tasks), "")


def tasks_of(benchmark: Benchmark, name: str) -> list[Task]:
    """The declared tasks of a group, or the one of a name."""
    names = leaves_of(benchmark, name)
    return [one for one in benchmark.tasks if isinstance(one, Task) and one.name in names]


def leaves_of(benchmark: Benchmark, name: str) -> set[str]:
    """The names of the tasks of a benchmark's group; a task is its own."""
    return leaves(name, [one for one in benchmark.tasks if isinstance(one, Group)])


def leaves(name: str, groups: Sequence[Group]) -> set[str]:
    """The tasks of a group, those of its groups included; a task is its own."""
    members = next((group.members for group in groups if group.name == name), None)
    if members is None:
        return {name}
    return {leaf for member in members for leaf in leaves(member, groups)}
