"""Findings as text that fits the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
)
from pairbench_ext.core.texts import printable

_BAR = 15  # columns of a bar
_TITLE = 11  # columns of a title over several lines, about as wide as its numbers
_GAP = "  "
_MOST_TABLES = 3  # that are shown in full; of each further one its first sentence
_MOST_WITH_PROBLEMS = 3  # rows of a ranked table whose problems are told where room is scarce


class _TextColumn(NamedTuple):
    title: list[str]  # its lines
    cells: list[str]  # one for each row
    reference: str = ""
    left: bool = False  # whether it is aligned to the left

    @property
    def width(self) -> int:
        return max(map(len, (*self.title, *self.cells, self.reference)))

    def line(self, text: str) -> str:
        return text.ljust(self.width) if self.left else text.rjust(self.width)


def render(
    finding: Finding, width: int, *, everything: bool = False, most_lines: int | None = None
) -> str:
    """Return a finding as text.

    Args:
        finding: to show.
        width: of the longest line.
        everything: show all columns, tables and problems.
        most_lines: for which there is room; None for any number.
    """
    made = _lines(finding, width, everything, None)
    most = _MOST_WITH_PROBLEMS
    ranked = any(table.ranked for table in finding.tables)
    while not everything and ranked and most_lines and most >= 0 and len(made) > most_lines:
        made = _lines(finding, width, everything, most)
        most -= 1
    return "\n".join(made).strip("\n")


def _lines(finding: Finding, width: int, everything: bool, most: int | None) -> list[str]:
    """The lines of a finding, with the problems of so many rows of a table; of all if None."""
    lines = [line for text in finding.says for line in _wrapped(text, width)]
    tables = [table for table in finding.tables if not table.empty]
    shown = [table for table in tables if everything or not table.detail]
    ranked = [table for table in shown if table.ranked]
    short = [] if everything else ranked[_MOST_TABLES:]
    for table in shown:
        lines.append("")
        lines += _in_short(table, width) if table in short else _table(table, width, most)
    notes = [*finding.notes, *(finding.details if everything else ()), *_legend(shown)]
    if short:
        notes.append("--all shows every table.")
    if notes:
        lines += ["", *(line for note in notes for line in _wrapped(note, width))]
    return lines


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return a text in lines; what comes from outside cannot steer the terminal."""
    return [
        line
        for paragraph in text.split("\n")
        for line in textwrap.wrap(
            printable(paragraph), width, subsequent_indent=indent, break_on_hyphens=False
        )
    ]


def _legend(tables: Sequence[FindingTable]) -> Iterator[str]:
    rows = [row for table in tables for row in table.rows]
    marks = []
    if any(row.best for row in rows):
        marks.append("* best, or tied with the best.")
    if any(row.problems for row in rows):
        marks.append("! a problem that the data show.")
    if marks:
        yield " ".join([*marks, "- not measured."])


def _in_short(table: FindingTable, width: int) -> list[str]:
    return _wrapped(" ".join([f"{table.title}:", *table.says[:1]]), width)


def _table(table: FindingTable, width: int, most: int | None) -> list[str]:
    used, common = _without_common_keys(table.used())
    asked = "; ".join(filter(None, (table.asked, common)))
    title = table.title + (f"  ({asked})" if asked else "")
    lines = [*_wrapped(title, width), *(x for text in table.says for x in _wrapped(text, width))]
    grid, left_out = _ranked_grid(used, width) if used.ranked else (_blocks(used, width), [])
    lines += ["", *grid] if used.rows and lines else grid
    notes = [f"{row.name}: {row.note}" for row in table.rows if row.note]
    below = [*_problems(table, width, most)]
    if left_out:
        names = ", ".join(column.title for column in left_out)
        notes.insert(0, f"Tested without a problem, and left out for lack of room: {names}.")
    below += [line for note in (*notes, *table.notes) for line in _wrapped(note, width, "  ")]
    return [*lines, *([""] if below and used.rows else []), *below]


