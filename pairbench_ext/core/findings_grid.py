"""Lay out the tables of a finding as lines of text that fit the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pairbench_ext.core.findings import FindingTable, Measure, Quantity
from pairbench_ext.core.texts import printable

_BAR = 15  # columns of a bar
_TITLE = 11  # columns of a title over several lines, about as wide as its numbers
_GAP = "  "
_INDENT = 4  # of texts below a row
_LONG = 24  # characters of a name that stands on a line of its own where there is little room


class _TextColumn(NamedTuple):
    title: list[str]  # its lines
    cells: list[str]  # one for each row
    reference: str = ""
    left: bool = False  # whether it is aligned to the left
    name: bool = False  # whether it says what rows are of

    @property
    def width(self) -> int:
        return max(map(len, (*self.title, *self.cells, self.reference)))

    def line(self, text: str) -> str:
        return text.ljust(self.width) if self.left else text.rjust(self.width)

    def without_long(self) -> _TextColumn:
        """Return the column of names; a cell is empty if its long name has its own line."""
        return self._replace(cells=["" if len(cell) > _LONG else cell for cell in self.cells])


_COMMAND = ": lmms-eval "


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Split a text into lines to print, with control characters made visible.

    A command at its end has lines of its own, which a shell joins where they are pasted.
    """
    before, runs, command = text.partition(_COMMAND)
    lines = [
        line
        for paragraph in (before + runs[:1]).split("\n")
        for line in textwrap.wrap(
            printable(paragraph), width, subsequent_indent=indent, break_on_hyphens=False
        )
    ]
    if not command:
        return lines
    parts = textwrap.wrap(
        printable(runs[2:] + command), width - 1, break_on_hyphens=False, drop_whitespace=False
    )
    return [*lines, *(f"{part}\\" for part in parts[:-1]), parts[-1]]


def is_alike(table: FindingTable, column: Measure) -> bool:
    """Return whether a column shows the same text in all rows of a table."""
    return len({marked(column, table.cell(row, column)) for row in table.rows}) == 1


# A ranked table: one row for each judge, whatever has no room goes.


def ranked_grid(table: FindingTable, width: int) -> tuple[list[str], list[Measure]]:
    """Return the lines of a ranked table, and the columns left out because they do not fit.

    First the bar goes, then long names stand on lines of their own, then columns go in which no row
    has a problem: those that are alike for all, then the last ones.
    """
    others = [column for column in table.columns if not column.main]
    droppable = _droppable(table, others)
    fewer = ([c for c in others if c not in droppable[:n]] for n in range(len(droppable) + 1))
    ways = [(True, False, others), (False, False, others), *((False, True, kept) for kept in fewer)]
    for bar, apart, kept in ways:
        lines = _grid(_ranked(table, kept, bar=bar), width, apart=apart)
        if lines is not None:
            return lines, [column for column in others if column not in kept]
    return _records(table, width), []


def _droppable(table: FindingTable, columns: Sequence[Measure]) -> list[Measure]:
    """Return the columns in which no row has a problem, in the order in which they go."""
    free = [c for c in columns if not any(table.cell(row, c).problem for row in table.rows)]
    free.reverse()
    several = len(table.rows) > 1
    return sorted(free, key=lambda column: not (several and is_alike(table, column)))


def _ranked(table: FindingTable, others: Sequence[Measure], *, bar: bool) -> list[_TextColumn]:
    main = table.main
    ranks = [row.spell_rank() + ("*" if row.best else "") for row in table.rows]
    columns = [_TextColumn(["Rank"], ranks, left=True), *_keys(table)]
    if main is not None:
        cells = [table.cell(row, main) for row in table.rows]
        columns.append(_with_interval(main, cells))
        if bar and main.scale is not None:
            columns.append(_bar_column(main, cells))
    return columns + [_plain(c, [table.cell(row, c) for row in table.rows]) for c in others]


_BESIDE = "chance, no bias"  # where columns have several references, or one with a long name


def _keys(table: FindingTable) -> list[_TextColumn]:
    says = ", ".join(dict.fromkeys(c.reference_says for c in table.columns if _reference(c)))
    beside = says if len(says) <= len(_BESIDE) else _BESIDE
    texts = [[printable(row.keys[place]) for row in table.rows] for place in range(len(table.keys))]
    return [
        _TextColumn([title], cells, "" if place else beside, left=True, name=True)
        for place, (title, cells) in enumerate(zip(table.keys, texts, strict=True))
    ]


def _with_interval(measure: Measure, cells: Sequence[Quantity]) -> _TextColumn:
    values = [marked(measure, cell) for cell in cells]
    ends = [measure.spell_interval(cell.ci95) if cell.ci95 else "" for cell in cells]
    widest, widest_ends = max(map(len, values)), max(map(len, ends))
    texts = [
        f"{value.rjust(widest)} {end.rjust(widest_ends)}"
        for value, end in zip(values, ends, strict=True)
    ]
    title = _title(measure.head) + (["95% CI"] if any(ends) else [])
    return _TextColumn(title, texts, _reference(measure))


def _plain(measure: Measure, cells: Sequence[Quantity]) -> _TextColumn:
    texts = [marked(measure, cell) for cell in cells]
    return _TextColumn(_title(measure.head), texts, _reference(measure), measure.unit == "text")


