"""Relations of printed numbers that are to be equal, or in an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from math import factorial, prod

from scipy.stats import rankdata, spearmanr

from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.relations import Finding

_MOST_ORDERS = 2000


@dataclass(frozen=True)
class Same:
    """One number, printed twice."""

    first: Cell
    second: Cell

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (self.first, self.second)

    def check(self) -> Finding | None:  # noqa: D102
        if self.first.range.meets(self.second.range):
            return None
        first, second = self.first, self.second
        text = f"{first.value} in {first.table}, {second.value} in {second.table}"
        return Finding("cannot be", self.cells, text)


@dataclass(frozen=True)
class AtMost:
    """A number that cannot be above another one."""

    less: Cell
    more: Cell

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (self.less, self.more)

    def check(self) -> Finding | None:  # noqa: D102
        if self.less.range.low <= self.more.range.high:
            return None
        text = (
            f"{self.less.number} is {self.less.value} in {self.less.table}, more than "
            f"{self.more.number}, {self.more.value} in {self.more.table}"
        )
        return Finding("cannot be", self.cells, text)


@dataclass(frozen=True)
class Ordered:
    """Printed ranks of printed values, 1 for the highest or 1 for the lowest."""

    values: tuple[Cell, ...]
    ranks: tuple[Cell, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (*self.values, *self.ranks)

    def check(self) -> Finding | None:  # noqa: D102
        ranked = list(zip(self.values, self.ranks, strict=True))
        wrong = [self._against(ranked, sign) for sign in (1, -1)]
        if not all(wrong):
            return None
        better, worse = min(wrong, key=len)[0]
        text = (
            f"{better[0].model} has rank {better[1].value} with {better[0].value}, "
            f"{worse[0].model} rank {worse[1].value} with {worse[0].value}"
        )
        return Finding("cannot be", (better[0], worse[0], better[1], worse[1]), text)

    @staticmethod
    def _against(
        ranked: Sequence[tuple[Cell, Cell]], sign: int
    ) -> list[tuple[tuple[Cell, Cell], tuple[Cell, Cell]]]:
        """The pairs whose ranks contradict their values, whatever was rounded."""
        return [
            (a, b)
            for a, b in permutations(ranked, 2)
            if a[1].middle < b[1].middle
            and not a[0].range.meets(b[0].range)
            and sign * a[0].middle < sign * b[0].middle
        ]


@dataclass(frozen=True)
class RankCorrelated:
    """Spearman's correlation of two printed columns.

    Numbers that are printed alike may be equal, or in any order.
    """

    first: tuple[Cell, ...]
    second: tuple[Cell, ...]
    total: Cell

    @property
    def cells(self) -> tuple[Cell, ...]:  # noqa: D102
        return (*self.first, *self.second, self.total)

    def check(self) -> Finding | None:  # noqa: D102
        columns = ([cell.middle for cell in own] for own in (self.first, self.second))
        possible = possible_spearman(*columns)
        if any(map(self.total.range.holds, possible)):
            return None
        values = ", ".join(f"{value:.5f}" for value in sorted(possible))
        text = (
            f"Spearman's correlation of {len(self.first)} printed pairs is one of {values}, as "
            f"equal ones are ordered; printed {self.total.value}"
        )
        return Finding("cannot be", self.cells, text)


def possible_spearman(first: Sequence[float], second: Sequence[float]) -> set[float]:
    """Spearman's correlation of two columns with ties kept, or with equal ones in any order.

    Numbers that are printed alike may differ in further digits. Of very many orders only the kept
    ties are tried.

    >>> sorted(round(value, 3) for value in possible_spearman([1, 2, 2], [1, 2, 3]))
    [0.5, 0.866, 1.0]
    """
    if _n_orders(first) * _n_orders(second) > _MOST_ORDERS:
        orders = [[tuple(map(float, rankdata(values)))] for values in (first, second)]
    else:
        orders = [_ranks(values) for values in (first, second)]
    return {float(spearmanr(*ranks).statistic) for ranks in product(*orders)}


def _n_orders(values: Sequence[float]) -> int:
    return prod(factorial(count) for count in Counter(values).values()) + 1


def _ranks(values: Sequence[float]) -> list[tuple[float, ...]]:
    """The ranks that numbers may have which are printed so: ties kept, or broken in any way."""
    kept = tuple(float(rank) for rank in rankdata(values))
    groups = [[n for n, value in enumerate(values) if value == one] for one in sorted(set(values))]
    broken = []
    for orders in product(*map(permutations, groups)):
        ranked = {place: rank for rank, place in enumerate(chain.from_iterable(orders), 1)}
        broken.append(tuple(float(ranked[place]) for place in range(len(values))))
    return [kept, *broken]
