"""Tables of numbers, as all commands print them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pairbench_ext.show.cli.console import console, print_table

UNDEFINED = "-"


def cell(value: float, digits: int = 3) -> str:
    """A number as tables show it; a dash where it is undefined (NaN).

    >>> cell(0.5), cell(12, 0), cell(float("nan"))
    ('0.500', '12', '-')
    """
    return UNDEFINED if math.isnan(value) else f"{value:.{digits}f}"


def interval(low: float, high: float, digits: int = 3) -> str:
    """The ends of an interval; a dash if one of them is undefined.

    >>> interval(0.25, 0.5, 2), interval(0.25, float("nan"))
    ('0.25 .. 0.50', '-')
    """
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    return f"{low:.{digits}f} .. {high:.{digits}f}"


def table(left: Sequence[str], right: Iterable[str] = (), caption: str | None = None) -> Table:
    """An empty table; its lines are never wrapped.

    Args:
        left: titles of the columns of names.
        right: titles of the columns of numbers.
        caption: remarks below the table.
    """
    made = Table(box=SIMPLE_HEAD, caption=caption, caption_justify="left")
    for title in left:
        made.add_column(title, no_wrap=True)
    for title in right:
        made.add_column(title, justify="right", no_wrap=True)
    return made


def print_titled(title: str, shown: Table) -> None:
    """Print a table under its title, which is not wrapped to the table's width."""
    console.print(title)
    print_table(shown)
