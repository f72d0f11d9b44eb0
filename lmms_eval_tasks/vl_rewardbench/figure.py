"""VL-RewardBench in one figure: how often judges are right, and what their votes depend on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.forest import Row, draw_forest
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    GREY,
    SERIES,
    row_height,
    saved_figure,
    say_nothing_measured,
    short_names,
    wrapped,
)

_PANELS = {
    "overall_accuracy": "Overall",
    "macro_accuracy": "Macro",
    "general": "General",
    "hallucination": "Hallucination",
    "reasoning": "Reasoning",
    "first_position_rate": 'Says "first"',
    "position_consistency": "Same winner\nin both orders",
    "accuracy_longer_better": "Accuracy if the\nbetter is longer",
    "accuracy_shorter_better": "Accuracy if the\nbetter is shorter",
    "coverage": "Coverage",
}
_INTERVALS = {"overall_accuracy": "overall_ci95", "macro_accuracy": "macro_ci95"}
_WITHOUT_CHANCE = ("position_consistency", "coverage")  # no value that guessing gives
_PER_ROW = 5  # panels
_HALF = {"color": GREY, "lw": 1, "ls": (0, (3, 2)), "zorder": 1}
_NAME_WIDTH = 30
_WIDTH = 12.0  # inches


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the numbers of one or several runs, a row each, and write the figure.

    Above: accuracy overall, macro (with 95% intervals) and by group. Below: how often the first
    answer is named, how often both orders have the same winner, accuracy where the better response
    is the longer or the shorter, coverage. Dashed lines: guessing without position bias.

    Args:
        runs: of this benchmark.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the figure cannot be written.
    """
    runs = in_order(runs)
    names = [wrapped(name, _NAME_WIDTH) for name in short_names([run.name for run in runs])]
    size = (_WIDTH, 2 * (1.1 + row_height(names, 0.34) * len(runs)) + 0.3)
    with saved_figure(path, size, title=heading(runs, _WIDTH), wspace=0.06) as figure:
        panels = figure.subplots(2, _PER_ROW).flat
        for place, (axes, number) in enumerate(zip(panels, _PANELS, strict=True)):
            rows = [
                _row(name, run, number, SERIES[line % len(SERIES)])
                for line, (name, run) in enumerate(zip(names, runs, strict=True))
            ]
            draw_forest(axes, rows, named=place % _PER_ROW == 0, written=True)
            axes.set(title=_PANELS[number], xlim=(-0.04, 1.04))
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
            if number not in _WITHOUT_CHANCE:
                axes.axvline(0.5, **_HALF)
            if all(math.isnan(row.value) for row in rows):
                say_nothing_measured(axes, "not measured")


def _row(name: str, run: Run, number: str, series: tuple[str, str]) -> Row:
    ends = [f"{_INTERVALS.get(number)}_{end}" for end in ("low", "high")]
    low, high = (run.numbers.get(end, math.nan) for end in ends)
    return Row(name, run.numbers[number], low, high, *series)
