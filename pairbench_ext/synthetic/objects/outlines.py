"""Outlines of shapes: lines of short straight pieces, for `Canvas` to fill or to follow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_STEPS = 12  # of a curve, between two points
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, bottom, right, top


def curve(points: Sequence[Point], *, closed: bool = False) -> list[Point]:
    """A smooth curve through the points (Catmull-Rom), as a line of short pieces."""
    count = len(points)
    line: list[Point] = []
    for start in range(count if closed else count - 1):
        around = [points[_index(start + k, count, closed)] for k in (-1, 0, 1, 2)]
        line += [_between(around, step / _STEPS) for step in range(_STEPS)]
    return line if closed else [*line, points[-1]]


def arc(centre: Point, radius: Point, start: float, end: float, steps: int = 24) -> list[Point]:
    """Part of an ellipse from angle `start` to `end`, in degrees, anticlockwise."""
    angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
    return [
        (centre[0] + radius[0] * math.cos(angle), centre[1] + radius[1] * math.sin(angle))
        for angle in angles
    ]


def barrel(box: Box, top_width: float, bulge: float) -> list[Point]:
    """An upright body, `top_width` wide at the top; its lower edge is round and sags by `bulge`."""
    left, bottom, right, top = box
    centre = (left + right) / 2
    edge = arc((centre, bottom + bulge), ((right - left) / 2, bulge), 180, 360)
    return [(centre - top_width / 2, top), *edge, (centre + top_width / 2, top)]


def around(centre: Point, radius: float) -> Box:
    """The box of a circle."""
    x, y = centre
    return x - radius, y - radius, x + radius, y + radius


def _index(position: int, count: int, closed: bool) -> int:
    return position % count if closed else min(max(position, 0), count - 1)


def _between(around: Sequence[Point], share: float) -> Point:
    """The Catmull-Rom spline between the second and the third of four points."""
    a, b, c, d = np.asarray(around)
    x, y = 0.5 * (
        2 * b
        + (c - a) * share
        + (2 * a - 5 * b + 4 * c - d) * share**2
        + (3 * b - a - 3 * c + d) * share**3
    )
    return float(x), float(y)
