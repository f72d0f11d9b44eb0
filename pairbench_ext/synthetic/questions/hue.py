"""Hue pairs: one of four shapes, all of the same colour name, changes. Which one?

VLM-SubtleBench, Appendix C.4: two greens, blue, red and magenta; (a, b) of OKLab changes by Delta E
while L stays, and so does the chroma here. Ours: one of two hues of the shape that changes goes by
the colour's name, the other one is Delta E away, and either can be in the first image. So it is
with the three other shapes, which do not change: one image alone does not tell which shape does.
That is why options say where a shape is: a name would be that of one of its two hues. The hue turns
either way where sRGB has both.

The paper varies five things besides the colour (Figure 20). Delta E is the first. The brightness
changes within L of 0.4 to 0.8 at the same hue, as saturated as sRGB has it at both ends; the size
by a share; the place by a step within its quarter; and the number of shapes is asked as in
`counts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from pairbench_ext.synthetic.colours import Lab, from_polar, in_gamut
from pairbench_ext.synthetic.draws import Range, is_heads, one_of, sized, some_of, uniform
from pairbench_ext.synthetic.palette import FARTHEST, SENSITIVITY, Tone, shade, turned
from pairbench_ext.synthetic.placement import GAP
from pairbench_ext.synthetic.questions.pair import (
    LEAST_MOVE,
    LEAST_SHIFT,
    LEAST_SIZE,
    SyntheticPair,
    described,
    require,
)
from pairbench_ext.synthetic.shapes import HEIGHT, SHAPE_KINDS, WIDTH, Scene, Shape
from pairbench_ext.synthetic.wording import sentence

Change = Literal["hue", "brightness", "size", "place"]
CHANGES: Mapping[Change, str] = MappingProxyType(
    {
        "hue": "The colour of one shape changed from the first image to the second.",
        "brightness": "One shape became brighter or darker from the first image to the second.",
        "size": "One shape became larger or smaller from the first image to the second.",
        "place": "One shape moved from the first image to the second.",
    }
)
# The setting that says by how much, and what of a shape is then different.
_AMOUNTS: Mapping[Change, tuple[str, str]] = MappingProxyType(
    {
        "hue": ("delta_e", "colour"),
        "brightness": ("brightness", "brightness"),
        "size": ("ratio", "size"),
        "place": ("translation", "place"),
    }
)
LIGHTNESS: Range = (0.4, 0.8)  # Appendix C.4
# Which quarter of the canvas: right or left, bottom or top of its middle.
PLACES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"top left": (-1, -1), "top right": (1, -1), "bottom left": (-1, 1), "bottom right": (1, 1)}
)
_FROM_MIDDLE = 20.0  # pixels between a shape and the lines between quarters, so that it is in one


@dataclass(frozen=True)
class HueSettings:
    """The settings of pairs in which one of four shapes changes; bounds are included.

    Attributes:
        colour: the colour that changes, or that something changes to; None draws it.
        change: what changes.
        delta_e: the distance of the two colours in OKLab.
        brightness: the shift of lightness.
        ratio: the share by which the size grows, or from which it shrinks.
        translation: how far a shape moves, in pixels.
        size: of the shapes, in pixels.

    Raises:
        ValueError: naming a setting that is out of bounds.
    """

    colour: str | None = None
    change: Change = "hue"
    delta_e: Range = (0.05, 0.10)
    brightness: Range = (0.05, 0.10)
    ratio: Range = (0.15, 0.20)
    translation: Range = (20, 80)
    size: Range = (40, 80)

    def __post_init__(self) -> None:
        require("delta_e", self.delta_e, LEAST_SHIFT, FARTHEST)
        require("brightness", self.brightness, LEAST_SHIFT, LIGHTNESS[1] - LIGHTNESS[0])
        require("ratio", self.ratio, 0.01, 0.5)
        require("translation", self.translation, LEAST_MOVE, HEIGHT / 5)
        require("size", self.size, LEAST_SIZE, HEIGHT / 4)
        if self.colour not in (None, *SENSITIVITY):
            raise ValueError(f"colour must be one of {list(SENSITIVITY)}, not {self.colour!r}")


def draw(rng: np.random.Generator, settings: HueSettings) -> SyntheticPair:
    """Return a pair in which one of four shapes changes its hue, brightness, size or place."""
    name = settings.colour or one_of(rng, list(SENSITIVITY))
    setting, what = _AMOUNTS[settings.change]
    amount = uniform(rng, getattr(settings, setting))
    places = some_of(rng, list(PLACES), len(PLACES))
    routes = [
        _route(rng, name, settings.change, amount, place, size)
        for place, size in zip(places, sized(rng, settings.size, len(places)), strict=True)
    ]
    before, after = routes[0]
    others = tuple(shape for shape, _ in routes[1:])
    names = [f"the {s.kind} at the {place}" for (s, _), place in zip(routes, places, strict=True)]
    answer, *distractors = map(sentence, names)
    return SyntheticPair(
        kind="hue",
        first=Scene((before, *others)),
        second=Scene((after, *others)),
        question=f"{CHANGES[settings.change]} Which shape is it?",
        answer=answer,
        distractors=tuple(distractors),
        caption=sentence(f"the {what} of {names[0]} is different in the second image"),
        details={
            "change": settings.change,
            "colour": name,
            setting: amount,
            "objects": len(places),
            "target": {**described(before), "place": places[0]},
        },
    )


def _route(
    rng: np.random.Generator, name: str, change: Change, amount: float, place: str, size: float
) -> tuple[Shape, Shape]:
    """Return a shape in a quarter of the canvas, before and after a change."""
    step, sizes = (0.0, 0.0), (size, size)
    if change == "brightness":
        labs = _lighter(rng, SENSITIVITY[name], amount)
    else:
        lab = shade(rng, SENSITIVITY[name])
        labs = (lab, turned(rng, lab, amount) if change == "hue" else lab)
    if change == "size":
        sizes = (size, round(size * (1 + amount), 1))
    if change == "place":
        step = (amount, 0.0) if is_heads(rng) else (0.0, amount)
    backwards = is_heads(rng)
    kind = one_of(rng, SHAPE_KINDS)
    shapes = [Shape(kind, name, lab, of_size) for lab, of_size in zip(labs, sizes, strict=True)]
    across, down = PLACES[place]
    reach = max(shape.reach for shape in shapes)
    x, y = (
        middle + way * uniform(rng, (_FROM_MIDDLE + reach, middle - GAP - reach - moved))
        for middle, way, moved in ((WIDTH / 2, across, step[0]), (HEIGHT / 2, down, step[1]))
    )
    ends = [
        replace(shapes[0], x=x, y=y),
        replace(shapes[1], x=x, y=y).moved(across * step[0], down * step[1]),
    ]
    return (ends[1], ends[0]) if backwards else (ends[0], ends[1])


def _lighter(rng: np.random.Generator, tone: Tone, shift: float) -> tuple[Lab, Lab]:
    """Return a colour of a tone's hue and a lighter one, both as saturated as sRGB has both."""
    low, high = LIGHTNESS
    darker = uniform(rng, (low, high - shift))
    colour = tone.shade(darker, *rng.random(2).tolist())
    while True:
        ends = colour, colour._replace(lightness=darker + shift)
        if all(map(in_gamut, ends)):
            return ends
        colour = from_polar(darker, 0.95 * colour.chroma, colour.hue)
