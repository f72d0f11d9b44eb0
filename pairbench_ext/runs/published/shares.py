"""Relations of printed shares, checked by whole numbers of items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.counts import (
    Group,
    Search,
    correct_counts,
    exact_means,
    fewest_undecided,
    mean_range,
)
from pairbench_ext.runs.published.relations import Averaged, Finding, Kind, between, like


@dataclass(frozen=True)
class Possible:
    """A share of n items: some number of correct ones prints so."""

    cell: Cell
    n: int

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (self.cell,)

    def check(self) -> Finding | None:  # noqa: D102
        share = self.cell.range
        if correct_counts(share, self.n):
            return None
        below = max(0, min(self.n, math.floor(share.low * self.n)))
        near = ", ".join(
            f"{c} / {self.n} = {like(Fraction(c, self.n), self.cell)}"
            for c in (below, below + 1)
            if c <= self.n
        )
        text = f"{self.cell.value} is no share of {self.n:,} items; near it are {near}"
        return Finding("cannot be", self.cells, text)


@dataclass(frozen=True)
class MoreThanAll:
    """A share that is larger than 1, whatever it is of."""

    cell: Cell

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (self.cell,)

    def check(self) -> Finding | None:  # noqa: D102
        if self.cell.range.low <= 1:
            return None
        return Finding("cannot be", self.cells, f"{self.cell.value} is more than all")


@dataclass(frozen=True)
class Pooled:
    """A share over groups of items, from the shares of the groups.

    Attributes:
        parts: the groups' shares.
        counts: the groups' items.
        total: the share over all.
        undecided: which share of the items may plausibly be undecided and leave all denominators.
    """

    parts: tuple[Cell, ...]
    counts: tuple[int, ...]
    total: Cell
    undecided: float = 0.0

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (*self.parts, self.total)

    @property
    def groups(self) -> list[Group]:
        """The groups' shares and items."""
        return [Group(c.range, n) for c, n in zip(self.parts, self.counts, strict=True)]

    def check(self) -> Finding | None:  # noqa: D102
        if not self.undecided and not all(correct_counts(g.share, g.n) for g in self.groups):
            return Averaged(self.parts, self.total, self.counts, how="mean over items").check()
        allowed = math.floor(self.undecided * sum(self.counts))
        found = fewest_undecided(self.groups, self.total.range, allowed)
        needed = None if found.split is None else sum(found.split.undecided)
        if needed == 0:
            return None
        kind: Kind = "only if" if needed is not None and needed <= allowed else "cannot be"
        return Finding(kind, self.cells, f"{self._arithmetic()}; {self._needed(found)}")

    def _arithmetic(self) -> str:
        terms = " + ".join(
            f"{cell.value} x {n:,}" for cell, n in zip(self.parts, self.counts, strict=True)
        )
        mean = mean_range([cell.range for cell in self.parts], self.counts)
        return (
            f"({terms}) / {sum(self.counts):,} is {between(mean, self.total)}; "
            f"printed {self.total.value}"
        )

    def _needed(self, found: Search) -> str:
        if found.split is None:
            if not found.tried:
                return "no whole numbers of items give it"
            return f"no whole numbers of items give it, with up to {found.tried:,} undecided"
        undecided = " + ".join(map(str, found.split.undecided))
        return f"it takes at least {sum(found.split.undecided):,} undecided items ({undecided})"


@dataclass(frozen=True)
class PooledAndAveraged:
    """The share over all items and the mean over groups, from the same whole numbers.

    Only where all items are decided. The mean may be of exact or of printed shares.
    """

    pooled: Pooled
    averaged: Averaged

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (*self.pooled.parts, self.pooled.total, self.averaged.total)

    def check(self) -> Finding | None:  # noqa: D102
        groups, wanted = self.pooled.groups, self.averaged.total.range
        reached = exact_means(groups)
        if reached is None or self.pooled.undecided:
            return None
        correct = correct_counts(self.pooled.total.range, sum(g.n for g in groups))
        fits = {mean for total, mean in reached if total in correct}
        if not fits or self._of_printed() or any(wanted.low <= m <= wanted.high for m in fits):
            return None
        nearest = min(fits, key=lambda mean: abs(float(mean) - self.averaged.total.middle))
        text = (
            f"counts that give {self.pooled.total.value} have a mean over groups of "
            f"{like(nearest, self.averaged.total)}; printed {self.averaged.total.value}"
        )
        return Finding("cannot be", self.cells, text)

    def _of_printed(self) -> bool:
        middles = [sum(cell.range) / 2 for cell in self.averaged.parts]
        wanted = self.averaged.total.range
        return wanted.low <= sum(middles) / len(middles) <= wanted.high
