"""Draw forest plots, and heat maps with a value in each cell."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.show.figures.style import BLUE, GREY, INK, draw_interval, light_grid, two_digits

NAN = math.nan


class ChartRow(NamedTuple):
    """A row of a forest plot: a value with its interval.

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
    axes: Any,
    rows: Sequence[ChartRow],
    *,
    size: float = 9,
    named: bool = True,
    written: bool = False,
) -> None:
    """Draw a forest plot with one row per value, from top to bottom.

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


_PALE = "#F4F7FA"
_DARK = 0.72  # above it, numbers are white


def draw_heat_map(
    axes: Any,
    matrix: npt.NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    text: Callable[[float], str],
    size: float = 9,
    bold: Callable[[int, int], bool] = lambda _row, _column: False,
) -> None:
    """Draw shares from 0 to 1 as coloured cells with their values; undefined cells stay blank.

    Args:
        axes: where to.
        matrix: one row per name in `rows`, one column per name in `columns`.
        rows: names, from top to bottom.
        columns: names, from left to right.
        text: what to write for a share, or for NaN.
        size: of the numbers, in points.
        bold: whether the number at a row and column is printed bold.
    """
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("shares", [_PALE, BLUE])
    axes.imshow(matrix, cmap=colours, vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, colors=INK)
    axes.spines[:].set_visible(False)
    for (row, column), value in np.ndenumerate(matrix):
        colour = GREY if math.isnan(value) else "white" if value > _DARK else INK
        style = {"fontsize": size, "fontweight": "bold" if bold(row, column) else "normal"}
        axes.text(column, row, text(float(value)), ha="center", va="center", color=colour, **style)
    axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
    axes.tick_params(which="minor", length=0)
    axes.grid(which="minor", color="white", lw=2)
