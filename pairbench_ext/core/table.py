"""The table of a judge's outcomes, from which a benchmark's metrics are computed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcomes import TIE, Kind, Outcome

IntArray: TypeAlias = npt.NDArray[np.int64]
Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])

NONE = -1  # among numbers of options: there is none
_NOTHING: Mapping[str, Any] = {}


class OutcomeTable:
    """Outcomes sorted by item, variant, repeat and order, with one outcome for each of these.

    A question that occurs twice with the same answer is kept once: a harness on several ranks
    evaluates a few trials twice, to give every rank as many.

    Args:
        outcomes: in any order.
        options: of `pairbench score`, by name, which some numbers depend on.
        by_item: whether means and correlations count each item once, however many outcomes it has.

    Raises:
        ValueError: if outcomes of one question, or what they say of an item, contradict each other.
    """

    def __init__(
        self,
        outcomes: Iterable[Outcome],
        options: Mapping[str, Any] = _NOTHING,
        *,
        by_item: bool = False,
    ) -> None:
        self.rows = by_question(outcomes)
        self.options = options
        self.by_item = by_item
        self._known: dict[Any, Any] = {}
        self._columns: dict[Any, Any] = {}  # what follows from the rows alone
        self._check_items()

    def _of_rows(self, rows: list[Outcome]) -> OutcomeTable:
        """Return the table of these outcomes, with the options of this one."""
        table = object.__new__(OutcomeTable)
        table.rows, table.options, table._known, table._columns = rows, self.options, {}, {}
        table.by_item = self.by_item
        return table

    def weights(self, outcomes: Sequence[Outcome]) -> npt.NDArray[np.float64]:
        """Return each outcome's weight: 1, or 1 / (number of its item's outcomes) if `by_item`."""
        if not self.by_item:
            return np.ones(len(outcomes))
        times = Counter(outcome.item for outcome in outcomes)
        return np.array([1 / times[outcome.item] for outcome in outcomes])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.rows)

    def column(self, name: str) -> npt.NDArray[np.float64]:
        """Return each outcome's value of a numeric field or facet, shape (n,); None becomes NaN."""
        return self._kept(("column", name), lambda: np.array(self.values(name), dtype=np.float64))

    def values(self, name: str) -> list[Any]:
        """Return the value that each outcome has in a field or facet, in the order of the rows."""
        return self._kept(("values", name), lambda: [row[name] for row in self.rows])

    def labels(self, name: str) -> list[Any]:
        """Return the distinct values of a field or facet, sorted."""
        return self._kept(("labels", name), lambda: sorted(set(self.values(name)), key=sortable))

    def codes(self, name: str) -> IntArray:
        """Return, for each outcome, the index of its value in `labels(name)`, shape (n,)."""

        def codes() -> IntArray:
            place = {label: number for number, label in enumerate(self.labels(name))}
            return integers(place[value] for value in self.values(name))

        return self._kept(("codes", name), codes)

    def _kept(self, name: Hashable, of_rows: Callable[[], Value]) -> Value:
        """Return what follows from the rows, computed once for them, whatever the options."""
        if name not in self._columns:
            self._columns[name] = of_rows()
        return self._columns[name]  # type: ignore[no-any-return]

    @property
    def items(self) -> list[Outcome]:
        """Return the first outcome of each item, in the order of `labels("item")`."""
        return self._kept("items", lambda: [rows[0] for rows in self.groups("item").values()])

    @property
    def chosen(self) -> IntArray:
        """Return the number of the option that each outcome chooses, shape (n,); `NONE` if none."""
        return self._kept("chosen", lambda: integers(row.option for row in self.rows))

    def groups(self, name: str) -> dict[Any, list[Outcome]]:
        """Return lists of outcomes, keyed by the outcomes' value of a field or facet."""
        grouped: dict[Any, list[Outcome]] = {label: [] for label in self.labels(name)}
        for value, row in zip(self.values(name), self.rows, strict=True):
            grouped[value].append(row)
        return grouped

    def where(self, keep: Callable[[Outcome], bool]) -> OutcomeTable:
        """Return a table of those outcomes for which `keep` returns True."""
        return self._of_rows([row for row in self.rows if keep(row)])

    def of_kind(self, kind: Kind) -> OutcomeTable:
        """Return a table of the outcomes of one kind: choices, ratings or texts."""
        if self._kept("kinds", lambda: {row.kind for row in self.rows}) == {kind}:
            return self
        return self.where(lambda outcome: outcome.kind == kind)

    def saying(self, answer_of: Callable[[Outcome], Any]) -> OutcomeTable:
        """Return a copy of the table in which the judge gives other answers to the questions.

        Args:
            answer_of: what an outcome is to say, as `Outcome.said`.
        """
        answers = ((row, answer_of(row)) for row in self.rows)
        return self._of_rows(
            [row if row.said == answer else replace(row, said=answer) for row, answer in answers]
        )

    def answered(self, outcomes: Iterable[Outcome]) -> OutcomeTable:
        """Return a copy of the table with other outcomes, one per question."""
        return self._of_rows(list(outcomes))

    def with_options(self, options: Mapping[str, Any]) -> OutcomeTable:
        """Return a copy of the table with other options of `pairbench score`."""
        table = self._of_rows(self.rows)
        table.options, table._columns = options, self._columns
        return table

    def first_repeats(self, k: int) -> OutcomeTable:
        """Return a table of the first k repeats of each item.

        A repeat that was asked in both orders is kept whole: one of its orders alone would be the
        same for all items, and position bias would pass for accuracy.

        Raises:
            ValueError: if k is not positive.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        kept = {item: set(repeats[:k]) for item, repeats in self.repeats.items()}
        return self.where(lambda outcome: outcome.repeat in kept[outcome.item])

    @property
    def repeats(self) -> dict[Any, list[int]]:
        """Return the numbers of each item's repeats, sorted; both orders of a repeat share one."""

        def by_item() -> dict[Any, list[int]]:
            groups = self.groups("item").items()
            return {item: sorted({row.repeat for row in rows}) for item, rows in groups}

        return self._kept("repeats", by_item)

    def once(self, function: Callable[..., Value], *arguments: Hashable) -> Value:
        """Return what a function computes from this table; a second call reuses the result."""
        key = (function, *arguments)
        if key not in self._known:
            self._known[key] = function(self, *arguments)
        return self._known[key]  # type: ignore[no-any-return]

    def _check_items(self) -> None:
        """Compare rows of an item, which follow each other, with its first, and its variant's."""
        if not self.rows:
            return
        of_item = of_variant = self.rows[0]
        for row in self.rows:
            if (row.item, row.kind) != (of_item.item, of_item.kind):
                of_item = of_variant = row
            elif tuple(row.variant.values()) != tuple(of_variant.variant.values()):
                of_variant = row
            for first, same in (
                (of_item, (row.cluster, row.facets) == (of_item.cluster, of_item.facets)),
                (of_variant, (row.truth, row.options) == (of_variant.truth, of_variant.options)),
            ):
                if not same:
                    difference = _differing(first, row)
                    raise ValueError(
                        f"item {row.item!r}: two rows differ in what they say about this item: "
                        f"{difference}"
                    )


