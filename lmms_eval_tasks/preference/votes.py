"""Votes on pairs of answers as one canonical table, whatever order the votes arrive in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcome_table import OutcomeTable

IntArray: TypeAlias = npt.NDArray[np.int64]
Tag: TypeAlias = str | tuple[str, ...] | None

ORDERS = ("fwd", "rev")
NONE = -1  # no usable verdict, no choice, no longer response
MOST_REPEATS = 2**31 - 1
OTHER = 0  # a verdict for an answer that was not shown: "Answer 3 is better"


class Vote(NamedTuple):
    """One judgment of one pair of responses.

    Attributes:
        item: which pair.
        source: the data set that the pair is from.
        repeat: which of the item's judgments this is, from 0.
        order: `"fwd"` if response 0 was shown first, else `"rev"`.
        truth: which response is the better one, 0 or 1.
        verdict: the position at which the preferred response was shown, 1 or 2; None if the
            judge's answer could not be used. Any other number is unusable too, but not to the
            authors (see `reading`).
        longer: which response has more words; None if both have as many, or nobody counted.
        tag: the type of error in the worse response, where the data name one, or its types.
        authors: the verdict as the authors' rule reads the same reply, for benchmarks that give
            numbers by it, too.
    """

    item: int | str
    source: str
    repeat: int
    order: str
    truth: int
    verdict: int | None
    longer: int | None = None
    tag: Tag = None
    authors: int | None = None

    @property
    def right(self) -> float:
        """1 if the vote is for the better response, else 0."""
        better = self.truth ^ (self.order == "rev")
        return float(self.verdict == better + 1)

    @property
    def usable(self) -> float:
        """1 if the vote is for one of the two, else 0."""
        return float(self.verdict in (1, 2))

    @property
    def first(self) -> float | None:
        """1 if a usable vote is for the response shown first, else 0."""
        return float(self.verdict == 1) if self.usable else None


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes in columns, sorted by (item, repeat, order), each once.

    Attributes:
        items: the m items, sorted.
        sources, tags: source and tag of each item.
        truth: shape (m,); the better response of each item, 0 or 1.
        longer: shape (m,); the longer response of each item, -1 where there is none.
        item: shape (n,); position of each vote's item in `items`.
        repeat: shape (n,).
        order: shape (n,); index into `ORDERS`.
        verdict: shape (n,); 1 or 2, -1 where None, 0 for any other number.
        authors: shape (n,); the same as the authors' rule reads the replies.
    """

    items: tuple[int | str, ...]
    sources: tuple[str, ...]
    tags: tuple[Tag, ...]
    truth: IntArray
    longer: IntArray
    item: IntArray
    repeat: IntArray
    order: IntArray
    verdict: IntArray
    authors: IntArray

    @classmethod
    def from_votes(cls, votes: Iterable[Vote]) -> VoteTable:
        """Build the table from votes in any order.

        A vote that occurs twice with the same content is kept once: a harness on several ranks
        evaluates a few trials twice, to give every rank as many.

        Raises:
            ValueError: naming the vote, if one occurs twice with different content, or if two votes
                disagree on what the item is.
        """
        facts = ("source", "truth", "longer", "tag")
        table = OutcomeTable(votes, ("item", "repeat", "order"), {"item": facts})
        items = [rows[0] for rows in table.groups("item").values()]
        rows = [(vote.repeat, _code(vote.verdict), _code(vote.authors)) for vote in table.rows]
        repeat, verdict, authors = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
        return cls(
            items=tuple(table.labels("item")),
            sources=tuple(item.source for item in items),
            tags=tuple(item.tag for item in items),
            truth=np.array([item.truth for item in items], dtype=np.int64),
            longer=np.array([_longer(item) for item in items], dtype=np.int64),
            item=table.codes("item"),
            repeat=repeat,
            order=np.array([ORDERS.index(vote.order) for vote in table.rows], dtype=np.int64),
            verdict=verdict,
            authors=authors,
        )

    def __len__(self) -> int:
        return len(self.verdict)

    @property
    def usable(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the verdict is one of the two answers."""
        usable: npt.NDArray[np.bool_] = self.verdict > OTHER
        return usable

    @property
    def winner(self) -> IntArray:
        """Shape (n,): the response, 0 or 1, that each vote prefers; -1 where it is unusable."""
        reverse = self.order == ORDERS.index("rev")
        return np.where(self.usable, np.where(reverse, 2 - self.verdict, self.verdict - 1), NONE)

    @property
    def votes_per_item(self) -> IntArray:
        """Shape (m,): how many votes each item has, usable or not."""
        return np.bincount(self.item, minlength=len(self.items)).astype(np.int64)

    @property
    def repeats_per_item(self) -> IntArray:
        """Shape (m,): how many repeats each item has. One in both orders is one repeat."""
        return np.bincount(self.item[self._starts], minlength=len(self.items)).astype(np.int64)

    def first(self, k: int) -> VoteTable:
        """The first k repeats of each item (all of them where there are fewer).

        A repeat that was judged in both orders is kept whole: one of its orders alone would be the
        same for all items, and position bias would pass for accuracy.

        Raises:
            ValueError: if k is not positive.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        before = np.cumsum(self.repeats_per_item) - self.repeats_per_item
        rank = np.cumsum(self._starts) - 1 - before[self.item]
        return self._select(rank < k)

    def by_authors(self) -> VoteTable:
        """The same votes as the authors' rule reads them."""
        return replace(self, verdict=self.authors)

    @property
    def _starts(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the vote is the first of its repeat."""
        changed = (np.diff(self.item, prepend=-1) != 0) | (np.diff(self.repeat, prepend=-1) != 0)
        return np.asarray(changed)

    def _select(self, mask: npt.NDArray[np.bool_]) -> VoteTable:
        columns = ("item", "repeat", "order", "verdict", "authors")
        return replace(self, **{name: getattr(self, name)[mask] for name in columns})


def word_count(text: str) -> int:
    """Number of words, that is of runs without white space."""
    return len(text.split())


def longer_of(first: str, second: str) -> int | None:
    """Which of two responses has more words: 0, 1, or None if both have as many."""
    words = word_count(first), word_count(second)
    return None if words[0] == words[1] else int(words[1] > words[0])


def _code(verdict: int | None) -> int:
    if verdict is None:
        return NONE
    return int(verdict) if verdict in (1, 2) else OTHER


def _longer(vote: Vote) -> int:
    return NONE if vote.longer is None else int(vote.longer)
