"""A scene and two statements about it, one of which is true.

The two statements are drawn first, as a pair; then it is given which one is to be true, and a scene
that makes it true is drawn, in colours with unambiguous names (`palette.CLEAR`). So the texts tell
nothing about the truth, whatever is learnt from them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pairbench_ext.synthetic.draws import integer, is_heads, one_of, some_of
from pairbench_ext.synthetic.palette import CLEAR, shades
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape
from pairbench_ext.synthetic.wording import article, sentence

WIDTH, HEIGHT = 480, 360
SIZES = (44, 64)  # of shapes, in pixels
APART = 90  # pixels from centre to centre along the way that a statement is about
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "brown", "grey")
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
# Which way, in words and as a step: x to the right, y downwards.
_WAYS = ((("to the left of", "to the right of"), 0), (("above", "below"), 1))

Look = tuple[str, str]  # kind of shape, colour


class Fact(NamedTuple):
    """A scene and two statements about it; `truth` is the place of the true one, 0 or 1."""

    kind: str
    question: str
    statements: tuple[str, str]
    truth: int
    scene: Scene


def _colour(rng: np.random.Generator, truth: int) -> Fact:
    """Draw a fact about colour: the only shape of its kind has one of two colours."""
    kind, *others = some_of(rng, SHAPE_KINDS, 3)
    colours = some_of(rng, COLOURS, 2)
    looks = [(kind, colours[truth])] + [
        (one_of(rng, others), one_of(rng, COLOURS)) for _ in range(integer(rng, (2, 5)))
    ]
    first, second = (f"the {kind} is {colour}" for colour in colours)
    return Fact("colour", f"What colour is the {kind}?", (first, second), truth, _drawn(rng, looks))


def _count(rng: np.random.Generator, truth: int) -> Fact:
    """Draw a fact about number: there are n shapes of a kind, or n + 1."""
    kind, *others = some_of(rng, SHAPE_KINDS, 3)
    fewer = integer(rng, (2, 5))
    looks = [(kind, one_of(rng, COLOURS)) for _ in range(fewer + truth)]
    looks += [(one_of(rng, others), one_of(rng, COLOURS)) for _ in range(integer(rng, (1, 3)))]
    first, second = (f"there are {_NUMBERS[fewer + more]} {kind}s" for more in (0, 1))
    return Fact("count", f"How many {kind}s are there?", (first, second), truth, _drawn(rng, looks))


def _position(rng: np.random.Generator, truth: int) -> Fact:
    """Draw a fact about position: a shape is on one side of another, or on the opposite side."""
    (words, axis), looks = one_of(rng, _WAYS), _looks(rng, integer(rng, (2, 4)))
    first_name, second_name = (f"{colour} {kind}" for kind, colour in looks[:2])
    while True:
        scene = _drawn(rng, looks)
        ways = [(shape.x, shape.y)[axis] for shape in scene.shapes[:2]]
        if abs(ways[0] - ways[1]) >= APART:
            break
    if (ways[0] > ways[1]) != bool(truth):
        mirrored = (
            replace(shape, x=WIDTH - shape.x) if axis == 0 else replace(shape, y=HEIGHT - shape.y)
            for shape in scene.shapes
        )
        scene = replace(scene, shapes=tuple(mirrored))
    first, second = (f"the {first_name} is {word} the {second_name}" for word in words)
    question = f"Where is the {first_name}, seen from the {second_name}?"
    return Fact("position", question, (first, second), truth, scene)


def _existence(rng: np.random.Generator, truth: int) -> Fact:
    """Draw a fact about existence: a shape is there, or another shape in its place."""
    asked, instead, *others = _looks(rng, integer(rng, (4, 7)))
    name = " ".join(asked[::-1])
    first, second = f"there is {article(name)}", f"there is no {name}"
    scene = _drawn(rng, [instead if truth else asked, *others])
    return Fact("existence", f"Is there {article(name)}?", (first, second), truth, scene)


# Each draws a fact from a generator; the second argument is which statement is to be true, 0 or 1.
KINDS: Mapping[str, Callable[[np.random.Generator, int], Fact]] = MappingProxyType(
    {"colour": _colour, "count": _count, "position": _position, "existence": _existence}
)


def _looks(rng: np.random.Generator, n: int) -> list[Look]:
    """Draw kinds and colours of shapes, all different."""
    return some_of(rng, [(kind, colour) for kind in SHAPE_KINDS for colour in COLOURS], n)


def _drawn(rng: np.random.Generator, looks: list[Look]) -> Scene:
    """Return shapes of these looks, in this order, in random places."""
    labs = shades(rng, COLOURS, CLEAR)
    shapes = [Shape(kind, c, labs[c], float(integer(rng, SIZES))) for kind, c in looks]
    return scatter(shapes, rng, width=WIDTH, height=HEIGHT)


def worded(rng: np.random.Generator, statement: str, *, long: bool) -> str:
    """Return a statement as an answer, short or with filler words.

    >>> from pairbench_ext.statistics.seeds import generator
    >>> worded(generator(0), "the circle is red", long=False)
    'The circle is red.'
    """
    if not long:
        return sentence(statement)
    before, after = one_of(rng, _LONG)
    if is_heads(rng):
        after = ""
    return f"{before} {statement}{after}."


_LONG = (
    ("Going by what can be seen in the picture, I would say that", ", as far as I can tell"),
    ("After a close look at the whole picture, it is safe to say that", ", all things considered"),
    ("Looking at all of the shapes one by one, I would say that", ", and that is the answer"),
)
