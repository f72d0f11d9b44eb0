"""A run beside what is printed of its model, number by number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.records import RecordError
from pairbench_ext.reproducing.expected import Expected
from pairbench_ext.runs.placing import Asked, interval, placements
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.placement import Placement
from pairbench_ext.runs.run_groups import leaves_of, means
from pairbench_ext.runs.sample_files import find_samples
from pairbench_ext.runs.sample_log import task_name
from pairbench_ext.runs.sample_owner import owner
from pairbench_ext.runs.scoring import Run, score_file
from pairbench_ext.statistics.bootstrap import Interval


class Compared(NamedTuple):
    """A number of a run and the printed one.

    Attributes:
        task: that was run.
        number: what the benchmark calls it.
        cell: where it is printed.
        printed: the printed value.
        ci95: of the printed value, from the publication's number of items; NaN, NaN where it is no
            share of a known number.
        value: of the run; NaN if it is undefined.
        own95: the run's own interval; NaN, NaN if there is none.
    """

    task: str
    number: str
    cell: Cell
    printed: float
    ci95: Interval
    value: float
    own95: Interval

    @property
    def inside(self) -> bool | None:
        """Whether the run's value is in the printed one's interval; None where there is none."""
        known = not math.isnan(self.value) and not math.isnan(self.ci95.low)
        return self.ci95.low <= self.value <= self.ci95.high if known else None


class RunComparison(NamedTuple):
    """What a run says about printed numbers.

    Attributes:
        numbers: those of tasks that ask as the publication did.
        placed: where tasks stand among all models of the tables, and how they ask otherwise.
        missing: tasks that something is printed of and that were not run, or not wholly.
        remarks: on the samples: how many are there, what was passed over.
    """

    numbers: tuple[Compared, ...]
    placed: Mapping[str, Sequence[Placement]]
    missing: tuple[str, ...]
    remarks: tuple[str, ...]


def compare(expected: Sequence[Expected], runs: Path) -> RunComparison:
    """Compare the logged samples of a folder with what is printed of a model.

    Replies are read by the rule of the publication where that is known.

    Args:
        expected: what is printed of the model; not empty.
        runs: a folder with the samples of one model.

    Raises:
        RecordError: if the folder has no samples, or some cannot be read.
    """
    benchmarks = {one.benchmark.name: one.benchmark for one in expected}
    found = find_samples([runs], list(benchmarks.values()))
    by_task: dict[str, Run] = {}
    for file in found.files:
        task = task_name(file)
        if task in by_task:
            raise RecordError(
                f"{runs}: {by_task[task].file} and {file} are both of {task!r}; name the folder "
                "of one model's run"
            )
        by_task[task] = _score(list(benchmarks.values()), file)
    measured = {task: run for task, run in by_task.items() if run.measured}
    remarks = [*found.describe()]
    remarks += [f"{task}: {line}" for task, run in by_task.items() for line in run.asked.describe()]
    remarks += [f"{task}: no sample says anything" for task in by_task if task not in measured]
    numbers: list[Compared] = []
    placed: dict[str, list[Placement]] = {}
    for benchmark in benchmarks.values():
        printed = next(one.printed[0].cell.model for one in expected if one.benchmark is benchmark)
        for task in _asked(benchmark, expected, measured):
            own = [measured[leaf] for leaf in sorted(leaves_of(benchmark, task))]
            values = means(own) if len(own) > 1 else own[0].numbers
            numbers += _numbers(task, expected, values)
            where = placements(benchmark, Asked(task, values, printed, _rule(benchmark)))
            if where:
                placed[task] = where
    there = {
        task
        for one in expected
        for task in one.place.tasks
        if leaves_of(one.benchmark, task) <= set(measured)
    }
    missing = [one.place.task for one in expected if not there & set(one.place.tasks)]
    return RunComparison(
        tuple(numbers), placed, tuple(dict.fromkeys(missing)), tuple(dict.fromkeys(remarks))
    )


def _rule(benchmark: Benchmark) -> str | None:
    return benchmark.published.rule if benchmark.published is not None else None


def _score(benchmarks: Sequence[Benchmark], file: Path) -> Run:
    benchmark = owner(benchmarks, file)
    return score_file(benchmark, file, rule=_rule(benchmark))


def _asked(
    benchmark: Benchmark, expected: Sequence[Expected], runs: Mapping[str, Run]
) -> list[str]:
    """Which tasks and groups, of those that were run as a whole, numbers are wanted of.

    Those that something is printed of; of the others those that are in no other.
    """
    places = [task for one in expected if one.benchmark is benchmark for task in one.place.tasks]
    whole = {
        task.name: inside
        for task in benchmark.tasks
        if (inside := leaves_of(benchmark, task.name)) <= set(runs)
    }
    return [
        name
        for name, inside in whole.items()
        if name in places or not any(inside < other for other in whole.values())
    ]


def _numbers(
    task: str, expected: Sequence[Expected], values: Mapping[str, float]
) -> Iterator[Compared]:
    for one in expected:
        if task not in one.place.tasks:
            continue
        for cell, name in one.printed:
            ends = [values.get(end, math.nan) for end in one.benchmark.number(name).ends]
            yield Compared(
                task,
                name,
                cell,
                cell.middle,
                interval(one.published, cell),
                values.get(name, math.nan),
                Interval(*ends) if len(ends) == 2 else Interval(math.nan, math.nan),
            )
