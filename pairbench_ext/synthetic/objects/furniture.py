"""Furniture, drawn by us: what small objects stand on, or under.

Drawn as small objects are, in two parts: what is behind an object that
stands under it, and the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pairbench_ext.synthetic.colours import Rgb
from pairbench_ext.synthetic.objects.canvas import (
    BLUE_WOOD,
    GREEN_WOOD,
    OAK,
    RED_WOOD,
    WALNUT,
    WHITE_WOOD,
    Canvas,
    Point,
    across,
    darker,
    down,
    lighter,
)


@dataclass(frozen=True)
class Furniture:
    """A piece of furniture.

    Attributes:
        name: as captions call it, unique.
        height: how tall it is, in heights of the picture.
        width: how wide it is, in its own heights.
        colours: the colours that it comes in.
        behind: draws what is behind an object that stands under it.
        front: draws the rest.
        top: how high an object on it stands, in its own heights.
        under: how high an object under it stands: it is deeper in the room than the front legs.
        clearance: room above an object that stands there.
    """

    name: str
    height: float
    width: float
    colours: tuple[Rgb, ...]
    behind: Callable[[Canvas, Rgb], None]
    front: Callable[[Canvas, Rgb], None]
    top: float
    under: float
    clearance: float


def _leg(canvas: Canvas, x: float, bottom: float, top: float, width: float, colour: Rgb) -> None:
    half = width / 2
    canvas.polygon(
        [(x - half, top), (x - half * 0.8, bottom), (x + half * 0.8, bottom), (x + half, top)],
        across(lighter(colour, 0.12), darker(colour, 0.22)),
    )


def _slab(canvas: Canvas, front: Point, back: Point, y: Point, thick: float, colour: Rgb) -> None:
    """A board seen from above: half widths of front and back edge, their heights, its thickness."""
    edge = [
        (-front[0], y[0]),
        (front[0], y[0]),
        (front[0], y[0] - thick),
        (-front[0], y[0] - thick),
    ]
    top = [(-front[0], y[0]), (-back[0], y[1]), (back[0], y[1]), (front[0], y[0])]
    canvas.polygon(top, down(lighter(colour, 0.1), lighter(colour, 0.3)))
    canvas.polygon(edge, down(colour, darker(colour, 0.2)))


def _table_behind(canvas: Canvas, colour: Rgb) -> None:
    dark = darker(colour, 0.3)
    for side in (-1, 1):
        _leg(canvas, 0.56 * side, 0.16, 0.85, 0.06, dark)
    canvas.box((-0.58, 0.72, 0.58, 0.8), dark)


def _table_front(canvas: Canvas, colour: Rgb) -> None:
    for side in (-1, 1):
        _leg(canvas, 0.72 * side, 0, 0.76, 0.1, colour)
    canvas.box((-0.74, 0.66, 0.74, 0.76), down(darker(colour, 0.12), darker(colour, 0.3)))
    _slab(canvas, (0.82, 0), (0.62, 0), (0.8, 1.0), 0.06, colour)
    for share in (0.33, 0.66):  # the joints of the boards
        y, x = 0.8 + 0.2 * share, 0.82 - 0.2 * share
        canvas.line([(-x, y), (x, y)], 0.006, darker(colour, 0.12))


def _chair_behind(canvas: Canvas, colour: Rgb) -> None:
    dark = darker(colour, 0.22)
    for side in (-1, 1):
        _leg(canvas, 0.2 * side, 0.09, 0.5, 0.045, dark)
        _leg(canvas, 0.2 * side, 0.48, 0.97, 0.05, colour)
        canvas.ellipse((0.2 * side - 0.03, 0.94, 0.2 * side + 0.03, 1), lighter(colour, 0.2))
    for y in (0.86, 0.72):
        canvas.box(
            (-0.2, y - 0.05, 0.2, y + 0.05), down(lighter(colour, 0.2), darker(colour, 0.1)), 0.015
        )
    canvas.box((-0.2, 0.22, 0.2, 0.25), dark)


def _chair_front(canvas: Canvas, colour: Rgb) -> None:
    for side in (-1, 1):
        _leg(canvas, 0.245 * side, 0, 0.42, 0.055, colour)
    _slab(canvas, (0.29, 0), (0.22, 0), (0.42, 0.52), 0.05, colour)


def _stool_behind(canvas: Canvas, colour: Rgb) -> None:
    for side in (-1, 1):
        canvas.line([(0.26 * side, 0.16), (0.2 * side, 0.8)], 0.06, darker(colour, 0.35))


def _stool_front(canvas: Canvas, colour: Rgb) -> None:
    for side in (-1, 1):
        canvas.line([(0.46 * side, 0.03), (0.36 * side, 0.82)], 0.075, colour)
    canvas.ellipse((-0.5, 0.72, 0.5, 0.92), down(darker(colour, 0.1), darker(colour, 0.35)))
    canvas.ellipse((-0.5, 0.78, 0.5, 1), across(lighter(colour, 0.4), lighter(colour, 0.1)))
    canvas.ellipse((-0.4, 0.81, 0.4, 0.97), lighter(colour, 0.18))
    canvas.ellipse(
        (-0.39, 0.815, 0.39, 0.965), across(lighter(colour, 0.42), lighter(colour, 0.15))
    )


def _bench_behind(canvas: Canvas, colour: Rgb) -> None:
    iron: Rgb = (70, 72, 78)
    for side in (-1, 1):
        canvas.line([(0.54 * side, 0.14), (0.54 * side, 0.96)], 0.05, iron)
    for y in (0.92, 0.77):
        paint = down(lighter(colour, 0.15), darker(colour, 0.12))
        canvas.box((-0.63, y - 0.055, 0.63, y + 0.055), paint, 0.02)


def _bench_front(canvas: Canvas, colour: Rgb) -> None:
    iron: Rgb = (58, 60, 66)
    for side in (-1, 1):
        canvas.line([(0.58 * side, 0.02), (0.58 * side, 0.5)], 0.055, iron)
        canvas.line([(0.58 * side, 0.02), (0.65 * side, 0.02)], 0.045, iron)
    for low, high, half in ((0.61, 0.66, 0.61), (0.55, 0.6, 0.64), (0.47, 0.54, 0.67)):
        paint = down(lighter(colour, 0.25), darker(colour, 0.05))
        canvas.box((-half, low, half, high), paint, 0.015)


def _bed_behind(canvas: Canvas, colour: Rgb) -> None:
    for side in (-1, 1):
        _leg(canvas, 0.62 * side, 0.1, 0.55, 0.05, darker(colour, 0.3))


def _bed_front(canvas: Canvas, colour: Rgb) -> None:
    blanket: Rgb = (96, 132, 178)
    light = lighter(blanket, 0.25)
    canvas.box((-0.76, 0, -0.67, 1), across(lighter(colour, 0.15), darker(colour, 0.15)), 0.04)
    canvas.box((0.67, 0, 0.76, 0.8), across(lighter(colour, 0.1), darker(colour, 0.2)), 0.04)
    canvas.polygon([(-0.66, 0.66), (-0.63, 0.81), (0.67, 0.81), (0.7, 0.66)], (238, 240, 246))
    canvas.box((-0.68, 0.58, 0.71, 0.68), down((250, 250, 252), (206, 212, 224)), 0.04)
    canvas.polygon([(-0.24, 0.66), (-0.22, 0.81), (0.67, 0.81), (0.71, 0.66)], light)
    canvas.box((-0.24, 0.55, 0.71, 0.68), down(blanket, darker(blanket, 0.2)), 0.03)
    canvas.box((-0.63, 0.72, -0.31, 0.88), down((255, 255, 255), (214, 220, 232)), 0.07)
    canvas.box((-0.71, 0.51, 0.73, 0.58), down(colour, darker(colour, 0.25)), 0.02)


# fmt: off
_DRAWN = (
    Furniture("table", 0.5, 1.64, (OAK, WALNUT, WHITE_WOOD), _table_behind, _table_front,
              top=0.88, under=0.07, clearance=0.56),
    Furniture("chair", 0.72, 0.6, (RED_WOOD, OAK, BLUE_WOOD), _chair_behind, _chair_front,
              top=0.46, under=0.04, clearance=0.32),
    Furniture("stool", 0.44, 1.0, (OAK, GREEN_WOOD, RED_WOOD), _stool_behind, _stool_front,
              top=0.88, under=0.06, clearance=0.6),
    Furniture("bench", 0.58, 1.36, (OAK, GREEN_WOOD, RED_WOOD), _bench_behind, _bench_front,
              top=0.57, under=0.06, clearance=0.4),
    Furniture("bed", 0.52, 1.52, (OAK, WALNUT, WHITE_WOOD), _bed_behind, _bed_front,
              top=0.72, under=0.05, clearance=0.45),
)
# fmt: on
FURNITURE: Mapping[str, Furniture] = MappingProxyType({drawn.name: drawn for drawn in _DRAWN})
