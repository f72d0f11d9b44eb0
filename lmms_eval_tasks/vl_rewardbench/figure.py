"""VL-RewardBench in one picture: how often judges are right, and what their votes depend on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.numbers import by_k
from lmms_eval_tasks.preference.votes import every_vote
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.style import (
    GREY,
    INK,
    SERIES,
    draw_interval,
    light_grid,
    offset,
    saved_figure,
    say_nothing_measured,
    short_names,
    tell_apart,
    two_digits,
    wrapped,
)

_ACCURACY = (
    ("overall_accuracy", "Overall"),
    ("macro_accuracy", "Macro"),
    ("general", "General"),
    ("hallucination", "Hallucination"),
    ("reasoning", "Reasoning"),
)
_INTERVALS = {"overall_accuracy": "overall_ci95", "macro_accuracy": "macro_ci95"}
_DEPENDENCE = (
    (("first_position_rate",), 'Says "first"'),
    (("position_consistency",), "Same winner\nin both orders"),
    (
        ("accuracy_longer_better", "accuracy_shorter_better"),
        "Accuracy if the better\nis longer \u25b2, shorter \u25bc",
    ),
    (("coverage",), "Coverage"),
)
_WHY_NOT = {
    "first_position_rate": "no usable votes",
    "position_consistency": "no item has votes in both orders",
    "accuracy_longer_better": "no usable votes on answers of different lengths",
    "coverage": "no votes",
}
_HALF = {"color": GREY, "lw": 1, "ls": (0, (3, 2)), "zorder": 1}
_NAME_WIDTH = 30


class _Run(NamedTuple):
    """A run as it looks in every panel."""

    name: str
    position: int
    colour: str
    marker: str
    scores: Mapping[str, float]
    by_k: Mapping[int, Mapping[str, float]]


def save_figure(scored: Sequence[Run], path: Path) -> None:
    """Draw the numbers of one or several runs, a row each, and write the picture.

    Above: accuracy overall, macro and by group, with the 95% interval where there is one, and
    under `strict`. Below: how often the first answer is named, how often both orders have the same
    winner, accuracy where the better response is the longer or the shorter, coverage; and macro
    accuracy by K (Figure 5b of the paper) if a run has more than one K. NaN is left out and said.

    Args:
        scored: the runs.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the picture cannot be written.
    """
    scored = in_order(scored)
    runs = _runs(scored)
    with_k = any(len(run.by_k) > 1 for run in runs)
    names = [run.name.split("\n") for run in runs]
    rows = max(0.45, len(runs) * max(0.3, 0.17 * max(map(len, names))))  # inches
    heights = (rows + 0.8, rows + 1.05)
    longest = max(len(line) for lines in names for line in lines)
    widths = (8.8 + 0.07 * longest, *([2.5] if with_k else []))
    size = (sum(widths), sum(heights) + 0.3)
    with saved_figure(path, size, title=heading(scored, size[0]), wspace=0.06) as figure:
        left, *right = figure.subfigures(1, len(widths), width_ratios=widths, squeeze=False)[0]
        above, below = left.subfigures(2, 1, height_ratios=heights)
        _heading(above, "Accuracy")
        _draw_accuracy(_panels(above, 5, runs), runs)
        _heading(below, "What the votes depend on", _left_out(runs))
        _draw_dependence(_panels(below, 4, runs), runs)
        if with_k:
            _heading(right[0], "Accuracy by K")
            _draw_by_k(right[0].subplots(), runs)
        _key(figure)


def _runs(scored: Sequence[Run]) -> list[_Run]:
    names = short_names([run.name for run in scored])
    return [
        _Run(
            wrapped(name, _NAME_WIDTH),
            -row,
            *SERIES[row % len(SERIES)],
            run.numbers,
            by_k(every_vote(run.table), GROUPING),
        )
        for row, (name, run) in enumerate(zip(names, scored, strict=True))
    ]


def _heading(part: Any, title: str, note: str = "") -> None:
    part.suptitle(title, x=0.005, ha="left", fontsize=11.5, fontweight="bold")
    part.text(0.99, 0.98, note, ha="right", va="top", color=GREY)


def _left_out(runs: Sequence[_Run]) -> str:
    """What to say of NaN, if there is any."""
    keys = [key for key, _ in _ACCURACY] + [key for some, _ in _DEPENDENCE for key in some]
    by_k = [one["macro_accuracy"] for run in runs for one in run.by_k.values()]
    undefined = any(map(math.isnan, [*by_k, *(run.scores[key] for run in runs for key in keys)]))
    return "n/a or no marker: undefined or not measured" if undefined else ""


def _panels(part: Any, number: int, runs: Sequence[_Run]) -> Sequence[Any]:
    """Axes from 0 to 1 that share the rows; the names stand at the first."""
    panels: Sequence[Any] = part.subplots(1, number)
    for axes in panels:
        axes.set_xlim(-0.04, 1.04)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
        axes.set_ylim(0.5 - len(runs), 0.5)
        axes.set_yticks([run.position for run in runs], [])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        light_grid(axes)
    panels[0].set_yticklabels([run.name for run in runs], color=INK)
    return panels


def _draw_accuracy(panels: Sequence[Any], runs: Sequence[_Run]) -> None:
    for axes, (key, title) in zip(panels, _ACCURACY, strict=True):
        axes.set_title(title)
        if all(math.isnan(run.scores[key]) for run in runs):
            say_nothing_measured(axes, "no decided items")
        axes.axvline(0.5, **_HALF)
        for run in runs:
            decided, strict = run.scores[key], run.scores[f"{key}_strict"]
            low, high = _interval(run, key)
            draw_interval(axes, low, high, run.position, colour=run.colour, height=10)
            axes.plot([strict, decided], [run.position] * 2, color=run.colour, lw=1)
            _mark(axes, run, strict, mfc="none", ms=8.5)
            _mark(axes, run, decided)
            if math.isnan(low) or math.isnan(high):
                _write(axes, run, two_digits(decided))
            else:
                _write(axes, run, two_digits(decided), va="bottom")
                _write(axes, run, f"{low:.2f}\u2013{high:.2f}", va="top", fontsize=6)


def _interval(run: _Run, key: str) -> tuple[float, float]:
    """The 95% interval of an accuracy; NaN, NaN for one that has none."""
    if key not in _INTERVALS:
        return math.nan, math.nan
    return run.scores[f"{_INTERVALS[key]}_low"], run.scores[f"{_INTERVALS[key]}_high"]


def _draw_dependence(panels: Sequence[Any], runs: Sequence[_Run]) -> None:
    for axes, (keys, title) in zip(panels, _DEPENDENCE, strict=True):
        axes.set_title(title)
        if all(math.isnan(run.scores[key]) for run in runs for key in keys):
            say_nothing_measured(axes, _WHY_NOT[keys[0]])
        for run in runs:
            values = [run.scores[key] for key in keys]
            axes.plot(values, [run.position] * len(values), color=run.colour, lw=1)
            if len(values) == 1:
                _mark(axes, run, values[0])
                _write(axes, run, two_digits(values[0]))
            else:
                for value, marker in zip(values, "^v", strict=True):
                    _mark(axes, run, value, marker=marker, ms=6)
                signs = zip("\u25b2\u25bc", values, strict=True)
                _write(axes, run, "  ".join(f"{sign} {two_digits(value)}" for sign, value in signs))
    for axes in (panels[0], panels[2]):
        axes.axvline(0.5, **_HALF)


def _mark(axes: Any, run: _Run, value: float, **changed: Any) -> None:
    """One marker in the run's row; none for NaN."""
    if not math.isnan(value):
        style = {"marker": run.marker, "color": run.colour, "ms": 5, "ls": "", "zorder": 3}
        axes.plot([value], [run.position], **{**style, **changed}, clip_on=False)


