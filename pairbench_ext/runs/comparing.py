"""Which of several judges is better, and is the difference real?

Tasks are matched by name and items by what their benchmark calls an item; what only one judge has
been asked is left out of a comparison, counted and named. `statistics.difference` compares two
judges on one number; p-values are adjusted over all numbers and pairs of judges by Holm's method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Group
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.comparisons import (
    Comparison,
    Comparisons,
    Ranking,
    Value,
    adjusted,
    describe_unmeasured,
)
from pairbench_ext.runs.judge_runs import JudgeRun, files_by_task
from pairbench_ext.runs.run_groups import leaves
from pairbench_ext.runs.scoring import FileReadings
from pairbench_ext.runs.task_comparison import TaskResult, compare_task
from pairbench_ext.runs.task_processes import each_task
from pairbench_ext.statistics.combination import Combination
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.multiple import compact_letters


def compare(
    runs: Sequence[JudgeRun],
    *,
    rule: str | None = None,
    pool: str | None = None,
    numbers: Sequence[str] = (),
    baseline: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
    already: Mapping[Path, FileReadings] | None = None,
) -> Comparisons:
    """Compare judges, each with each other or with a baseline.

    Args:
        runs: of the judges, at least two.
        rule: how replies are read; None for the rule of each run, or else the default.
        pool: what an unusable one counts as; None as each run says.
        numbers: which to compare; by default those with an interval of which one end is better.
        baseline: the judge that all others are compared with; None for all pairs.
        progress: is told of each task that is done.
        already: what is in the files, if they were read before; None reads them.

    Raises:
        RecordError: if there are fewer than two judges, no task that two of them have, no such
            baseline or number, or a file that cannot be scored.
    """
    pairs = _pairs([run.name for run in runs], baseline)
    tasks = _shared_tasks(runs, pairs)
    compare_one = partial(compare_task, pairs=pairs, rule=rule, pool=pool, numbers=tuple(numbers))
    results: list[TaskResult] = []
    for result in (
        each_task(compare_one, tasks)
        if already is None
        else (compare_one(task, files, already=already) for task, files in tasks)
    ):
        progress(result.task)
        results.append(result)
    found = [one for result in results for one in result.comparisons]
    unmeasured = {one.task: one.unmeasured for one in results if one.unmeasured}
    if not found:
        if unmeasured:
            raise RecordError(f"nothing to compare: {'; '.join(describe_unmeasured(unmeasured))}")
        wanted = f"the number {' or '.join(numbers)}" if numbers else "a headline number"
        raise RecordError(
            f"none of the judges' tasks has {wanted} that is measured; --number NAME chooses others"
        )
    groups = [made for made in map(_group_result, _groups(results)) if made is not None]
    found += [one for group in groups for one in group.comparisons]
    together = adjusted(found)
    return Comparisons(
        tuple(runs),
        together,
        tuple(_rankings([*results, *groups], together, len(runs), baseline)),
        {
            one.task: (str(registry.benchmark_of(one.benchmark).headline), one.noise)
            for one in results
            if one.noise
        },
        {one.task: one.asked for one in results},
        unmeasured,
    )


def _pairs(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(names) < 2:
        raise RecordError("at least two judges are needed: give a folder or file of each")
    if baseline is None:
        return list(combinations(names, 2))
    known = [name for name in names if baseline in (name, name.rpartition("/")[2])]
    if len(known) != 1:
        raise RecordError(f"no judge is called {baseline!r}; the judges are {', '.join(names)}")
    return [(name, known[0]) for name in names if name != known[0]]


def _shared_tasks(
    runs: Sequence[JudgeRun], pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, dict[str, Path]]]:
    """The tasks that both judges of a pair have, and the judges' files."""
    shared = [
        (task, files)
        for task, files in files_by_task(runs).items()
        if any(set(pair) <= set(files) for pair in pairs)
    ]
    if not shared:
        has = "; ".join(f"{run.name} has {', '.join(run.files)}" for run in runs[:4])
        raise RecordError(f"no task that two judges have: {has}")
    return shared


def _groups(results: Sequence[TaskResult]) -> list[tuple[str, list[TaskResult]]]:
    """The largest groups of which all tasks are there."""
    found = []
    for name in dict.fromkeys(result.benchmark for result in results):
        benchmark = registry.benchmark_of(name)
        own = {one.task: one for one in results if one.benchmark == name}
        groups = [task for task in benchmark.tasks if isinstance(task, Group) and task.mean]
        members = {group.name: leaves(group.name, groups) for group in groups}
        there = {
            group: tasks for group, tasks in members.items() if len(tasks) > 1 and tasks <= set(own)
        }
        found += [
            (group, [own[task] for task in own if task in tasks])
            for group, tasks in there.items()
            if not any(tasks < other for other in there.values())
        ]
    return found


def _group_result(group: tuple[str, list[TaskResult]]) -> TaskResult | None:
    """The means over the tasks of a group, with intervals from its tasks' joint resamples."""
    name, members = group
    made = TaskResult(name, members[0].benchmark)
    for number in registry.benchmark_of(made.benchmark).numbers:
        if number.kind == "count":
            continue
        alone = [one.alone.get(number.name, {}) for one in members]
        values = {
            judge: Combination([own[judge] for own in alone], mean=number.over)
            for judge in alone[0]
            if all(judge in own for own in alone)
        }
        if values:
            made.values[number.name] = {
                judge: Value(mean.estimate(), mean.interval()) for judge, mean in values.items()
            }
        parts = [one.resampled.get(number.name, {}) for one in members]
        for pair in [pair for pair in parts[0] if all(pair in own for own in parts)]:
            below = [
                one
                for member in members
                for one in member.comparisons
                if (one.number, one.a, one.b) == (number.name, *pair)
            ]
            own = [[part[pair][side] for part in parts] for side in (0, 1)]
            found = difference(own[0], own[1], number.over)
            made.comparisons.append(_together(name, below, found))
    return made if made.comparisons else None


def _together(task: str, members: Sequence[Comparison], found: Difference) -> Comparison:
    """The comparison of two judges' means over tasks, from those of the tasks."""
    return replace(
        members[0],
        task=task,
        difference=found.value,
        ci95=found.interval,
        p=found.test.p,
        test=found.test.method,
        clusters=found.clusters,
        items=sum(one.items for one in members),
        only_a=sum(one.only_a for one in members),
        only_b=sum(one.only_b for one in members),
        uneven=sum(one.uneven for one in members),
    )


def _rankings(
    results: Sequence[TaskResult],
    comparisons: Sequence[Comparison],
    n_judges: int,
    baseline: str | None,
) -> Iterator[Ranking]:
    decided: dict[tuple[str, str], list[Comparison]] = {}
    for one in comparisons:
        decided.setdefault((one.task, one.number), []).append(one)
    for result in results:
        for name, values in result.values.items():
            number = registry.benchmark_of(result.benchmark).number(name)
            found = decided.get((result.task, name), [])
            sign = -1 if number.better != "lower" else 1
            ranked = sorted(
                values,
                key=lambda judge: (math.isnan(values[judge].value), sign * values[judge].value),
            )
            letters = {}
            tested = [c for c in found if not math.isnan(c.p)]
            if baseline is None and len(tested) == math.comb(len(ranked), 2) and n_judges > 1:
                letters = compact_letters(ranked, [(c.a, c.b) for c in tested if c.differs])
            yield Ranking(
                result.task,
                name,
                number.title,
                {judge: values[judge] for judge in ranked},
                letters,
            )
