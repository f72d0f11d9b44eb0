"""VL-RewardBench in one figure: how often judges are right, and what their votes depend on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lmms_eval_tasks.preference.numbers import by_k
from lmms_eval_tasks.preference.votes import every_vote
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.forest import Row, draw_forest
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    GREY,
    SERIES,
    light_grid,
    offset,
    row_height,
    saved_figure,
    say_nothing_measured,
    short_names,
    tell_apart,
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


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the numbers of one or several runs, a row each, and write the figure.

    Above: accuracy overall, macro (with 95% intervals) and by group. Below: how often the first
    answer is named, how often both orders have the same winner, accuracy where the better response
    is the longer or the shorter, coverage; and macro accuracy by K (Figure 5b of the paper) if a
    run has more than one K. Dashed lines: guessing without position bias.

    Args:
        runs: of this benchmark.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the figure cannot be written.
    """
    runs = in_order(runs)
    names = [wrapped(name, _NAME_WIDTH) for name in short_names([run.name for run in runs])]
    curves = [by_k(every_vote(run.table), GROUPING) for run in runs]
    with_k = any(len(curve) > 1 for curve in curves)
    widths = (12.0, *([2.5] if with_k else []))
    size = (sum(widths), 2 * (1.1 + row_height(names, 0.34) * len(runs)) + 0.3)
    with saved_figure(path, size, title=heading(runs, size[0]), wspace=0.06) as figure:
        left, *right = figure.subfigures(1, len(widths), width_ratios=widths, squeeze=False)[0]
        panels = left.subplots(2, _PER_ROW).flat
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
        if with_k:
            _draw_by_k(right[0].subplots(), curves)


def _row(name: str, run: Run, number: str, series: tuple[str, str]) -> Row:
    ends = [f"{_INTERVALS.get(number)}_{end}" for end in ("low", "high")]
    low, high = (run.numbers.get(end, math.nan) for end in ends)
    return Row(name, run.numbers[number], low, high, *series)


def _draw_by_k(axes: Any, curves: Sequence[Mapping[int, Mapping[str, float]]]) -> None:
    """Draw macro accuracy of the first k votes of each item, a line per run."""
    ks = sorted({k for curve in curves for k in curve})
    for number, curve in enumerate(curves):
        points = {k: one["macro_accuracy"] for k, one in curve.items()}
        shifted = [k + offset(number, len(curves), 0.2) for k in points]
        style = {**tell_apart(number, len(curves)), "ms": 4.5, "lw": 1.5, "alpha": 0.85}
        axes.plot(shifted, list(points.values()), **style)
    axes.set(xticks=ks, xlim=(ks[0] - 0.6, ks[-1] + 0.6), ylim=(0, 1))
    axes.set(title="Macro accuracy by K", xlabel="K: votes per item")
    axes.axhline(0.5, **_HALF)
    light_grid(axes)
