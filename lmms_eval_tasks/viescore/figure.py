"""Draw image models' mean scores, and a judge's correlation with human raters."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmms_eval_tasks.viescore.numbers import agreement_of, model_means, scores_of, task_of
from lmms_eval_tasks.viescore.scores import ASPECTS, Aspect
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.charts import ChartRow, draw_forest
from pairbench_ext.show.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    heading,
    row_height,
    run_names,
    saved_figure,
    wrapped,
)

_COLOURS = {"SC": BLUE, "PQ": ORANGE, "O": GREEN}
_NAME_WIDTH, _TITLE_WIDTH = 26, 60
_WIDTH = 12.0  # inches


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw one or more tasks, with a row of panels for each task.

    Left: mean SC, PQ and O of each image model. Right, where there are human ratings: Spearman's
    correlation with them, and the Fisher average over image models with its 95% interval; the
    dashed line is the average agreement of the raters with each other.

    Raises:
        ValueError: if the figure cannot be written.
    """
    names = [[wrapped(k.image_model, _NAME_WIDTH) for k in scores_of(run.table)] for run in runs]
    heights = [row_height(of_run, 0.3) * (len(of_run) + 1) + 0.9 for of_run in names]
    size = (_WIDTH, sum(heights) + 0.4)
    title = f"{heading(runs, _WIDTH)}\ndashed: agreement between raters; bars: 95% intervals"
    with saved_figure(path, size, title=title, wspace=0.04) as figure:
        panels = figure.subplots(len(runs), 2 * len(ASPECTS), height_ratios=heights, squeeze=False)
        tasks = run_names(runs, _TITLE_WIDTH)
        for task, run, of_run, row in zip(tasks, runs, names, panels, strict=True):
            for column, aspect in enumerate(ASPECTS):
                means, correlations = row[column], row[len(ASPECTS) + column]
                draw_forest(means, _means(run.table, of_run, aspect), named=column == 0)
                means.set(title=f"mean {aspect}", xlim=(-0.05, 1.05))
                _draw_correlations(correlations, run, aspect)
            row[0].set_title(f"{task}\nmean {ASPECTS[0]}")


def _means(table: OutcomeTable, names: Sequence[str], aspect: Aspect) -> list[ChartRow]:
    rows = [
        ChartRow(name, means[aspect], colour=_COLOURS[aspect])
        for name, means in zip(names, model_means(table).values(), strict=True)
    ]
    return [*rows, ChartRow("average", math.nan)] if agreement_of(table) else rows


def _draw_correlations(axes: Any, run: Run, aspect: Aspect) -> None:
    table = run.table
    agreement = agreement_of(table)
    if agreement is None:
        axes.set_axis_off()
        return
    by_model, colour = agreement.by_image_model(), _COLOURS[aspect]
    values = [by_model.get(key, {}).get(aspect, math.nan) for key in model_means(table)]
    number = run.benchmark.number(f"spearman_{aspect.lower()}")
    average, low, high = (run.numbers[name] for name in number.names)
    rows = [
        *(ChartRow("", value, colour=colour) for value in values),
        ChartRow("", average, low, high, colour),
    ]
    draw_forest(axes, rows, named=False)
    axes.axhline(0.5 - len(values), color=GREY, lw=0.6)
    axes.axvline(0, color=INK, lw=0.8)
    raters = agreement.human_means["fisher"][task_of(table), aspect, "spearman"]
    if not math.isnan(raters):
        axes.axvline(raters, color=colour, lw=1, ls=(0, (3, 2)))
    axes.set(title=f"{aspect}, correlation", xlim=(-1.05, 1.05))
