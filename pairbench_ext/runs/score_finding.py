"""Collect the scores of runs in a finding: tables, reasons for unreadable replies, remarks."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from pairbench_ext.core.benchmark import Breakdown, Number
from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
    Source,
    Unit,
    plain_table,
    slug,
)
from pairbench_ext.core.texts import counted
from pairbench_ext.runs import controls, placing
from pairbench_ext.runs.files import PassedOver, shown
from pairbench_ext.runs.groups import are_a_group, by_benchmark, by_judge, document, labels, means
from pairbench_ext.runs.how_read import pooled
from pairbench_ext.runs.scoring import Judge, Run

#: The runs of each benchmark that stand in one table: those of a judge by its name, or of all.
Parts: TypeAlias = Sequence[tuple[str, Sequence[Run]]]
_MOST_NAMED = 6  # runs whose main number stands in a sentence
_MOST_UNDEFINED = 8  # numbers that are named
_COUNT = Measure("replies", "Replies", "Replies that cannot be read for this reason.", "count")


def score_finding(
    runs: Sequence[Run],
    rule: str | None = None,
    options: Mapping[str, Any] | None = None,
    passed_over: Sequence[PassedOver] = (),
) -> Finding:
    """Return a finding with the scores of runs."""
    parts = [part for same in by_benchmark(runs) for part in by_judge(same).items()]
    placed = {
        f"{judge}, {name}" if judge else name: placements
        for judge, of_judge in parts
        for name, placements in placing.of_runs(of_judge).items()
    }
    reference = {"reference": placed} if placed else {}
    return Finding(
        "score",
        tuple(line for judge, of_judge in parts for line in _says(judge, of_judge)),
        tables=tuple(table for judge, of_judge in parts for table in _tables(judge, of_judge)),
        sources=sources_of(runs),
        notes=(
            *dict.fromkeys(note for judge, of_judge in parts for note in _notes(judge, of_judge)),
            *placing.describe(placed),
        ),
        fields=document(runs, rule, options or {}, passed_over) | reference,
    )


def cautions(runs: Iterable[tuple[str, Run]]) -> Iterator[str]:
    """Yield warnings on how replies were parsed, to print before any metric.

    Args:
        runs: with their labels. Those of one judge are counted together.
    """
    doubtful: dict[str, list[tuple[str, Run]]] = defaultdict(list)
    for label, run in runs:
        if run.how_read.cautions():
            doubtful[run.judge].append((label, run))
    for judge, labelled in doubtful.items():
        [(label, run), *others] = labelled
        place = shown(run.file)
        if others:
            label = ", ".join(filter(None, (judge, counted(len(labelled), "task"))))
            place = shown(Path(os.path.commonpath([run.file.parent for _, run in labelled])))
        for line in pooled([run.how_read for _, run in labelled]).cautions():
            look = f". `pairbench check {place}` shows such replies" if run.file.exists() else ""
            yield f"{label}: {line}{look}"


def cautions_of(judges: Iterable[Judge]) -> list[str]:
    """Return the warnings on how replies were parsed, one or two lines for each judge."""
    named = ((f"{judge.name}, {run.name}", run) for judge in judges for run in judge.runs.values())
    return list(cautions(named))


def sources_of(runs: Iterable[Run]) -> tuple[Source, ...]:
    """Return the samples files from which runs were read."""
    return tuple(
        Source(run.judge, run.task, shown(run.file), len(run.readings), run.asked.complete)
        for run in runs
    )


def measure_of(number: Number) -> Measure:
    """Return the table column for one metric of a benchmark."""
    unit: Unit = "count" if number.kind == "count" else "number"
    scale = {"share": (0.0, 1.0), "correlation": (-1.0, 1.0)}.get(number.kind)
    return Measure(number.name, number.title, "", unit, number.better, scale, digits=number.digits)


def quantity_of(number: Number, values: Mapping[str, float], *, best: bool = False) -> Quantity:
    """Return the table cell with a metric's value and interval; `best` marks the best judge."""
    value, low, high = number.found_in(values)
    return Quantity(value, (low, high) if number.interval else None, best=best)


