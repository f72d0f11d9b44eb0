"""Average a judge's metrics over a group of tasks, and write the metrics of runs as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pairbench_ext.core.benchmark import Benchmark, Group, Number, Task
from pairbench_ext.runs.files import PassedOver, shown
from pairbench_ext.runs.scoring import Run
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Combination
from pairbench_ext.statistics.means import mean_of_defined


def means(runs: Sequence[TaskOutcomes]) -> dict[str, float]:
    """Return each metric's mean over a group's tasks (a run of each), with the mean's interval."""
    numbers: dict[str, float] = {}
    for number in runs[0].benchmark.numbers:
        values = [run.numbers[number.name] for run in runs if number.name in run.numbers]
        if values:
            numbers[number.name] = group_rule(number)(values)
            if number.interval:
                numbers |= zip(number.ends, mean_interval(number, runs), strict=False)
    return numbers


def mean_interval(number: Number, runs: Sequence[TaskOutcomes]) -> Interval:
    """Return the 95% interval of a metric's mean over tasks, resampling shared clusters jointly.

    NaN, NaN where the number is a count, or a task's is undefined or not to be resampled.
    """
    undefined = Interval(math.nan, math.nan)
    if number.kind == "count":
        return undefined
    parts = [run.resampled(number) for run in runs if run.measured]
    defined = [part for part in parts if part is not None]
    if not defined or len(defined) < len(parts):
        return undefined
    return Combination(defined, mean=number.over).interval()


def group_rule(number: Number) -> Callable[[Sequence[float]], float]:
    """Return the function that combines a metric over tasks: a declared one, a sum or a mean."""
    if number.over is not None:
        return number.over
    return sum_of_defined if number.kind == "count" else mean_of_defined


def sum_of_defined(values: Sequence[float]) -> float:
    """Return the sum of the values that are not NaN; NaN if all are NaN.

    >>> sum_of_defined([1, float("nan"), 2])
    3
    """
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) if defined else math.nan


