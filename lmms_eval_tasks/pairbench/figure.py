"""Draw PairBench's metrics: MMScore, use of the rating scale, and effect of the image order."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.pairbench.breakdowns import EPSILONS, relaxsym_curve
from lmms_eval_tasks.pairbench.ratings import (
    CONDITIONS,
    PAPER,
    Condition,
    FloatArray,
    definitions,
    under,
    usable,
)
from lmms_eval_tasks.pairbench.statistic import definition
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.charts import ChartRow, draw_forest, draw_heat_map
from pairbench_ext.show.figures.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    heading,
    light_grid,
    row_height,
    run_names,
    saved_figure,
    say_nothing_measured,
)

_TITLES: Mapping[str, str] = {"sens": "sensitive", "inv": "invariant"}
_COLOURS: Mapping[str, str] = {"sens": ORANGE, "inv": BLUE}
_NAME_WIDTH = 30


def figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the ratings of one judge on several tasks, and write the figure.

    Left: MMScore by task with its 95% interval. Middle: how often each score was given, by ground
    truth. Right: eps-RelaxSym, where it could be measured.

    Raises:
        ValueError: if the picture cannot be written, or ratings are pooled as by the authors.
    """
    if any(definitions(run.table) != PAPER for run in runs):
        raise ValueError(
            "--plot draws numbers by the paper's definitions, not by the authors' code; "
            "add --pool paper"
        )
    names = run_names(runs, _NAME_WIDTH)
    size = (12.5, 1.9 + max(1.6, row_height(names, 0.32) * len(runs)))
    with saved_figure(path, size, title=heading(runs, size[0])) as drawn:
        left, middle, right = drawn.subplots(1, 3, width_ratios=(1.15, 1.15, 1))
        _draw_mmscore(left, runs, names)
        _draw_ratings(middle, [run.table for run in runs])
        _draw_symmetry(right, [relaxsym_curve(run.table) for run in runs])


def _draw_mmscore(axes: Any, runs: Sequence[Run], names: Sequence[str]) -> None:
    numbers = [run.numbers for run in runs]
    mmscore = runs[0].benchmark.number("mmscore")
    shown = (mmscore.found_in(values) for values in numbers)
    rows = [ChartRow(name, *values, GREY, "|") for name, values in zip(names, shown, strict=True)]
    draw_forest(axes, rows)
    for condition in CONDITIONS:
        scores = [values[f"mmscore_{condition}"] for values in numbers]
        style = {"color": _COLOURS[condition], "marker": "o", "ms": 5, "ls": "", "alpha": 0.9}
        axes.plot(scores, [-n for n in range(len(rows))], label=_TITLES[condition], **style)
    axes.set_xlim(min([0.0, *(x for x in axes.get_xlim() if math.isfinite(x))]), 1.02)
    if all(math.isnan(row.value) for row in rows):
        say_nothing_measured(axes, "undefined: all ratings under a condition are equal")
    metric = definition(runs[0].table.options["metric"]).title
    axes.set_title(f"MMScore: {metric} between scores and truth\n(grey: mean, 95% interval)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.09), ncols=2, handletextpad=0.3)


def _draw_ratings(axes: Any, tables: Sequence[OutcomeTable]) -> None:
    groups = [
        (condition, truth)
        for condition in CONDITIONS
        for truth in sorted(
            {truth for table in tables for truth in under(table, condition).labels("truth")},
            reverse=True,
        )
    ]
    draw_heat_map(
        axes,
        np.stack([_distribution(tables, condition, truth) for condition, truth in groups]),
        [f"{_TITLES[condition]}, truth {truth:g}" for condition, truth in groups],
        [*map(str, range(1, 11)), "none"],
        text=lambda share: f"{100 * share:.0f}" if share >= 0.01 else "",
        size=7.5,
        bold=lambda row, column: groups[row][1] == column + 1,
    )
    together = f", {len(tables)} runs together" if len(tables) > 1 else ""
    axes.set_title(
        f"How often the judge gives each score,\nin % of each row\n(bold: the truth{together})"
    )


def _distribution(tables: Sequence[OutcomeTable], condition: Condition, truth: float) -> FloatArray:
    """Return shares of the scores 1 to 10 (rounded) and of unusable answers, shape (11,)."""
    counts = np.zeros(11)
    for table in tables:
        part = under(table, condition)
        chosen, readable = part.column("truth") == truth, usable(part)
        given = np.rint(part.column("said")[chosen & readable]).astype(int)
        counts[:10] += np.bincount(given, minlength=11)[1:11]
        counts[10] += np.count_nonzero(chosen & ~readable)
    return np.asarray(counts / max(counts.sum(), 1))


def _draw_symmetry(axes: Any, curves: Sequence[Mapping[int, float]]) -> None:
    measured = np.array([[*curve.values()] for curve in curves if not math.isnan(curve[0])])
    axes.set_title("eps-RelaxSym: similar score in both orders (thin lines: runs, thick: mean)")
    axes.set_xlim(-0.2, 9.2)
    axes.set_ylim(-0.02, 1.04)
    axes.set_xticks(list(EPSILONS))
    axes.set_xlabel("eps")
    light_grid(axes)
    if not len(measured):
        say_nothing_measured(axes, "not measurable, because pairs were shown in one order only")
        return
    axes.plot(list(EPSILONS), measured.T, color=GREEN, lw=1, alpha=0.5)
    mean = measured.mean(axis=0)
    axes.plot(list(EPSILONS), mean, color=GREEN, lw=2.2, marker="o", ms=4)
    place = {"xytext": (1.6, max(mean[1] - 0.16, 0.03)), "color": GREEN}
    axes.annotate(f"{mean[1]:.2f} at eps = 1", (1, mean[1]), **place)
