"""A transparent picture that is drawn on: outlines, fills that look round, and soft shadows.

Positions are in units of the drawing, x to the right and y up; the canvas knows where that is in
pixels. Edges are not smoothed here: draw large and reduce the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

from pairbench_ext.synthetic.colours import BLACK, WHITE, Rgb

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, bottom, right, top
Mask = npt.NDArray[np.bool_]
_Shape = Callable[[ImageDraw.ImageDraw, list[Point]], None]

_STEPS = 12  # of a curve, between two points
_SHADE: Rgb = (24, 16, 12)

RED: Rgb = (205, 58, 52)
ORANGE: Rgb = (236, 131, 42)
YELLOW: Rgb = (246, 196, 48)
GREEN: Rgb = (72, 150, 84)
TEAL: Rgb = (38, 143, 148)
BLUE: Rgb = (52, 104, 192)
PURPLE: Rgb = (128, 84, 170)
PINK: Rgb = (228, 118, 152)
CREAM: Rgb = (247, 239, 221)
BROWN: Rgb = (134, 87, 52)
GREY: Rgb = (120, 126, 134)
INK: Rgb = (46, 42, 48)
BRASS: Rgb = (206, 164, 84)
OAK: Rgb = (190, 138, 84)
WALNUT: Rgb = (128, 82, 52)
WHITE_WOOD: Rgb = (232, 228, 218)
RED_WOOD: Rgb = (168, 70, 52)
BLUE_WOOD: Rgb = (84, 122, 158)
GREEN_WOOD: Rgb = (96, 138, 104)


def mix(one: Rgb, other: Rgb, share: float) -> Rgb:
    """`share` of the other colour and the rest of the one, `share` in [0, 1]."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def lighter(colour: Rgb, share: float = 0.35) -> Rgb:
    """The colour with `share` of white."""
    return mix(colour, WHITE, share)


def darker(colour: Rgb, share: float = 0.25) -> Rgb:
    """The colour with `share` of black."""
    return mix(colour, BLACK, share)


class Gradient(NamedTuple):
    """How a shape is filled.

    Attributes:
        stops: positions from 0 to 1, rising, each with its colour; in between they blend.
        way: what a position means in the box around the shape: "across" from left to right, "down"
            from the top, "ball" away from a light at the upper left.
        box: the box that is meant, if it is not the one around the shape: shapes that are parts of
            one thing share their shading.
    """

    stops: tuple[tuple[float, Rgb], ...]
    way: str = "across"
    box: Box | None = None

    def pixels(
        self, area: tuple[int, int, int, int], frame: Sequence[Point]
    ) -> npt.NDArray[np.uint8]:
        """The colours of the pixels of an area, by their places in a frame: (rows, columns, 3).

        Args:
            area: left, top, right and bottom (both excluded), in pixels.
            frame: the top left and the bottom right corner of what positions refer to, in pixels.
        """
        left, top, right, bottom = area
        (low_x, low_y), (high_x, high_y) = frame
        x = ((np.arange(left, right) - low_x) / max(high_x - low_x, 1))[None, :]
        y = ((np.arange(top, bottom) - low_y) / max(high_y - low_y, 1))[:, None]
        if self.way == "ball":
            # 0 at the light, 1 at the far edge of the ball.
            where = np.hypot(x - 0.36, y - 0.3) / 0.78
        else:
            where = np.broadcast_to(x if self.way == "across" else y, (bottom - top, right - left))
        positions = [position for position, _ in self.stops]
        channels = zip(*(colour for _, colour in self.stops), strict=True)
        planes = [np.interp(np.clip(where, 0, 1), positions, channel) for channel in channels]
        blended: npt.NDArray[np.uint8] = np.rint(np.stack(planes, axis=-1)).astype(np.uint8)
        return blended


def across(*colours: Rgb) -> Gradient:
    """Colours from left to right at equal distances."""
    return Gradient(_evenly(colours))


def down(*colours: Rgb) -> Gradient:
    """Colours from top to bottom at equal distances."""
    return Gradient(_evenly(colours), "down")


def round_body(colour: Rgb) -> Gradient:
    """An upright cylinder lit from the left."""
    edge, far = darker(colour, 0.12), darker(colour, 0.38)
    return Gradient(((0, edge), (0.25, lighter(colour, 0.3)), (0.6, colour), (1, far)))


