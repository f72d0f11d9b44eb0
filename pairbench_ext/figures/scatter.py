"""Scores of models against each other: a panel per pair, with names that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairbench_ext.figures.style import (
    GREY,
    SERIES,
    light_grid,
    saved_figure,
    short_names,
    two_digits,
    wrapped,
)
from pairbench_ext.plurals import counted

if TYPE_CHECKING:
    from pairbench_ext.study import Pair, Scores

_MOST = 12  # panels
_COLUMNS = 3
_PANEL = (4.2, 3.6)  # inches
# Where a name may stand: right or left of its mark, above or below it, and how many points away.
_PLACES = [
    (across, up, away)
    for away in (5, 10)
    for across, up in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
]
_LETTERS = 6.5  # points


def save_figure(scores: Scores, pairs: Sequence[Pair], path: Path) -> None:
    """Draw every pair of scores, the ones with the highest rank correlation first.

    Args:
        scores: of the models.
        pairs: of scores.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if the picture cannot be written.
    """
    shown = sorted(pairs, key=_strength, reverse=True)[:_MOST]
    columns = min(_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    title = f"Scores of {len(scores.models)} models, pair by pair"
    if len(shown) < len(pairs):
        title += f"; the {_MOST} strongest of {len(pairs)} pairs"
    with saved_figure(path, (_PANEL[0] * columns, _PANEL[1] * rows), title=title) as figure:
        panels = figure.subplots(rows, columns, squeeze=False).flat
        marks = _marks(scores)
        for axes, pair in zip(panels, shown, strict=False):
            _draw(axes, scores, pair, marks)
        for axes in list(panels)[len(shown) :]:
            axes.set_axis_off()
        if scores.families is not None:
            handles, names = figure.axes[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=min(6, len(names)))
        figure.draw_without_rendering()  # the layout is final only now: names need its sizes
        for axes, pair in zip(figure.axes, shown, strict=False):
            _name_models(axes, scores, pair)


def _strength(pair: Pair) -> float:
    rank = next(one for one in pair.relations if one.name == "spearman")
    return -1.0 if math.isnan(rank.value) else abs(rank.value)


def _marks(scores: Scores) -> dict[str, tuple[str, str]]:
    """Colour and marker of every family; of all models alike where no family is known."""
    names = dict.fromkeys(scores.families or [""])
    return {name: SERIES[number % len(SERIES)] for number, name in enumerate(names)}


def _points(scores: Scores, pair: Pair) -> Iterator[tuple[str, str, float, float]]:
    for model in pair.models:
        row = scores.models.index(model)
        family = scores.families[row] if scores.families is not None else ""
        yield model, family, scores.columns[pair.x][row], scores.columns[pair.y][row]


def _draw(axes: Any, scores: Scores, pair: Pair, marks: dict[str, tuple[str, str]]) -> None:
    light_grid(axes)
    points = list(_points(scores, pair))
    for family, (colour, marker) in marks.items():
        own = [(x, y) for _, one, x, y in points if one == family]
        label = family or None
        axes.plot([x for x, _ in own], [y for _, y in own], marker, color=colour, ms=5, label=label)
    said = ", ".join(f"{one.name.title()} {two_digits(one.value)}" for one in pair.relations)
    axes.set_title(f"{said}  (n = {len(points)})", fontsize=8, fontweight="normal")
    axes.set_xlabel(wrapped(pair.x, 44))
    axes.set_ylabel(wrapped(pair.y, 36))
    axes.margins(0.14)


def _name_models(axes: Any, scores: Scores, pair: Pair) -> None:
    """Write each name beside its mark, where it covers neither a mark nor another name.

    The first free place is taken; a name for which there is none is left out, and the
    panel says how many are.
    """
    from matplotlib.transforms import Bbox

    points = list(_points(scores, pair))
    places = axes.transData.transform([(x, y) for *_, x, y in points])
    scale = axes.figure.dpi / 72
    taken = [
        Bbox.from_bounds(x - 3 * scale, y - 3 * scale, 6 * scale, 6 * scale) for x, y in places
    ]
    frame, unnamed = axes.get_window_extent(), 0
    for name, (*_, x, y) in zip(short_names([one[0] for one in points]), points, strict=True):
        written = _written(axes, name, (x, y), scale, taken, frame)
        if written is None:
            unnamed += 1
        else:
            taken.append(written)
    if unnamed:
        where = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        said = f"no room for {counted(unnamed, 'name')}"
        axes.text(0.99, 0.01, said, fontsize=6, color=GREY, **where)


def _written(
    axes: Any, name: str, place: Any, scale: float, taken: Sequence[Any], frame: Any
) -> Any:
    for across, up, away in _PLACES:
        text = axes.annotate(
            name,
            place,
            xytext=(across * away, up * away),
            textcoords="offset points",
            ha=("right", "center", "left")[across + 1],
            va=("top", "center", "bottom")[up + 1],
            fontsize=_LETTERS,
            color=GREY,
        )
        text.set_in_layout(False)
        box = text.get_window_extent().padded(0.5 * scale)
        inside = frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1)
        if inside and not any(box.overlaps(other) for other in taken):
            return box
        text.remove()
    return None
