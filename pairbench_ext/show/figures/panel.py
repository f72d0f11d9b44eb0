"""Judges and their panels by one number, and how far judges err together: a row per task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairbench_ext.show.figures.heat_map import draw_heat_map
from pairbench_ext.show.figures.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    draw_interval,
    light_grid,
    row_height,
    saved_figure,
    short_names,
    two_digits,
    wrapped,
)

if TYPE_CHECKING:
    from pairbench_ext.runs.panel import TaskPanel

_NAME_WIDTH, _NAME_SIZE = 28, 7
_LETTER, _ROOM = 0.062, 8  # inches of a letter of a name; letters that there is room for anyway
_MOST_NUMBERED = 12  # judges; with more, the squares have no numbers in them


def save_figure(tasks: Sequence[TaskPanel], path: Path) -> None:
    """Draw each task's judges and panels by its first number, and the correlation of errors.

    Args:
        tasks: what is said of the panels.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is nothing to draw, or the picture cannot be written.
    """
    if not tasks:
        raise ValueError("there is no panel to draw")
    judges = list(dict.fromkeys(judge for one in tasks for judge in one.judges))
    names = {
        judge: wrapped(name, _NAME_WIDTH)
        for judge, name in zip(judges, short_names(judges), strict=True)
    }
    shown = list(names.values())
    longest = max(len(line) for name in shown for line in name.split("\n"))
    beside = _LETTER * max(0, longest - _ROOM)  # inches that long names take beside and below
    row, column = (row_height(shown, least, _NAME_SIZE) for least in (0.24, 0.42))
    heights = [max(2.6, 1.0 + beside + row * (len(one.judges) + 3)) for one in tasks]
    widest = max(len(one.judges) for one in tasks)
    size = 5.4 + 2 * beside + max(3.6, 1.4 + column * widest), 0.5 + sum(heights)
    with saved_figure(path, size, wspace=0.06) as figure:
        figure.suptitle(
            "judges (grey) and panels (blue), with 95% intervals; orange: the best single judge, "
            "if picked on other items",
            x=0.01,
            ha="left",
            fontsize=10,
        )
        grid = figure.subplots(len(tasks), 2, squeeze=False, height_ratios=heights)
        for (left, right), one in zip(grid, tasks, strict=True):
            _draw_values(left, one, names)
            _draw_errors(right, one, names)


def _draw_values(axes: Any, one: TaskPanel, names: Mapping[str, str]) -> None:
    number, values = next(iter(one.values.items()), ("no number is measured", {}))
    axes.set_title(wrapped(f"{one.task}: {number}", 46), fontsize=9)
    light_grid(axes, "x")
    single = [judge for judge in values if judge not in one.panels]
    single.sort(key=lambda judge: (math.isnan(values[judge].value), -values[judge].value))
    shown = [*single, *(judge for judge in values if judge in one.panels)]
    for place, judge in enumerate(shown):
        colour = BLUE if judge in one.panels else GREY
        low, high = values[judge].ci95
        draw_interval(axes, low, high, -place, colour=colour)
        axes.plot([values[judge].value], [-place], marker="o", color=colour, ms=4, ls="")
    if single:
        axes.axhline(0.5 - len(single), color=GREY, lw=0.8)
    if number in one.best:
        axes.axvline(one.best[number].value, color=ORANGE, lw=1.2, ls="--", zorder=1)
    axes.set_yticks(
        [-place for place in range(len(shown))], [names.get(judge, judge) for judge in shown]
    )
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=_NAME_SIZE)
    axes.set_ylim(0.4 - len(shown), 0.6)
    axes.spines["left"].set_visible(False)


def _draw_errors(axes: Any, one: TaskPanel, names: Mapping[str, str]) -> None:
    place = {judge: number for number, judge in enumerate(one.judges)}
    matrix = np.eye(len(place))
    for pair in one.pairs:
        i, j = place[pair.a], place[pair.b]
        matrix[i, j] = matrix[j, i] = pair.error_correlation
    shown = [names[judge] for judge in one.judges]
    few = len(place) <= _MOST_NUMBERED
    draw_heat_map(
        axes,
        matrix,
        shown,
        shown,
        text=two_digits if few else lambda _: "",
        size=7,
    )
    axes.tick_params(labelsize=_NAME_SIZE)
    axes.tick_params(axis="x", rotation=90)
    low, high = one.effective.interval
    axes.set_title(
        f"correlation of errors; effective votes: {two_digits(one.effective.votes)} of "
        f"{len(place)}\n({two_digits(low)} to {two_digits(high)})",
        fontsize=9,
    )
