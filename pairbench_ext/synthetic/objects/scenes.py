"""Scenes of two objects: where the objects are, and which caption is true.

Subset a shows a small object and a piece of furniture in a room: on it, under it, to its left or to
its right. Subset b shows two small objects on a table top: one to the left or right of the other,
in front of it or behind it. A set shows the same two objects before the same background in all four
relations. Everything follows from the seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
from PIL import Image

from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.objects.canvas import Canvas, Mask
from pairbench_ext.synthetic.objects.drawings import FURNITURE, SMALL_OBJECTS, draw
from pairbench_ext.synthetic.wording import SUBSETS, write_caption

Box: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top

BACKGROUNDS = 5  # of each subset
MOST = 1000  # sets per subset that are sure to differ
ASPECT = 4 / 3  # width of a picture in its own heights
_MARGIN = 0.02  # what is kept free at the sides and between objects, at least
# Subset a, in heights of the picture.
_GROUND = 0.22  # where furniture stands: a rotated picture must not lose what is beside it
# Subset b: things on the table top are nearer, and shrink towards the horizon.
_NEARER = 1.55
_HORIZON = 0.95
_NEAR, _MIDDLE, _FAR = 0.1, 0.26, 0.46
_DEPTHS = (0.5, 0.44, 0.38, 0.32)  # how far up the farther object stands on the nearer one's height
# Shares of the farther object that may be hidden: of all of it, and of its foot. An object whose
# foot is not seen might as well stand on the other.
_LEAST_HIDDEN, _HIDDEN, _FOOT_HIDDEN, _FOOT = 0.08, 0.38, 0.55, 0.12
_PROBE = 120  # pixels per height of the picture, to see what hides what


class Place(NamedTuple):
    """An object's middle from the left, base from below, and height; in picture heights."""

    x: float
    y: float
    height: float


def box_of(name: str, place: Place) -> Box:
    """Return an object's bounding box: left, bottom, right, top, in units of picture height."""
    drawn = SMALL_OBJECTS.get(name) or FURNITURE[name]
    half = place.height * drawn.width / 2
    return place.x - half, place.y, place.x + half, place.y + place.height


@dataclass(frozen=True)
class ObjectScene:
    """A scene of two objects that can be drawn.

    Attributes:
        subset: "a" or "b".
        relation: where the first object is as seen from the second: "left", "right", "on",
            "under", "front" or "behind".
        places: where each object is.
        objects: names of the two objects.
        colours: which of its colours each has.
        background: number of the background.
        variant: 0 in the first set that shows these two objects, counting up.
    """

    subset: str
    relation: str
    places: tuple[Place, Place]
    objects: tuple[str, str]
    colours: tuple[int, int]
    background: int
    variant: int

    @property
    def captions(self) -> dict[str, str]:
        """Return one caption per relation; only the caption for the scene's `relation` is true."""
        first, second = self.objects
        return {name: write_caption(first, name, second) for name in SUBSETS[self.subset]}

    def boxes(self) -> tuple[Box, Box]:
        """Return the two objects' bounding boxes, in units of the picture's height."""
        return box_of(self.objects[0], self.places[0]), box_of(self.objects[1], self.places[1])


def object_sets(subset: str, count: int, seed: int = 0) -> Iterator[list[ObjectScene]]:
    """Yield sets of four scenes, which show the same objects in four spatial relations.

    The first five sets have no object in common. All pairs of objects come once before one comes
    again, which it does in other colours or before another background.

    Args:
        subset: "a" (75 pairs of objects) or "b" (210).
        count: how many sets, at most `MOST`.
        seed: of the order of the pairs, the colours and the backgrounds.

    Raises:
        ValueError: for a number of sets out of range.
    """
    if not 1 <= count <= MOST:
        raise ValueError(f"cannot make {count} sets of scenes, only 1 to {MOST}")
    things = others = _shuffled(list(SMALL_OBJECTS), seed, subset, "things")
    if subset == "a":
        others = _shuffled(list(FURNITURE), seed, "furniture")
    for number in range(count):
        first, second, variant = _pair(number, things, others, is_table=subset == "b")
        colours, background = _look(first, second, variant, seed)
        shared = ((first, second), colours, background, variant)
        if subset == "a":
            places = places_in_room(first, second)
        else:
            places = places_on_table(first, second, seed)
        yield [
            ObjectScene(subset, relation, where, *shared)
            for relation, where in zip(SUBSETS[subset], places, strict=True)
        ]


def _shuffled(names: Sequence[str], seed: int, *key: str) -> list[str]:
    return sorted(names, key=lambda name: seeds.stable_hash(seed, "object order", *key, name))


def _pair(
    number: int, things: Sequence[str], others: Sequence[str], *, is_table: bool
) -> tuple[str, str, int]:
    """Return the two objects of a set and how often they came before."""
    n = len(things)
    turn, position = divmod(number, n)
    if is_table:  # two steps a set, so that neighbours are disjoint (n is odd)
        variant, turn = divmod(turn, n - 1)
        position = 2 * position % n
        return things[position], things[(position + 1 + turn) % n], variant
    variant, turn = divmod(turn, len(others))
    return things[position], others[(position + turn) % len(others)], variant


