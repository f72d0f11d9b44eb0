"""The default picture of a benchmark: its numbers between 0 and 1, a panel each, a row per run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    GREY,
    INK,
    SERIES,
    draw_interval,
    light_grid,
    row_height,
    saved_figure,
    short_names,
    two_digits,
    wrapped,
)

if TYPE_CHECKING:
    from pairbench_ext.core.benchmark import Number
    from pairbench_ext.runs.scoring import Run

_PER_ROW = 6  # panels
_NAME_WIDTH = 30


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the shares, means and correlations that were measured, with their intervals.

    Args:
        runs: of one benchmark.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run, nothing to draw, or the picture cannot be written.
    """
    runs = in_order(runs)
    numbers = [number for number in runs[0].benchmark.numbers if _is_drawn(number, runs)]
    if not numbers:
        raise ValueError("none of the numbers is measured; there is nothing to draw")
    titles = _titles(numbers)
    rows = math.ceil(len(numbers) / _PER_ROW)
    columns = min(len(numbers), _PER_ROW)
    names = [wrapped(name, _NAME_WIDTH) for name in short_names([run.name for run in runs])]
    height = rows * (1.1 + row_height(names, 0.34) * len(runs)) + 0.5
    width = 2.2 + 1.9 * columns
    with saved_figure(path, (width, height), title=heading(runs, width), wspace=0.06) as figure:
        panels = figure.subplots(rows, columns, squeeze=False).flat
        for place, axes in enumerate(panels):
            if place < len(numbers):
                beside = names if place % columns == 0 else [""] * len(runs)
                _draw(axes, numbers[place], runs, titles[place], beside)
            else:
                axes.set_axis_off()


def _is_drawn(number: Number, runs: Sequence[Run]) -> bool:
    values = [run.numbers.get(number.name, math.nan) for run in runs]
    measured = [value for value in values if not math.isnan(value)]
    return number.kind != "count" and bool(measured) and all(-1 <= v <= 1 for v in measured)


def _titles(numbers: Sequence[Number]) -> list[str]:
    """Above panels: with what is counted, where two numbers have one title."""
    count = Counter(number.title for number in numbers)
    return [
        f"{one.title}: {one.section}" if one.section and count[one.title] > 1 else one.title
        for one in numbers
    ]


def _draw(axes: Any, number: Number, runs: Sequence[Run], title: str, names: Sequence[str]) -> None:
    drawn = [
        run.numbers.get(name, math.nan) for run in runs for name in (number.name, *number.ends)
    ]
    low = -1.05 if any(value < 0 for value in drawn) else -0.05
    axes.set(xlim=(low, 1.05), ylim=(0.5 - len(runs), 0.5))
    axes.set_title(wrapped(title, 24), fontsize=9)
    axes.set_yticks([-row for row in range(len(runs))], names)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.spines["left"].set_visible(False)
    light_grid(axes)
    for row, run in enumerate(runs):
        colour, marker = SERIES[row % len(SERIES)]
        value = run.numbers.get(number.name, math.nan)
        if number.ends:
            left, right = (run.numbers.get(end, math.nan) for end in number.ends)
            draw_interval(axes, left, right, -row, colour=colour, height=9)
        if not math.isnan(value):
            axes.plot([value], [-row], marker=marker, color=colour, ms=5, ls="", clip_on=False)
        place = axes.get_yaxis_transform()
        axes.text(1.02, -row, two_digits(value), transform=place, va="center", color=GREY)
