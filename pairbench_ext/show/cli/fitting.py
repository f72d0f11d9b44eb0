"""Wide tables as several that fit the terminal, with the same lines one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Column, Table

_BELONGS = "95% interval"  # to the number before it


def fitted(table: Table, console: Console, width: int) -> list[Table]:
    """A table in parts that are not wider than `width`, where its columns allow for that.

    Each part repeats the columns of names, which are those to the left; an interval stays beside
    its number. A table that fits is returned as it is.
    """
    if _needed(table, console) <= width:
        return [table]
    left = [column for column in table.columns if column.justify == "left"]
    parts: list[list[Column]] = [[]]
    for group in _groups([column for column in table.columns if column.justify != "left"]):
        wider = [*parts[-1], *group]
        if parts[-1] and _needed(_part(table, [*left, *wider]), console) > width:
            parts.append([*group])
        else:
            parts[-1] = wider
    made = [_part(table, [*left, *columns]) for columns in parts]
    made[-1].caption = table.caption
    return made


def _needed(table: Table, console: Console) -> int:
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum


def _groups(columns: Sequence[Column]) -> Iterator[list[Column]]:
    group: list[Column] = []
    for column in columns:
        if group and not str(column.header).endswith(_BELONGS):
            yield group
            group = []
        group.append(column)
    if group:
        yield group


def _part(table: Table, columns: Sequence[Column]) -> Table:
    made = Table(box=table.box, caption_justify=table.caption_justify)
    for column in columns:
        made.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap)
    for row, *cells in zip(table.rows, *(column.cells for column in columns), strict=True):
        made.add_row(*cells, end_section=row.end_section)
    return made