def marked(measure: Measure, cell: Quantity) -> str:
    """Return a value, with "!" where it shows a problem and "*" where it is the best."""
    sign = "!" if cell.problem else "*" if cell.best else ""
    return printable(measure.spell(cell.value)) + sign


def _reference(measure: Measure) -> str:
    explained = measure.reference is not None and measure.reference_says
    return measure.spell(measure.reference) if explained else ""


def _bar_column(measure: Measure, cells: Sequence[Quantity]) -> _TextColumn:
    assert measure.scale is not None
    low, high = map(measure.spell, measure.scale)
    title = low + high.rjust(_BAR - len(low))
    return _TextColumn([title], [bar(cell, measure.scale, measure.reference) for cell in cells])


def bar(cell: Quantity, scale: tuple[float, float], reference: float | None = None) -> str:
    """Return a bar of characters: "O" for the value, "=" for its interval, "|" for the reference.

    >>> bar(Quantity(0.5, (0.25, 0.75)), (0, 1), 0.0)
    '|...===O===....'
    """
    low, high = scale

    def place(value: float) -> int:
        return round(min(1.0, max(0.0, (value - low) / (high - low))) * (_BAR - 1))

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
    columns: Sequence[_TextColumn],
    width: int,
    *,
    apart: bool = False,
    below: Sequence[_TextColumn] = (),
) -> list[str] | None:
    """Return the lines of a table; None where one is too long.

    Args:
        columns: of the table.
        width: of a line.
        apart: whether long names stand on lines of their own.
        below: texts of which each stands below its row.
    """
    shown = [column.without_long() if apart and column.name else column for column in columns]
    heads = _heads(shown)
    lines = [*heads, "-" * max(map(len, heads))]
    names = [column.cells for column in columns if apart and column.name]
    for number in range(len(columns[0].cells)):
        lines += _long_names((cells[number] for cells in names), width)
        lines.append(_GAP.join(column.line(column.cells[number]) for column in shown))
        lines += _below([column.cells[number] for column in below], width)
    lines += _references(shown)
    lines = [line.rstrip() for line in lines]
    return lines if max(map(len, lines)) <= width else None


def _below(texts: Iterable[str], width: int) -> list[str]:
    indent = " " * _INDENT
    filled = (text for text in texts if text != "-")
    return [f"{indent}{line}" for text in filled for line in wrapped(text, width - _INDENT)]


def _references(columns: Sequence[_TextColumn]) -> Iterator[str]:
    if any(column.reference for column in columns if not column.name):
        yield _GAP.join(column.line(column.reference) for column in columns)


def _long_names(names: Iterable[str], width: int) -> list[str]:
    return [line for name in names if len(name) > _LONG for line in wrapped(name, width)]


def _heads(columns: Sequence[_TextColumn]) -> list[str]:
    """Return the lines of the titles."""
    height = max(len(column.title) for column in columns)
    padded = [[""] * (height - len(c.title)) + list(c.title) for c in columns]
    return [
        _GAP.join(c.line(title[number]) for c, title in zip(columns, padded, strict=True))
        for number in range(height)
    ]


# Any other table: all of its columns, in blocks below each other where a line has no room.


def blocks(table: FindingTable, width: int) -> list[str]:
    """Return the lines of a table, with all of its columns, in blocks that fit the width."""
    if not table.rows:
        return []
    names, columns = _keys(table), [_any(table, column) for column in table.columns]
    below: list[_TextColumn] = []
    if _grid([*names, *columns], width) is None:  # then long texts stand below their rows
        below = [column for column in columns if column.left and column.width > _LONG]
        columns = [column for column in columns if column not in below]
    lines: list[str] = []
    while columns or not lines:
        count, grid = _widest(names, columns, width, [] if lines else below)
        if grid is None:
            return _records(table, width)
        lines += [*([""] if lines else []), *grid]
        columns = columns[count:]
    return lines


def _any(table: FindingTable, column: Measure) -> _TextColumn:
    cells = [table.cell(row, column) for row in table.rows]
    return (_with_interval if any(cell.ci95 for cell in cells) else _plain)(column, cells)


def _widest(
    names: Sequence[_TextColumn],
    columns: Sequence[_TextColumn],
    width: int,
    below: Sequence[_TextColumn],
) -> tuple[int, list[str] | None]:
    """Return how many columns have room beside the names, and their lines; None if none has."""
    for apart in (False, True):
        for count in range(len(columns), 0, -1) if columns else (0,):
            grid = _grid([*names, *columns[:count]], width, apart=apart, below=below)
            if grid is not None:
                return count, grid
    return 0, None


def _records(table: FindingTable, width: int) -> list[str]:
    """A table whose rows have no room: each name on a line of its own, its numbers below it."""
    lines: list[str] = []
    for row in table.rows:
        rank = f"{row.spell_rank()}{'*' if row.best else ''}  " if row.rank else ""
        lines += wrapped(rank + row.name, width)
        for column in table.columns:
            cell = table.cell(row, column)
            ends = f" ({column.spell_interval(cell.ci95)})" if cell.ci95 else ""
            text = f"{column.title}: {marked(column, cell)}{ends}"
            lines += [f"  {line}" for line in wrapped(text, width - 2)]
    return lines
