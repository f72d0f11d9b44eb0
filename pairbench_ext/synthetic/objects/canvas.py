"""A transparent canvas with outlines, shaded fills and soft shadows.

Positions are in units of the drawing, x to the right and y up; the canvas knows where that is in
pixels. Edges are not smoothed here: draw large and reduce the picture.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

from pairbench_ext.synthetic.colours import BLACK, WHITE, Rgb

Point: TypeAlias = tuple[float, float]
Path: TypeAlias = Sequence[Sequence[float]]
Box: TypeAlias = Sequence[float]  # left, bottom, right, top
Mask: TypeAlias = npt.NDArray[np.bool_]

_CURVE_STEPS = 12  # between two points
_ARC_STEPS = 24
_SHADE: Rgb = (24, 16, 12)


def mix(first: Rgb, second: Rgb, share: float) -> Rgb:
    """Return a mix of two colours; `share` is the share of the second colour, from 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def lighter(colour: Rgb, share: float) -> Rgb:
    """Return the colour mixed with white; `share` is the share of white, from 0 to 1."""
    return mix(colour, WHITE, share)


def darker(colour: Rgb, share: float) -> Rgb:
    """Return the colour mixed with black; `share` is the share of black, from 0 to 1."""
    return mix(colour, BLACK, share)


class Gradient(NamedTuple):
    """A blend of colours that fills a shape.

    Attributes:
        stops: positions from 0 to 1, rising, each with its colour; in between they blend.
        way: what a position means in the box around the shape: "across" from left to right, "down"
            from the top, "ball" away from a light at the upper left.
        box: the box that is meant, if it is not the one around the shape: shapes that are parts of
            one thing share their shading.
    """

    stops: tuple[tuple[float, Rgb], ...]
    way: str
    box: Box | None = None

    def pixels(
        self, area: tuple[int, int, int, int], frame: Sequence[Point]
    ) -> npt.NDArray[np.uint8]:
        """Return the blend's colour at each pixel of an area, shape (rows, columns, 3).

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


def blend(way: str, *colours: Rgb) -> Gradient:
    """Return a blend of evenly spaced colours: "across" from the left, "down" from the top."""
    return Gradient(tuple(zip(np.linspace(0, 1, len(colours)), colours, strict=True)), way)


def round_body(colour: Rgb) -> Gradient:
    """Return the colours of an upright cylinder that is lit from the left."""
    edge, far = darker(colour, 0.12), darker(colour, 0.38)
    return Gradient(((0, edge), (0.25, lighter(colour, 0.3)), (0.6, colour), (1, far)), "across")


def ball(colour: Rgb, box: Box | None = None) -> Gradient:
    """Return the colours of a ball that is lit from the upper left."""
    light, far = lighter(colour, 0.5), darker(colour, 0.45)
    return Gradient(((0, light), (0.45, colour), (1, far)), "ball", box)


def _points(path: Path) -> list[Point]:
    """Return the points of a line, and those on its parts of ellipses."""
    points: list[Point] = []
    for x, y, *ellipse in path:
        if ellipse:
            across, along, start, end = ellipse
            angles = np.radians(np.linspace(start, end, _ARC_STEPS + 1))
            ring = np.stack([x + across * np.cos(angles), y + along * np.sin(angles)], axis=1)
            points += map(tuple, ring.tolist())
        else:
            points.append((x, y))
    return points


def _curve(path: Path, *, closed: bool) -> list[Point]:
    """Return a smooth curve through the points (Catmull-Rom), as a line of short pieces."""
    points = np.asarray(path, dtype=np.float64)
    padding = [(1, 2) if closed else (1, 1), (0, 0)]
    around = np.pad(points, padding, mode="wrap" if closed else "edge")
    a, b, c, d = (around[k : len(around) - 3 + k, None] for k in range(4))
    share = (np.arange(_CURVE_STEPS) / _CURVE_STEPS)[:, None]
    pieces = 0.5 * (
        2 * b
        + (c - a) * share
        + (2 * a - 5 * b + 4 * c - d) * share**2
        + (3 * b - a - 3 * c + d) * share**3
    )
    line = [(x, y) for x, y in pieces.reshape(-1, 2).tolist()]
    return line if closed else [*line, (path[-1][0], path[-1][1])]


class Canvas:
    """An RGBA picture to draw on, transparent at first.

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
        """Return which pixels are at least half covered by drawing, shape (rows, columns)."""
        return np.asarray(np.asarray(self.image)[..., 3] > 127)

    def polygon(self, path: Path, fill: Gradient | Rgb) -> None:
        """Fill a closed polygon."""
        self._fill(_points(path), fill, lambda draw, line: draw.polygon(line, fill=255))

    def smooth(self, path: Path, fill: Gradient | Rgb) -> None:
        """Fill the area inside a smooth closed curve through the given points."""
        self.polygon(_curve(path, closed=True), fill)

    def box(self, box: Box, fill: Gradient | Rgb, corner: float = 0.0) -> None:
        """Fill a rectangle whose corners are rounded with radius `corner`."""
        radius = corner * self._unit
        self._fill(
            _corners(box), fill, lambda draw, frame: draw.rounded_rectangle(frame, radius, fill=255)
        )

    def ellipse(self, box: Box, fill: Gradient | Rgb) -> None:
        """Fill the ellipse that touches the four edges of a box."""
        self._fill(_corners(box), fill, lambda draw, frame: draw.ellipse(frame, fill=255))

    def line(self, path: Path, fill: Gradient | Rgb, width: float) -> None:
        """Draw a line through the given points, with round ends."""
        thick = max(1, round(width * self._unit))
        radius = thick / 2

        def stroke(draw: ImageDraw.ImageDraw, line: list[Point]) -> None:
            draw.line(line, fill=255, width=thick)
            for x, y in line:
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)

        self._fill(_points(path), fill, stroke, radius + 1)

    def curve(self, path: Path, fill: Gradient | Rgb, width: float) -> None:
        """Draw a smooth curve through the given points, with round ends."""
        self.line(_curve(path, closed=False), fill, width)

    def shadow(self, box: Box, strength: float, softness: float) -> None:
        """Draw a soft dark ellipse as a shadow; `strength` is its darkness, from 0 to 1.

        `softness`, by which the edge is blurred, is in the canvas's units.
        """
        blur, grey = softness * self._unit, round(255 * strength)
        self._fill(
            _corners(box), _SHADE, lambda draw, f: draw.ellipse(f, fill=grey), 3 * blur, blur
        )

    def _pixels(self, points: Sequence[Point]) -> list[Point]:
        left, bottom, unit = self._left, self._bottom, self._unit
        return [(left + x * unit, bottom - y * unit) for x, y in points]

    def _fill(
        self,
        points: Sequence[Point],
        fill: Gradient | Rgb,
        shape: Callable[[ImageDraw.ImageDraw, list[Point]], None],
        margin: float = 1.0,
        blur: float = 0.0,
    ) -> None:
        """Lay the fill where `shape` draws; only that part of the picture is touched."""
        pixels = self._pixels(points)
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
            frame = [(left, top), (right - 1, bottom - 1)]
            if fill.box:
                frame = self._pixels(_corners(fill.box))
            layer = Image.fromarray(fill.pixels((left, top, right, bottom), frame))
        else:
            layer = Image.new("RGB", mask.size, fill)
        layer.putalpha(mask)
        self.image.alpha_composite(layer, (left, top))


def _corners(box: Box) -> list[Point]:
    """Return top left and bottom right corner."""
    left, bottom, right, top = box
    return [(left, top), (right, bottom)]
