"""Draw the share of CAST's statements confirmed, by pair of modalities, one line per run."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES, confirmations
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures import style
from pairbench_ext.show.figures.charts import ChartRow, draw_forest, draw_heat_map

_SHORT = {"text": "T", "image": "I", "both": "B"}
# Number, heading, and whether it is a difference, which may be negative.
_COLUMNS = (
    ("same_modality", "Same modality", False),
    ("cross_modality", "Across", False),
    ("modality_gap", "Difference", True),
    ("own_minus_swapped", "Own \u2212 another pair\u2019s", True),
)
_WIDTH = 12.4  # inches
_NAME_WIDTH = 30


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the shares of statements confirmed, one line per run, and write the figure.

    From left to right: the nine cells of Table 1 (the mean of the prompts), by the modality that
    statements are generated from and the one that they are evaluated in; then the share confirmed
    in the same modality and across modalities, the difference, and the difference between the
    pair's own statements and another pair's, with 95% intervals.

    Raises:
        ValueError: if the figure cannot be written.
    """
    names = style.run_names(runs, _NAME_WIDTH)
    height = style.row_height(names, 0.34) * len(runs) + 1.0
    title = style.heading(runs, _WIDTH)
    with style.saved_figure(path, (_WIDTH, height), title=title, wspace=0.03) as figure:
        cells, *columns = figure.subplots(1, 5, width_ratios=(3.4, 1.1, 1.1, 1.1, 1.1))
        _draw_cells(cells, runs, names)
        for axes, (number, column, is_difference) in zip(columns, _COLUMNS, strict=True):
            _draw_column(axes, runs, number, is_difference=is_difference)
            axes.set_title(column)
        columns[0].set_xlabel("bars: 95% intervals", color=style.GREY)


def _draw_cells(axes: Any, runs: Sequence[Run], names: Sequence[str]) -> None:
    cells = [f"{_SHORT[by]}\u2192{_SHORT[shown]}" for by in MODALITIES for shown in MODALITIES]
    matrix = np.array([consistency.matrix(confirmations(run.table)).ravel() for run in runs])
    diagonal = len(MODALITIES) + 1
    draw_heat_map(
        axes, matrix, names, cells, text=style.two_digits, bold=lambda _, cell: cell % diagonal == 0
    )
    key = ", ".join(f"{short} {name}" for name, short in _SHORT.items())
    axes.set_title("Share of statements confirmed, by modality of generation → evaluation")
    axes.set_xlabel(f"{key}; bold: generated and evaluated in the same modality", color=style.GREY)


def _draw_column(axes: Any, runs: Sequence[Run], number: str, *, is_difference: bool) -> None:
    colour = style.ORANGE if is_difference else style.BLUE
    found = (run.benchmark.number(number).found_in(run.numbers) for run in runs)
    rows = [ChartRow("", *value_and_interval, colour) for value_and_interval in found]
    draw_forest(axes, rows, named=False)
    if is_difference:
        axes.axvline(0, color=style.RULE, lw=1)
        axes.margins(x=0.06)
    else:
        axes.set(xlim=(-0.04, 1.04), xticks=[0, 0.5, 1])
    if all(math.isnan(row.value) for row in rows):
        axes.set_xticks([])
        style.say_nothing_measured(axes, "not measured")
