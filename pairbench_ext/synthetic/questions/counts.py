"""Existence and quantity pairs: one image has one shape more. Which shape, or which image?

Existence. VLM-SubtleBench, Appendix A.6: 20 to 30 shapes of 35 pixels of random kinds, colours and
rotations; one of them is in one of the images only; distractors are unchanged shapes with random
"appeared" or "disappeared". There, the image that lacks the shape gives it away, as it shows all
other options. Ours:

- the four options name kinds and colours, no two the same. Of each a coin says whether an image
  shows it, and one of them is in the other image what it is not in this. So three distractors are
  in both images or in neither, and one image alone tells nothing;
- options do not say "appeared" or "disappeared": of what an image shows, the one is wrong;
- colours are those that everybody calls so (`palette.CLEAR`), as the options name them;
- the number of shapes in an image is up to two more or less than said.

Quantity. VLM-SubtleBench, Appendix A.7: 10 to 20 shapes of one kind and colour and of 20 to 40
pixels; one is added or removed; binary choices. Ours: the number is that of the image with fewer;
upright shapes.

One image alone tells by its number: the least possible one is of the image with fewer. Of k numbers
that are as likely, this is worth 1 / (2 k) above chance, and no other distribution does better.
"""

from dataclasses import dataclass, replace

import numpy as np

from pairbench_ext.synthetic.draws import Range, integer, is_heads, one_of, sized, some_of, uniform
from pairbench_ext.synthetic.palette import CLEAR, PALETTE, SENSITIVITY, TONES, shade, shades
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.questions.pair import LEAST_SIZE, SyntheticPair, described, require
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape
from pairbench_ext.synthetic.wording import article, sentence

QUESTION = "Which shape appeared or disappeared from the first image to the second?"
CHANGES = ("appeared", "disappeared")
_OPTIONS = 4
_SHOWN = 2  # of them in an image, on average


@dataclass(frozen=True)
class ExistenceSettings:
    """The settings of pairs in which one image lacks a shape; bounds are included.

    Attributes:
        objects: how many shapes, two more or less.
        size: of all shapes of a pair, in pixels.

    Raises:
        ValueError: naming a setting that is out of bounds.
    """

    objects: Range = (22, 28)
    size: Range = (35, 35)

    def __post_init__(self) -> None:
        require("objects", self.objects, _SHOWN)
        require("size", self.size, LEAST_SIZE)


def draw_existence(rng: np.random.Generator, settings: ExistenceSettings) -> SyntheticPair:
    """Return a pair in which one image lacks one of the shapes."""
    objects = integer(rng, settings.objects)
    everything = _existing(rng, settings, objects - _SHOWN)
    named, others = everything.shapes[:_OPTIONS], everything.shapes[_OPTIONS:]
    shown = _shown(rng, bool(others))
    target, *distractors = named
    kept = [shape for shape, is_there in zip(named[1:], shown[1:], strict=True) if is_there]
    fewer, more = Scene((*kept, *others)), Scene((target, *kept, *others))
    change = CHANGES[shown[0]]
    return SyntheticPair(
        kind="existence",
        first=more if shown[0] else fewer,
        second=fewer if shown[0] else more,
        question=QUESTION,
        answer=sentence(article(target.name)),
        distractors=tuple(sentence(article(shape.name)) for shape in distractors),
        caption=sentence(f"{article(target.name)} {change} in the second image"),
        details={"change": change, "objects": objects, "target": described(target)},
    )


def _existing(rng: np.random.Generator, settings: ExistenceSettings, n_others: int) -> Scene:
    """Return all that there is in one image or in none: what options name, and as many others."""
    size = round(uniform(rng, settings.size), 1)
    colours = shades(rng, tones=CLEAR)
    looks = [(kind, colour) for kind in SHAPE_KINDS for colour in PALETTE]
    looks = some_of(rng, looks, len(looks))
    named, rest = looks[:_OPTIONS], looks[_OPTIONS:]
    shapes = [
        Shape(kind, colour, colours[colour], size, rotation=uniform(rng, (0, 360)))
        for kind, colour in (*named, *(one_of(rng, rest) for _ in range(n_others)))
    ]
    return scatter(shapes, rng)


def _shown(rng: np.random.Generator, has_others: bool) -> list[bool]:
    """Draw whether the first image shows what each option names, the right one first.

    Without other shapes, a distractor is there: no image is empty.
    """
    while True:
        shown = [is_heads(rng) for _ in range(_OPTIONS)]
        if has_others or any(shown[1:]):
            return shown


IMAGES = ("first image", "second image")  # as the hub's data spell their options
COMPARATIVES = ("more", "fewer")


@dataclass(frozen=True)
class QuantitySettings:
    """The settings of pairs with one shape more or less; bounds are included.

    Attributes:
        objects: how many shapes in the image with fewer.
        size: of each shape, in pixels.
        give: by how many the lowest number is lower, and the highest one higher; 1 is the least.
        colour: of the shapes, of `SENSITIVITY`; None draws one of all colours.

    Raises:
        ValueError: naming a setting that is out of bounds.
    """

    objects: Range = (10, 20)
    size: Range = (20, 40)
    give: tuple[int, int] = (0, 0)
    colour: str | None = None

    def __post_init__(self) -> None:
        require("objects", self.objects, 1)
        require("size", self.size, LEAST_SIZE)
        if self.colour not in (None, *SENSITIVITY):
            raise ValueError(f"colour must be one of {list(SENSITIVITY)}, not {self.colour!r}")

    @property
    def numbers(self) -> Range:
        """Return the lowest and highest number of shapes in the image with fewer shapes."""
        return max(1, self.objects[0] - self.give[0]), self.objects[1] + self.give[1]


def draw_quantity(rng: np.random.Generator, settings: QuantitySettings) -> SyntheticPair:
    """Return a pair whose second image has one shape more or one less than the first."""
    is_added = is_heads(rng)
    fewer = integer(rng, settings.numbers)
    kind = one_of(rng, SHAPE_KINDS)
    colour = settings.colour or one_of(rng, list(TONES))
    lab = shade(rng, (SENSITIVITY if settings.colour else TONES)[colour])
    shapes = [Shape(kind, colour, lab, size) for size in sized(rng, settings.size, fewer + 1)]
    full = scatter(shapes, rng)
    less = replace(full, shapes=full.shapes[1:])
    comparative = one_of(rng, COMPARATIVES)
    is_second = is_added == (comparative == "more")
    target = full.shapes[0]
    change = COMPARATIVES[0] if is_added else COMPARATIVES[1]
    return SyntheticPair(
        kind="quantity",
        first=less if is_added else full,
        second=full if is_added else less,
        question=f"Which image contains {comparative} {target.name}s?",
        answer=IMAGES[is_second],
        distractors=(IMAGES[not is_second],),
        caption=sentence(f"the second image has one {change} {target.name}"),
        details={
            "change": change,
            "asked": comparative,
            **({"colour": colour} if settings.colour else {}),
            "objects": fewer if is_added else fewer + 1,
            "target": described(target),
        },
    )
