"""Differences between judges with their intervals, in order: a panel per task and number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.show.figures.style import (
    BLUE,
    GREY,
    INK,
    draw_interval,
    light_grid,
    row_height,
    saved_figure,
    wrapped,
)

if TYPE_CHECKING:
    from pairbench_ext.runs.compare import Comparison

_PER_ROW = 3  # panels
_MOST_PAIRS = 21  # of seven judges; of more, all are shown beside the best one
_MINUS = " \u2212 "
_NAME_WIDTH, _NAME_SIZE = 48, 7


class _Row(NamedTuple):
    """A line of a panel: a difference, its interval, and whether it is real."""

    name: str
    value: float
    low: float
    high: float
    real: bool


def save_figure(comparisons: Sequence[Comparison], path: Path) -> None:
    """Draw differences with their intervals, the highest first; what is real is blue.

    Where all are compared with one judge, or more than seven with each other, rows are judges, less
    the one that they are compared with, or the best one.

    Args:
        comparisons: of judges.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is nothing to draw, or the picture cannot be written.
    """
    panels: dict[tuple[str, str], list[Comparison]] = {}
    for one in comparisons:
        if not math.isnan(one.difference):
            panels.setdefault((one.task, one.number), []).append(one)
    if not panels:
        raise ValueError("no difference is measured; there is nothing to draw")
    drawn = [(name, *_rows(found)) for name, found in panels.items()]
    columns = min(len(panels), _PER_ROW)
    lines = math.ceil(len(panels) / columns)
    heights = [
        max(_height(rows) for *_, rows in drawn[first : first + columns])
        for first in range(0, len(drawn), columns)
    ]
    with saved_figure(path, (5.2 * columns, max(0.6 + sum(heights), 2.2))) as figure:
        figure.suptitle(
            "differences with 95% intervals; blue: real at 5%, all comparisons together (Holm)",
            x=0.01,
            ha="left",
            fontsize=10,
        )
        axes = list(figure.subplots(lines, columns, squeeze=False, height_ratios=heights).flat)
        for place, (name, reference, rows) in zip(axes, drawn, strict=False):
            _draw(place, name, reference, rows)
        for place in axes[len(drawn) :]:
            place.set_axis_off()


def _height(rows: Sequence[_Row]) -> float:
    """Inches of a panel."""
    return 1.1 + row_height([row.name for row in rows], 0.2, _NAME_SIZE) * len(rows)


def _rows(found: Sequence[Comparison]) -> tuple[str, list[_Row]]:
    """The judge that all are compared with, empty where each is with each, and the rows."""
    reference = _reference(found)
    if reference:
        kept = [one for one in found if reference in (one.a, one.b)]
        rows = [_row(one, turned=one.a == reference, alone=True) for one in kept]
    else:
        rows = [_row(one, turned=one.difference < 0, alone=False) for one in found]
    return reference, sorted(rows, key=lambda row: -row.value)


def _reference(found: Sequence[Comparison]) -> str:
    if len(found) > 1 and len({one.b for one in found}) == 1:
        return found[0].b
    if len(found) <= _MOST_PAIRS:
        return ""
    sign = -1 if found[0].better == "lower" else 1
    ahead: dict[str, float] = {}
    for one in found:
        ahead[one.a] = ahead.get(one.a, 0) + sign * one.difference
        ahead[one.b] = ahead.get(one.b, 0) - sign * one.difference
    return max(ahead, key=lambda judge: ahead[judge])


def _row(one: Comparison, *, turned: bool, alone: bool) -> _Row:
    """The row of a comparison: a less b, or turned, b less a; alone: called by its first judge."""
    a, b = (one.b, one.a) if turned else (one.a, one.b)
    low, high = one.ci95
    name = wrapped(a, _NAME_WIDTH) if alone else _both(a, b)
    if turned:
        return _Row(name, -one.difference, -high, -low, one.differs)
    return _Row(name, one.difference, low, high, one.differs)


def _both(a: str, b: str) -> str:
    """A judge less another one, in a line if it is short."""
    name = f"{a}{_MINUS}{b}"
    if len(name) <= _NAME_WIDTH:
        return name
    return f"{wrapped(a, _NAME_WIDTH)}\n{_MINUS.lstrip()}{wrapped(b, _NAME_WIDTH)}"


def _draw(axes: Any, title: tuple[str, str], reference: str, rows: Sequence[_Row]) -> None:
    lines = [f"{title[0]}: {title[1]}", *([f"less {reference}"] if reference else [])]
    axes.set_title("\n".join(wrapped(line, 46) for line in lines), fontsize=9)
    light_grid(axes, "x")
    axes.axvline(0, color=INK, lw=0.8, zorder=1)
    for place, row in enumerate(rows):
        colour = BLUE if row.real else GREY
        draw_interval(axes, row.low, row.high, -place, colour=colour, height=5)
        axes.plot([row.value], [-place], marker="o", color=colour, ms=3.5, ls="")
    axes.set_yticks([-place for place in range(len(rows))], [row.name for row in rows])
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=_NAME_SIZE)
    axes.set_ylim(0.7 - len(rows), 0.7)
    axes.spines["left"].set_visible(False)
