"""Spatial and viewpoint pairs: one shape, or the camera, moved. In which direction?

Spatial. VLM-SubtleBench says little of its synthetic spatial pairs (Section 4.4: size of the object
and degree of translation; Table 13: four options). Ours: 2 to 10 upright shapes of distinct colours
and of 40 to 80 pixels, one of which moves by 20 to 80 pixels along an axis. The options cross two
shapes of the scene with two directions, as in attribute pairs. Both have a place to go to that is
free, and either image could show them there; one goes. So one image does not tell which, but what
stands near a border can hardly have come from beyond it.

Viewpoint. VLM-SubtleBench, Appendix A.9 and Section 3.2: all shapes shift by 20 to 80 pixels along
an axis, or turn by 5 to 20 degrees about the centre; four of the six motions are options. The
camera goes the opposite way, in translation and in rotation, as the authors tell models in one of
their prompts ("if objects appear to move left, the camera is actually moving right"). The question
says so here.

Ours: 5 to 15 shapes of 30 to 60 pixels; the six motions are equally likely. The shapes are turned
at random, so that the second image does not tell that they have turned. What no longer fits into
the picture leaves it, and as many other shapes come in where the camera has got to: both images
show shapes that are evenly spread over all of the canvas, so neither tells where the camera goes or
came from. At least half of the shapes are in both. Where only translations are drawn the options
are the four of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from pairbench_ext.synthetic.colours import Lab
from pairbench_ext.synthetic.draws import (
    Range,
    coloured,
    integer,
    is_heads,
    one_of,
    sized,
    some_of,
    uniform,
)
from pairbench_ext.synthetic.palette import PALETTE, shades
from pairbench_ext.synthetic.placement import (
    PlacementError,
    find_place,
    find_route,
    is_inside,
    scatter,
)
from pairbench_ext.synthetic.questions.pair import (
    LEAST_MOVE,
    LEAST_SIZE,
    SyntheticPair,
    described,
    require,
)
from pairbench_ext.synthetic.shapes import HEIGHT, Scene, Shape, added, panned, rotated
from pairbench_ext.synthetic.wording import sentence

_WHICH_MOVED = "Which shape moved from the first image to the second, and in which direction?"
Step = tuple[float, float]
# x runs to the right and y downwards.
DIRECTIONS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"to the left": (-1, 0), "to the right": (1, 0), "up": (0, -1), "down": (0, 1)}
)


@dataclass(frozen=True)
class SpatialSettings:
    """The settings, in pixels, of pairs in which one shape moves; bounds are included.

    Raises:
        ValueError: naming a setting that is out of bounds.
    """

    objects: Range = (2, 10)
    size: Range = (40, 80)
    translation: Range = (20, 80)

    def __post_init__(self) -> None:
        require("objects", self.objects, 2, len(PALETTE))
        require("size", self.size, LEAST_SIZE)
        require("translation", self.translation, LEAST_MOVE)


def draw_spatial(rng: np.random.Generator, settings: SpatialSettings) -> SyntheticPair:
    """Return a pair in which one shape moves along an axis."""
    amount = uniform(rng, settings.translation)
    direction, wrong = some_of(rng, list(DIRECTIONS), 2)
    first = _movable(rng, settings, _step(direction, amount), _step(wrong, amount))
    target, other = first.shapes[:2]
    answer, *distractors = (
        sentence(f"the {shape.name} moved {way}")
        for shape in (target, other)
        for way in (direction, wrong)
    )
    return SyntheticPair(
        kind="spatial",
        first=first,
        second=Scene((target.moved(*_step(direction, amount)), *first.shapes[1:])),
        question=_WHICH_MOVED,
        answer=answer,
        distractors=tuple(distractors),
        caption=sentence(f"the {target.name} moved {direction} in the second image"),
        details={
            "change": direction,
            "translation": amount,
            "objects": len(first.shapes),
            "target": described(target),
        },
    )


def _step(direction: str, amount: float) -> Step:
    x, y = DIRECTIONS[direction]
    return amount * x, amount * y


def _movable(rng: np.random.Generator, settings: SpatialSettings, step: Step, wrong: Step) -> Scene:
    """The first image. The shape that moves comes first, then the other one of the options."""
    names = some_of(rng, list(PALETTE), integer(rng, settings.objects))
    sizes, colours = sized(rng, settings.size, len(names)), shades(rng, names)
    target, other, *others = (
        coloured(rng, colours, name, size) for name, size in zip(names, sizes, strict=True)
    )
    # The other one could move, too, by a step of its own, and shows one end of it.
    its_step = one_of(rng, (step, wrong))
    has_moved, is_placed_first = is_heads(rng), is_heads(rng)
    routes = [(target, step), (other, its_step)]
    taken = Scene()
    for shape, way in routes if is_placed_first else routes[::-1]:
        start = find_route(shape, way, taken, rng)
        taken = added(added(taken, start), start.moved(*way))
    ends = taken.shapes if is_placed_first else taken.shapes[2:] + taken.shapes[:2]
    for shape in others:
        taken = added(taken, find_place(shape, taken, rng))
    return Scene((ends[0], ends[3 if has_moved else 2], *taken.shapes[4:]))


_TRIES = 1000

Motion = Literal["translation", "rotation"]
_WHERE_TO = (
    "How did the camera move from the first image to the second? The shapes stood still: when the "
    "camera moves one way, they go the other way in the image, and may leave it as others come in."
)


class _Camera(NamedTuple):
    """A motion of the camera.

    Attributes:
        kind: what it is.
        shift: where the shapes go in the image: x to the right, y downwards.
        turn: how they turn, clockwise.
        shapes: what they do, in words.
    """

    kind: Motion
    shift: Step
    turn: int
    shapes: str


_MOTIONS: Mapping[str, _Camera] = MappingProxyType(
    {
        "moved left": _Camera("translation", (1, 0), 0, "shifted to the right"),
        "moved right": _Camera("translation", (-1, 0), 0, "shifted to the left"),
        "moved up": _Camera("translation", (0, 1), 0, "shifted down"),
        "moved down": _Camera("translation", (0, -1), 0, "shifted up"),
        "rotated clockwise": _Camera("rotation", (0, 0), -1, "turned counterclockwise"),
        "rotated counterclockwise": _Camera("rotation", (0, 0), 1, "turned clockwise"),
    }
)


@dataclass(frozen=True)
class ViewpointSettings:
    """The settings of pairs in which the camera moves or turns; bounds are included.

    Attributes:
        objects: how many shapes.
        size: of each shape, in pixels.
        motion: what the camera does, and all that the options say it does; None draws it.
        translation: how far it moves, in pixels.
        rotation: how far it rotates, in degrees.

    Raises:
        ValueError: naming a setting that is out of bounds.
    """

    objects: Range = (5, 15)
    size: Range = (30, 60)
    motion: Motion | None = None
    translation: Range = (20, 80)
    rotation: Range = (5, 20)

    def __post_init__(self) -> None:
        require("objects", self.objects, 2)  # one alone might turn or move
        require("size", self.size, LEAST_SIZE)
        require("translation", self.translation, LEAST_MOVE, HEIGHT / 3)  # most shapes stay
        require("rotation", self.rotation, LEAST_MOVE, 45)


def draw_viewpoint(rng: np.random.Generator, settings: ViewpointSettings) -> SyntheticPair:
    """Return a pair that shows one scene from two positions, or at two angles, of the camera."""
    possible = [name for name, m in _MOTIONS.items() if settings.motion in (None, m.kind)]
    motion = one_of(rng, possible)
    kind, *_, seen = _MOTIONS[motion]
    amount = uniform(rng, settings.translation if kind == "translation" else settings.rotation)
    first, second = _views(rng, settings, motion, amount)
    # Of a kind that is never right, options could be ruled out unseen.
    wrong = some_of(rng, [other for other in possible if other != motion], 3)
    answer, *distractors = (sentence(f"the camera {option}") for option in (motion, *wrong))
    return SyntheticPair(
        kind="viewpoint",
        first=first,
        second=second,
        question=_WHERE_TO,
        answer=answer,
        distractors=tuple(distractors),
        caption=sentence(f"the camera {motion}: all shapes {seen} in the second image"),
        details={"change": motion, kind: amount, "objects": len(first.shapes)},
    )


def _views(
    rng: np.random.Generator, settings: ViewpointSettings, motion: str, amount: float
) -> tuple[Scene, Scene]:
    """Draw the picture before and after a motion of the camera.

    Uniform places stay uniform when all shapes move and those that leave the picture are replaced
    by as many in places from which the motion would have brought none.
    """
    colours = shades(rng)
    for _ in range(_TRIES):
        first = _scene(rng, settings, colours)
        moved = _moved(first, motion, amount)
        stay = [shape for shape in moved.shapes if is_inside(shape, moved)]
        gone = [shape for shape in moved.shapes if not is_inside(shape, moved)]
        second: Scene | None = Scene(tuple(stay))
        for shape in gone if len(stay) >= len(gone) else ():
            second = second and _with_newcomer(rng, shape, second, colours, motion, amount)
        if second is not None and len(second.shapes) == len(first.shapes):
            return first, second
    raise PlacementError(f"no scene found of which half stays in the picture: {settings}")


def _moved(scene: Scene, motion: str, amount: float) -> Scene:
    """Return the shapes after a motion of the camera, those out of the picture as well."""
    _, (x, y), turn, _ = _MOTIONS[motion]
    return rotated(scene, amount * turn) if turn else panned(scene, amount * x, amount * y)


def _with_newcomer(
    rng: np.random.Generator,
    gone: Shape,
    scene: Scene,
    colours: Mapping[str, Lab],
    motion: str,
    amount: float,
) -> Scene | None:
    """A scene with a shape in place of one that has left; None if no place for it is found."""
    name = one_of(rng, list(colours))
    shape = replace(gone, colour=name, lab=colours[name], rotation=uniform(rng, (0, 360)))
    for _ in range(_TRIES):
        shape = find_place(shape, scene, rng)
        (before,) = _moved(Scene((shape,)), motion, -amount).shapes
        if not is_inside(before, scene):
            return added(scene, shape)
    return None


def _scene(
    rng: np.random.Generator, settings: ViewpointSettings, colours: Mapping[str, Lab]
) -> Scene:
    names = [one_of(rng, list(colours)) for _ in range(integer(rng, settings.objects))]
    shapes = [
        replace(coloured(rng, colours, name, size), rotation=uniform(rng, (0, 360)))
        for name, size in zip(names, sized(rng, settings.size, len(names)), strict=True)
    ]
    return scatter(shapes, rng)