def _look(first: str, second: str, variant: int, seed: int) -> tuple[tuple[int, int], int]:
    """Return the colours of both objects and the background, another triple for every variant."""
    drawn = {**SMALL_OBJECTS, **FURNITURE}
    numbers = (len(drawn[first].colours), len(drawn[second].colours), BACKGROUNDS)
    looks = sorted(
        product(*map(range, numbers)),
        key=lambda look: seeds.stable_hash(seed, "look", first, second, *look),
    )
    first_colour, second_colour, background = looks[variant]
    return (first_colour, second_colour), background


def places_in_room(first: str, second: str) -> Iterator[tuple[Place, Place]]:
    """Yield places of object and furniture: the object is left of, right of, on, and under it."""
    thing, piece = SMALL_OBJECTS[first], FURNITURE[second]
    middle, half = ASPECT / 2, piece.height * piece.width / 2
    room = middle - half - 2 * _MARGIN
    height = min(thing.height, 0.92 * piece.clearance * piece.height, room / thing.width)
    fixed = Place(middle, _GROUND, piece.height)
    floor = _GROUND + piece.under * piece.height
    beside = half + 1.5 * _MARGIN + height * thing.width / 2
    for x in (middle - beside, middle + beside):
        yield Place(x, floor, height), fixed
    yield Place(middle, _GROUND + piece.top * piece.height, height), fixed
    yield Place(middle, floor, height), fixed


def places_on_table(first: str, second: str, seed: int) -> Iterator[tuple[Place, Place]]:
    """Yield places of two objects: the first is left of, right of, in front of, behind the second.

    In front and behind, the nearer object is larger, lower in the picture, and hides a part of the
    farther one.

    Args:
        first: name of a small object.
        second: name of another one.
        seed: of the side to which the nearer object stands.
    """
    widths = [_height(name, _MIDDLE) * SMALL_OBJECTS[name].width for name in (first, second)]
    apart = sum(widths) / 2 + 6 * _MARGIN
    for side in (-1, 1):
        yield _standing(first, second, (side * apart, _MIDDLE), (0, _MIDDLE))
    side = 1 if seeds.draw(2, seed, "side", first, second) else -1
    shift, deep = _overlap(first, second, side)
    yield _standing(first, second, (shift, _NEAR), (0, deep))
    shift, deep = _overlap(second, first, side)
    yield _standing(first, second, (0, deep), (shift, _NEAR))


def _height(name: str, y: float) -> float:
    """Return the height of an object that stands at `y` of the picture, on the table top."""
    return _NEARER * SMALL_OBJECTS[name].height * (_HORIZON - y) / (_HORIZON - _MIDDLE)


def _standing(
    first: str, second: str, first_base: tuple[float, float], second_base: tuple[float, float]
) -> tuple[Place, Place]:
    """Return two objects on the table top by their bases, moved so that they are in the middle."""
    bases = ((first, first_base), (second, second_base))
    places = [Place(x, y, round(_height(name, y), 5)) for name, (x, y) in bases]
    boxes = [box_of(name, place) for name, place in zip((first, second), places, strict=True)]
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    moved = (ASPECT - left - right) / 2
    first_place, second_place = (place._replace(x=round(place.x + moved, 5)) for place in places)
    return first_place, second_place


def _overlap(near: str, far: str, side: int) -> tuple[float, float]:
    """Find how far aside of the farther object the nearer one stands, and how far up that does.

    As deep as can be, and then as little aside as can be, so that a part of the farther object is
    hidden and most of it is seen; to `side` (-1 left, 1 right) if that works.
    """
    before = _silhouette(near, _height(near, _NEAR))
    for way, share in product((side, -side), _DEPTHS):
        deep = round(min(_FAR, _NEAR + share * _height(near, _NEAR)), 5)
        behind = _silhouette(far, _height(far, deep))
        foot = behind.copy()
        foot[: -max(1, round(_FOOT * len(behind)))] = False
        base = round((deep - _NEAR) * _PROBE)
        for shift in (way * 0.02 * number for number in range(30)):
            hides = _hidden_by(before, behind.shape, round(shift * _PROBE), base)
            hidden = _share(hides, behind)
            if _LEAST_HIDDEN <= hidden <= _HIDDEN and _share(hides, foot) <= _FOOT_HIDDEN:
                return shift, deep
    raise AssertionError(f"no position of {near!r} hides the right share of {far!r}")


@lru_cache(maxsize=256)
def _silhouette(name: str, height: float) -> Mask:
    """Return the pixels of an object; rows from its top, columns from its left edge."""
    thing = SMALL_OBJECTS[name]
    size = (round(height * thing.width * _PROBE), round(height * _PROBE))
    canvas = Canvas(size, size[1], size[0] / 2, size[1])
    draw(canvas, thing.shapes, thing.colours[0])
    return canvas.mask


def _hidden_by(before: Mask, shape: tuple[int, ...], shift: int, base: int) -> Mask:
    """Return the part of a picture of `shape` that an object hides, lower by `base` and shifted."""
    hides = Image.new("1", (shape[1], shape[0]))
    left = (shape[1] - before.shape[1]) // 2 + shift
    hides.paste(Image.fromarray(before), (left, shape[0] + base - before.shape[0]))
    return np.asarray(hides)


def _share(hides: Mask, shape: Mask) -> float:
    return float((hides & shape).sum() / shape.sum())
