"""Random numbers, items and shapes, from a generator of `pairbench_ext.statistics.seeds`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Shape

if TYPE_CHECKING:
    import numpy as np

    from pairbench_ext.synthetic.colours import Lab

Range = tuple[float, float]
Item = TypeVar("Item")


def uniform(rng: np.random.Generator, bounds: Range) -> float:
    """A number between two bounds; rounded, so that the recorded decimal is the number used."""
    return round(float(rng.uniform(*bounds)), 4)


def integer(rng: np.random.Generator, bounds: Range) -> int:
    """Return a whole number between two bounds, both of them possible."""
    return int(rng.integers(int(bounds[0]), int(bounds[1]) + 1))


def one_of(rng: np.random.Generator, items: Sequence[Item]) -> Item:
    """Return one of some items, each as likely as the others."""
    return items[int(rng.integers(len(items)))]


def some_of(rng: np.random.Generator, items: Sequence[Item], n: int) -> list[Item]:
    """Return different ones of some items, in random order."""
    return [items[int(index)] for index in rng.permutation(len(items))[:n]]


def is_heads(rng: np.random.Generator) -> bool:
    """Return true with probability 1/2."""
    return bool(rng.random() < 0.5)


def coloured(rng: np.random.Generator, colours: Mapping[str, Lab], name: str, size: float) -> Shape:
    """Return an upright shape of a colour, of a random kind, somewhere."""
    return Shape(one_of(rng, SHAPE_KINDS), name, colours[name], size)


def sized(rng: np.random.Generator, size: Range, n: int) -> list[float]:
    """Return sizes in a range, in tenths of a pixel."""
    return [round(uniform(rng, size), 1) for _ in range(n)]