def once_per_table(function: Function) -> Function:
    """Decorate a function that takes a table, so that it computes its result once per table."""

    @wraps(function)
    def of(table: OutcomeTable, *arguments: Hashable) -> Any:
        return table.once(function, *arguments)

    return cast(Function, of)


def each_once(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Remove outcomes that were logged twice, as happens in runs on several GPUs.

    Raises:
        ValueError: if outcomes of one question differ.
    """
    listed = list(outcomes)
    kept: dict[Hashable, Outcome] = {}
    for key, outcome in zip(map(_key, listed), listed, strict=True):
        earlier = kept.setdefault(key, outcome)
        if earlier is not outcome and earlier != outcome:
            raise ValueError(
                f"{_name(outcome)} occurs twice, differently: {_differing(earlier, outcome)}"
            )
    return listed if len(kept) == len(listed) else list(kept.values())


def by_question(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return each question's outcome once, sorted by item, variant, repeat and order.

    Raises:
        ValueError: if outcomes of one question differ.
    """
    kept = each_once(outcomes)
    return [kept[place] for place in _order(kept)]


def without_ties(outcomes: Iterable[Outcome]) -> bool:
    """Return whether over half of the ratings are distinct, as with reward models and encoders."""
    ratings = [x.said for x in outcomes if x.kind == "rated" and x.usable]
    return 2 * len(set(ratings)) > len(ratings) > 1


def integers(values: Iterable[int | None]) -> IntArray:
    """Return option numbers as an array; None becomes `NONE`."""
    return np.array([NONE if value is None else value for value in values], dtype=np.int64)


def _key(outcome: Outcome) -> tuple[Hashable, ...]:
    """Return what tells an outcome's question from others."""
    variant = tuple(outcome.variant.values())
    return outcome.kind, outcome.item, variant, outcome.repeat, outcome.order


def _order(outcomes: Iterable[Outcome]) -> IntArray:
    """The places of outcomes, sorted by their questions; each distinct value is looked at once."""
    columns = list(zip(*map(_key, outcomes), strict=True))
    ranks: list[IntArray] = []
    for values in columns:
        rank = {value: n for n, value in enumerate(sorted(set(values), key=sortable))}
        ranks.append(np.array([rank[value] for value in values], dtype=np.int64))
    return np.lexsort(ranks[::-1]) if ranks else np.array([], dtype=np.int64)


def _name(outcome: Outcome) -> str:
    parts = {"item": outcome.item, **outcome.variant}
    parts |= {"repeat": outcome.repeat, "order": outcome.order}
    return ", ".join(f"{name} {value!r}" for name, value in parts.items())


def _differing(first: Outcome, second: Outcome) -> str:
    """Return the fields in which two outcomes differ, with both values."""
    pairs = ((name, getattr(first, name), getattr(second, name)) for name in Outcome.__slots__)
    return "; ".join(
        f"{name} is {before!r} and {after!r}" for name, before, after in pairs if before != after
    )


def sortable(value: Any) -> tuple[Any, ...]:
    """Return a sort key that puts None before numbers before texts before tuples.

    >>> sorted(["b", 10, None, "a", 9], key=sortable)
    [None, 9, 10, 'a', 'b']
    """
    if value is None:
        return (0,)
    if isinstance(value, tuple):
        return (3, *map(sortable, value))
    return (2, value) if isinstance(value, str) else (1, value)


#: By what is asked, by the order of the options shown: an answer that wins; None where none does.
Winners: TypeAlias = dict[Hashable, dict[tuple[int, ...], Outcome | None]]


def winners(outcomes: Iterable[Outcome]) -> Winners:
    """Return, for each item and order, the answer that more than half of the replies give."""
    replies: dict[Hashable, dict[tuple[int, ...], list[Outcome]]] = defaultdict(dict)
    for outcome in outcomes:
        replies[outcome.item_and_variant].setdefault(outcome.shown, []).append(outcome)
    return {
        asked: {shown: _winner(same) for shown, same in by_order.items()}
        for asked, by_order in replies.items()
    }


def _winner(replies: Sequence[Outcome]) -> Outcome | None:
    if len(replies) == 1:
        return replies[0] if replies[0].usable else None
    (answer, votes), *_ = Counter(reply.said for reply in replies).most_common(1)
    if answer is None or 2 * votes <= len(replies):
        return None
    return next(reply for reply in replies if reply.said == answer)


def same_in_both_orders(outcomes: Iterable[Outcome], *, ties: bool = True) -> npt.NDArray[np.bool_]:
    """Return, for each item asked in both orders, whether the same option wins in both.

    Args:
        outcomes: choices.
        ties: whether a tie in both orders is the same answer; else a tie is no winner.

    Returns:
        Shape (items asked in both orders,). An item without a winner in an order is False.
    """
    return same_winners(winners(outcomes), ties=ties)


def same_winners(won: Winners, *, ties: bool = True) -> npt.NDArray[np.bool_]:
    """Return, for each item asked in both orders, whether these winners are the same in both."""
    both = [tuple(by_order.values()) for by_order in won.values() if len(by_order) == 2]
    options = [[answer and answer.option for answer in pair] for pair in both]
    none = (None,) if ties else (None, TIE)
    return np.array([a == b and a not in none for a, b in options], dtype=np.bool_)
