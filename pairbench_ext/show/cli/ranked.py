"""The ranked table of judges in a terminal: never wider than it, no value cut."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pairbench_ext.core.decimals import decimal
from pairbench_ext.runs.ranking_table import MOST_HEADLINES, Cell, Column, RankedTable
from pairbench_ext.show.cli.console import UNDEFINED, console

_WIDTH = 80
_MARKS = {"defect": "!", "not enough data": "?", "best": "*", "": " "}


def print_ranked(ranked: RankedTable) -> None:
    """Print the sentence, the table in blocks of columns, and the defects of each judge."""
    if ranked.sentence:
        console.print(ranked.sentence, soft_wrap=False, width=_width())
    if ranked.shared:
        console.print(f"all judges: {_words(ranked.shared)}", soft_wrap=False, width=_width())
    for block in _blocks(ranked):
        for line in block:
            console.print(line, soft_wrap=True)
    defects = "; ".join(
        f"{judge}: {', '.join(defects)}" for judge, defects in ranked.defects.items()
    )
    marks = {cell.mark for column in ranked.columns for cell in column.cells.values()}
    legend = (
        [f"! defect ({defects})"] if defects else [f"no {'other ' * bool(ranked.shared)}defect"]
    )
    legend += ["* best"] * ("best" in marks)
    if "not enough data" in marks:
        needed = ", ".join(_needed(column) for column in ranked.aspects if _needed(column))
        legend.append(f"? not enough data{f' (more items would tell: {needed})' * bool(needed)}")
    if any(not math.isnan(column.fair) for column in ranked.aspects):
        legend.append("() fair")
    if ranked.missing:
        legend.append(f"not measured: {', '.join(ranked.missing)}")
    if len(ranked.headlines) > MOST_HEADLINES:
        legend.append(f"{len(ranked.headlines) - MOST_HEADLINES} more headlines: --all")
    console.print("; ".join(legend), soft_wrap=False, width=_width())


def _words(flags: Iterable[str]) -> str:
    return ", ".join(flag.replace("_", " ") for flag in flags)


def _needed(column: Column) -> str:
    """How many more items an aspect needs, by the judge that needs most; empty if unknown."""
    more = [
        cell.more
        for cell in column.cells.values()
        if cell.mark == "not enough data" and not math.isnan(cell.more)
    ]
    return f"{column.name} {max(more):,.0f}" if more else ""


def _width() -> int:
    return max(_WIDTH, console.width) if console.is_terminal else _WIDTH


def _blocks(ranked: RankedTable) -> list[list[str]]:
    """The rows of the table, with as many columns beside each other as there is room for."""
    columns = (*ranked.headlines[:MOST_HEADLINES], *ranked.aspects)
    names = ["", *ranked.judges]
    left = max(map(len, names))
    blocks: list[list[str]] = []
    for column in columns:
        cells = _column(column, ranked)
        if not blocks or len(blocks[-1][0]) + len(cells[0]) + 2 > _width():
            blocks.append([name.ljust(left) for name in names])
        blocks[-1] = [f"{row}  {cell}" for row, cell in zip(blocks[-1], cells, strict=True)]
    return blocks


def _column(column: Column, ranked: RankedTable) -> list[str]:
    """The title and the cells of a column, of one width."""
    title = column.name if math.isnan(column.fair) else f"{column.name} ({short(column.fair)})"
    cells = [
        f"{_cell(column.cells[judge])}{_MARKS[ranked.mark(column.cells[judge])]}"
        for judge in ranked.judges
    ]
    width = max(len(title), *map(len, cells))
    return [title.ljust(width), *(cell.ljust(width) for cell in cells)]


def _cell(cell: Cell) -> str:
    """A value and its interval.

    >>> _cell(Cell(0.825, (0.8, 1.0))), _cell(Cell())
    ('.82 .80-1.00', '-')
    """
    if math.isnan(cell.value):
        return UNDEFINED
    shown = short(cell.value)
    low, high = cell.ci95
    return shown if math.isnan(low) else f"{shown} {short(low)}-{short(high)}"


def short(value: float) -> str:
    """A number with two digits, and no zero before the point.

    >>> short(0.825), short(-0.1), short(1.0), short(-0.001)
    ('.82', '-.10', '1.00', '.00')
    """
    text = decimal(value, 2)
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text