def _without_common_keys(table: FindingTable) -> tuple[FindingTable, str]:
    """The table without the keys that are alike in all rows, but one, and these as a text."""
    places = range(len(table.keys))
    alike = [place for place in places if len({row.keys[place] for row in table.rows}) == 1]
    alike = alike[: len(table.keys) - 1]
    kept = [place for place in places if place not in alike]
    rows = (replace(row, keys=tuple(row.keys[place] for place in kept)) for row in table.rows)
    keys = tuple(table.keys[place] for place in kept)
    common = "; ".join(f"{table.keys[place]}: {table.rows[0].keys[place]}" for place in alike)
    return replace(table, keys=keys, rows=tuple(rows)), common


def _problems(table: FindingTable, width: int, most: int | None) -> Iterator[str]:
    """Yield the problems of rows; what to do about one stands behind the first of its kind."""
    with_some = [row for row in table.rows if row.problems]
    told: set[str] = set()
    for row in with_some[:most]:
        for problem in row.problems:
            text = str(replace(problem, todo="") if problem.todo in told else problem)
            told.add(problem.todo)
            yield from _wrapped(f"! {row.name}: {text}", width, "  ")
    for row in with_some[most:] if most is not None else ():
        titles = ", ".join(dict.fromkeys(problem.title for problem in row.problems))
        yield from _wrapped(f"! {row.name}: {titles} (--all).", width, "  ")


# A ranked table: one row for each judge, whatever has no room goes.


def _ranked_grid(table: FindingTable, width: int) -> tuple[list[str], list[Measure]]:
    """Return the lines of a table, and the columns for which there is no room.

    First the bar goes, then columns in which no row has a problem, the last one first.
    """
    others = [column for column in table.columns if not column.main]
    marked = [c for c in others if any(table.cell(row, c).problem for row in table.rows)]
    droppable = [column for column in reversed(others) if column not in marked]
    ways: list[tuple[bool, Sequence[Measure]]] = [(True, others), (False, others)]
    ways += [
        (False, [c for c in others if c not in droppable[:count]])
        for count in range(1, len(droppable) + 1)
    ]
    for bar, kept in ways:
        lines = _grid(table.rows, _ranked_columns(table, kept, bar=bar), width)
        if lines is not None:
            return lines, [column for column in others if column not in kept]
    return _records(table, width), []


def _ranked_columns(
    table: FindingTable, others: Sequence[Measure], *, bar: bool
) -> list[_TextColumn]:
    main = table.main
    ranks = [row.spell_rank() + ("*" if row.best else "") for row in table.rows]
    columns = [_TextColumn(["Rank"], ranks, left=True), *_keys(table)]
    if main is not None:
        cells = [table.cell(row, main) for row in table.rows]
        columns.append(_with_interval(main, cells))
        if bar and main.scale is not None:
            columns.append(_bar_column(main, cells))
    return columns + [_plain(c, [table.cell(row, c) for row in table.rows]) for c in others]


def _keys(table: FindingTable) -> list[_TextColumn]:
    beside = "chance, no bias" if any(map(_reference, table.columns)) else ""
    texts = [[printable(row.keys[place]) for row in table.rows] for place in range(len(table.keys))]
    return [
        _TextColumn([title], cells, "" if place else beside, left=True)
        for place, (title, cells) in enumerate(zip(table.keys, texts, strict=True))
    ]


def _with_interval(measure: Measure, cells: Sequence[Quantity]) -> _TextColumn:
    values = [_marked(measure, cell) for cell in cells]
    ends = [measure.spell_interval(cell.ci95) if cell.ci95 else "" for cell in cells]
    widest, widest_ends = max(map(len, values)), max(map(len, ends))
    texts = [
        f"{value.rjust(widest)} {end.rjust(widest_ends)}"
        for value, end in zip(values, ends, strict=True)
    ]
    title = _title(measure.title) + (["95% CI"] if any(ends) else [])
    return _TextColumn(title, texts, _reference(measure))


def _plain(measure: Measure, cells: Sequence[Quantity]) -> _TextColumn:
    texts = [_marked(measure, cell) for cell in cells]
    return _TextColumn(_title(measure.title), texts, _reference(measure), measure.unit == "text")


