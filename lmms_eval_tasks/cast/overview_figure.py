"""Many runs of CAST in one picture: a line each, so that judges are compared down a column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading
from pairbench_ext.show.figures.heat_map import draw_heat_map
from pairbench_ext.show.figures.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    RULE,
    draw_interval,
    light_grid,
    row_height,
    saved_figure,
    say_nothing_measured,
    short_names,
    two_digits,
    wrapped,
)

_SHORT = {"text": "T", "image": "I", "both": "B"}
# Number, heading, whether it is a difference: those are drawn from -1 to 1.
_COLUMNS = (
    ("same_modality", "Same modality", False),
    ("cross_modality", "Across", False),
    ("modality_gap", "Difference", True),
    ("own_minus_swapped", "Own \u2212 another pair\u2019s", True),
)
_WIDTH = 12.4  # inches
_NAME_WIDTH = 30
_LEAST_ROW = 0.34


def save_overview(runs: Sequence[Run], path: Path) -> None:
    """Draw many runs, a line each, and write the picture.

    From left to right: the nine cells of Table 1 (the mean of the prompts), by the modality that
    statements are generated from and the one that they are evaluated in; then what is confirmed in
    the same modality, across modalities, the difference, and that of the pair's own statements and
    another pair's, with 95% intervals. What was not measured is left blank.

    Args:
        runs: of this benchmark, from top to bottom.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if the picture cannot be written.
    """
    names = [wrapped(name, _NAME_WIDTH) for name in short_names([run.name for run in runs])]
    height = row_height(names, _LEAST_ROW) * len(runs) + 1.0
    title = heading(runs, _WIDTH)
    with saved_figure(path, (_WIDTH, height), title=title, wspace=0.03) as figure:
        cells, *columns = figure.subplots(
            1, 1 + len(_COLUMNS), width_ratios=(3.4, 1.1, 1.1, 1.1, 1.1)
        )
        _draw_cells(cells, runs, names)
        for axes, column in zip(columns, _COLUMNS, strict=True):
            _draw_column(axes, [run.numbers for run in runs], *column)
        columns[0].set_xlabel("bars: 95% intervals", color=GREY)


def _draw_cells(axes: Any, runs: Sequence[Run], names: Sequence[str]) -> None:
    cells = [
        f"{_SHORT[generated]}\u2192{_SHORT[evaluated]}"
        for generated in MODALITIES
        for evaluated in MODALITIES
    ]
    matrix = np.array([consistency.matrix(run.table).ravel() for run in runs])
    diagonal = len(MODALITIES) + 1
    draw_heat_map(
        axes, matrix, names, cells, text=two_digits, bold=lambda _, cell: cell % diagonal == 0
    )
    said = ", ".join(f"{short} {name}" for name, short in _SHORT.items())
    axes.set_title("Confirmed, by where from \u2192 where evaluated")
    axes.set_xlabel(f"{said}; bold: the same modality", color=GREY)


def _draw_column(
    axes: Any, numbers: Sequence[Mapping[str, float]], key: str, title: str, is_difference: bool
) -> None:
    axes.set_title(title)
    for row, measured in enumerate(numbers):
        value = measured[key]
        if math.isnan(value):
            continue
        ends = measured[f"{key}_ci95_low"], measured[f"{key}_ci95_high"]
        colour = ORANGE if is_difference else BLUE
        draw_interval(axes, *ends, row, colour=colour, height=7)
        axes.plot([value], [row], ls="", marker="o", ms=5, color=colour, clip_on=False)
    axes.set(ylim=(len(numbers) - 0.5, -0.5), yticks=[])
    axes.spines["left"].set_visible(False)
    light_grid(axes, "x")
    if is_difference:
        axes.axvline(0, color=RULE, lw=1)
        axes.set_xlim(*_around(numbers, key))
    else:
        axes.set(xlim=(-0.04, 1.04), xticks=[0, 0.5, 1])
    axes.tick_params(colors=INK)
    if all(math.isnan(measured[key]) for measured in numbers):
        axes.set_xticks([])
        say_nothing_measured(axes, "not measured")


def _around(numbers: Sequence[Mapping[str, float]], key: str) -> tuple[float, float]:
    """Limits of an axis that shows 0, every difference and its interval."""
    shown = [0.0]
    for measured in numbers:
        shown += [measured[key], measured[f"{key}_ci95_low"], measured[f"{key}_ci95_high"]]
    finite = [value for value in shown if not math.isnan(value)]
    room = max(0.05, 0.06 * (max(finite) - min(finite)))
    return min(finite) - room, max(finite) + room
