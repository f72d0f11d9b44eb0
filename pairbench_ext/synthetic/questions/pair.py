"""Two scenes of shapes that differ in one thing, and what is asked of them.

The authors of VLM-SubtleBench have not published their generator. What is drawn follows their
Appendix A; what it leaves open, and all wording, is ours: the module of every kind says what.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pairbench_ext.synthetic.draws import Range
from pairbench_ext.synthetic.placement import GAP
from pairbench_ext.synthetic.shapes import HEIGHT, WIDTH, Scene, Shape

# Random places are found quickly while circumscribed circles cover less than this share of the
# canvas; discs that are thrown one by one jam at 0.547.
MOST_COVERED = 0.42
# What can still be seen in bytes and pixels.
LEAST_SIZE = 4  # pixels
LEAST_SHIFT = 0.01  # in OKLab; one byte is about 0.004
LEAST_MOVE = 1  # pixels, or degrees


@dataclass(frozen=True)
class SyntheticPair:
    """Two scenes that differ in one thing, and what is asked of them.

    Attributes:
        kind: the kind of difference, such as "spatial".
        first: what the first image shows.
        second: what the second image shows.
        question: the question.
        answer: the only true option.
        distractors: the other options; none is true, and none is there twice.
        caption: the difference in a sentence.
        details: how the pair was made; JSON can hold it.
    """

    kind: str
    first: Scene
    second: Scene
    question: str
    answer: str
    distractors: tuple[str, ...]
    caption: str
    details: Mapping[str, Any]


def described(shape: Shape) -> dict[str, Any]:
    """A shape in what is recorded of a pair."""
    return {
        "kind": shape.kind,
        "colour": shape.colour,
        "size": round(shape.size, 4),
        "x": round(shape.x, 2),
        "y": round(shape.y, 2),
        "rotation": round(shape.rotation, 2),
    }


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