def by_benchmark(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs, grouped by benchmark."""
    grouped: dict[str, list[Run]] = {}
    for run in runs:
        grouped.setdefault(run.benchmark.name, []).append(run)
    return list(grouped.values())


def by_judge(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Return the runs keyed by judge, or all under an empty name if they fit in one table.

    All runs are under "" where they stand in one table: one judge's tasks, or one task's judges if
    the benchmark has no numbers across runs that are each judge's.
    """
    judges: dict[str, list[Run]] = {}
    for run in runs:
        judges.setdefault(run.judge, []).append(run)
    apart = any(x.apart for run in runs for x in run.benchmark.across) or len(judges) < len(runs)
    return judges if apart and len(judges) > 1 else {"": list(runs)}


def labels(runs: Sequence[Run]) -> list[str]:
    """Return labels for runs: judge and task, or task only."""
    if len({run.judge for run in runs}) < 2:
        return [run.name for run in runs]
    return [f"{run.judge}/{run.task}".rstrip("/") for run in runs]


def are_a_group(runs: Sequence[Run]) -> bool:
    """Return whether a mean over runs makes sense: they are of different tasks in one task group.

    Runs of one task, or of a benchmark without groups, are judges beside each other.
    """
    names = {run.name for run in runs}
    if len(names) < max(2, len(runs)) or len(by_benchmark(runs)) > 1:
        return False
    benchmark = runs[0].benchmark
    if len({benchmark.design(name) for name in names}) > 1:
        return False
    groups = [task for task in benchmark.tasks if isinstance(task, Group) and task.mean]
    # Tasks for the user's own data are not declared; they come in groups where others do.
    if groups and not names & {task.name for task in benchmark.tasks}:
        return True
    return any(names <= leaves(group.name, groups) for group in groups)


def group_of(runs: Sequence[Run]) -> str:
    """Return the task group that has exactly the tasks of these runs; empty if there is none."""
    if len(runs) < 2 or not are_a_group(runs):
        return ""
    tasks = {run.name for run in runs}
    benchmark = runs[0].benchmark
    names = (task.name for task in benchmark.tasks if isinstance(task, Group))
    return next((name for name in names if leaves(name, benchmark.tasks) == tasks), "")


def whole_groups(benchmark: Benchmark, tasks: Collection[str]) -> dict[str, list[str]]:
    """Return a benchmark's largest task groups whose tasks are all given, with these tasks.

    Tasks for the user's own data are not declared; they are a group where others come in groups.
    """
    groups = [task for task in benchmark.tasks if isinstance(task, Group) and task.mean]
    members = {group.name: leaves(group.name, groups) for group in groups}
    whole = {name: held for name, held in members.items() if len(held) > 1 and held <= set(tasks)}
    whole |= _own_tasks(benchmark, tasks) if groups else {}
    return {
        name: [task for task in tasks if task in held]
        for name, held in whole.items()
        if not any(held < other for other in whole.values())
    }


def _own_tasks(benchmark: Benchmark, tasks: Iterable[str]) -> dict[str, set[str]]:
    """Return the tasks that are not declared as a group, if they are several of one design."""
    undeclared = {*tasks} - {task.name for task in benchmark.tasks}
    alike = len({benchmark.design(task) for task in undeclared}) == 1
    return {"own tasks": undeclared} if len(undeclared) > 1 and alike else {}


def tasks_of(benchmark: Benchmark, name: str) -> list[Task]:
    """Return the tasks of the named group, or the named task itself."""
    names = leaves(name, benchmark.tasks)
    return [task for task in benchmark.tasks if isinstance(task, Task) and task.name in names]


def leaves(name: str, tasks: Iterable[Task | Group]) -> set[str]:
    """Return the tasks of a group, including those of its subgroups."""
    groups = {group.name: group.members for group in tasks if isinstance(group, Group)}

    def below(name: str) -> set[str]:
        members = groups.get(name)
        return {name} if members is None else {leaf for m in members for leaf in below(m)}

    return below(name)


def document(
    runs: Sequence[Run],
    rule: str | None,
    options: Mapping[str, Any],
    passed_over: Sequence[PassedOver] = (),
) -> dict[str, Any]:
    """Return the metrics of each run, in a form for JSON.

        {"benchmark": ..., "rule": ..., "pool": ..., "options": {...},
         "runs": [{"file": ..., "judge": ..., "name": ..., "benchmark": ..., "samples": ...,
                   "asked": {"samples": ..., "of": ..., "items": ..., "of_items": ...,
                             "complete": ...},
                   "failed": ..., "unusable": {reason: count}, "left_out": [reason],
                   "numbers": {...}, <breakdown>: {...}, "noise": {...},
                   "distributions": {...}, "remarks": [...],
                   "items": ..., "of_items": ...}],
         "passed_over": [{"file": ..., "why": ...}],
         "mean": {...}, <across>: {...}}

    `mean` is there where the runs are tasks of a group, `noise` where items were asked several
    times, `items` and `of_items` where a part of them was drawn (`limit_items`). Where several
    judges have several tasks, `mean` and what is across tasks are in `judges`, by their names.
    """
    judges = {judge: _together(of_judge) for judge, of_judge in by_judge(runs).items()}
    return {
        "benchmark": runs[0].benchmark.name,
        "rule": rule or "as stored in the run",
        "pool": runs[0].pool or "as stored in the run",
        "options": options,
        "runs": [_run_document(*labelled) for labelled in zip(labels(runs), runs, strict=True)],
        "passed_over": passed_over,
        **judges.pop("", {"judges": judges}),
    }


def _together(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the means and the other numbers over all runs of a judge."""
    measured = by_benchmark([run for run in runs if run.measured])
    across = {part.name: part.of(same) for same in measured for part in same[0].benchmark.across}
    mean = {"mean": means(runs)} if are_a_group(runs) else {}
    return mean | {name: parts for name, parts in across.items() if parts}


def _run_document(label: str, run: Run) -> dict[str, Any]:
    noise = run.noise
    return {
        "file": shown(run.file),
        "judge": run.judge,
        "name": label,
        "benchmark": run.benchmark.name,
        "samples": len(run.readings),
        "asked": run.asked,
        "failed": run.failed,
        "unusable": dict(run.unusable.most_common()),
        "left_out": run.left_out,
        **({"items": run.sampled.items, "of_items": run.sampled.of} if run.sampled else {}),
        "numbers": run.numbers,
        **run.breakdowns(),
        **({"noise": {"number": run.benchmark.headline, **noise.to_dict()}} if noise else {}),
        **({"distributions": run.distributions} if run.distributions else {}),
        **({"controls": run.controls} if run.controls else {}),
        "remarks": run.remarks(),
    }
