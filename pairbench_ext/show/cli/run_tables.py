"""Tables of the numbers of several runs of one benchmark, and remarks beside them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from pairbench_ext.core.benchmark import Breakdown, Number
from pairbench_ext.runs.groups import are_a_group, labels, means
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.cli.console import UNDEFINED, cell, console, interval, print_table, table


def print_runs(runs: Sequence[Run]) -> None:
    """Print the numbers of several runs of one benchmark, section by section."""
    benchmark = runs[0].benchmark
    for label, run in zip(labels(runs), runs, strict=True):
        for line in run.asked.describe():
            console.print(f"{label}: {line}")
    for title, shown in _sections(runs):
        print_table(shown, title)
    measured = [run for run in runs if run.measured]
    for breakdown in benchmark.breakdowns:
        if not breakdown.across:
            _print_breakdown(breakdown, measured)
    for breakdown in benchmark.across if measured else ():
        wanted = breakdown.shown is None or breakdown.shown(measured)
        by_part = breakdown.of(measured) if wanted else {}
        if by_part:
            print_table(parts_table({"": by_part}), breakdown.title)
    why = {label: run.unusable for label, run in zip(labels(runs), runs, strict=True)}
    if any(why.values()):
        print_table(_reasons(why), "reasons for unusable replies, with counts")
    for note in _notes(runs):
        console.print(note)


def _sections(runs: Sequence[Run]) -> Iterator[tuple[str, Table]]:
    """Yield the tables of the numbers that were measured, with their titles."""
    benchmark = runs[0].benchmark
    for section in dict.fromkeys(number.section for number in benchmark.numbers):
        if section is None:
            continue
        numbers = [number for number in benchmark.numbers if number.section == section]
        shown = _numbers_table(runs, numbers)
        if shown is not None:
            yield section or benchmark.title, shown


def _reasons(why: Mapping[str, Counter[str]]) -> Table:
    """Return a line per reason, the most frequent first, with a column per run."""
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
    parts = {
        label: breakdown.of(run.table) for label, run in zip(labels(wanted), wanted, strict=True)
    }
    for shown in [{name: part} for name, part in parts.items()] if breakdown.apart else [parts]:
        if any(shown.values()):
            print_table(parts_table(shown), breakdown.title)


def _numbers_table(runs: Sequence[Run], numbers: Sequence[Number]) -> Table | None:
    """Return a line per run, and one for a group's mean; None if no run has any of the numbers."""
    measured = [
        n for n in numbers if any(not math.isnan(run.numbers.get(n.name, math.nan)) for run in runs)
    ]
    if not measured:
        return None
    titles = [t for n in measured for t in (n.title, *(("95% interval",) if n.interval else ()))]
    made = table(("task",), titles)
    for label, run in zip(labels(runs), runs, strict=True):
        made.add_row(label, *(c for n in measured for c in _cells(n, run.numbers)))
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
    if number.interval:
        low, high = (numbers.get(end, math.nan) for end in number.ends)
        cells.append(interval(low, high))
    return cells


def parts_table(parts: Mapping[str, Mapping[Any, Any]]) -> Table:
    """Return a table of numbers by part: a line per run and part, a column per number of a part.

    Args:
        parts: by run, by part: a value, a share with its interval, or several values by name.
    """
    rows = [
        (run, str(part) if part not in ("", None) else "(not named)", _cells_of(value))
        for run, of_run in parts.items()
        for part, value in of_run.items()
    ]
    columns = list(dict.fromkeys(name for *_, cells in rows for name in cells))
    made = table(("task", ""), (name.replace("_", " ") for name in columns))
    for run, part, cells in rows:
        made.add_row(run, part, *(cells.get(name, UNDEFINED) for name in columns))
    return made


def _cells_of(value: Any) -> dict[str, str]:
    """Return the cells of a part by the titles of their columns."""
    if hasattr(value, "interval"):
        return {
            "share": cell(value.value),
            "95% interval": interval(*value.interval),
            "n": str(value.n),
        }
    named = value._asdict() if hasattr(value, "_asdict") else value
    if isinstance(named, Mapping):
        return {str(name): _text(number) for name, number in named.items()}
    return {"value": _text(value)}


def _text(value: Any) -> str:
    if hasattr(value, "interval"):
        value = value.value
    if isinstance(value, (bool, str)) or value is None:
        return UNDEFINED if value is None else str(value)
    return cell(value, 0 if isinstance(value, int) else 3)


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    """Yield which numbers are undefined, and remarks."""
    undefined = []
    for number in runs[0].benchmark.numbers:
        missing = [math.isnan(run.numbers.get(number.name, math.nan)) for run in runs]
        if any(missing) and not (number.when and all(missing)):
            undefined.append(number.name)
    if undefined:
        yield f"{UNDEFINED} : undefined or not measured ({', '.join(undefined)})"
    for label, run in zip(labels(runs), runs, strict=True):
        above = run.asked.describe()  # the tables
        yield from (f"{label}: {remark}" for remark in run.remarks() if remark not in above)
