"""Scores of models against each other: a panel per pair, with names that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pairbench_ext.core.plurals import counted
from pairbench_ext.show.figures.style import (
    GREY,
    SERIES,
    light_grid,
    saved_figure,
    short_names,
    two_digits,
    wrapped,
)

if TYPE_CHECKING:
    from pairbench_ext.study.pairs import ScorePair
    from pairbench_ext.study.scores import Scores

_MOST = 12  # panels
_COLUMNS = 3
_PANEL, _LARGE_PANEL = (4.2, 3.6), (6.0, 5.0)  # inches
_CROWDED = 14  # models, of more the panels are large
_NEXT = 5  # points between a mark and a name that is next to it
# Where a name may stand: right or left of its mark, above or below it, and how many points away.
_PLACES = [
    (across, up, away)
    for away in (_NEXT, 10, 16, 24, 34, 48, 64)
    for across, up in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
]
_LETTERS = 6.5  # points

# The boxes of marks and then of names, how many marks there are, and the lines to names.
_Drawn: TypeAlias = tuple[list[Any], int, list[Any]]


def save_figure(scores: Scores, pairs: Sequence[ScorePair], path: Path) -> None:
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
    crowded = any(len(pair.models) > _CROWDED for pair in shown)
    width, height = _LARGE_PANEL if crowded else _PANEL
    with saved_figure(path, (width * columns, height * rows), title=title) as figure:
        panels = list(figure.subplots(rows, columns, squeeze=False).flat)
        marks = _marks(scores, shown)
        for axes, pair in zip(panels, shown, strict=False):
            _draw(axes, scores, pair, marks)
        for axes in panels[len(shown) :]:
            axes.set_axis_off()
        if any(marks):
            handles, names = panels[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=min(6, len(names)))
        figure.draw_without_rendering()  # the layout is final only now: names need its sizes
        for axes, pair in zip(panels, shown, strict=False):
            _name_models(axes, scores, pair)


def _strength(pair: ScorePair) -> float:
    rank = next(one for one in pair.relations if one.name == "spearman")
    return -1.0 if math.isnan(rank.value) else abs(rank.value)


def _marks(scores: Scores, pairs: Sequence[ScorePair]) -> dict[str, tuple[str, str]]:
    """Colour and marker of every family that is drawn; models without one have the empty name."""
    drawn = {model for pair in pairs for model in pair.models}
    names = dict.fromkeys(scores.family(model) or "" for model in scores.models if model in drawn)
    return {name: SERIES[number % len(SERIES)] for number, name in enumerate(names)}


def _points(scores: Scores, pair: ScorePair) -> Iterator[tuple[str, str, float, float]]:
    for model in pair.models:
        x, y = scores.value(pair.x, model), scores.value(pair.y, model)
        yield model, scores.family(model) or "", x, y


def _draw(axes: Any, scores: Scores, pair: ScorePair, marks: dict[str, tuple[str, str]]) -> None:
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


def _name_models(axes: Any, scores: Scores, pair: ScorePair) -> None:
    """Write each name beside its mark, where it covers neither a mark nor another name.

    The first free place is taken; one that is not next to the mark is joined to it by a line that
    crosses no name. A name for which there is no place is left out; the panel says how many are.
    """
    from matplotlib.transforms import Bbox

    axes.autoscale(enable=False)
    points = list(_points(scores, pair))
    places = axes.transData.transform([(x, y) for *_, x, y in points])
    scale = axes.figure.dpi / 72
    marks = [
        Bbox.from_bounds(x - 3 * scale, y - 3 * scale, 6 * scale, 6 * scale) for x, y in places
    ]
    taken, unnamed = list(marks), 0
    lines: list[Any] = []
    names = short_names([one[0] for one in points])
    for number in _most_enclosed_first(places, 40 * scale):
        *_, x, y = points[number]
        found = _written(axes, names[number], (x, y), scale, (taken, len(marks), lines))
        if found is None:
            unnamed += 1
            continue
        box, line = found
        taken.append(box)
        if line is not None:
            lines.append(line)
            ends = axes.transData.inverted().transform(line.vertices)
            axes.plot(*ends.T, color=GREY, lw=0.5, zorder=1)
    if unnamed:
        where = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        said = f"no room for {counted(unnamed, 'name')}"
        axes.text(0.99, 0.01, said, fontsize=6, color=GREY, **where)


def _most_enclosed_first(places: Any, near: float) -> list[int]:
    """The order in which names are placed: those of marks with the most neighbours first."""
    from scipy.spatial.distance import cdist

    neighbours = (cdist(places, places) < near).sum(axis=1)
    return sorted(range(len(places)), key=lambda number: -int(neighbours[number]))


def _written(axes: Any, name: str, place: Any, scale: float, drawn: _Drawn) -> Any:
    """The box of a name at the first free place, and the line to its mark; None if none is free."""
    text = axes.annotate(
        name, place, xytext=(0, 0), textcoords="offset points", fontsize=_LETTERS, color=GREY
    )
    text.set_in_layout(False)
    own, frame = text.get_window_extent(), axes.get_window_extent()
    for across, up, away in _PLACES:
        box = _beside(axes.transData.transform(place), own, (across, up), away * scale)
        padded = box.padded(0.5 * scale)
        line = _line(axes, place, padded) if away > _NEXT else None
        if _is_free(frame, padded, line, drawn):
            text.set_position((across * away, up * away))
            text.set_ha(("right", "center", "left")[across + 1])
            text.set_va(("top", "center", "bottom")[up + 1])
            return padded, line
    text.remove()
    return None


def _beside(mark: Any, own: Any, side: tuple[int, int], away: float) -> Any:
    """Where a box is if it stands on a side of a mark."""
    from matplotlib.transforms import Bbox

    sizes = (own.width, own.height)
    low = [m + s * away - (1 - s) / 2 * size for m, s, size in zip(mark, side, sizes, strict=True)]
    return Bbox.from_bounds(low[0], low[1], *sizes)


def _line(axes: Any, place: Any, box: Any) -> Any:
    """From a mark to the nearest point of a name."""
    from matplotlib.path import Path as Line

    x, y = axes.transData.transform(place)
    return Line([(x, y), (min(max(x, box.x0), box.x1), min(max(y, box.y0), box.y1))])


def _is_free(frame: Any, box: Any, line: Any, drawn: _Drawn) -> bool:
    """Whether a name and the line to it are in the frame and cover nothing that is drawn."""
    taken, n_marks, lines = drawn
    inside = frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1)
    crossed = line is not None and any(line.intersects_bbox(one) for one in taken[n_marks:])
    return (
        inside
        and not crossed
        and not any(box.overlaps(one) for one in taken)
        and not any(one.intersects_bbox(box) for one in lines)
    )
