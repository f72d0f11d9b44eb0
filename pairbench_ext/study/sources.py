"""Scores that are not in a table of the user's: what papers print, and numbers of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.completeness import describe_each
from pairbench_ext.runs.judge_runs import JudgeRun
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.tables import Published
from pairbench_ext.runs.run_groups import by_benchmark, group_of, group_rule
from pairbench_ext.runs.sample_log import task_name
from pairbench_ext.runs.sample_owner import owner
from pairbench_ext.runs.scoring import Run, score_file
from pairbench_ext.study.scores import Column, Scores

SIZE = "size"  # a published number that is no score: billions of parameters


def published_benchmarks() -> dict[str, Published]:
    """What is published, by the names of the folders and benchmarks that have it."""
    found: dict[str, Published] = {}
    for folder, own in registry.benchmarks().items():
        for benchmark in own:
            if benchmark.published is not None:
                found.setdefault(folder, benchmark.published)
                found[benchmark.name] = benchmark.published
    return found


def add_published(scores: Scores, wanted: str) -> None:
    """Put printed numbers beside the others, as columns `benchmark Table 2: number`.

    Args:
        scores: to add to.
        wanted: `benchmark`, `benchmark:table` or `benchmark:table:number,number`; a table is called
            `8` or `Table 8`.

    Raises:
        RecordError: if there is no such benchmark, table or number, naming those that there are.
    """
    name, _, rest = wanted.partition(":")
    table, _, numbers = rest.partition(":")
    known = published_benchmarks()
    if name not in known:
        raise RecordError(f"nothing is published of {name!r}; known: {', '.join(known)}")
    published = known[name]
    cells = [
        cell
        for cell in _of_table(name, published, table)
        if cell.model and cell.value and cell.model not in published.not_models
    ]
    cells = _of_numbers(wanted, cells, numbers)
    models = scores.take((cell.model for cell in cells), f"{name} {table}".strip())
    columns: dict[str, tuple[str, dict[str, float]]] = {}
    for cell in cells:
        if cell.number == SIZE:
            scores.said_sizes.setdefault(models[cell.model], cell.middle)
            continue
        where = ", ".join(filter(None, [f"{name} {cell.table}", cell.setting, cell.part]))
        _, values = columns.setdefault(f"{where}: {cell.number}", (cell.number, {}))
        values[models[cell.model]] = cell.middle
    for column, (number, values) in columns.items():
        scores.columns[column] = Column(values, number, name)


def _of_table(name: str, published: Published, wanted: str) -> list[Cell]:
    tables = [one.name for one in published.tables]
    called = {one.casefold(): one for one in tables}
    called |= {one.split()[-1].casefold(): one for one in tables if one.startswith("Table ")}
    if wanted and wanted.casefold() not in called:
        raise RecordError(f"{name} has no table {wanted!r}; there are {', '.join(tables)}")
    one = called[wanted.casefold()] if wanted else None
    return [cell for cell in published.cells if one in (None, cell.table)]


def _of_numbers(wanted: str, cells: Sequence[Cell], numbers: str) -> list[Cell]:
    names = dict.fromkeys(cell.number for cell in cells)
    if not names:
        raise RecordError(f"{wanted}: no models in it, only numbers of all together")
    chosen = [number.strip() for number in numbers.split(",")] if numbers else list(names)
    for number in chosen:
        if number not in names:
            raise RecordError(f"{wanted}: no number {number!r}; there are {', '.join(names)}")
    return [cell for cell in cells if cell.number in chosen]


def add_runs(scores: Scores, judges: Sequence[JudgeRun], numbers: Sequence[str] = ()) -> None:
    """Put numbers of runs beside the others, as columns `task: number`.

    Tasks that are a whole group are one column, the group's number.

    Args:
        scores: to add to.
        judges: runs, by the names of their models.
        numbers: which ones, in tasks that have them; each benchmark's headline in all others.

    Raises:
        RecordError: if no task has one of the numbers, or a run cannot be scored.
    """
    models = scores.take((judge.name for judge in judges), "the runs")
    columns: dict[str, tuple[str, str, dict[str, float]]] = {}
    unknown = set(numbers)
    for judge in judges:
        runs = [score_file(owner(registry.every_benchmark(), f), f) for f in judge.files.values()]
        asked = {task_name(run.file): {judge.name: run.asked} for run in runs}
        scores.remarks += describe_each(asked)
        for own in by_benchmark(runs):
            benchmark = own[0].benchmark
            for task, members in _columns(judge, own):
                for number in _wanted(benchmark, numbers):
                    unknown.discard(number)
                    what = number, benchmark.name
                    *_, values = columns.setdefault(f"{task}: {number}", (*what, {}))
                    values[models[judge.name]] = _value(benchmark, number, members)
    if unknown:
        raise RecordError(f"no task of these runs has the number {sorted(unknown)[0]!r}")
    for column, (number, name, values) in columns.items():
        scores.columns[column] = Column(values, number, name)


def _columns(judge: JudgeRun, runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    """Names of columns, with the runs that each is of."""
    group = group_of(runs)
    if group:
        return [(group, list(runs))]
    tasks = {file: task for task, file in judge.files.items()}
    return [(tasks[run.file], [run]) for run in runs]


def _wanted(benchmark: Benchmark, numbers: Sequence[str]) -> list[str]:
    own = [one for one in numbers if any(one in number.names for number in benchmark.numbers)]
    return own or [benchmark.headline or benchmark.numbers[0].name]


def _value(benchmark: Benchmark, number: str, runs: Sequence[Run]) -> float:
    values = [run.numbers.get(number, math.nan) for run in runs]
    return values[0] if len(values) == 1 else group_rule(benchmark.number(number))(values)
