"""PairBench in one picture: how well, how it answers, how far order matters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.breakdowns import EPSILONS, relaxsym_curve
from lmms_eval_tasks.pairbench.ratings import (
    CONDITIONS,
    PAPER,
    Condition,
    truths,
    under,
    usable,
    values,
)
from lmms_eval_tasks.pairbench.statistic import definition
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.core.plurals import counted
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RULE,
    draw_interval,
    light_grid,
    offset,
    row_height,
    saved_figure,
    say_nothing_measured,
    short_names,
    tell_apart,
    wrapped,
)

_TITLES: Mapping[str, str] = {"sens": "sensitive", "inv": "invariant"}
_COLOURS: Mapping[str, str] = {"sens": ORANGE, "inv": BLUE}
_SCORES = np.arange(1, 11)
_NAME_WIDTH = 30


def figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the ratings of one judge on several leaf tasks and write the picture.

    Left: MMScore by task with its 95% interval. Middle: how often each score was given, by ground
    truth. Right: eps-RelaxSym, where it could be measured.

    Args:
        runs: of the leaf tasks.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if the picture cannot be written, or ratings are pooled as by the authors.
    """
    if any(run.table.options["pool"] != PAPER for run in runs):
        raise ValueError("--plot draws the paper's definitions, not the authors'; add --pool paper")
    runs = in_order(runs)
    tables: dict[str, OutcomeTable] = {run.name: run.table for run in runs}
    scores = {run.name: run.numbers for run in runs}
    names = [wrapped(name, _NAME_WIDTH) for name in short_names(list(tables))]
    size = (12.5, 1.9 + max(1.6, row_height(names, 0.32) * len(tables)))
    with saved_figure(path, size, title=heading(runs, size[0])) as drawn:
        left, middle, right = drawn.subplots(1, 3, width_ratios=(1.15, 1.15, 1))
        _draw_mmscore(left, scores, names, definition(runs[0].table.options["metric"]).title)
        _draw_ratings(middle, list(tables.values()))
        _draw_symmetry(right, [relaxsym_curve(run.table) for run in runs])


def _draw_mmscore(
    axes: Any, scores: Mapping[str, Mapping[str, float]], names: Sequence[str], metric: str
) -> None:
    positions = np.arange(len(scores))[::-1]
    for position, one in zip(positions, scores.values(), strict=True):
        draw_interval(axes, one["ci95_low"], one["ci95_high"], position)
    for condition in CONDITIONS:
        values = [one[f"mmscore_{condition}"] for one in scores.values()]
        style = {"color": _COLOURS[condition], "marker": "o", "ms": 5, "ls": "", "alpha": 0.9}
        axes.plot(values, positions, label=_TITLES[condition], **style)
    means = [one["mmscore"] for one in scores.values()]
    style = {"color": GREY, "marker": "|", "ms": 13, "mew": 2, "ls": ""}
    axes.plot(means, positions, label="mean, 95% interval", **style)
    axes.set_yticks(positions, names)
    axes.set_ylim(-0.7, len(scores) - 0.3)
    low = min([0.0, *(v for v in axes.get_xlim() if math.isfinite(v))])
    axes.set_xlim(min(0.0, low), 1.02)
    axes.axvline(0, color=RULE, lw=0.8, zorder=0)
    light_grid(axes, "x")
    if all(math.isnan(one[f"mmscore_{c}"]) for one in scores.values() for c in CONDITIONS):
        say_nothing_measured(axes, "undefined: all ratings of a condition are alike")
    axes.set_title(f"MMScore: {metric} with the truth")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.09), ncols=3, handletextpad=0.3)


def _draw_ratings(axes: Any, tables: list[OutcomeTable]) -> None:
    groups = _groups(tables)
    shares = np.stack([_distribution(tables, condition, truth) for condition, truth in groups])
    axes.imshow(
        shares,
        cmap="Greys",
        vmin=0,
        vmax=1,
        aspect="auto",
        extent=(0.5, 11.5, len(groups) - 0.5, -0.5),
    )
    for line, ((condition, truth), share) in enumerate(zip(groups, shares, strict=True)):
        for column, value in enumerate(share, start=1):
            if value >= 0.01:
                colour = "white" if value > 0.55 else INK
                axes.text(
                    column,
                    line,
                    f"{100 * value:.0f}",
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color=colour,
                )
        if float(truth).is_integer() and 1 <= truth <= 10:
            axes.add_patch(_frame(truth, line, _COLOURS[condition]))
    labels = [f"{_TITLES[condition]}, truth {truth:g}" for condition, truth in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.set_xticks([*_SCORES, 11], [*map(str, _SCORES), "none"])
    axes.set_xlim(0.5, 11.5)
    axes.axvline(10.5, color=GREY, lw=0.8)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    together = f", {len(tables)} runs together" if len(tables) > 1 else ""
    axes.set_title(f"Scores given, % of a line\n(frame: truth{together})")


def _frame(truth: float, line: int, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((truth - 0.47, line - 0.46), 0.94, 0.92, fill=False, ec=colour, lw=1.6)


def _draw_symmetry(axes: Any, curves: Sequence[Mapping[int, float]]) -> None:
    measured = np.array([[*curve.values()] for curve in curves if not math.isnan(curve[0])])
    axes.set_title("eps-RelaxSym: alike in both orders")
    axes.set_xlim(-0.2, 9.2)
    axes.set_ylim(-0.02, 1.04)
    axes.set_xticks(list(EPSILONS))
    axes.set_xlabel("eps")
    light_grid(axes)
    if not len(measured):
        axes.text(
            4.5,
            0.5,
            "not measurable:\nboth orders were not shown",
            ha="center",
            va="center",
            color=GREY,
        )
        return
    for number, curve in enumerate(measured):
        shifted = [eps + offset(number, len(measured), 0.2) for eps in EPSILONS]
        dashes = tell_apart(number, len(measured))["ls"]
        axes.plot(shifted, curve, color=GREEN, lw=1, alpha=0.5, ls=dashes)
    mean = measured.mean(axis=0)
    axes.plot(list(EPSILONS), mean, color=GREEN, lw=2.2, marker="o", ms=4)
    axes.annotate(
        f"{mean[1]:.2f} at eps = 1",
        (1, mean[1]),
        xytext=(1.6, max(mean[1] - 0.16, 0.03)),
        color=GREEN,
    )
    axes.text(
        9.1,
        0.02,
        f"thin: {len(measured)} of {counted(len(curves), 'run')}, thick: mean",
        ha="right",
        color=GREY,
        fontsize=8,
    )


def _groups(tables: list[OutcomeTable]) -> list[tuple[Condition, float]]:
    return [
        (condition, truth)
        for condition in CONDITIONS
        for truth in sorted(
            {t for table in tables for t in truths(under(table, condition)).tolist()}, reverse=True
        )
    ]


def _distribution(
    tables: list[OutcomeTable], condition: Condition, truth: float
) -> npt.NDArray[np.float64]:
    """Shares of the scores 1 to 10 (rounded) and of unusable answers, shape (11,)."""
    counts = np.zeros(11)
    for table in tables:
        part = under(table, condition)
        chosen, known = truths(part) == truth, usable(part)
        given = np.rint(values(part)[chosen & known]).astype(int)
        counts[:10] += np.bincount(given, minlength=11)[1:11]
        counts[10] += np.count_nonzero(chosen & ~known)
    shares: npt.NDArray[np.float64] = counts / max(counts.sum(), 1)
    return shares
