"""Which pairs are rated, and in which order.

All raters of a study score the same pairs, each in an order of their own, so that their agreement
can be measured. Kinds of pairs and conditions are balanced: their numbers differ by one at most,
and within them those of the splits, as long as there are enough rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeVar

from lmms_eval_tasks.pairbench.rate.questions import Cell, Key
from lmms_eval_tasks.people.study import Study as RatingStudy
from pairbench_ext.statistics import seeds

T = TypeVar("T")


@dataclass(frozen=True)
class Study(RatingStudy[Key]):
    """A draw of pairs from cells.

    Attributes:
        cells: what is drawn from.
        n: pairs in a round.
        seed: of the draw and of the raters' orders.

    Raises:
        ValueError: if there is nothing to draw from, or n is below 1.
    """

    cells: tuple[Cell, ...]
    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a round needs at least 1 pair, not {self.n}")
        if not self.total:
            raise ValueError("there is no pair to rate")

    @property
    def total(self) -> int:
        """How many pairs there are to draw from, conditions crossed."""
        return sum(cell.rows for cell in self.cells)

    @property
    def rounds(self) -> int:
        """How many rounds there are until every pair was drawn; the last one may be shorter."""
        return -(-self.total // self.n)

    @cached_property
    def name(self) -> str:
        """Digest of the draw: the same cells, n and seed draw the same pairs in every round."""
        cells = sorted("\0".join(map(str, cell)) for cell in self.cells)
        return f"{seeds.stable_hash(self.seed, 'study', self.n, *cells):016x}"

    def drawn(self, number: int) -> list[Key]:
        """The pairs of a round, from 0; no pair is in two rounds."""
        return list(islice(self._all(), number * self.n, (number + 1) * self.n))

    def _all(self) -> Iterator[Key]:
        """Every pair once: kinds and conditions take turns, within them the splits."""
        strata: dict[tuple[str, str], list[Cell]] = {}
        for cell in sorted(self.cells):
            strata.setdefault((cell.kind, cell.condition), []).append(cell)
        names = sorted(strata)
        turns = seeds.generator(self.seed, "strata").permutation(len(names))
        return _take_turns(
            # Each stratum begins with another split, so that few pairs are of many splits, too.
            _take_turns(self._rows(cell) for cell in _rotated(strata[names[turn]], shift))
            for shift, turn in enumerate(turns)
        )

    def _rows(self, cell: Cell) -> Iterator[Key]:
        """The rows of a cell, shuffled; cells of one split show the same row far apart."""
        siblings = [c for c in sorted(self.cells) if c[:2] == cell[:2]]
        order = seeds.generator(self.seed, "rows", cell.config, cell.split).permutation(cell.rows)
        start = siblings.index(cell) * cell.rows // len(siblings)
        for place in range(cell.rows):
            row = int(order[(start + place) % cell.rows])
            yield Key(cell.config, cell.split, row, cell.pair, cell.condition)


def _rotated(items: list[T], shift: int) -> list[T]:
    shift %= len(items)
    return items[shift:] + items[:shift]


def _take_turns(sources: Iterable[Iterator[T]]) -> Iterator[T]:
    """One of each in turn, until all are exhausted."""
    waiting = list(sources)
    while waiting:
        still = []
        for source in waiting:
            for item in source:
                yield item
                still.append(source)
                break
        waiting = still
