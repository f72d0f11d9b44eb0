"""Tables of the numbers of several runs of one benchmark, and remarks beside them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pairbench_ext.core.benchmark import Breakdown, Number
from pairbench_ext.runs.groups import are_a_group, labels, means
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.cli.console import UNDEFINED, cell, console, interval, print_table


def print_runs(runs: Sequence[Run]) -> None:
    """Print the numbers of several runs of one benchmark, section by section."""
    benchmark = runs[0].benchmark
    for label, run in zip(labels(runs), runs, strict=True):
        for line in run.asked.describe():
            console.print(f"{label}: {line}")
    for section in dict.fromkeys(number.section for number in benchmark.numbers):
        if section is not None:
            _print_numbers(section or benchmark.title, runs, section)
    measured = [run for run in runs if run.measured]
    for breakdown in benchmark.breakdowns:
        if not breakdown.across:
            _print_breakdown(breakdown, measured)
    for breakdown in benchmark.across if measured else ():
        wanted = breakdown.shown is None or breakdown.shown(measured)
        by_part = breakdown.of(measured) if wanted else {}
        if by_part:
            _print_parts(breakdown.title, {"": by_part})
    _print_reasons({label: run.unusable for label, run in zip(labels(runs), runs, strict=True)})
    for note in _notes(runs):
        console.print(note)


def _print_reasons(why: Mapping[str, Counter[str]]) -> None:
    """Print a line per reason, the most frequent first, with a column per run."""
    total: Counter[str] = sum(why.values(), Counter())
    rows: list[Sequence[Any]] = [
        (reason, *(counts[reason] for counts in why.values())) for reason, _ in total.most_common()
    ]
    if len(total) > 1:
        rows += [(), ("all", *(counts.total() for counts in why.values()))]
    if rows:
        print_table("reasons for unusable replies, with counts", ("",), why, rows)


def _print_breakdown(breakdown: Breakdown, runs: Sequence[Run]) -> None:
    wanted = [run for run in runs if breakdown.shown is None or breakdown.shown(run.table)]
    parts = {
        label: breakdown.of(run.table) for label, run in zip(labels(wanted), wanted, strict=True)
    }
    for shown in [{name: part} for name, part in parts.items()] if breakdown.apart else [parts]:
        if any(shown.values()):
            _print_parts(breakdown.title, shown)


def _print_numbers(title: str, runs: Sequence[Run], section: str) -> None:
    """Print a line per run, and one for a group's mean; nothing if no number was measured."""
    measured = [
        number
        for number in runs[0].benchmark.numbers
        if number.section == section
        and not all(math.isnan(number.found_in(run.numbers)[0]) for run in runs)
    ]
    lines = zip(labels(runs), runs, strict=True)
    rows: list[Sequence[str]] = [(label, *_cells(measured, run.numbers)) for label, run in lines]
    if are_a_group(runs):
        mean = f"mean of {sum(run.measured for run in runs)}"
        rows += [(), (mean, *_cells(measured, means(runs)))]
    columns = [t for n in measured for t in (n.title, "95% interval")[: 2 if n.interval else 1]]
    if measured:
        print_table(title, ("task",), columns, rows)


def _cells(numbers: Sequence[Number], known: Mapping[str, float]) -> Iterator[str]:
    for number in numbers:
        value, low, high = number.found_in(known)
        yield cell(value, 0 if number.kind == "count" else number.digits)
        if number.interval:
            yield interval(low, high)


def _print_parts(title: str, parts: Mapping[str, Mapping[Any, Any]]) -> None:
    """Print numbers by part: a line per run and part, a column per number of a part.

    Args:
        title: of the table.
        parts: by run, by part: a value, a share with its interval, or several values by name.
    """
    rows = [
        (run, str(part) if part not in ("", None) else "(not named)", _cells_of(value))
        for run, of_run in parts.items()
        for part, value in of_run.items()
    ]
    columns = list(dict.fromkeys(name for *_, cells in rows for name in cells))
    titles = (name.replace("_", " ") for name in columns)
    shown = [(run, part, *map(cells.get, columns)) for run, part, cells in rows]
    print_table(title, ("task", ""), titles, shown)


def _cells_of(value: Any) -> dict[str, Any]:
    """Return the cells of a part by the titles of their columns."""
    if hasattr(value, "interval"):
        return {"share": value.value, "95% interval": value.interval, "n": value.n}
    named = value._asdict() if hasattr(value, "_asdict") else value
    values = named if isinstance(named, Mapping) else {"value": value}
    return {str(name): getattr(number, "value", number) for name, number in values.items()}


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    """Yield which numbers are undefined, and remarks."""
    undefined = []
    for number in runs[0].benchmark.numbers:
        missing = [math.isnan(number.found_in(run.numbers)[0]) for run in runs]
        if any(missing) and not (number.when and all(missing)):
            undefined.append(number.name)
    if undefined:
        yield f"{UNDEFINED} : undefined or not measured ({', '.join(undefined)})"
    for label, run in zip(labels(runs), runs, strict=True):
        above = run.asked.describe()  # the tables
        yield from (f"{label}: {remark}" for remark in run.remarks() if remark not in above)
