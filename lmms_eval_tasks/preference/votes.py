"""Votes on pairs of answers: from a judge's reply to outcomes, and outcomes as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Len

from pairbench_ext.core.benchmark import (
    TIE,
    Exchange,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    Reading,
    Trial,
)
from pairbench_ext.core.readers import first_reply, parse, repeats

IntArray: TypeAlias = npt.NDArray[np.int64]
Tag: TypeAlias = str | tuple[str, ...] | None

GRAMMAR = "verdict"
AUTHORS = "authors"
ORDERS = ("fwd", "rev")
NONE = -1  # no usable vote, no winner, no longer response


@dataclass(frozen=True)
class Row:
    """A judgment of a pair, as logs and plain rows have it.

    Attributes:
        item: the pair's name.
        source: the data set that the pair is from.
        order: "fwd" if response 0 was shown first, else "rev".
        truth: the better response.
        repeats: the judgments of the pair that the reply stands for; or `repeat`, one of them.
        longer: the response with more words; None if both have as many, or nobody counted.
        tag: the type of error in the worse response, or its types, where the data name them.
    """

    item: int | str
    source: str
    order: Literal["fwd", "rev"]
    truth: Literal[0, 1]
    repeats: Annotated[tuple[Annotated[int, Ge(0)], ...], Len(1)] | None = None
    repeat: Annotated[int, Ge(0)] = 0
    longer: Literal[0, 1] | None = None
    tag: str | tuple[str, ...] | None = None


VOTE = OutcomeFields("chosen", Row, facets=("source", "tag"), options=2)


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str, grammar: str = GRAMMAR) -> Reading:
    """The votes that a reply gives: one for each repeat of the trial.

    Args:
        trial: its fields, as `VOTE.read` returns them.
        exchanges: with the reply.
        rule: how it is read.
        grammar: of `replies`, with the rules `authors` and that one; its values are 1 and 2.
    """
    reply = first_reply(exchanges)
    verdict, why = parse(grammar, reply, rule)
    by_authors = _as_authors_count(trial, parse(grammar, reply, AUTHORS).value)
    place = by_authors if rule == AUTHORS else place_of(verdict)
    votes = [
        VOTE.outcome(trial, place, repeat=repeat, measured={AUTHORS: by_authors})
        for repeat in repeats(trial)
    ]
    unusable = () if place is not None else (why or "an answer that was not shown",)
    log = {"said": verdict, "unusable": unusable[0] if unusable else None}
    return Reading(tuple(votes), log, unusable=unusable, failed=int(reply.failed))


def place_of(verdict: Any) -> int | None:
    """The place, from 0, that a verdict (1 or 2) names; None for neither of the two."""
    return int(verdict) - 1 if verdict in (1, 2) else None


def _as_authors_count(trial: Trial, verdict: Any) -> int | None:
    """The place of a verdict as the authors of VL-RewardBench count it.

    A verdict for an answer that was not shown ("Answer 3 is better") is not for the worse answer,
    so it counts as right.
    """
    if verdict is None or verdict in (1, 2):
        return place_of(verdict)
    return int(trial["truth"] ^ (trial["order"] == "rev"))


class Grouping(NamedTuple):
    """The groups of a benchmark's items: accuracies are given by group, and their mean.

    Attributes:
        names: of all groups, in the order in which they are shown.
        of: the group of an item, by its source.
    """

    names: tuple[str, ...]
    of: Callable[[str], str]

    def place(self, source: str) -> int:
        """The number of an item's group among the names.

        Raises:
            ValueError: naming the source, if it is of no group.
        """
        group = self.of(source)
        if group not in self.names:
            raise ValueError(f"'source' must be of {', '.join(self.names)}, not {source!r}")
        return self.names.index(group)


@dataclass(frozen=True, eq=False)
class VoteTable:
    """The votes of a table in columns, sorted by (item, repeat, order).

    Attributes:
        items: the m items, sorted.
        sources, tags: source and tag of each item.
        truth: shape (m,); the better response of each item, 0 or 1; -1 where nobody has said.
        longer: shape (m,); the longer response of each item, -1 where there is none.
        item: shape (n,); position of each vote's item in `items`.
        repeat: shape (n,).
        order: shape (n,); index into `ORDERS`.
        winner: shape (n,); the preferred response, 0 or 1; -1 for neither.
        tied: shape (n,); whether the vote is for neither because it calls both equal.
    """

    items: tuple[Any, ...]
    sources: tuple[str, ...]
    tags: tuple[Tag, ...]
    truth: IntArray
    longer: IntArray
    item: IntArray
    repeat: IntArray
    order: IntArray
    winner: IntArray
    tied: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.winner)

    @property
    def usable(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the vote is for one of the two answers."""
        return np.asarray(self.winner >= 0)

    @property
    def first(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the vote is for the answer shown first."""
        return np.asarray(self.winner == self.order)

    @property
    def repeats_per_item(self) -> IntArray:
        """Shape (m,): how many repeats each item has. One in both orders is one repeat."""
        return np.bincount(self.item[self._starts], minlength=len(self.items)).astype(np.int64)

    def first_repeats(self, k: int) -> VoteTable:
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
        columns = ("item", "repeat", "order", "winner", "tied")
        return replace(self, **{name: getattr(self, name)[rank < k] for name in columns})

    @property
    def _starts(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the vote is the first of its repeat."""
        changed = (np.diff(self.item, prepend=-1) != 0) | (np.diff(self.repeat, prepend=-1) != 0)
        return np.asarray(changed)


def every_vote(table: OutcomeTable) -> VoteTable:
    """All votes of a table, as the run's rule reads them."""
    return table.once(_columns, False)


def votes(table: OutcomeTable) -> VoteTable:
    """The votes that count: of the first `k` repeats of each item, where `table.options` says so.

    Raises:
        ValueError: if no item has as many repeats as `k`.
    """
    return table.once(_first, False)


def most_repeats(table: OutcomeTable) -> int:
    """The number of repeats of the item that has most of them."""
    return int(every_vote(table).repeats_per_item.max(initial=0))


def votes_by_authors(table: OutcomeTable) -> VoteTable:
    """The same votes, read and counted by the authors' rule."""
    return table.once(_first, True)


def _first(table: OutcomeTable, by_authors: bool) -> VoteTable:
    most, k = most_repeats(table), table.options.get("k")
    if k is not None and k > most:
        raise ValueError(f"no item was judged {k} times; the most is {most}")
    return table.once(_columns, by_authors).first_repeats(k or max(most, 1))


def pair_name(question: str, i: int, j: int) -> str:
    """The name of a pair of a question's candidates.

    >>> pair_name("mmmu_12", 0, 3)
    'mmmu_12#0-3'
    """
    return f"{question}#{i}-{j}"


def pairs(table: OutcomeTable) -> OutcomeTable:
    """The judgments of a table; of questions with several candidates, the items are the pairs.

    Two scores, of a pair's answers, are a judgment: for the higher one, a tie if they are equal,
    unusable if one of them cannot be read.
    """
    return table.once(_pairs)


def _as_vote(first: Outcome, second: Outcome) -> Outcome:
    place: int | None = None
    if first.usable and second.usable:
        place = TIE if first.said == second.said else int(second.said > first.said)
    return replace(first, kind="chosen", said=place, truth=first["truth"], variant={}, options=2)


def _pairs(table: OutcomeTable) -> OutcomeTable:
    by_pair: dict[tuple[Any, int], list[Outcome]] = defaultdict(list)
    for score in table.of_kind("rated"):
        by_pair[score.item, score.repeat].append(score)
    scored = [scores for scores in by_pair.values() if len(scores) == 2]  # --limit may cut a pair
    if scored:
        return OutcomeTable((_as_vote(*scores) for scores in scored), table.options)
    chosen = table.of_kind("chosen")
    if not any(vote.variant for vote in chosen):
        return chosen
    return OutcomeTable(map(_as_pair, chosen), table.options)


def _as_pair(vote: Outcome) -> Outcome:
    facets = {"question": vote.item, "pair": vote["pair"]}
    return replace(vote, item=pair_name(str(vote.item), *vote["pair"]), variant={}, facets=facets)


def _columns(table: OutcomeTable, by_authors: bool) -> VoteTable:
    rows = pairs(table)
    items = rows.first_of("item")
    winners = [_winner(row, by_authors) for row in rows]
    return VoteTable(
        items=tuple(rows.labels("item")),
        sources=tuple(row.facets.get("source", "") for row in items),
        tags=tuple(row.facets.get("tag") for row in items),
        truth=_integers(row.truth for row in items),
        longer=_integers(row.longer for row in items),
        item=rows.codes("item"),
        repeat=_integers(row.repeat for row in rows),
        order=_integers(int(row.reverse) for row in rows),
        winner=_integers(winners),
        tied=np.array([row.said == TIE for row in rows], dtype=np.bool_),
    )


def _winner(vote: Outcome, by_authors: bool) -> int | None:
    if not by_authors:
        option: int | None = vote.option
        return option
    place = vote.measured.get(AUTHORS, vote.said)
    return None if place is None else vote.shown[place]


def _integers(values: Iterable[int | None]) -> IntArray:
    return np.array([NONE if value is None else value for value in values], dtype=np.int64)


def word_count(text: str) -> int:
    """Number of words, that is of runs without white space."""
    return len(text.split())


def longer_of(first: str, second: str) -> int | None:
    """The response with more words, 0 or 1; None if both have as many."""
    words = word_count(first), word_count(second)
    return None if words[0] == words[1] else int(words[1] > words[0])