def _tables(judge: str, runs: Sequence[Run]) -> Iterator[FindingTable]:
    """Yield the tables of runs that stand beside each other."""
    yield from _sections(judge, runs)
    yield from _controls(judge, runs)
    yield from _breakdowns(judge, runs)
    yield _reasons({label: run.unusable for label, run in zip(labels(runs), runs, strict=True)})


def _sections(judge: str, runs: Sequence[Run]) -> Iterator[FindingTable]:
    """Yield a table for each section of the benchmark's numbers."""
    benchmark = runs[0].benchmark
    for section in dict.fromkeys(number.section for number in benchmark.numbers):
        if section is not None:
            numbers = [number for number in benchmark.numbers if number.section == section]
            title = section or benchmark.title
            columns, rows = tuple(map(measure_of, numbers)), tuple(_rows(runs, numbers))
            yield FindingTable(slug(title), title, ("Task",), columns, rows, judge)


def _controls(judge: str, runs: Sequence[Run]) -> Iterator[FindingTable]:
    """Yield the main numbers beside what the highest control reaches, and their means."""
    reached = {
        label: run.controls for label, run in zip(labels(runs), runs, strict=True) if run.controls
    }
    if reached and are_a_group(runs):
        measured = [run.controls for run in runs if run.measured]
        reached[f"mean of {len(measured)}"] = controls.mean_of(measured)
    if reached:
        yield controls.table_of(reached, judge)


def _breakdowns(judge: str, runs: Sequence[Run]) -> Iterator[FindingTable]:
    """Yield the tables of numbers by part, of each run and across runs."""
    benchmark, measured = runs[0].benchmark, [run for run in runs if run.measured]
    for breakdown in (part for part in benchmark.breakdowns if not part.across):
        yield from _by_run(breakdown, measured, judge)
    for breakdown in benchmark.across if measured else ():
        if breakdown.shown is None or breakdown.shown(measured):
            yield _parts(breakdown, {"": breakdown.of(measured)}, judge)


def _by_run(breakdown: Breakdown, runs: Sequence[Run], judge: str) -> Iterator[FindingTable]:
    wanted = [run for run in runs if breakdown.shown is None or breakdown.shown(run.table)]
    named = zip(labels(wanted), wanted, strict=True)
    parts = {label: breakdown.of(run.table) for label, run in named}
    alone = [{name: part} for name, part in parts.items()]
    for tables in alone if breakdown.apart else [parts]:
        yield _parts(breakdown, tables, judge)


def _rows(runs: Sequence[Run], numbers: Sequence[Number]) -> Iterator[FindingRow]:
    for label, run in zip(labels(runs), runs, strict=True):
        yield FindingRow((label,), {n.name: _quantity(n, run) for n in numbers})
    if are_a_group(runs):
        values, label = means(runs), f"mean of {sum(run.measured for run in runs)}"
        yield FindingRow((label,), {n.name: quantity_of(n, values) for n in numbers})


def _quantity(number: Number, run: Run) -> Quantity:
    if not (number.resampled and run.measured and not math.isnan(run.number(number))):
        return quantity_of(number, run.numbers)
    value, interval = run.value(number)
    return Quantity(value, interval)


def _reasons(why: Mapping[str, Counter[str]]) -> FindingTable:
    """Return a row per reason, the most frequent first, with a column per run."""
    total: Counter[str] = sum(why.values(), Counter())
    counts = {reason: [c[reason] for c in why.values()] for reason, _ in total.most_common()}
    if len(counts) > 1:
        counts["all"] = [c.total() for c in why.values()]
    columns = tuple(Measure(label, label, _COUNT.explain, "count") for label in why)
    rows = ((reason, *of_runs) for reason, of_runs in counts.items())
    return plain_table("unreadable", "Why replies cannot be read", ("Reason",), columns, rows)


def _parts(
    breakdown: Breakdown, parts: Mapping[str, Mapping[Any, Any]], asked: str
) -> FindingTable:
    """Return numbers by part: a row per run and part, a column per number of a part."""
    apart = any(parts)  # not across runs
    rows = tuple(
        FindingRow((run, _part_name(part)) if apart else (_part_name(part),), _cells_of(value))
        for run, of_run in parts.items()
        for part, value in of_run.items()
    )
    names = dict.fromkeys(name for row in rows for name in row.cells)
    columns = tuple(_column(name, rows) for name in names)
    keys = ("Task", "Part") if apart else ("Part",)
    return FindingTable(breakdown.name, breakdown.title, keys, columns, rows, asked)


