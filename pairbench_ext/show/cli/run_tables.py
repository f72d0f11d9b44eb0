"""Tables of the numbers of several runs of one benchmark, and what is to be said beside them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from pairbench_ext.core.benchmark import Breakdown, Number
from pairbench_ext.runs.groups import are_a_group, means
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.cli.console import UNDEFINED, cell, console, interval, print_table, table

_WIDE = 14  # more columns of numbers by name become lines


def print_runs(runs: Sequence[Run]) -> None:
    """Tables of the numbers of several runs of one benchmark, section by section."""
    if not runs:
        return
    benchmark = runs[0].benchmark
    for line in _missing(runs):
        console.print(line)
    for title, shown in _sections(runs):
        print_table(shown, title)
    measured = [run for run in runs if run.measured]
    for breakdown in benchmark.breakdowns:
        _print_breakdown(breakdown, measured)
    for breakdown in benchmark.across if measured else ():
        wanted = breakdown.shown is None or breakdown.shown(measured)
        by_part = breakdown.of(measured) if wanted else {}
        if by_part:
            print_table(parts_table({"": by_part}), breakdown.title)
    why = {run.name: run.unusable for run in runs}
    if any(why.values()):
        print_table(_reasons(why), "why replies were unusable: how many")
    for note in _notes(runs):
        console.print(note)


def _sections(runs: Sequence[Run]) -> Iterator[tuple[str, Table]]:
    """The tables of the numbers that were measured, with their titles."""
    benchmark = runs[0].benchmark
    for section in dict.fromkeys(number.section for number in benchmark.numbers):
        if section is None:
            continue
        numbers = [number for number in benchmark.numbers if number.section == section]
        shown = _numbers_table(runs, numbers)
        if shown is not None:
            yield section or benchmark.title, shown


def _missing(runs: Sequence[Run]) -> list[str]:
    """How much of their tasks the runs hold, where that is not all."""
    return [f"{run.name}: {line}" for run in runs for line in run.asked.describe()]


def _reasons(why: Mapping[str, Counter[str]]) -> Table:
    """A line per reason, the most frequent first, with a column per run, and one for their sum."""
    made = table(("",), why)
    total: Counter[str] = sum(why.values(), Counter())
    for reason, _ in total.most_common():
        made.add_row(reason, *(str(counts[reason]) for counts in why.values()))
    if len(total) > 1:
        made.add_section()
        made.add_row("all", *(str(counts.total()) for counts in why.values()))
    return made


def _print_breakdown(breakdown: Breakdown, runs: Sequence[Run]) -> None:
    wanted = [run for run in runs if breakdown.shown is None or breakdown.shown(run.table)]
    parts = {run.name: breakdown.of(run.table) for run in wanted}
    for shown in [{name: part} for name, part in parts.items()] if breakdown.apart else [parts]:
        if any(shown.values()):
            print_table(parts_table(shown), breakdown.title)


def _numbers_table(runs: Sequence[Run], numbers: Sequence[Number]) -> Table | None:
    """A line per run, and one for a group's mean; None if no run has any of the numbers."""
    measured = [
        n for n in numbers if any(not math.isnan(run.numbers.get(n.name, math.nan)) for run in runs)
    ]
    if not measured:
        return None
    titles = [t for n in measured for t in (n.title, *(("95% interval",) if n.interval else ()))]
    made = table(("task",), titles)
    for run in runs:
        made.add_row(run.name, *(c for n in measured for c in _cells(n, run.numbers)))
    if are_a_group(runs):
        mean = means(runs)
        made.add_section()
        made.add_row(
            f"mean of {sum(run.measured for run in runs)}",
            *(c for n in measured for c in _cells(n, mean)),
        )
    return made


def _cells(number: Number, numbers: Mapping[str, float]) -> list[str]:
    value = numbers.get(number.name, math.nan)
    cells = [cell(value, 0 if number.kind == "count" else number.digits)]
    if number.interval is not None:
        low, high = (numbers.get(end, math.nan) for end in number.ends)
        cells.append(interval(low, high))
    return cells


def parts_table(parts: Mapping[str, Mapping[Any, Any]]) -> Table:
    """Numbers by part: a line each, with a column per run.

    Where a part has several numbers by name, it is a line per run and part; where they are many, a
    column.

    Args:
        parts: by run, by part: values, shares with their intervals, or mappings.
    """
    values = [value for of_run in parts.values() for value in of_run.values()]
    if any(_by_name(value) is not None for value in values):
        return _several_table(parts)
    columns = ["", "95% interval", "n"] if any(map(_is_share, values)) else [""]
    made = table(("",), [f"{run} {column}".strip() for run in parts for column in columns])
    for name in dict.fromkeys(name for of_run in parts.values() for name in of_run):
        cells = (of_run.get(name) for of_run in parts.values())
        made.add_row(_part(name), *(c for part in cells for c in _part_cells(part, len(columns))))
    return made


def _several_table(parts: Mapping[str, Mapping[Any, Any]]) -> Table:
    rows = [
        (run, _part(name), _by_name(value) or {})
        for run, of_run in parts.items()
        for name, value in of_run.items()
    ]
    keys = list(dict.fromkeys(key for *_, values in rows for key in values))
    titles = [str(key).replace("_", " ") for key in keys]
    if len(titles) > _WIDE:
        made = table(("",), [f"{run} {name}".strip() for run, name, _ in rows])
        for key, title in zip(keys, titles, strict=True):
            made.add_row(title, *(_any_cell(values.get(key)) for *_, values in rows))
        return made
    made = table(("task", ""), titles)
    for run, name, values in rows:
        made.add_row(run, name, *(_any_cell(values.get(key)) for key in keys))
    return made


def _part(name: Any) -> str:
    return "(not named)" if name in ("", None) else str(name)


def _is_share(value: Any) -> bool:
    return hasattr(value, "interval")


def _by_name(value: Any) -> Mapping[str, Any] | None:
    """The numbers of a part by name; None where it is one number."""
    if _is_share(value):
        return None
    named = value._asdict() if hasattr(value, "_asdict") else value
    return named if isinstance(named, Mapping) else None


def _part_cells(value: Any, width: int) -> list[str]:
    if value is None:
        return [UNDEFINED] * width
    if _is_share(value):
        return [cell(value.value), interval(*value.interval), str(value.n)]
    return [_any_cell(value)]


def _any_cell(value: Any) -> str:
    if _is_share(value):
        return cell(value.value)
    if isinstance(value, (bool, str)) or value is None:
        return UNDEFINED if value is None else str(value)
    return cell(value, 0 if isinstance(value, int) else 3)


def _notes(runs: Sequence[Run]) -> list[str]:
    """What is to be said of the runs: undefined numbers, and remarks."""
    undefined = [
        number.name
        for number in runs[0].benchmark.numbers
        for values in ([run.numbers.get(number.name, math.nan) for run in runs],)
        if any(map(math.isnan, values)) and not (number.when and all(map(math.isnan, values)))
    ]
    notes = [f"- : undefined or not measured ({', '.join(undefined)})"] if undefined else []
    for run in runs:
        said = run.asked.describe()  # above the tables
        notes += [f"{run.name}: {remark}" for remark in run.remarks() if remark not in said]
    return notes
