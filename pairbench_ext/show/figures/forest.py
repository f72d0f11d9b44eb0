"""Forest plots: a row for each name, with a mark for its value and a bar for its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from pairbench_ext.show.figures.style import GREY, INK, draw_interval, light_grid, two_digits

NAN = math.nan


class Row(NamedTuple):
    """A row of a forest plot.

    Attributes:
        name: beside the row, possibly of several lines.
        value, low, high: the number and the ends of its interval; NaN is not drawn.
        colour, marker: of the mark.
    """

    name: str
    value: float
    low: float = NAN
    high: float = NAN
    colour: str = GREY
    marker: str = "o"


def draw_forest(
    axes: Any, rows: Sequence[Row], *, size: float = 9, named: bool = True, written: bool = False
) -> None:
    """Draw rows from top to bottom.

    Args:
        axes: where to.
        rows: the first one is at 0, the next at -1, and so on.
        size: of the names, in points.
        named: whether names stand beside the rows; not where panels share them.
        written: whether values are written to the right of the panel.
    """
    light_grid(axes, "x")
    for number, row in enumerate(rows):
        draw_interval(axes, row.low, row.high, -number, colour=row.colour, height=7)
        if not math.isnan(row.value):
            mark = {"marker": row.marker, "color": row.colour, "ms": 5, "ls": ""}
            axes.plot([row.value], [-number], clip_on=False, **mark)
        if written:
            place = axes.get_yaxis_transform()
            axes.text(
                1.02, -number, two_digits(row.value), transform=place, va="center", color=GREY
            )
    axes.set_yticks([-n for n in range(len(rows))], [row.name if named else "" for row in rows])
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=size)
    axes.set_ylim(0.5 - len(rows), 0.5)
    axes.spines["left"].set_visible(False)
