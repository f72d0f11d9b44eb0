"""A study of pairs (PairBench, Appendix D.2): which pairs people rate, and in which order.

All raters of a study score the same pairs, each in an order of their own, so that their agreement
can be measured. Kinds of pairs and conditions are balanced: their numbers differ by one at most,
and within them those of the splits, as long as there are enough rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol, TypeVar

from annotated_types import Ge

from lmms_eval_tasks.people import study
from lmms_eval_tasks.people.study import Question, digest_of, of_image, of_text
from pairbench_ext.statistics import seeds

if TYPE_CHECKING:
    from PIL import Image

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Key:
    """The name of a pair in a data set, with the condition under which it is scored."""

    config: str
    split: str
    row: Annotated[int, Ge(0)]
    pair: str
    condition: str


class Stratum(NamedTuple):
    """A group of pairs that differ only in their row of the data."""

    config: str
    split: str
    pair: str
    condition: str
    kind: str
    rows: int


class Pool(Protocol):
    """The pairs of a data set that people can rate; each is loaded when it is shown."""

    @property
    def cells(self) -> tuple[Stratum, ...]:
        """Return the groups of pairs that differ only in their data row; each pair is in one."""

    def question(self, key: Key) -> Question:
        """Return the question about a pair, with the texts that are shown."""

    def image(self, key: Key, side: int) -> Image.Image:
        """Return the first (0) or second (1) image of a pair."""


class PairStudy(study.Study[Key]):
    """A study that draws pairs at random for people to score."""

    page = "lmms_eval_tasks.people.pairs"
    title = "Similarity of pairs"
    thing = "pair"
    given = "score"

    def __init__(self, pool: Pool, n: int, seed: int = 0) -> None:
        self.pool = pool
        cells = sorted("\0".join(map(str, cell)) for cell in pool.cells)
        super().__init__([list(_pairs(pool.cells, seed))], n, seed, ("study", n, *cells))

    def content(self, key: Key) -> str:
        """Return a digest of a pair's images, texts and conditions, as raters see them."""
        question = self.question(key)
        parts: list[bytes] = []
        for side, datum in enumerate(question.data):
            text = datum.text
            parts += of_image(self.picture(key, side)) if text is None else (b"text", of_text(text))
        return digest_of([*parts, *map(of_text, question.told["conditions"])])

    def question(self, key: Key) -> Question:
        """Return the question about a pair, with instructions for raters."""
        return self.pool.question(key)

    def picture(self, key: Key, side: int) -> Image.Image:
        """Return the first (0) or second (1) image of a pair."""
        return self.pool.image(key, side)


def _pairs(cells: Iterable[Stratum], seed: int) -> Iterator[Key]:
    """Yield every pair once, with kinds, conditions and splits taking turns."""
    strata: dict[tuple[str, str], list[Stratum]] = {}
    for cell in sorted(cells):
        strata.setdefault((cell.kind, cell.condition), []).append(cell)
    names = sorted(strata)
    turns = seeds.generator(seed, "strata").permutation(len(names))
    yield from _take_turns(
        # Each stratum begins with another split, so that few pairs are of many splits, too.
        _take_turns(_rows(cell, seed) for cell in _rotated(strata[names[turn]], shift))
        for shift, turn in enumerate(turns)
    )


def _rows(cell: Stratum, seed: int) -> Iterator[Key]:
    """Yield the pairs of a cell, shuffled."""
    named = cell.config, cell.split, cell.pair, cell.condition
    for row in seeds.generator(seed, "rows", *named).permutation(cell.rows):
        yield Key(cell.config, cell.split, int(row), cell.pair, cell.condition)


def _rotated(items: list[T], shift: int) -> list[T]:
    shift %= len(items)
    return items[shift:] + items[:shift]


def _take_turns(sources: Iterable[Iterator[T]]) -> Iterator[T]:
    """Yield one element of each iterator in turn, until all are exhausted."""
    exhausted = object()
    for turn in zip_longest(*sources, fillvalue=exhausted):
        yield from (item for item in turn if item is not exhausted)  # type: ignore[misc]
