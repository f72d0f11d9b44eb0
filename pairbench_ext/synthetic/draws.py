"""Draw random numbers, items and shapes from a random generator."""

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
    """Return a random number between two bounds, rounded so that logs can hold it exactly."""
    return round(float(rng.uniform(*bounds)), 4)


def integer(rng: np.random.Generator, bounds: Range) -> int:
    """Return a random whole number between two bounds, both included."""
    return int(rng.integers(int(bounds[0]), int(bounds[1]) + 1))


def one_of(rng: np.random.Generator, items: Sequence[Item]) -> Item:
    """Return one item of a sequence, at random."""
    return items[int(rng.integers(len(items)))]


def some_of(rng: np.random.Generator, items: Sequence[Item], n: int) -> list[Item]:
    """Return several distinct items of a sequence, at random."""
    return [items[int(index)] for index in rng.permutation(len(items))[:n]]


def is_heads(rng: np.random.Generator) -> bool:
    """Return True or False, each with probability 1/2."""
    return bool(rng.random() < 0.5)


def coloured(rng: np.random.Generator, colours: Mapping[str, Lab], name: str, size: float) -> Shape:
    """Return an upright circle, square or triangle, at random, in the given colour."""
    return Shape(one_of(rng, SHAPE_KINDS), name, colours[name], size)


def sized(rng: np.random.Generator, size: Range, n: int) -> list[float]:
    """Return random sizes between two bounds, in pixels, rounded to one decimal."""
    return [round(uniform(rng, size), 1) for _ in range(n)]
