"""Hue: one of four shapes has another hue, at the same lightness; which one?

VLM-SubtleBench, Appendix C.4: two greens, blue, red and magenta; (a, b) of OKLab changes by Delta E
while L stays, and so does the chroma here. Ours: one of two hues of the shape that changes goes by
the colour's name, the other one is Delta E away, and either can be in the first image. So it is
with the three other shapes, which do not change: one image alone does not tell which shape does.
That is why options say where a shape is: a name would be that of one of its two hues. The hue turns
either way where sRGB has both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from pairbench_ext.synthetic.draws import Range, is_heads, one_of, sized, some_of, uniform
from pairbench_ext.synthetic.palette import FARTHEST, SENSITIVITY, shade, turned
from pairbench_ext.synthetic.placement import GAP
from pairbench_ext.synthetic.questions.pair import (
    LEAST_SHIFT,
    LEAST_SIZE,
    SyntheticPair,
    described,
    require,
)
from pairbench_ext.synthetic.shapes import HEIGHT, SHAPE_KINDS, WIDTH, Scene, Shape
from pairbench_ext.synthetic.wording import sentence

QUESTION = "The colour of one shape changed from the first image to the second. Which shape is it?"
# Which quarter of the canvas: right or left, bottom or top of its middle.
PLACES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"top left": (-1, -1), "top right": (1, -1), "bottom left": (-1, 1), "bottom right": (1, 1)}
)
_FROM_MIDDLE = 20.0  # pixels between a shape and the lines between quarters, so that it is in one


@dataclass(frozen=True)
class HueSettings:
    """Settings of pairs with a turned hue; ends of ranges are possible.

    Attributes:
        colour: the colour that changes, or that something changes to; None draws it.
        delta_e: the distance of the two colours in OKLab.
        size: of the shapes, in pixels.

    Raises:
        ValueError: naming a setting that is out of bounds.
    """

    colour: str | None = None
    delta_e: Range = (0.05, 0.10)
    size: Range = (40, 80)

    def __post_init__(self) -> None:
        require("delta_e", self.delta_e, LEAST_SHIFT, FARTHEST)
        require("size", self.size, LEAST_SIZE, HEIGHT / 4)
        if self.colour not in (None, *SENSITIVITY):
            raise ValueError(f"colour must be one of {list(SENSITIVITY)}, not {self.colour!r}")


def draw(rng: np.random.Generator, settings: HueSettings) -> SyntheticPair:
    """A pair: one of four shapes has another hue, as light as before."""
    name = settings.colour or one_of(rng, list(SENSITIVITY))
    amount = uniform(rng, settings.delta_e)
    places = some_of(rng, list(PLACES), len(PLACES))
    sizes = sized(rng, settings.size, len(places))
    routes = [
        _route(rng, name, amount, place, size) for place, size in zip(places, sizes, strict=True)
    ]
    before, after = routes[0]
    others = tuple(shape for shape, _ in routes[1:])
    names = [
        f"the {shape.kind} at the {place}" for (shape, _), place in zip(routes, places, strict=True)
    ]
    answer, *distractors = map(sentence, names)
    return SyntheticPair(
        kind="hue",
        first=Scene((before, *others)),
        second=Scene((after, *others)),
        question=QUESTION,
        answer=answer,
        distractors=tuple(distractors),
        caption=sentence(f"the colour of {names[0]} is different in the second image"),
        details={
            "change": "hue",
            "colour": name,
            "delta_e": amount,
            "objects": len(places),
            "target": {**described(before), "place": places[0]},
        },
    )


def _route(
    rng: np.random.Generator, name: str, delta_e: float, place: str, size: float
) -> tuple[Shape, Shape]:
    """A shape in a quarter of the canvas, before and after a change of its hue."""
    lab = shade(rng, SENSITIVITY[name])
    ends = [lab, turned(rng, lab, delta_e)]
    if is_heads(rng):
        ends.reverse()
    shape = Shape(one_of(rng, SHAPE_KINDS), name, ends[0], size)
    across, down = PLACES[place]
    reach = shape.reach
    x = WIDTH / 2 + across * uniform(rng, (_FROM_MIDDLE + reach, WIDTH / 2 - GAP - reach))
    y = HEIGHT / 2 + down * uniform(rng, (_FROM_MIDDLE + reach, HEIGHT / 2 - GAP - reach))
    placed = replace(shape, x=x, y=y)
    return placed, replace(placed, lab=ends[1])
