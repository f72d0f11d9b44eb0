"""Scenes of two objects: which objects, where they are, what is true of them, and sets of scenes.

Subset a shows a small object and a piece of furniture in a room: on it, under it, to its left or to
its right. Subset b shows two small objects on a table top: one to the left or right of the other,
in front of it or behind it. A set shows the same two objects before the same background in all four
relations. Everything follows from the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.objects.canvas import Box
from pairbench_ext.synthetic.objects.furniture import FURNITURE, Furniture
from pairbench_ext.synthetic.objects.placement import Place, box_of, places_in_room, places_on_table
from pairbench_ext.synthetic.objects.small_objects import SMALL_OBJECTS, SmallObject
from pairbench_ext.synthetic.wording import SUBSETS, write_caption

BACKGROUNDS = 5  # of each subset
MOST = 1000  # sets per subset that are sure to differ


@dataclass(frozen=True)
class ObjectScene:
    """A scene to be drawn.

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
        """The caption for each relation of the subset; that of `relation` is true."""
        first, second = self.objects
        return {name: write_caption(first, name, second) for name in SUBSETS[self.subset]}

    def boxes(self) -> tuple[Box, Box]:
        """The box that each object is drawn in, in heights of the picture."""
        return box_of(self.objects[0], self.places[0]), box_of(self.objects[1], self.places[1])


def object_sets(subset: str, count: int, seed: int = 0) -> Iterator[list[ObjectScene]]:
    """Sets of four scenes, one for each relation of the subset.

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
    things = _shuffled(list(SMALL_OBJECTS), seed, subset, "things")
    others = things
    if subset == "a":
        others = _shuffled(list(FURNITURE), seed, "furniture")
    for number in range(count):
        first, second, variant = _pair(number, things, others, is_table=subset == "b")
        one, other, background = _look(first, second, variant, seed)
        shared = ((first, second), (one, other), background, variant)
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
    """The two objects of a set and how often they came before."""
    n = len(things)
    turn, position = divmod(number, n)
    if is_table:  # two steps a set, so that neighbours are disjoint (n is odd)
        variant, turn = divmod(turn, n - 1)
        position = 2 * position % n
        return things[position], things[(position + 1 + turn) % n], variant
    variant, turn = divmod(turn, len(others))
    return things[position], others[(position + turn) % len(others)], variant


def _look(first: str, second: str, variant: int, seed: int) -> tuple[int, int, int]:
    """The colours of both objects and the background, another triple for every variant."""
    drawn: dict[str, SmallObject | Furniture] = {**SMALL_OBJECTS, **FURNITURE}
    numbers = (len(drawn[first].colours), len(drawn[second].colours), BACKGROUNDS)
    looks = sorted(
        product(*map(range, numbers)),
        key=lambda look: seeds.stable_hash(seed, "look", first, second, *look),
    )
    one, other, background = looks[variant]
    return one, other, background
