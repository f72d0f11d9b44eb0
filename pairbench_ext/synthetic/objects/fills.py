"""What drawn objects are filled with: colours, and gradients that make bodies look round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.synthetic.colour import BLACK, WHITE, Rgb
from pairbench_ext.synthetic.objects.outlines import Box, Point

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
