"""A pair of scenes with one difference, and the question about it.

The authors of VLM-SubtleBench have not published their generator. What is drawn follows their
Appendix A; what it leaves open, and all wording, is ours: the module of every kind says what.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pairbench_ext.synthetic.draws import Range
from pairbench_ext.synthetic.shapes import Scene, Shape

# What can still be seen in bytes and pixels.
LEAST_SIZE = 4  # pixels
LEAST_SHIFT = 0.01  # in OKLab; one byte is about 0.004
LEAST_MOVE = 1  # pixels, or degrees


@dataclass(frozen=True)
class SyntheticPair:
    """A pair of scenes with one difference, and the question about it.

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
    """Return the attributes of a shape, as the record of a pair stores them."""
    return {
        "kind": shape.kind,
        "colour": shape.colour,
        "size": round(shape.size, 4),
        "x": round(shape.x, 2),
        "y": round(shape.y, 2),
        "rotation": round(shape.rotation, 2),
    }


def require(what: str, bounds: Range, least: float, most: float = math.inf) -> None:
    """Check that a range of settings is in ascending order and within bounds.

    Raises:
        ValueError: naming the setting whose ends are out of bounds or in the wrong order.
    """
    low, high = bounds
    if not least <= low <= high <= most:
        raise ValueError(
            f"{what} must be from {least:g} to {most:g}, in ascending order, not {low:g}..{high:g}"
        )
