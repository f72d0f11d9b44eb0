"""Draw a benchmark's metrics between 0 and 1: a panel per metric, with one row per run.

Of numbers with one title, which count the same in several ways, the first measured one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from pairbench_ext.show.figures.charts import ChartRow, draw_forest
from pairbench_ext.show.figures.style import (
    SERIES,
    heading,
    row_height,
    run_names,
    saved_panels,
    wrapped,
)

if TYPE_CHECKING:
    from pairbench_ext.core.benchmark import Number
    from pairbench_ext.runs.scoring import Run

_PER_ROW = 6  # panels
_NAME_WIDTH, _TITLE_WIDTH = 30, 24


def draw(runs: Sequence[Run], path: Path) -> None:
    """Draw the metrics of runs in their benchmark's own figure, or in the default figure.

    Raises:
        ValueError: if there is nothing to draw, or the figure cannot be written.
    """
    name = runs[0].benchmark.view.figure
    figure = resolve_name(name) if name else save_figure
    figure(runs, path)


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the shares, means and correlations that were measured, with their intervals.

    Raises:
        ValueError: if there is nothing to draw, or the figure cannot be written.
    """
    by_title: dict[str, Number] = {}
    for number in runs[0].benchmark.numbers:
        if _is_drawn(number, runs):
            by_title.setdefault(number.title, number)
    numbers = list(by_title.values())
    if not numbers:
        raise ValueError("no number was measured for these runs, so there is nothing to draw")
    names = run_names(runs, _NAME_WIDTH)
    size = (1.9, 1.1 + row_height(names, 0.34) * len(runs))
    title = heading(runs, 2.2 + 1.9 * min(len(numbers), _PER_ROW))
    room: dict[str, Any] = {"space": (0.06, None), "margin": (2.2, 0.5)}
    with saved_panels(path, len(numbers), _PER_ROW, size, title=title, **room) as panels:
        for place, (axes, number) in enumerate(zip(panels, numbers, strict=True)):
            rows = _rows(number, runs, names)
            draw_forest(axes, rows, named=place % _PER_ROW == 0, written=True)
            below = any(value < 0 for row in rows for value in row[1:4])
            axes.set_xlim(-1.05 if below else -0.05, 1.05)
            axes.set_title(wrapped(number.title, _TITLE_WIDTH), fontsize=9)


def _is_drawn(number: Number, runs: Sequence[Run]) -> bool:
    values = [number.found_in(run.numbers)[0] for run in runs]
    measured = [value for value in values if not math.isnan(value)]
    return number.kind != "count" and bool(measured) and all(-1 <= v <= 1 for v in measured)


def _rows(number: Number, runs: Sequence[Run], names: Sequence[str]) -> list[ChartRow]:
    return [
        ChartRow(name, *number.found_in(run.numbers), *SERIES[place % len(SERIES)])
        for place, (name, run) in enumerate(zip(names, runs, strict=True))
    ]
