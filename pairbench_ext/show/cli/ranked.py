"""The ranked table of judges in a terminal: one block, no value cut."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.ranking_sentence import short
from pairbench_ext.runs.ranking_table import Cell, Column, RankedTable
from pairbench_ext.show.cli.console import UNDEFINED, console
from pairbench_ext.show.figures.style import wrapped

_WIDTH, _TITLE = 80, 13  # of a line; of a title over several lines, about as wide as its numbers
_MARKS = {"defect": "!", "not enough data": "?", "best": "*", "": " "}


def print_ranked(ranked: RankedTable) -> None:
    """Print the sentence, the table, the defects of each judge, and what the marks mean."""
    shared = f"all judges: {', '.join(ranked.shared)}" if ranked.shared else ""
    columns = _that_fit(ranked)
    rows = _rows(ranked, *columns)
    defects = [
        f"! {judge}: {', '.join(defect.words for defect in found)}"
        for judge, found in ranked.defects.items()
    ]
    for line in filter(None, (ranked.sentence, shared)):
        console.print(line, soft_wrap=False, width=_width())
    for row in rows:
        console.print(row.rstrip(), soft_wrap=True)
    for line in (*defects, "; ".join(_legend(ranked, [*columns[0], *columns[1]]))):
        console.print(line, soft_wrap=False, width=_width())


def _legend(ranked: RankedTable, shown: Sequence[Column]) -> Iterator[str]:
    marks = {cell.mark for column in ranked.columns for cell in column.cells.values()}
    if not ranked.defects:
        yield f"no {'other ' * bool(ranked.shared)}defect"
    if "best" in marks:
        yield "* best"
    if "not enough data" in marks:
        needed = [f"{x.name} {x.needed:,.0f}" for x in ranked.aspects if not math.isnan(x.needed)]
        more = f" (more items would tell: {', '.join(needed)})" if needed else ""
        yield f"? not enough data{more}"
    on_common = [x for x in shown if x.items]
    if on_common:
        counts = ", ".join(f"{x.name} {counted(x.items, 'item')}" for x in on_common)
        yield f"headlines are of the items that all judges were asked ({counts})"
    clear = [column.name for column in ranked.aspects if column not in shown]
    if clear:
        yield f"no defect in: {', '.join(clear)}"
    if ranked.missing:
        yield f"not measured: {', '.join(ranked.missing)}"
    named = {name for column in shown for name in (column.name, *column.parts)}
    others = [column.name for column in ranked.headlines if column.name not in named]
    if others:
        yield f"{counted(len(others), 'more headline')} ({listed(others, 2)}): --all"


def _width() -> int:
    return max(_WIDTH, console.width) if console.is_terminal else _WIDTH


def _that_fit(ranked: RankedTable) -> tuple[Sequence[Column], Sequence[Column], bool, int]:
    """The headlines and aspects for which there is room, with the other arguments of `_rows`.

    First go intervals of aspects, then aspects in which nothing was found, then titles of one line,
    then headlines.
    """
    headlines = ranked.folded
    marked = [column for column in ranked.aspects if column.marked]
    ways = [
        (headlines[:most], aspects, intervals, title)
        for most in range(len(headlines), 0, -1)
        for title in (_WIDTH, _TITLE)
        for aspects, intervals in ((ranked.aspects, True), (ranked.aspects, False), (marked, False))
    ] or [((), ranked.aspects, True, _WIDTH), ((), ranked.aspects, False, _WIDTH)]
    fits = (way for way in ways if len(_rows(ranked, *way)[0]) <= _width())
    return next(fits, ways[-1])


def _rows(
    ranked: RankedTable,
    headlines: Sequence[Column],
    aspects: Sequence[Column],
    intervals: bool,
    title: int,
) -> list[str]:
    """The titles, each over lines of a width, the fair values and a row for each judge."""
    fair = "(fair)" if any(not math.isnan(column.fair) for column in aspects) else ""
    judges = [judge for group in ranked.groups for judge in ("", *group)][1:]  # "": between groups
    columns = (*headlines, *aspects)
    titles = [wrapped(_title(column), title).split("\n") for column in columns]
    height = max(map(len, titles), default=1)
    rows = [*[""] * height, *([fair] if fair else []), *judges]
    rows = [row.ljust(max(map(len, rows))) for row in rows]
    for column, lines in zip(columns, titles, strict=True):
        interval = intervals or column in headlines
        cells = [
            _cell(column.cells[judge], interval) + _MARKS[ranked.mark(column, judge)]
            if judge
            else ""
            for judge in judges
        ]
        beside = "" if math.isnan(column.fair) else short(column.fair)
        above = [*[""] * (height - len(lines)), *lines]
        cells = [*above, *([beside] if fair else []), *cells]
        width = max(map(len, cells))
        rows = [f"{row}  {cell.ljust(width)}" for row, cell in zip(rows, cells, strict=True)]
    return rows


def _title(column: Column) -> str:
    name = f"{column.benchmark} ({column.name})" if column.parts else column.name
    return name + "?" * column.unclear


def _cell(cell: Cell, interval: bool) -> str:
    """A value and its interval.

    >>> _cell(Cell(0.825, (0.8, 1.0)), True), _cell(Cell(), True)
    ('.82 .80-1.00', '-')
    """
    if math.isnan(cell.value):
        return UNDEFINED
    low, high = cell.ci95
    ends = "" if math.isnan(low) or not interval else f" {short(low)}-{short(high)}"
    return f"{short(cell.value)}{ends}"
