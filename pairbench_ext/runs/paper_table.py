"""Make a paper's table: one row per judge, with the numbers that the paper prints.

The columns are those of the published table that runs of the task are placed in, and where nothing
is published, the numbers of the benchmark's first section.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.comparisons import Comparisons, Ranking
from pairbench_ext.runs.groups import by_benchmark, means, whole_groups
from pairbench_ext.runs.placing import Asked, differences, places
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval

_NOTHING = Interval(math.nan, math.nan)


class Column(NamedTuple):
    """A number in a column of the table.

    Attributes:
        number: what runs are measured by.
        title: the full name: of the number, unless its title is the same with capitals.
        printed: its name in the published table.
        digits: decimals.
        percent: whether it is printed in per cent, as the published table does.
    """

    number: Number
    title: str
    printed: str
    digits: int
    percent: bool


class Cell(NamedTuple):
    """A value, its 95% interval, and whether it is the best.

    The best one is significantly ahead of every other judge's.
    """

    value: float
    ci95: Interval = _NOTHING
    best: bool = False


class Row(NamedTuple):
    """A judge, or a model of the published table.

    Attributes:
        name: of the judge.
        cells: one per column.
        published: whether it is of the published table.
        own: of how many items it is where these are a judge's own; 0 where all were asked them.
    """

    name: str
    cells: tuple[Cell, ...]
    published: bool = False
    own: int = 0

    @property
    def apart(self) -> bool:
        """Return whether the row is not comparable with the judges' rows on common items."""
        return self.published or self.own > 0


class PaperTable(NamedTuple):
    """A table.

    Attributes:
        title: the benchmark and the task, or group of tasks.
        columns: its numbers.
        rows: the published ones first, then judges on the items that all were asked, then judges
            on their own where these are others.
        notes: what a reader must know.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]


def paper_tables(
    judges: Sequence[Judge],
    compared: Comparisons | None = None,
    *,
    with_published: bool = False,
) -> Iterator[PaperTable]:
    """Make a table of each complete group, and of each other task.

    Args:
        judges: whose runs are shown, in the order of the rows.
        compared: the same judges; None where they are not compared, and no value is marked best.
        with_published: whether the published table's rows are in it.
    """
    runs = {judge.name: list(judge.runs.values()) for judge in judges}
    rankings = {(r.task, r.number): r for r in (compared.rankings if compared else ())}
    for benchmark, task, members in _units(runs):
        of_judges = {
            judge: [run for run in of_judge if run.measured and run.name in members]
            for judge, of_judge in runs.items()
        }
        whole = {name: held for name, held in of_judges.items() if len(held) == len(members)}
        notes = _left_out(runs, whole, task, members)
        sides = [s for s in (compared.sides if compared else ()) if s.name in members]
        of_task = {number: ranking for (of, number), ranking in rankings.items() if of == task}
        yield _paper_table(
            benchmark, task, whole, _on_common(whole, sides), of_task, list(notes), with_published
        )


def _on_common(
    judges: Mapping[str, Sequence[Run]], sides: Sequence[SideBySide]
) -> dict[str, Sequence[TaskOutcomes]]:
    """Return the judges on the items that all were asked; nothing where each has its own."""
    if len(judges) < 2:
        return {**judges}
    if not sides or not all(side.common and {*judges} <= {*side.judges} for side in sides):
        return {}
    return {judge: [side.on_common[judge] for side in sides] for judge in judges}


def _paper_table(
    benchmark: Benchmark,
    task: str,
    judges: Mapping[str, Sequence[Run]],
    on_common: Mapping[str, Sequence[TaskOutcomes]],
    rankings: Mapping[str, Ranking],
    notes: list[str],
    with_published: bool,
) -> PaperTable:
    """Return the table of a task, with the numbers that one of the judges has."""
    every = columns_of(benchmark, task)
    columns = [column for column in every if _is_measured(column, judges)]
    marked = [rankings.get(column.number.name) for column in columns]
    leaders = [ranking.best if ranking else None for ranking in marked]
    rows = [_row(judge, of_judge, columns, leaders) for judge, of_judge in on_common.items()]
    own = [
        _row(judge, of_judge, columns)._replace(own=sum(len(run.items) for run in of_judge))
        for judge, of_judge in judges.items()
        if not on_common or any(a is not b for a, b in zip(of_judge, on_common[judge], strict=True))
    ]
    printed = _published_rows(benchmark, task, columns) if with_published else []
    notes += _on_own_items(on_common, own)
    notes += _beside_published(benchmark, task, judges, asked=with_published)
    empty = [column.title for column in every if column not in columns]
    if empty and columns:
        notes.append(f"not measured, and left out: {', '.join(empty)}")
    title = f"{benchmark.title}, {task}"
    return PaperTable(title, tuple(columns or every), (*printed, *rows, *own), tuple(notes))


def _is_measured(column: Column, judges: Mapping[str, Sequence[Run]]) -> bool:
    numbers = (means(runs) if len(runs) > 1 else runs[0].numbers for runs in judges.values())
    return any(not math.isnan(column.number.found_in(known)[0]) for known in numbers)


def _left_out(
    runs: Mapping[str, Sequence[Run]],
    whole: Mapping[str, Sequence[Run]],
    task: str,
    members: Sequence[str],
) -> Iterator[str]:
    """Yield which judges are not in the table, and of whose runs a part is missing."""
    for judge in runs:
        if judge not in whole:
            yield f"{judge} {_why_missing(runs[judge], task, members)}"
    for judge, of_judge in whole.items():
        for run in of_judge:
            yield from (f"{judge}, {run.name}: {line}" for line in run.asked.describe())


def _on_own_items(
    on_common: Mapping[str, Sequence[TaskOutcomes]], own: Sequence[Row]
) -> Iterator[str]:
    """Yield what values are of, where judges have different items."""
    if not on_common:
        yield "the judges were not all asked the same items, so their rows are not comparable"
    elif own:
        items = sum(len(judge.items) for judge in next(iter(on_common.values())))
        yield (
            "rows without a number of items are comparable: they are over the "
            f"{items:,} items that all judges were asked, each counted once"
        )


def _why_missing(runs: Sequence[Run], task: str, members: Sequence[str]) -> str:
    asked = [run for run in runs if run.name in members]
    if not asked:
        return f"was not asked {task}"
    lacking = [m for m in members if m not in {run.name for run in asked if run.measured}]
    return f"is left out of {task}: no sample of {listed(lacking, 2)} has an outcome or is there"


def columns_of(benchmark: Benchmark, task: str) -> list[Column]:
    """Return the columns of a task's table."""
    for table, place in places(benchmark, task)[:1]:
        values: dict[str, list[str]] = {}
        for cell in benchmark.published.at(table, place):
            values.setdefault(cell.number, []).append(cell.value)
        numbers = {number.name: number for number in benchmark.numbers}
        names = {place.numbers.get(printed, printed): printed for printed in values}
        return [
            _column(numbers[name], printed, _digits(values[printed]), "%" in values[printed][0])
            for name, printed in names.items()
            if name in numbers
        ]
    section = benchmark.numbers[0].section
    numbers_shown = [n for n in benchmark.numbers if n.section == section and n.kind != "count"]
    return [_column(number, number.name, number.digits) for number in numbers_shown]


