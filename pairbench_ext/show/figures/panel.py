"""Judges and their panels by one number, and how far judges err together: a row per task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairbench_ext.show.figures.forest import Row, draw_forest
from pairbench_ext.show.figures.heat_map import draw_heat_map
from pairbench_ext.show.figures.style import (
    BLUE,
    GREY,
    ORANGE,
    row_height,
    saved_figure,
    short_names,
    two_digits,
    wrapped,
)

if TYPE_CHECKING:
    from pairbench_ext.runs.panel import TaskPanel

_NAME_WIDTH, _NAME_SIZE = 28, 7
_MOST_NUMBERED = 12  # judges; with more, the squares have no numbers in them
_TITLE = (
    "judges (grey) and panels (blue), with 95% intervals; orange: the best single judge, if chosen "
    "on other items"
)


def save_figure(tasks: Sequence[TaskPanel], path: Path) -> None:
    """Draw each task's judges and panels by its first number, and the correlation of errors.

    Args:
        tasks: results of the panels.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is nothing to draw, or the figure cannot be written.
    """
    if not tasks:
        raise ValueError("there is no panel to draw")
    judges = list(dict.fromkeys(judge for task in tasks for judge in task.judges))
    short = [wrapped(name, _NAME_WIDTH) for name in short_names(judges)]
    names = dict(zip(judges, short, strict=True))
    row = row_height(short, 0.24, _NAME_SIZE)
    widest = max(len(task.judges) for task in tasks)
    heights = [3.2 + row * (len(task.judges) + 3) for task in tasks]
    size = (8.4 + max(3.6, 1.4 + 0.42 * widest), 0.5 + sum(heights))
    with saved_figure(path, size, title=_TITLE, wspace=0.06) as figure:
        grid = figure.subplots(len(tasks), 2, squeeze=False, height_ratios=heights)
        for (left, right), task in zip(grid, tasks, strict=True):
            _draw_values(left, task, names)
            _draw_errors(right, task, names)


def _draw_values(axes: Any, task: TaskPanel, names: Mapping[str, str]) -> None:
    number, values = next(iter(task.values.items()), ("no number is measured", {}))
    axes.set_title(wrapped(f"{task.task}: {number}", 46), fontsize=9)
    single = [judge for judge in values if judge not in task.panels]
    single.sort(key=lambda judge: (math.isnan(values[judge].value), -values[judge].value))
    shown = [*single, *(judge for judge in values if judge in task.panels)]
    rows = [
        Row(names.get(judge, judge), values[judge].value, *values[judge].ci95,
            BLUE if judge in task.panels else GREY)
        for judge in shown
    ]  # fmt: skip
    draw_forest(axes, rows, size=_NAME_SIZE)
    if single:
        axes.axhline(0.5 - len(single), color=GREY, lw=0.8)
    if number in task.best:
        axes.axvline(task.best[number].value, color=ORANGE, lw=1.2, ls="--", zorder=1)


def _draw_errors(axes: Any, task: TaskPanel, names: Mapping[str, str]) -> None:
    place = {judge: number for number, judge in enumerate(task.judges)}
    matrix = np.eye(len(place))
    for pair in task.pairs:
        i, j = place[pair.a], place[pair.b]
        matrix[i, j] = matrix[j, i] = pair.error_correlation
    shown = [names[judge] for judge in task.judges]
    text = two_digits if len(place) <= _MOST_NUMBERED else lambda _: ""
    draw_heat_map(axes, matrix, shown, shown, text=text, size=7)
    axes.tick_params(labelsize=_NAME_SIZE)
    axes.tick_params(axis="x", rotation=90)
    votes, (low, high) = task.effective.votes, task.effective.interval
    axes.set_title(
        f"correlation of errors; effective votes: {two_digits(votes)} of {len(place)}\n"
        f"({two_digits(low)} to {two_digits(high)})",
        fontsize=9,
    )
