"""Sets of four scenes that show the same two objects before the same background.

Only the relation differs. Everything follows from the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.objects.backgrounds import COUNT
from pairbench_ext.synthetic.objects.large_objects import FURNITURE
from pairbench_ext.synthetic.objects.placement import places_in_room, places_on_table
from pairbench_ext.synthetic.objects.scene import ObjectScene, Place, find_object
from pairbench_ext.synthetic.objects.small_objects import SMALL_OBJECTS
from pairbench_ext.synthetic.relations import SUBSETS

MOST = 1000  # sets per subset that are sure to differ


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
    things = _shuffled([one.name for one in SMALL_OBJECTS], seed, subset, "things")
    others = things
    if subset == "a":
        others = _shuffled([one.name for one in FURNITURE], seed, "furniture")
    for number in range(count):
        first, second, variant = _pair(number, things, others, is_table=subset == "b")
        one, other, background = _look(first, second, variant, seed)
        shared = ((first, second), (one, other), background, variant)
        placed = zip(SUBSETS[subset], _places(subset, first, second, seed), strict=True)
        yield [ObjectScene(subset, relation, places, *shared) for relation, places in placed]


def _places(subset: str, first: str, second: str, seed: int) -> Iterator[tuple[Place, Place]]:
    if subset == "b":
        return places_on_table(first, second, seed)
    return places_in_room(first, second)


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
    numbers = (len(find_object(first).colours), len(find_object(second).colours), COUNT)
    looks = sorted(
        product(*map(range, numbers)),
        key=lambda look: seeds.stable_hash(seed, "look", first, second, *look),
    )
    one, other, background = looks[variant]
    return one, other, background