def _column(number: Number, printed: str, digits: int, percent: bool = False) -> Column:
    name = number.name.replace("_", " ")
    title = number.title if number.title.casefold() == name else name
    return Column(number, title, printed, digits, percent)


def _digits(values: Sequence[str]) -> int:
    return max(len(value.rstrip("%").partition(".")[2]) for value in values)


def _units(
    runs: Mapping[str, Sequence[Run]],
) -> Iterator[tuple[Benchmark, str, Sequence[str]]]:
    """Yield the groups whose tasks are all there, and the other tasks, with their tasks."""
    for same in by_benchmark([run for of_judge in runs.values() for run in of_judge]):
        benchmark = same[0].benchmark
        tasks = list(dict.fromkeys(run.name for run in same if run.measured))
        groups = whole_groups(benchmark, tasks)
        held = {task for members in groups.values() for task in members}
        units = groups | {task: [task] for task in tasks if task not in held}
        yield from ((benchmark, task, members) for task, members in units.items())


def _row(
    judge: str,
    runs: Sequence[TaskOutcomes],
    columns: Sequence[Column],
    best: Sequence[str | None] = (),
) -> Row:
    numbers = means(runs) if len(runs) > 1 else runs[0].numbers
    cells = []
    for column, leader in zip_longest(columns, best):
        value, *ends = column.number.found_in(numbers)
        cells.append(Cell(value, Interval(*ends), leader == judge))
    return Row(judge, tuple(cells))


def _published_rows(benchmark: Benchmark, task: str, columns: Sequence[Column]) -> list[Row]:
    values: dict[str, dict[str, float]] = {}
    for table, place in places(benchmark, task)[:1]:
        for cell in benchmark.published.at(table, place):
            values.setdefault(cell.model, {})[cell.number] = cell.middle
    return [
        Row(model, tuple(Cell(printed.get(c.printed, math.nan)) for c in columns), published=True)
        for model, printed in values.items()
    ]


def _beside_published(
    benchmark: Benchmark, task: str, runs: Mapping[str, Sequence[Run]], *, asked: bool
) -> Iterator[str]:
    """Yield which table the published rows are from, and how the settings of runs differ.

    Args:
        benchmark: whose table it is.
        task: of the table.
        runs: of each judge.
        asked: whether somebody asked for the published rows.
    """
    known = places(benchmark, task)[:1]
    if not known:
        if asked:
            yield "--published has no rows for this task: they are of the papers' own data"
        return
    [(table, place)] = known
    if asked:
        yield f"published: {table.name} of {benchmark.published.source} ({table.about})"
    otherwise: dict[str, list[str]] = {}
    for judge, of_judge in runs.items():
        numbers = means(of_judge) if len(of_judge) > 1 else of_judge[0].numbers
        differs = "; ".join(differences(benchmark, Asked(task, numbers, ""), place))
        otherwise.setdefault(differs, []).append(judge)
    for differs, judges in otherwise.items():
        if differs:
            yield f"{', '.join(judges)}: differs from the published runs: {differs}"
