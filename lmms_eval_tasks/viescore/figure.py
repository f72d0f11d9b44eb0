"""VIEScore in one picture: what a judge says of image models, and how far humans agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.viescore.agreement import Agreement
from lmms_eval_tasks.viescore.judged_images import JudgedImages
from lmms_eval_tasks.viescore.scores import ASPECTS, Aspect
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    draw_interval,
    light_grid,
    row_height,
    saved_figure,
    short_names,
    wrapped,
)
from pairbench_ext.statistics.correlation import Statistic

_COLOURS: Mapping[Aspect, str] = {"SC": BLUE, "PQ": ORANGE, "O": GREEN}
_MARKERS: Mapping[Aspect, str] = {"SC": "o", "PQ": "s", "O": "D"}
_SHIFTS: Mapping[Aspect, float] = {"SC": 0.2, "PQ": 0.0, "O": -0.2}  # so that none hides another
_NAME_WIDTH, _TITLE_WIDTH = 26, 40
_ROW = 0.36  # inches


class _Row(NamedTuple):
    """An image model, or the average over them, as it looks in both panels."""

    label: str
    position: int
    means: Mapping[Aspect, float]
    rhos: Mapping[Aspect, float]
    histogram: Sequence[int]


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw one or several tasks, a row of panels each, and write the picture.

    Left: mean SC, PQ and O of each image model. Right: Spearman's correlation with human raters,
    with the Fisher average over image models, its 95% interval and how far human raters agree with
    each other; where there are no human ratings, how O is distributed instead. NaN is left out.

    Args:
        runs: the runs.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the picture cannot be written.
    """
    runs = in_order(runs)
    rows = [_rows(run.table) for run in runs]
    heights = [
        row_height([row.label for row in of_task], _ROW) * len(of_task) + 0.75 for of_task in rows
    ]
    size = (9.2, sum(heights) + 0.4)
    title = heading(runs, size[0])
    with saved_figure(path, size, title=title, wspace=0.04, hspace=0.06) as figure:
        panels = figure.subplots(len(rows), 2, height_ratios=heights, squeeze=False)
        names = short_names([run.name for run in runs])
        for name, run, of_run, (left, right) in zip(names, runs, rows, panels, strict=True):
            _draw(left, right, name, run.table, of_run)
        low = min(right.get_xlim()[0] for _, right in panels)
        for _, right in panels:
            right.set_xlim(low, 1.05)
        _key(figure, [run.table.agreement for run in runs if run.table.agreement])


def _rows(judged: JudgedImages) -> list[_Row]:
    found = judged.agreement.by_image_model() if judged.agreement else {}
    return [
        _Row(
            wrapped(judged.name(key), _NAME_WIDTH),
            -position,
            summary.means,
            found[key][1] if key in found else {},
            summary.histograms["O"],
        )
        for position, (key, summary) in enumerate(judged.summaries.items())
    ]


def _draw(left: Any, right: Any, name: str, judged: JudgedImages, rows: Sequence[_Row]) -> None:
    has_average = judged.agreement is not None
    lowest = 0.55 - len(rows) - has_average
    for axes in (left, right):
        axes.set_ylim(lowest, 0.55)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        light_grid(axes)
    ticks, labels = [row.position for row in rows], [row.label for row in rows]
    if has_average:
        ticks, labels = [*ticks, -len(rows)], [*labels, "average"]
    left.set_yticks(ticks, labels, color=INK)
    right.set_yticks(ticks, [])
    left.set(title=wrapped(f"{name}: mean score", _TITLE_WIDTH), xlim=(-0.03, 1.03))
    _mark(left, rows, "means")
    if judged.agreement is None:
        _draw_histograms(right, rows)
    else:
        _draw_correlations(right, judged.agreement, judged.whole, rows)


def _mark(axes: Any, rows: Sequence[_Row], what: str) -> None:
    for row in rows:
        values: Mapping[Aspect, float] = getattr(row, what)
        for aspect, value in values.items():
            _dot(axes, aspect, value, row.position)


def _dot(axes: Any, aspect: Aspect, value: float, position: float, **changed: Any) -> None:
    """A marker in a row; none for NaN."""
    if not math.isnan(value):
        style = {"marker": _MARKERS[aspect], "color": _COLOURS[aspect], "ms": 5, "ls": ""}
        height = position + _SHIFTS[aspect]
        axes.plot([value], [height], **{**style, **changed}, clip_on=False, zorder=3)


def _draw_correlations(axes: Any, found: Agreement, task: str, rows: Sequence[_Row]) -> None:
    axes.set_title("Spearman's correlation with the raters")
    _mark(axes, rows, "rhos")
    bottom = -len(rows)
    axes.axhline(bottom + 0.5, color=GREY, lw=0.6)
    drawn = [0.0]
    for aspect in ASPECTS:
        place: tuple[str, Aspect, Statistic] = (task, aspect, "spearman")
        average, ends = found.means["fisher"][place], found.intervals.averages[task, aspect]
        height = bottom + _SHIFTS[aspect]
        draw_interval(axes, *ends, height, colour=_COLOURS[aspect], height=4)
        _dot(axes, aspect, average, bottom)
        human = found.human_means["fisher"][place]
        if not math.isnan(human):
            ends_of_line = [-len(rows) - 0.45, 0.55]
            axes.plot([human] * 2, ends_of_line, color=_COLOURS[aspect], lw=1, ls=(0, (3, 2)))
        drawn += [ends.low, *(row.rhos.get(aspect, 0.0) for row in rows)]
    axes.axvline(0, color=GREY, lw=0.8)
    low = min(value for value in drawn if not math.isnan(value))
    axes.set_xlim(min(-0.05, low - 0.05), 1.03)


def _draw_histograms(axes: Any, rows: Sequence[_Row]) -> None:
    """O of each image: the larger a square, the more images."""
    axes.set(title="O of single images (area: share of them)", xlim=(-0.06, 1.05))
    for row in rows:
        total = sum(row.histogram)
        for place, count in enumerate(row.histogram):
            if count:
                style = {"marker": "s", "color": _COLOURS["O"], "alpha": 0.75, "linewidths": 0}
                axes.scatter([place / 10], [row.position], s=330 * count / total, **style)


def _key(figure: Any, found: Sequence[Agreement]) -> None:
    """What the marks mean."""
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], ls="", ms=5, marker=_MARKERS[a], color=_COLOURS[a], label=a) for a in ASPECTS
    ]
    if found:
        style: dict[str, Any] = {"lw": 8, "alpha": 0.3, "solid_capstyle": "butt"}
        marks.append(Line2D([], [], color=GREY, label="95% interval", **style))
    if any(not math.isnan(r) for one in found for r in one.human_means["fisher"].values()):
        label = "raters with each other"
        marks.append(Line2D([], [], color=GREY, lw=1, ls=(0, (3, 2)), label=label))
    figure.legend(handles=marks, loc="outside lower left", ncols=len(marks), columnspacing=1.6)
