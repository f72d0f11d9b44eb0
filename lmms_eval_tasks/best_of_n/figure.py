"""Best of N in one picture: what a judge's picks are worth, and how that goes with its accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmms_eval_tasks.best_of_n.picking import KNOCKOUT, ROUND_ROBIN
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    GREY,
    INK,
    RULE,
    SERIES,
    draw_interval,
    light_grid,
    offset,
    row_height,
    saved_figure,
    say_nothing_measured,
    short_names,
    two_digits,
    wrapped,
)

_METHODS = {ROUND_ROBIN: ("o", "round-robin"), KNOCKOUT: ("D", "knockout")}
_NAME_WIDTH = 30
_ROW = 0.5  # inches
_ENDS = ("low", "high")


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw one or several runs, a row each, and write the picture.

    Left: what the candidates are worth that the judge picks by round-robin and by knockout, with
    the 95% interval, between a random pick and the best one. Right: the share of the possible gain
    beside the accuracy over pairs of unequal worth (the axes of the paper's Figure 4, with gains
    made comparable), a mark for each run.

    Args:
        runs: of this benchmark.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the picture cannot be written.
    """
    runs = in_order(runs)
    names = [wrapped(name, _NAME_WIDTH) for name in short_names([run.name for run in runs])]
    size = (10.5, max(3.1, 1.3 + row_height(names, _ROW) * len(runs)))
    with saved_figure(path, size, title=heading(runs, size[0]), wspace=0.05) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
        _draw_worth(left, runs, names)
        _draw_gain(right, runs)
        _key(figure)


def _draw_worth(axes: Any, runs: Sequence[Run], names: Sequence[str]) -> None:
    axes.set_title(
        "What the pick is worth" + ("" if _is_share(runs) else " (the axis does not start at 0)")
    )
    for row, run in enumerate(runs):
        colour = SERIES[row % len(SERIES)][0]
        ends = [run.numbers["random"], run.numbers["oracle"]]
        axes.plot(ends, [-row] * 2, color=RULE, lw=2, zorder=1)
        for value, marker in zip(ends, "|*", strict=True):
            axes.plot([value], [-row], marker=marker, color=GREY, ms=9, mew=1.6, ls="")
        for number, (method, (marker, _)) in enumerate(_METHODS.items()):
            value = run.numbers.get(method, math.nan)
            place = -row - offset(number, len(_METHODS))
            low, high = (run.numbers.get(f"{method}_ci95_{end}", math.nan) for end in _ENDS)
            draw_interval(axes, low, high, place, colour=colour, height=6)
            if not math.isnan(value):
                axes.plot([value], [place], marker=marker, color=colour, ms=5.5, ls="", zorder=3)
                side = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8}
                axes.text(1.02, place, two_digits(value), color=GREY, **side)
    if all(math.isnan(run.numbers["random"]) for run in runs):
        say_nothing_measured(axes, "no question has all comparisons that a pick needs")
    axes.set_yticks([-row for row in range(len(runs))], names, color=INK)
    axes.set(ylim=(0.5 - len(runs), 0.5))
    if _is_share(runs):
        axes.set_xlim(-0.03, 1.03)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    light_grid(axes)


def _is_share(runs: Sequence[Run]) -> bool:
    """Whether candidates are worth from 0 to 1, so that the axis can show all of it."""
    worth = [run.numbers[name] for run in runs for name in ("random", "oracle")]
    return all(math.isnan(value) or 0 <= value <= 1 for value in worth)


def _draw_gain(axes: Any, runs: Sequence[Run]) -> None:
    axes.set_title("Share of the possible gain by accuracy")
    drawn = 0
    for row, run in enumerate(runs):
        colour = SERIES[row % len(SERIES)][0]
        across = run.numbers["pairwise_accuracy"] + offset(row, len(runs), 0.02)
        for method, (marker, _) in _METHODS.items():
            share = run.numbers.get(f"{method}_share", math.nan)
            if not math.isnan(across + share):
                open_one = {"mfc": "none", "ms": 9} if method == ROUND_ROBIN else {"ms": 6}
                style = {"marker": marker, "color": colour, "alpha": 0.85, **open_one}
                axes.plot([across], [share], ls="", clip_on=False, **style)
                drawn += 1
    axes.axhline(0, color=RULE, lw=0.8, zorder=0)
    axes.axvline(0.5, color=GREY, lw=1, ls=(0, (3, 2)), zorder=0)
    axes.set(xlim=(0, 1), ylim=(-1.02, 1.02), xlabel="pairwise accuracy, colours of the rows")
    light_grid(axes)
    if not drawn:
        say_nothing_measured(axes, "no pair of unequal worth was decided, or no gain is possible")


def _key(figure: Any) -> None:
    """What the marks mean."""
    from matplotlib.lines import Line2D

    def mark(label: str, **style: Any) -> Any:
        return Line2D([], [], **{"color": GREY, "ls": "", "ms": 6, **style}, label=label)

    marks = [
        *(mark(f"picked by {title}", marker=marker) for marker, title in _METHODS.values()),
        mark("95% interval", ls="-", lw=7, alpha=0.3),
        mark("random pick", marker="|", ms=9, mew=1.6),
        mark("best pick", marker="*", ms=9),
        mark("guessing", ls=(0, (3, 2)), lw=1),
    ]
    figure.legend(handles=marks, loc="outside lower left", ncols=len(marks), columnspacing=1.4)
