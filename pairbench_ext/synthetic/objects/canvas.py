"""A transparent picture that is drawn on: filled shapes and soft shadows.

Positions are in units of the drawing, x to the right and y up; the canvas knows where that is in
pixels. Edges are not smoothed here: draw large and reduce the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

from pairbench_ext.synthetic.colour import Rgb
from pairbench_ext.synthetic.objects.fills import Gradient
from pairbench_ext.synthetic.objects.outlines import Box, Point, curve

Mask = npt.NDArray[np.bool_]
_Shape = Callable[[ImageDraw.ImageDraw, list[Point]], None]

_SHADE: Rgb = (24, 16, 12)


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