def _marked(measure: Measure, cell: Quantity) -> str:
    return printable(measure.spell(cell.value)) + ("!" if cell.problem else "")


def _reference(measure: Measure) -> str:
    known = measure.reference is not None and measure.reference_says
    return measure.spell(measure.reference) if known else ""


def _bar_column(measure: Measure, cells: Sequence[Quantity]) -> _TextColumn:
    assert measure.scale is not None
    low, high = map(measure.spell, measure.scale)
    title = low + high.rjust(_BAR - len(low))
    bars = [bar(cell, measure.scale, measure.reference) for cell in cells]
    return _TextColumn([title], bars)


def bar(cell: Quantity, scale: tuple[float, float], reference: float | None = None) -> str:
    """Return an interval as a line of text: "O" for the value, "=" for the interval.

    >>> bar(Quantity(0.5, (0.25, 0.75)), (0, 1), 0.0)
    '|...===O===....'
    """
    low, high = scale

    def place(value: float) -> int:
        share = (value - low) / (high - low)
        return round(min(1.0, max(0.0, share)) * (_BAR - 1))

    line = ["."] * _BAR
    if cell.ci95:
        first, last = map(place, cell.ci95)
        line[first : last + 1] = "=" * (last + 1 - first)
    if reference is not None:
        line[place(reference)] = "|"
    if isinstance(cell.value, (int, float)):
        line[place(cell.value)] = "O"
    return "".join(line)


def _title(title: str) -> list[str]:
    return textwrap.wrap(title, _TITLE, break_long_words=False) or [""]


def _grid(
    rows: Sequence[FindingRow], columns: Sequence[_TextColumn], width: int
) -> list[str] | None:
    """Return the lines of a table; None where one is too long."""
    height = max(len(column.title) for column in columns)
    padded = [[""] * (height - len(c.title)) + list(c.title) for c in columns]
    lines = [
        _GAP.join(c.line(title[number]) for c, title in zip(columns, padded, strict=True))
        for number in range(height)
    ]
    rule = "-" * max(map(len, lines))
    lines += [rule]
    lines += [
        _GAP.join(column.line(column.cells[number]) for column in columns)
        for number in range(len(rows))
    ]
    if any(column.reference for column in columns):
        lines.append(_GAP.join(column.line(column.reference) for column in columns))
    lines = [line.rstrip() for line in lines]
    return lines if max(map(len, lines)) <= width else None


# Any other table: all of its columns, in blocks below each other where a line has no room.


def _blocks(table: FindingTable, width: int) -> list[str]:
    if not table.rows:
        return []
    left = _keys(table)
    columns = [
        (_with_interval if any(x.ci95 for x in cells) else _plain)(column, cells)
        for column in table.columns
        for cells in [[table.cell(row, column) for row in table.rows]]
    ]
    lines: list[str] = []
    while columns or not lines:
        grids = ((n, _grid(table.rows, [*left, *columns[:n]], width)) for n in _fewer(columns))
        count, grid = next(((n, grid) for n, grid in grids if grid is not None), (0, None))
        if grid is None:
            return _records(table, width)
        lines += [*([""] if lines else []), *grid]
        columns = columns[count:]
    return lines


def _fewer(columns: Sequence[_TextColumn]) -> range:
    """Return how many columns to try, from all of them to one; 0 where there is none."""
    return range(len(columns), 0, -1) if columns else range(1)


def _records(table: FindingTable, width: int) -> list[str]:
    """A table whose rows have no room: each name on a line of its own, its numbers below it."""
    lines: list[str] = []
    for row in table.rows:
        rank = f"{row.spell_rank()}{'*' if row.best else ''}  " if row.rank else ""
        lines += _wrapped(rank + row.name, width)
        for column in table.columns:
            cell = table.cell(row, column)
            ends = f" ({column.spell_interval(cell.ci95)})" if cell.ci95 else ""
            text = f"{column.title}: {_marked(column, cell)}{ends}"
            lines += [f"  {line}" for line in _wrapped(text, width - 2)]
    return lines
