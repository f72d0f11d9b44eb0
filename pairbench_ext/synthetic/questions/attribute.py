"""Attribute pairs: one shape became brighter, darker, larger or smaller. Which one, and how?

VLM-SubtleBench, Appendix A.1: 2 to 10 circles, squares and triangles of distinct colours; OKLab
lightness shifted by 5-10%, or size by 15-20%; distractors combine the wrong shape, the wrong colour
and the opposite direction. Ours:

- sizes of 40 to 80 pixels, in both images; upright shapes;
- 5% is 0.05 of the lightness axis, which runs from 0 to 1; "15% smaller" is 0.85 of the size;
- every shape draws a change of its own, and the image before or after it could be either of the
  two; one of them makes its change. So one image alone does not tell which: all of its shapes are
  alike, and names fit before and after;
- the options cross two shapes of the scene with two directions, so that what is true cannot be
  told from the options alone (one distractor per mistake would make the answer their centre).

What one image does tell is a direction: what is nearly as bright as its name allows can hardly have
become darker. So the controlled sets ask which shape changed, of four, and not how.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from pairbench_ext.synthetic.colours import shift_lightness
from pairbench_ext.synthetic.draws import Range, integer, is_heads, one_of, sized, some_of, uniform
from pairbench_ext.synthetic.palette import PALETTE, TONES, shade, shades, shiftable
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.questions.pair import (
    LEAST_SHIFT,
    LEAST_SIZE,
    SyntheticPair,
    described,
    require,
)
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape, changed
from pairbench_ext.synthetic.wording import sentence

Change = Literal["brightness", "size"]
CHANGES: tuple[Change, ...] = get_args(Change)
Asked = Literal["how", "which"]
QUESTION = "Which shape changed from the first image to the second, and how?"
_WHICH = "Which shape became {0} or {1} from the first image to the second?"
# What more and less of a property is called.
_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"brightness": ("brighter", "darker"), "size": ("larger", "smaller")}
)
_LEAST_RATIO, _MOST_RATIO = 0.01, 0.9
_LEAST_OPTIONS = {"how": 2, "which": 4}  # shapes that options name


@dataclass(frozen=True)
class AttributeSettings:
    """Settings of pairs in which a shape changes lightness or size; bounds are included.

    Attributes:
        objects: how many shapes.
        size: of all shapes, in pixels. If sizes change, it is the range of both images, and wider
            by equal shares at both ends if that is too narrow for one change.
        change: what changes; None draws it.
        brightness: the shift of lightness.
        ratio: the share by which the size changes.
        room: the shift that all colours have room for, if it is more than `brightness`; so colours
            can be the same in series of different shifts.
        asked: "how" crosses two shapes with two directions, "which" names four shapes.

    Raises:
        ValueError: naming a setting that is out of bounds, such as more shapes than colours.
    """

    objects: Range = (2, 10)
    size: Range = (40, 80)
    change: Change | None = None
    brightness: Range = (0.05, 0.10)
    ratio: Range = (0.15, 0.20)
    room: float = 0.0
    asked: Asked = "how"

    def __post_init__(self) -> None:
        require("brightness", self.brightness, LEAST_SHIFT)
        require("ratio", self.ratio, _LEAST_RATIO, _MOST_RATIO)
        require("size", self.size, LEAST_SIZE)
        require("objects", self.objects, _LEAST_OPTIONS[self.asked], len(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """Return a colour name for each shape, all of them different."""
        if self.change == "size":
            return tuple(PALETTE)
        return shiftable(max(self.brightness[1], self.room))


def draw(rng: np.random.Generator, settings: AttributeSettings) -> SyntheticPair:
    """Return a pair in which one shape changes its lightness or its size."""
    change = one_of(rng, CHANGES) if settings.change is None else settings.change
    amount = uniform(rng, settings.brightness if change == "brightness" else settings.ratio)
    names = some_of(rng, settings.names, integer(rng, settings.objects))
    if change == "brightness":
        shapes, is_more = _shifting(rng, names, sized(rng, settings.size, len(names)), amount)
        first = scatter(shapes, rng)
        second = changed(
            first, 0, lab=shift_lightness(first.shapes[0].lab, amount if is_more else -amount)
        )
    else:
        first, is_more = _resizing(rng, names, settings, amount)
        second = changed(
            first, 0, size=first.shapes[0].size * (1 + amount if is_more else 1 - amount)
        )
    words = _WORDS[change] if is_more else _WORDS[change][::-1]
    target = first.shapes[0]
    question, options = _options(rng, settings.asked, first, change, words)
    return SyntheticPair(
        kind="attribute",
        first=first,
        second=second,
        question=question,
        answer=options[0],
        distractors=options[1:],
        caption=sentence(f"the {target.name} became {words[0]} in the second image"),
        details={
            "change": words[0],
            "brightness" if change == "brightness" else "ratio": amount,
            "objects": len(first.shapes),
            "target": described(target),
        },
    )


def _options(
    rng: np.random.Generator, asked: Asked, first: Scene, change: Change, words: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Return the question and its options, the right one first."""
    target, *others = first.shapes
    if asked == "which":
        named = (target, *some_of(rng, others, 3))
        options = tuple(sentence(f"the {shape.name}") for shape in named)
        return _WHICH.format(*_WORDS[change]), options
    named = (target, one_of(rng, others))
    return QUESTION, tuple(sentence(f"the {s.name} became {word}") for s in named for word in words)


