"""CAST in one picture: what a model confirms of its own statements, and of those of other pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from lmms_eval_tasks.cast.overview_figure import save_overview
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.heat_map import draw_heat_map
from pairbench_ext.show.figures.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    RULE,
    draw_interval,
    light_grid,
    saved_figure,
    short_names,
    two_digits,
    wrapped,
)

_HEADLINE = (
    ("same_modality", "same modality"),
    ("cross_modality", "across"),
    ("modality_gap", "difference"),
    ("own_minus_swapped", "own \u2212 swapped"),
)
_OWN: Any = {"color": BLUE, "marker": "o", "ms": 5.5}
_SWAPPED: Any = {"color": ORANGE, "marker": "D", "ms": 8, "mfc": "none", "mew": 1.3}
_NAME_WIDTH = 36
_ROW = 3.0  # inches
_MOST_ROWS = 4  # more runs are a line each

_Matrix = npt.NDArray[np.float64]


class _Drawn(NamedTuple):
    """A run as it is drawn: matrices by generating (row) and evaluating modality (column)."""

    name: str
    numbers: Mapping[str, float]
    own: _Matrix
    by_prompt: _Matrix
    swapped: _Matrix


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw one or several runs, a row of panels each, and write the picture.

    More than four are a line each (`save_overview`).

    From left to right: the matrix of Table 1 and the three of its prompts (Table 3), as heat maps;
    then each cell for the pair's own statements and for those of another pair, with the mean over
    the cells and its 95% interval. A cell without a usable reply is left blank.

    Args:
        runs: of this benchmark.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the picture cannot be written.
    """
    runs = in_order(runs)
    if len(runs) > _MOST_ROWS:
        save_overview(runs, path)
        return
    names = short_names([run.name for run in runs])
    drawn = [_drawn(name, run) for name, run in zip(names, runs, strict=True)]
    size = (12.4, _ROW * len(runs) + 0.3)
    title = heading(runs, size[0])
    with saved_figure(path, size, title=title, wspace=0.03, hspace=0.04) as figure:
        parts = figure.subfigures(len(runs), 1, squeeze=False)[:, 0]
        for part, run in zip(parts, drawn, strict=True):
            _draw_run(part, run)
        _key(figure)


def _drawn(name: str, run: Run) -> _Drawn:
    return _Drawn(
        wrapped(name, _NAME_WIDTH),
        run.numbers,
        consistency.matrix(run.table),
        consistency.matrices_by_prompt(run.table),
        consistency.matrix(run.table, swapped=True),
    )


def _draw_run(part: Any, run: _Drawn) -> None:
    part.suptitle(run.name, x=0.005, ha="left", fontsize=11.5, fontweight="bold")
    part.text(0.995, 0.985, _headline(run.numbers), ha="right", va="top", color=GREY)
    whole, *prompts, cells = part.subplots(1, 5, width_ratios=(1.45, 1, 1, 1, 1.75))
    _draw_matrix(whole, run.own, "Mean of the prompts", size=12)
    whole.set(xlabel="evaluated in", ylabel="generated from")
    for axes, prompt, matrix in zip(prompts, PROMPTS, run.by_prompt, strict=True):
        _draw_matrix(axes, matrix, f"\u201c{prompt}\u201d", size=9)
        axes.set_yticklabels([])
    _draw_cells(cells, run)


def _headline(numbers: Mapping[str, float]) -> str:
    said = []
    for key, title in _HEADLINE:
        low, high = numbers[f"{key}_ci95_low"], numbers[f"{key}_ci95_high"]
        interval = "" if math.isnan(low) else f" [{two_digits(low)}, {two_digits(high)}]"
        said.append(f"{title} {two_digits(numbers[key])}{interval}")
    return "   \u00b7   ".join(said)


def _draw_matrix(axes: Any, matrix: _Matrix, title: str, *, size: float) -> None:
    draw_heat_map(
        axes, matrix, MODALITIES, MODALITIES, text=two_digits, size=size, bold=lambda i, j: i == j
    )
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=10.5 if size > 10 else 9.5)


def _draw_cells(axes: Any, run: _Drawn) -> None:
    """A line per cell: how much is confirmed of own statements, and of another pair's."""
    axes.set_title("Own statements, another pair\u2019s")
    labels = []
    for number, (generated, evaluated) in enumerate(np.ndindex(run.own.shape)):
        own, swapped = (
            float(run.own[generated, evaluated]),
            float(run.swapped[generated, evaluated]),
        )
        axes.plot([swapped, own], [-number] * 2, color=RULE, lw=2, zorder=1)
        _mark(axes, own, -number, **_OWN)
        _mark(axes, swapped, -number, **_SWAPPED)
        labels.append(f"{MODALITIES[generated]} \u2192 {MODALITIES[evaluated]}")
    last = -len(labels) - 0.4
    rate = run.numbers["swapped_rate"]
    ends = run.numbers["swapped_rate_ci95_low"], run.numbers["swapped_rate_ci95_high"]
    draw_interval(axes, *ends, last, colour=ORANGE, height=9)
    _mark(axes, rate, last, **_SWAPPED)
    _mark(axes, run.numbers["own_rate"], last, **_OWN)
    axes.axhline(last + 0.7, color=RULE, lw=0.8)
    positions = [*(-number for number in range(len(labels))), last]
    axes.set_yticks(positions, [*labels, "mean"], color=INK)
    axes.set(xlim=(-0.04, 1.04), ylim=(last - 0.7, 0.7), xticks=[0, 0.25, 0.5, 0.75, 1])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    light_grid(axes, "x")
    if math.isnan(rate):
        axes.set_xlabel("no statements of other pairs were evaluated", color=GREY)


def _mark(axes: Any, value: float, position: float, **style: Any) -> None:
    """A marker; none for NaN."""
    if not math.isnan(value):
        axes.plot([value], [position], ls="", zorder=3, clip_on=False, **style)


def _key(figure: Any) -> None:
    """What the marks mean."""
    from matplotlib.lines import Line2D

    def mark(label: str, **style: Any) -> Any:
        return Line2D([], [], **{"ls": "", **style}, label=label)

    marks = [
        mark("confirmed, own statements", **_OWN),
        mark("confirmed, another pair\u2019s", **_SWAPPED),
        mark("95% interval", color=ORANGE, ls="-", lw=8, alpha=0.3, solid_capstyle="butt"),
    ]
    figure.legend(handles=marks, loc="outside lower right", ncols=len(marks), columnspacing=1.6)
