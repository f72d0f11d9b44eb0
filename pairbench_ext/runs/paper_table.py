"""Make a table like the one in a benchmark's paper: one row per judge, with the paper's metrics.

The columns are those of the published table that runs of the task are placed in, and where nothing
is published, the numbers of the benchmark's first section.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
    Unit,
    slug,
)
from pairbench_ext.core.texts import capitalised, counted, listed
from pairbench_ext.runs.comparisons import Comparisons
from pairbench_ext.runs.controls import Reached, mean_of
from pairbench_ext.runs.groups import by_benchmark, mean_interval, means, whole_groups
from pairbench_ext.runs.placing import Asked, differences, places
from pairbench_ext.runs.published import Place, Table
from pairbench_ext.runs.score_finding import sources_of
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval

CONTROL = "control"  # as below; see `core.controls`
PUBLISHED = "published"  # of which items a row is, where it is not of those that all were asked
_UNKNOWN = Interval(math.nan, math.nan)


class _Column(NamedTuple):
    """A number in a column: what runs are measured by, its name in print, how it is shown."""

    number: Number
    printed: str
    measure: Measure


class _Unit(NamedTuple):
    """A table: a task, or a group of tasks that are all there, and where a paper prints it."""

    benchmark: Benchmark
    name: str
    members: Sequence[str]
    printed: tuple[Table, Place] | None


_ByJudge = Mapping[str, Sequence[TaskOutcomes]]


def table_finding(
    judges: Sequence[Judge],
    compared: Comparisons | None = None,
    *,
    with_published: bool = False,
    intervals: bool = False,
) -> Finding:
    """Return tables like a paper's, one for each complete task group and each task outside of them.

    Rows are the published ones, then judges on the items that all were asked, then judges on their
    own items where these are others.

    Args:
        judges: whose runs are shown, in the order of the rows.
        compared: the same judges; None where they are not compared, and no value is marked best.
        with_published: whether the published table's rows are in it.
        intervals: whether values have their 95% intervals.
    """
    runs = {judge.name: list(judge.runs.values()) for judge in judges}
    tables = [
        _table(unit, runs, compared, published=with_published, intervals=intervals)
        for unit in _units(runs)
    ]
    sources = sources_of(run for judge in judges for run in judge.runs.values())
    return Finding("table", (), tuple(tables), sources)


def _table(
    unit: _Unit,
    runs: Mapping[str, Sequence[Run]],
    compared: Comparisons | None,
    *,
    published: bool,
    intervals: bool,
) -> FindingTable:
    """Return the table of a task, with the numbers that one of the judges has."""
    benchmark, task, members, printed = unit
    whole = _whole(runs, members)
    possible = _columns(unit)
    columns = [column for column in possible if _is_measured(column, whole)]
    on_common = _on_common(whole, [s for s in _sides(compared) if s.name in members])
    on_own = _on_own(whole, on_common, columns)
    leaders = _leaders(compared, task)
    reached = _reached(whole, columns) if published and printed else ()
    rows = [
        *(_published_rows(unit, columns) if published else ()),
        *_control_rows(reached, columns),
        *(_row(name, "", of, columns, leaders, intervals) for name, of in on_common.items()),
        *(_row(name, _own(of), of, columns, {}, intervals) for name, of in on_own.items()),
    ]
    keys = 1 + any(row.keys[1] for row in rows)
    return FindingTable(
        slug(f"{benchmark.name} {task}"),
        f"{benchmark.title}, {task}",
        ("Judge", "Items")[:keys],
        tuple(column.measure for column in columns or possible),
        tuple(replace(row, keys=row.keys[:keys]) for row in rows),
        notes=(
            *_left_out(runs, whole, task, members),
            *_on_own_items(on_common, on_own),
            *_beside_published(unit, whole, asked=published),
            *_on_what(reached),
            *_empty(possible, columns),
        ),
        tasks=tuple(members),
    )


def _whole(runs: Mapping[str, Sequence[Run]], members: Sequence[str]) -> dict[str, Sequence[Run]]:
    """Return the runs of each judge that has all tasks."""
    held = {
        judge: [run for run in of_judge if run.measured and run.name in members]
        for judge, of_judge in runs.items()
    }
    return {name: of_judge for name, of_judge in held.items() if len(of_judge) == len(members)}


def _sides(compared: Comparisons | None) -> Sequence[SideBySide]:
    return compared.sides if compared else ()


def _empty(possible: Sequence[_Column], columns: Sequence[_Column]) -> Iterator[str]:
    empty = [c.measure.title for c in possible if c not in columns]
    if empty and columns:
        yield f"left out, because not measured: {', '.join(empty)}"


def _units(runs: Mapping[str, Sequence[Run]]) -> Iterator[_Unit]:
    """Yield the groups whose tasks are all there, and the other tasks, with their tasks."""
    for same in by_benchmark([run for of_judge in runs.values() for run in of_judge]):
        benchmark = same[0].benchmark
        tasks = list(dict.fromkeys(run.name for run in same if run.measured))
        groups = whole_groups(benchmark, tasks)
        held = {task for members in groups.values() for task in members}
        units = groups | {task: [task] for task in tasks if task not in held}
        for task, members in units.items():
            yield _Unit(benchmark, task, members, next(iter(places(benchmark, task)), None))


def _leaders(compared: Comparisons | None, task: str) -> dict[str, str | None]:
    """Return the judge that is significantly ahead of all others, by the name of the number."""
    rankings = compared.rankings if compared else ()
    return {ranking.number: ranking.best for ranking in rankings if ranking.task == task}


def _on_common(judges: _ByJudge, sides: Sequence[SideBySide]) -> _ByJudge:
    """Return the judges on the items that all were asked; nothing where each has its own."""
    if len(judges) < 2:
        return judges
    if not sides or not all(side.common and {*judges} <= {*side.judges} for side in sides):
        return {}
    return {judge: [side.on_common[judge] for side in sides] for judge in judges}


def _on_own(judges: _ByJudge, on_common: _ByJudge, columns: Sequence[_Column]) -> _ByJudge:
    """Return the judges whose values over all of their items are others than on common ones."""

    def values(runs: Sequence[TaskOutcomes]) -> list[float]:
        numbers = _numbers(runs)
        return [column.number.found_in(numbers)[0] for column in columns]

    return {
        judge: runs
        for judge, runs in judges.items()
        if not on_common
        or not np.allclose(values(runs), values(on_common[judge]), rtol=1e-12, equal_nan=True)
    }


def _own(runs: Sequence[TaskOutcomes]) -> str:
    return f"own {counted(sum(len(run.items) for run in runs), 'item')}"


def _numbers(runs: Sequence[TaskOutcomes]) -> Mapping[str, float]:
    return means(runs) if len(runs) > 1 else runs[0].numbers


def _is_measured(column: _Column, judges: _ByJudge) -> bool:
    found = (column.number.found_in(_numbers(runs))[0] for runs in judges.values())
    return any(not math.isnan(value) for value in found)


def _row(
    judge: str,
    items: str,
    runs: Sequence[TaskOutcomes],
    columns: Sequence[_Column],
    leaders: Mapping[str, str | None],
    intervals: bool,
) -> FindingRow:
    numbers = _numbers(runs)
    n = sum(len(run.items) for run in runs)
    cells = {}
    for number, _, measure in columns:
        value, *ends = number.found_in(numbers)
        ci95 = _interval(number, runs, ends) if intervals else _UNKNOWN
        cells[measure.name] = Quantity(value, ci95, n, best=leaders.get(number.name) == judge)
    return FindingRow((judge, items), cells)


def _interval(number: Number, runs: Sequence[TaskOutcomes], ends: Sequence[float]) -> Interval:
    """Return the interval that the numbers have, or else one of joint resamples of the tasks."""
    return mean_interval(number, runs) if math.isnan(sum(ends)) else Interval(*ends)


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


def _why_missing(runs: Sequence[Run], task: str, members: Sequence[str]) -> str:
    asked = [run for run in runs if run.name in members]
    if not asked:
        return f"was not asked {task}"
    lacking = [m for m in members if m not in {run.name for run in asked if run.measured}]
    return f"is left out of {task}: it has no result for {listed(lacking, 2)}"


def _on_own_items(on_common: _ByJudge, on_own: _ByJudge) -> Iterator[str]:
    """Yield a note on the items that the values cover, if judges were asked different items."""
    if not on_common:
        yield "the judges were not all asked the same items, so their rows are not comparable"
    elif on_own:
        items = sum(len(judge.items) for judge in next(iter(on_common.values())))
        yield (
            f"rows that give no number of items can be compared: they cover the {items:,} items "
            "that all judges were asked. Each item counts once"
        )


def _columns(unit: _Unit) -> list[_Column]:
    """Return the columns of a task's table: those of the paper's, or of the first section."""
    benchmark = unit.benchmark
    if unit.printed is None:
        section = benchmark.numbers[0].section
        shown = (n for n in benchmark.numbers if n.section == section and n.kind != "count")
        return [_Column(number, number.name, _measure(benchmark, number)) for number in shown]
    table, place = unit.printed
    values: dict[str, list[str]] = {}
    for cell in benchmark.published.at(table, place):
        values.setdefault(cell.number, []).append(cell.value)
    numbers = {number.name: number for number in benchmark.numbers}
    names = {place.numbers.get(printed, printed): printed for printed in values}
    return [
        _Column(numbers[name], printed, _measure(benchmark, numbers[name], values[printed]))
        for name, printed in names.items()
        if name in numbers
    ]


def _measure(benchmark: Benchmark, number: Number, printed: Sequence[str] = ()) -> Measure:
    """Return a number's column: in print its title, decimals, in percent or not.

    Where no table prints it, it has its name in words, or its title in other letters.
    """
    words = number.name.replace("_", " ")
    unprinted = number.title if printed or number.title.casefold() == words else words
    titles = benchmark.published.titles if benchmark.published else {}
    title = titles.get(number.name, capitalised(unprinted))
    if not printed:
        return Measure(number.name, title, better=number.better, digits=number.digits)
    digits = max(len(value.rstrip("%").partition(".")[2]) for value in printed)
    unit: Unit = "percent" if "%" in printed[0] else "number"
    return Measure(number.name, title, unit=unit, better=number.better, digits=digits)


def _published_rows(unit: _Unit, columns: Sequence[_Column]) -> Iterator[FindingRow]:
    values: dict[str, dict[str, float]] = {}
    for cell in unit.benchmark.published.at(*unit.printed) if unit.printed else ():
        values.setdefault(cell.model, {})[cell.number] = cell.middle
    for model, printed in values.items():
        cells = {c.measure.name: Quantity(printed.get(c.printed)) for c in columns}
        yield FindingRow((model, PUBLISHED), cells)


def _reached(judges: Mapping[str, Sequence[Run]], columns: Sequence[_Column]) -> Sequence[Reached]:
    """Return what a judge reaches that ignores the question, on the items of the first judge."""
    numbers = [column.number for column in columns]
    means = mean_of([run.controls for run in next(iter(judges.values()), ())])
    return [control for control in means if control.number in numbers]


def _control_rows(reached: Sequence[Reached], columns: Sequence[_Column]) -> Iterator[FindingRow]:
    values = {control.number.name: control.value for control in reached}
    if values:
        cells = {c.measure.name: Quantity(values.get(c.number.name)) for c in columns}
        yield FindingRow(("ignores the question", CONTROL), cells)


def _on_what(reached: Sequence[Reached]) -> Iterator[str]:
    """Yield which judges the row of controls is of."""
    for control in reached:
        yield (
            f"control, {control.number.name}: on these items, this is the value of a judge that "
            f"{control.control.about}"
        )


def _beside_published(unit: _Unit, runs: _ByJudge, *, asked: bool) -> Iterator[str]:
    """Yield which table the published rows are from, and how the settings of runs differ."""
    benchmark, task, _, printed = unit
    if printed is None:
        if asked:
            yield (
                "--published has no rows for this task: the published rows are for the paper's "
                "own data"
            )
        return
    table, place = printed
    if asked:
        yield f"published: {table.name} of {benchmark.published.source} ({table.about})"
    otherwise: dict[str, list[str]] = {}
    for judge, of_judge in runs.items():
        differs = "; ".join(differences(benchmark, Asked(task, _numbers(of_judge), ""), place))
        otherwise.setdefault(differs, []).append(judge)
    for differs, judges in otherwise.items():
        if differs:
            yield f"{', '.join(judges)}: differs from the published runs: {differs}"
