"""A matrix of shares as a heat map with its numbers written in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pairbench_ext.show.figures.style import BLUE, GREY, INK

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
    """Draw shares in [0, 1], pale to dark, each with its number; NaN stays blank.

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