def _shifting(
    rng: np.random.Generator, names: Sequence[str], sizes: Sequence[float], shift: float
) -> tuple[list[Shape], bool]:
    """Return shapes that are at one end of a shift each; whether the first one's is upwards."""
    shapes, upwards = [], []
    for name, size in zip(names, sizes, strict=True):
        lab, is_up = shade(rng, TONES[name], shift), is_heads(rng)
        shown = lab if is_up else lab._replace(lightness=lab.lightness + shift)
        shapes.append(Shape(one_of(rng, SHAPE_KINDS), name, shown, size))
        upwards.append(is_up)
    return shapes, upwards[0]


def _resizing(
    rng: np.random.Generator, names: Sequence[str], settings: AttributeSettings, ratio: float
) -> tuple[Scene, bool]:
    """Shapes that have room for a change of their size each; whether the first one's is growth."""
    colours = shades(rng, names)
    sizes = [_size(rng, settings.size, ratio, settings.asked) for _ in names]
    kinds = [one_of(rng, SHAPE_KINDS) for _ in names]
    largest = [
        Shape(kind, name, colours[name], before * (1 + ratio) if grows else before)
        for kind, name, (before, grows) in zip(kinds, names, sizes, strict=True)
    ]
    scene = scatter(largest, rng)
    shapes = (replace(s, size=before) for s, (before, _) in zip(scene.shapes, sizes, strict=True))
    return replace(scene, shapes=tuple(shapes)), sizes[0][1]


def _size(rng: np.random.Generator, size: Range, ratio: float, asked: Asked) -> tuple[float, bool]:
    """Return a size before a change, and whether it grows; sizes after it are distributed like it.

    Logarithms of sizes are uniform. By a coin, what grows begins at the lower end of the range and
    what shrinks ends there. So neither is told by the size, but for what is near an end; and sizes
    after a change are not quite as before, for to grow by a fifth is less than to shrink by one.

    If it is not asked how, an interval as long as a growth and a shrinkage together is taken: what
    can grow in it does, the rest shrinks. This exchanges two parts of it, so that afterwards all of
    it is evenly covered again.
    """
    low, high = (math.log(end) for end in _bounds(size, ratio))
    growth, shrinkage = math.log(1 + ratio), -math.log(1 - ratio)
    if asked == "how":
        grows = is_heads(rng)
        before = rng.uniform(low, high - growth) if grows else rng.uniform(low + shrinkage, high)
    else:
        low = rng.uniform(low, max(low, high - growth - shrinkage))
        before = rng.uniform(low, low + growth + shrinkage)
        grows = before < low + shrinkage
    return round(math.exp(before), 4), grows


def _bounds(size: Range, ratio: float) -> Range:
    """Return the sizes of both images: as given, or just room for one change about their middle."""
    low, high = size
    least, middle = math.sqrt((1 + ratio) / (1 - ratio)), math.sqrt(low * high)
    return (low, high) if high / low >= least**2 else (middle / least, middle * least)