def _write(axes: Any, run: _Run, text: str, va: str = "center", fontsize: float = 8) -> None:
    """What a row's markers say in numbers, to the right of the panel."""
    place = axes.get_yaxis_transform()
    axes.text(1.03, run.position, text, transform=place, va=va, fontsize=fontsize, color=GREY)


def _draw_by_k(axes: Any, runs: Sequence[_Run]) -> None:
    """Macro accuracy of the first k votes of each item, a line each, in the colours of the rows."""
    ks = sorted({k for run in runs for k in run.by_k})
    room = 0.2 * min((right - left for left, right in pairwise(ks)), default=1)
    for number, run in enumerate(runs):
        values = {k: one["macro_accuracy"] for k, one in run.by_k.items()}
        drawn = {k: value for k, value in values.items() if not math.isnan(value)}
        shifted = [k + offset(number, len(runs), room) for k in drawn]
        style = {**tell_apart(number, len(runs)), "ms": 4.5, "lw": 1.5, "alpha": 0.85}
        axes.plot(shifted, list(drawn.values()), **style)
    axes.set(xticks=ks, xlim=(ks[0] - 0.6, ks[-1] + 0.6), ylim=(0, 1))
    axes.set(title="Macro", xlabel="K: votes per item")
    axes.axhline(0.5, **_HALF)
    axes.set_box_aspect(1.3 if len(runs) > 4 else None)
    axes.set_anchor("N")
    light_grid(axes)


def _key(figure: Any) -> None:
    """What the marks mean."""
    from matplotlib.lines import Line2D

    def mark(label: str, **style: Any) -> Any:
        return Line2D([], [], **{"color": GREY, "ls": "", "ms": 5, **style}, label=label)

    marks = [
        mark("decided items", marker="o"),
        mark("strict: undecided items count as wrong", marker="o", mfc="none", ms=8.5),
        mark("95% interval", ls="-", lw=8, alpha=0.3, solid_capstyle="butt"),
        mark("guessing, no position bias", **_HALF),
    ]
    figure.legend(handles=marks, loc="outside lower left", ncols=len(marks), columnspacing=1.6)
