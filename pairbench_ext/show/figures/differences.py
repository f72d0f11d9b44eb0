"""Draw differences between judges with their intervals, one panel per task and metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.show.figures.charts import ChartRow, draw_forest
from pairbench_ext.show.figures.style import BLUE, GREY, INK, row_height, saved_figure, wrapped

if TYPE_CHECKING:
    from pairbench_ext.runs.comparisons import Comparison

_PER_ROW = 3  # panels
_MOST_PAIRS = 21  # of seven judges; of more, all are shown beside the best one
_NAME_WIDTH, _NAME_SIZE = 48, 7
_TITLE = (
    "differences between judges, 95% intervals; blue: significant at 5% after Holm's correction"
)


def save_figure(comparisons: Sequence[Comparison], path: Path) -> None:
    """Draw differences between judges with intervals, largest first, significant ones in blue.

    Where all are compared with one judge, or more than seven with each other, rows are judges, less
    the one that they are compared with, or the best one.

    Raises:
        ValueError: if there is nothing to draw, or the figure cannot be written.
    """
    panels: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        if not math.isnan(comparison.difference):
            panels.setdefault((comparison.task, comparison.number), []).append(comparison)
    if not panels:
        raise ValueError("no difference between judges was measured, so there is nothing to draw")
    columns = min(len(panels), _PER_ROW)
    drawn = [(name, *_rows(of_panel)) for name, of_panel in panels.items()]
    inches = [1.1 + row_height([r.name for r in rows], 0.2, _NAME_SIZE) * len(rows)
              for *_, rows in drawn]  # fmt: skip
    heights = [max(inches[first : first + columns]) for first in range(0, len(drawn), columns)]
    size = (5.2 * columns, max(0.6 + sum(heights), 2.2))
    with saved_figure(path, size, title=_TITLE) as figure:
        grid = figure.subplots(len(heights), columns, squeeze=False, height_ratios=heights)
        for axes, ((task, number), reference, rows) in zip(grid.flat, drawn, strict=False):
            lines = [f"{task}: {number}", *([f"minus {reference}"] if reference else [])]
            axes.set_title("\n".join(wrapped(line, 46) for line in lines), fontsize=9)
            axes.axvline(0, color=INK, lw=0.8, zorder=1)
            draw_forest(axes, rows, size=_NAME_SIZE)
        for axes in list(grid.flat)[len(drawn) :]:
            axes.set_axis_off()


def _rows(comparisons: Sequence[Comparison]) -> tuple[str, list[ChartRow]]:
    """Return the judge that all are compared with, empty where each is with each, and the rows."""
    reference = _reference(comparisons)
    rows = []
    for comparison in comparisons:
        a, b = comparison.a, comparison.b
        if reference and reference not in (a, b):
            continue
        sign = -1 if (a == reference or (not reference and comparison.difference < 0)) else 1
        first, second = (b, a) if sign < 0 else (a, b)
        name = first if reference else f"{first} \u2212 {second}"
        low, high = sorted(sign * end for end in comparison.ci95)
        colour = BLUE if comparison.differs else GREY
        value = sign * comparison.difference
        rows.append(ChartRow(wrapped(name, _NAME_WIDTH), value, low, high, colour))
    return reference, sorted(rows, key=lambda row: -row.value)


def _reference(comparisons: Sequence[Comparison]) -> str:
    if len(comparisons) > 1 and len({comparison.b for comparison in comparisons}) == 1:
        return comparisons[0].b
    if len(comparisons) <= _MOST_PAIRS:
        return ""
    sign = -1 if comparisons[0].better == "lower" else 1
    ahead: dict[str, float] = {}
    for comparison in comparisons:
        for judge, difference in ((comparison.a, sign), (comparison.b, -sign)):
            ahead[judge] = ahead.get(judge, 0) + difference * comparison.difference
    return max(ahead, key=lambda judge: ahead[judge])
