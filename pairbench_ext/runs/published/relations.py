"""What printed numbers say of each other, and which of them cannot all be right.

A relation is checked with the ranges of the printed values: it does not hold only if no values that
print so satisfy it. Here are means and sums; shares of items are in `shares`, numbers that are
printed twice, ranks and orders in `orders`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol, TypeAlias

from pairbench_ext.runs.published.cells import Cell, Range
from pairbench_ext.runs.published.counts import mean_range

#: Whether a relation does not hold, or holds under a condition that is worth saying.
Kind: TypeAlias = Literal["cannot be", "only if"]


class Finding(NamedTuple):
    """What was found of some cells.

    Attributes:
        kind: "cannot be" if no values that print so satisfy the relation.
        cells: of which at least one is not right, or not of what the relation takes it for; the
            last one is said to follow from the others.
        text: the arithmetic.
    """

    kind: Kind
    cells: tuple[Cell, ...]
    text: str

    @property
    def where(self) -> str:
        """The table, and what the last cell is of."""
        return f"{self.cells[-1].table}, {self.cells[-1].name}"


class Relation(Protocol):
    """Something that printed numbers say of each other."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The numbers."""

    def check(self) -> Finding | None:
        """What is to be said of them; None if they can all be right."""


@dataclass(frozen=True)
class Averaged:
    """A mean of printed numbers.

    Attributes:
        parts: the numbers.
        total: their mean.
        weights: of the numbers; equal ones by default.
        inside, outside: a mean of another kind is outside(mean(inside(x))), both of which increase.
        how: what the mean is, in words.
    """

    parts: tuple[Cell, ...]
    total: Cell
    weights: tuple[int, ...] = ()
    inside: Callable[[float], float] | None = None
    outside: Callable[[float], float] | None = None
    how: str = "mean"

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (*self.parts, self.total)

    @property
    def expected(self) -> Range:
        """Where the mean is."""
        parts = [_mapped(cell.range, self.inside) for cell in self.parts]
        return _mapped(mean_range(parts, self.weights or (1,) * len(parts)), self.outside)

    def check(self) -> Finding | None:  # noqa: D102
        mean = self.expected
        if mean.meets(self.total.range):
            return None
        weights = self.weights or (1,) * len(self.parts)
        shown = ", ".join(
            cell.value + (f" x {weight}" if weight != 1 else "")
            for cell, weight in zip(self.parts, weights, strict=True)
        )
        text = f"the {self.how} of {shown} is {between(mean, self.total)}; printed "
        return Finding("cannot be", self.cells, text + self.total.value)


@dataclass(frozen=True)
class Summed:
    """A sum of printed whole numbers."""

    parts: tuple[Cell, ...]
    total: Cell

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (*self.parts, self.total)

    def check(self) -> Finding | None:  # noqa: D102
        whole = sum(round(cell.middle) for cell in self.parts)
        if whole == round(self.total.middle):
            return None
        counted = Counter(cell.value for cell in self.parts)
        terms = " + ".join(v if n == 1 else f"{n} x {v}" for v, n in counted.items())
        text = f"{terms} is {whole:,}; printed {self.total.value}"
        return Finding("cannot be", self.cells, text)


def check_all(relations: Sequence[Relation]) -> list[Finding]:
    """What is to be said of printed numbers, in the order of their relations."""
    return [found for one in relations if (found := one.check()) is not None]


def _mapped(range_: Range, function: Callable[[float], float] | None) -> Range:
    if function is None:
        return range_
    return Range(*(Fraction(function(float(end))) for end in range_))


def between(range_: Range, cell: Cell) -> str:
    """The ends of a range as a cell is printed, with a digit more."""
    low, high = (like(end, cell) for end in range_)
    return low if low == high else f"between {low} and {high}"


def like(value: Fraction, cell: Cell) -> str:
    """A value as a cell is printed, with a digit more."""
    percent = cell.value.endswith("%")
    digits = len(cell.value.rstrip("%").partition(".")[2]) + 1
    return f"{float(value) * (100 if percent else 1):.{digits}f}" + ("%" if percent else "")