def ball(colour: Rgb, box: Box | None = None) -> Gradient:
    """A ball lit from the upper left."""
    light, far = lighter(colour, 0.5), darker(colour, 0.45)
    return Gradient(((0, light), (0.45, colour), (1, far)), "ball", box)


def _evenly(colours: Sequence[Rgb]) -> tuple[tuple[float, Rgb], ...]:
    last = max(len(colours) - 1, 1)
    return tuple((number / last, colour) for number, colour in enumerate(colours))


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


class Canvas:
    """An RGBA picture that is drawn on, transparent at first.

    Args:
        size: columns and rows of pixels.
        unit: pixels per unit.
        left, bottom: where the drawing's origin is, in pixels from the picture's top left corner.
    """

    def __init__(self, size: tuple[int, int], unit: float, left: float, bottom: float) -> None:
        self.image = Image.new("RGBA", size)
        self._unit, self._left, self._bottom = unit, left, bottom

    @property
    def mask(self) -> Mask:
        """Which pixels are drawn on, (rows, columns); those at least half covered."""
        return np.asarray(np.asarray(self.image)[..., 3] > 127)

    def polygon(self, points: Sequence[Point], fill: Gradient | Rgb) -> None:
        """The inside of a closed line."""
        pixels = [self._pixel(point) for point in points]
        self._fill(pixels, fill, lambda draw, line: draw.polygon(line, fill=255))

    def smooth(self, points: Sequence[Point], fill: Gradient | Rgb) -> None:
        """The inside of a closed curve through the points."""
        self.polygon(curve(points, closed=True), fill)

    def box(self, box: Box, fill: Gradient | Rgb, corner: float = 0.0) -> None:
        """A rectangle, with round corners of radius `corner`."""
        radius = corner * self._unit
        self._fill(
            self._frame(box),
            fill,
            lambda draw, frame: draw.rounded_rectangle(frame, radius, fill=255),
        )

    def ellipse(self, box: Box, fill: Gradient | Rgb) -> None:
        """The ellipse in a box."""
        self._fill(self._frame(box), fill, lambda draw, frame: draw.ellipse(frame, fill=255))

    def line(self, points: Sequence[Point], width: float, fill: Gradient | Rgb) -> None:
        """A line through the points, with round ends."""
        thick = max(1, round(width * self._unit))
        radius = thick / 2

        def stroke(draw: ImageDraw.ImageDraw, line: list[Point]) -> None:
            draw.line(line, fill=255, width=thick)
            for x, y in line:
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)

        self._fill([self._pixel(point) for point in points], fill, stroke, radius + 1)

    def shadow(self, box: Box, strength: float, softness: float) -> None:
        """A dark ellipse without an edge: `strength` in [0, 1], `softness` in units."""
        blur = softness * self._unit
        self._fill(
            self._frame(box),
            _SHADE,
            lambda draw, frame: draw.ellipse(frame, fill=round(255 * strength)),
            3 * blur,
            blur,
        )

    def _pixel(self, point: Point) -> Point:
        return self._left + point[0] * self._unit, self._bottom - point[1] * self._unit

    def _frame(self, box: Box) -> list[Point]:
        """Top left and bottom right corner, in pixels."""
        (left, bottom), (right, top) = self._pixel(box[:2]), self._pixel(box[2:])
        return [(left, top), (right, bottom)]

    def _fill(
        self,
        pixels: Sequence[Point],
        fill: Gradient | Rgb,
        shape: _Shape,
        margin: float = 1.0,
        blur: float = 0.0,
    ) -> None:
        """Lay the fill where `shape` draws; only that part of the picture is touched."""
        across, along = zip(*pixels, strict=True)
        left, top = (max(0, math.floor(min(side) - margin)) for side in (across, along))
        right = min(self.image.width, math.ceil(max(across) + margin) + 1)
        bottom = min(self.image.height, math.ceil(max(along) + margin) + 1)
        if left >= right or top >= bottom:
            return
        mask = Image.new("L", (right - left, bottom - top))
        shape(ImageDraw.Draw(mask), [(x - left, y - top) for x, y in pixels])
        if blur:
            mask = mask.filter(ImageFilter.GaussianBlur(blur))
        if isinstance(fill, Gradient):
            frame = self._frame(fill.box) if fill.box else [(left, top), (right - 1, bottom - 1)]
            layer = Image.fromarray(fill.pixels((left, top, right, bottom), frame))
        else:
            layer = Image.new("RGB", mask.size, fill)
        layer.putalpha(mask)
        self.image.alpha_composite(layer, (left, top))
