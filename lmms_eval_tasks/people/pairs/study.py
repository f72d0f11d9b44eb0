"""A study of pairs (PairBench, Appendix D.2): which are rated, and in which order.

All raters of a study score the same pairs, each in an order of their own, so that their agreement
can be measured. Kinds of pairs and conditions are balanced: their numbers differ by one at most,
and within them those of the splits, as long as there are enough rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from lmms_eval_tasks.people import study
from lmms_eval_tasks.people.pairs.pool import Cell, Key, Pool, content
from lmms_eval_tasks.people.study import Question
from pairbench_ext.statistics import seeds

if TYPE_CHECKING:
    from PIL import Image

T = TypeVar("T")


class Study(study.Study[Key]):
    """A draw of pairs.

    Args:
        pool: what is drawn from, and shown.
        n: pairs in a round.
        seed: of the draw and of the raters' orders.
    """

    page = "lmms_eval_tasks.people.pairs"
    title = "Similarity of pairs"
    thing = "pair"
    given = "score"

    def __init__(self, pool: Pool, n: int, seed: int = 0) -> None:
        self.pool, self.n, self.seed = pool, n, seed
        self._cells = sorted(pool.cells)
        self.total = sum(cell.rows for cell in self._cells)
        self.rounds = -(-self.total // n)
        cells = sorted("\0".join(map(str, cell)) for cell in self._cells)
        self.name = f"{seeds.stable_hash(seed, 'study', n, *cells):016x}"

    def drawn(self, number: int) -> list[Key]:
        """Return the pairs of a round, from 0; no pair is in two rounds."""
        return self._pairs[number * self.n : (number + 1) * self.n]

    @cached_property
    def _pairs(self) -> list[Key]:
        """Every pair once: kinds and conditions take turns, within them the splits."""
        strata: dict[tuple[str, str], list[Cell]] = {}
        for cell in self._cells:
            strata.setdefault((cell.kind, cell.condition), []).append(cell)
        names = sorted(strata)
        turns = seeds.generator(self.seed, "strata").permutation(len(names))
        return list(
            _take_turns(
                # Each stratum begins with another split, so that few pairs are of many splits, too.
                _take_turns(self._rows(cell) for cell in _rotated(strata[names[turn]], shift))
                for shift, turn in enumerate(turns)
            )
        )

    def _rows(self, cell: Cell) -> Iterator[Key]:
        """Yield the pairs of a cell, shuffled."""
        named = cell.config, cell.split, cell.pair, cell.condition
        for row in seeds.generator(self.seed, "rows", *named).permutation(cell.rows):
            yield Key(cell.config, cell.split, int(row), cell.pair, cell.condition)

    def content(self, key: Key) -> str:
        """Return a digest of pixels or texts, and conditions."""
        return content(self.pool, key)

    def question(self, key: Key) -> Question:
        """Return what to score, and what to mind."""
        return self.pool.question(key)

    def picture(self, key: Key, side: int) -> Image.Image:
        """Return one of them."""
        return self.pool.image(key, side)


def _rotated(items: list[T], shift: int) -> list[T]:
    shift %= len(items)
    return items[shift:] + items[:shift]


def _take_turns(sources: Iterable[Iterator[T]]) -> Iterator[T]:
    """Yield one of each in turn, until all are exhausted."""
    exhausted = object()
    for turn in zip_longest(*sources, fillvalue=exhausted):
        yield from (item for item in turn if item is not exhausted)  # type: ignore[misc]
