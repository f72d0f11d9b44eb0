"""Which settings can be drawn: ranges in order, and shapes that fit on the canvas."""

from __future__ import annotations

import math

from pairbench_ext.synthetic.random_draws import Range
from pairbench_ext.synthetic.shapes.placement import GAP
from pairbench_ext.synthetic.shapes.scene import HEIGHT, WIDTH

# Random places are found quickly while circumscribed circles cover less than this share of the
# canvas; discs that are thrown one by one jam at 0.547.
MOST_COVERED = 0.42
# What can still be seen in bytes and pixels.
LEAST_SIZE = 4  # pixels
LEAST_SHIFT = 0.01  # in OKLab; one byte is about 0.004
LEAST_MOVE = 1  # pixels, or degrees


def require_order(bounds: Range, what: str, least: float) -> None:
    """Check a range of settings.

    Raises:
        ValueError: naming the setting whose ends are too low or in the wrong order.
    """
    low, high = bounds
    if not (math.isfinite(low) and math.isfinite(high) and least <= low <= high):
        raise ValueError(
            f"{what} must be {least:g} or more, in ascending order, not {low:g}..{high:g}"
        )


def require_count(bounds: Range, what: str, least: int) -> None:
    """Check a range of whole numbers.

    Raises:
        ValueError: as `require_order`, or if an end is no whole number.
    """
    require_order(bounds, what, least)
    for end in bounds:
        if end != int(end):
            raise ValueError(f"{what} must be a whole number, not {end:g}")


def require_room(objects: float, size: float, margin: float = 0.0) -> None:
    """Check that shapes fit on the canvas, with ease.

    Args:
        objects: how many shapes, at most.
        size: of the largest of them, in pixels; squares reach farthest.
        margin: pixels at every border that their first places must keep clear.

    Raises:
        ValueError: saying how much of the canvas they would take.
    """
    radius = size * math.sqrt(0.5)
    width, height = (side - 2 * (margin + GAP) for side in (WIDTH, HEIGHT))
    if min(width, height) < 2 * radius:
        raise ValueError(f"shapes of {size:g} px do not fit between margins of {margin:g} px")
    covered = objects * math.pi * (radius + GAP / 2) ** 2 / (width * height)
    if covered > MOST_COVERED:
        raise ValueError(
            f"{objects:g} shapes of up to {size:g} px would take {covered:.1%} of the room, more "
            f"than {MOST_COVERED:.0%}: fewer or smaller ones fit"
        )