def _part_name(part: Any) -> str:
    return "(not named)" if part in ("", None) else str(part)


def _column(name: str, rows: Sequence[FindingRow]) -> Measure:
    values = [row.cells[name].value for row in rows if name in row.cells]
    if any(isinstance(value, str) for value in values):
        return Measure(name, name.replace("_", " "), unit="text")
    whole = all(value is None or isinstance(value, int) for value in values)
    return Measure(name, name.replace("_", " "), unit="count" if whole else "number", digits=3)


def _cells_of(value: Any) -> dict[str, Quantity]:
    """Return the cells of a part by the names of their columns."""
    if hasattr(value, "interval"):
        return {"share": Quantity(value.value, value.interval, value.n)}
    named = value._asdict() if hasattr(value, "_asdict") else value
    values = named if isinstance(named, Mapping) else {"value": value}
    return {str(name): _cell(getattr(number, "value", number)) for name, number in values.items()}


def _cell(value: Any) -> Quantity:
    if isinstance(value, tuple):  # an interval
        return Quantity(" to ".join(f"{end:.3f}" for end in value))
    if isinstance(value, bool):
        return Quantity("yes" if value else "no")
    return Quantity(value if isinstance(value, (int, str)) or value is None else float(value))


def _says(judge: str, runs: Sequence[Run]) -> Iterator[str]:
    """Yield cautions on reading, which runs are incomplete, then the main number of each."""
    yield from cautions(zip(labels(runs), runs, strict=True))
    for label, run in zip(labels(runs), runs, strict=True):
        yield from (f"{label}: {line}" for line in run.asked.describe())
    number = runs[0].benchmark.ranked_by
    if number is None:
        return
    column = measure_of(number)
    if are_a_group(runs):  # its mean says what the tasks would say one by one
        measured = sum(run.measured for run in runs)
        cell = quantity_of(number, means(runs))
        if cell.value is not None:
            whose = f"{judge}, mean" if judge else "Mean"
            yield f"{whose} of {measured:,} tasks: {column.sentence(cell)}"
        return
    for name, run in zip(labels(runs), runs[:_MOST_NAMED], strict=False):
        label = f"{judge}, {name}" if judge else name
        cell = quantity_of(number, run.numbers)
        if cell.value is not None:
            yield f"{label}: {_beside_control(column, run).sentence(cell)}"
        elif run.unusable:
            (why, times), *_ = run.unusable.most_common(1)
            yield f"{label}: {number.name} is undefined. Most often ({times:,} times): {why}."


def _beside_control(column: Measure, run: Run) -> Measure:
    """Return the column of a number with what its highest control reaches, if there is one."""
    found = next((control for control in run.controls if control.number.name == column.name), None)
    if found is None:
        return column
    says = f"a judge that {found.control.about}"
    return replace(column, reference=found.value, reference_says=says)


def _notes(judge: str, runs: Sequence[Run]) -> Iterator[str]:
    """Yield which numbers are undefined, and remarks."""
    undefined = []
    for number in runs[0].benchmark.numbers:
        missing = [math.isnan(number.found_in(run.numbers)[0]) for run in runs]
        if any(missing) and not (number.when and all(missing)):
            undefined.append(number.name)
    if len(undefined) > _MOST_UNDEFINED:
        yield (
            f"`-` means that a number is undefined here, or was not measured: {len(undefined)} "
            f"of {len(runs[0].benchmark.numbers)} numbers."
        )
    elif undefined:
        yield (
            "`-` means that a number is undefined here, or was not measured: "
            f"{', '.join(undefined)}."
        )
    for label, run in zip(labels(runs), runs, strict=True):
        above = run.asked.describe()
        named = f"{judge}, {label}" if judge else label
        yield from (f"{named}: {line}" for line in run.remarks() if line not in above)
