"""The table of outcomes that numbers are computed from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcomes import Kind, Outcome

IntArray: TypeAlias = npt.NDArray[np.int64]
Value = TypeVar("Value")

NONE = -1  # among numbers of options: there is none
_NOTHING: Mapping[str, Any] = {}


class OutcomeTable:
    """Outcomes sorted by item, variant, repeat and order, each question once.

    A question that occurs twice with the same answer is kept once: a harness on several ranks
    evaluates a few trials twice, to give every rank as many.

    Args:
        outcomes: in any order.
        options: of `pairbench score`, by name, which some numbers depend on.

    Attributes:
        rows: the outcomes, sorted.

    Raises:
        ValueError: if outcomes of one question, or what they say of an item, contradict each other.
    """

    def __init__(self, outcomes: Iterable[Outcome], options: Mapping[str, Any] = _NOTHING) -> None:
        kept = each_once(outcomes)
        self.rows = sorted(kept, key=_Sorting(kept))
        self.options = options
        self._known: dict[Any, Any] = {}
        self._check_items()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.rows)

    def column(self, name: str) -> npt.NDArray[np.float64]:
        """Shape (n,): the numbers of a field or facet; None is NaN."""
        return self.once(_column, name)

    def labels(self, name: str) -> list[Any]:
        """The distinct values of a field or facet, sorted."""
        return self.once(_labels, name)

    def codes(self, name: str) -> IntArray:
        """Shape (n,): the place of each row's value among the `labels` of a field or facet."""
        return self.once(_codes, name)

    @property
    def items(self) -> list[Outcome]:
        """The first row of each item, in the order of `labels("item")`."""
        return self.once(_items)

    @property
    def chosen(self) -> IntArray:
        """Shape (n,): the chosen option in the order of the data, `NONE` for a tie or no choice."""
        return self.once(_chosen)

    def groups(self, name: str) -> dict[Any, list[Outcome]]:
        """The rows by the value of a field or facet, in the order of `labels`."""
        grouped: dict[Any, list[Outcome]] = {label: [] for label in self.labels(name)}
        for row in self.rows:
            grouped[row[name]].append(row)
        return grouped

    def where(self, keep: Callable[[Outcome], bool]) -> OutcomeTable:
        """The table of the outcomes for which a function is true."""
        made = object.__new__(OutcomeTable)
        made.rows = [row for row in self.rows if keep(row)]
        made.options, made._known = self.options, {}
        return made

    def of_kind(self, kind: Kind) -> OutcomeTable:
        """The table of the outcomes of one kind."""
        return self.where(lambda outcome: outcome.kind == kind)

    def first_repeats(self, k: int) -> OutcomeTable:
        """The first k repeats of each item (all of them where there are fewer).

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
        """The numbers of the repeats of each item, sorted. One in both orders is one repeat."""
        return {
            item: sorted({row.repeat for row in rows}) for item, rows in self.groups("item").items()
        }

    def once(self, function: Callable[..., Value], *arguments: Hashable) -> Value:
        """What a function of this table and these arguments returns, computed once per table."""
        key = (function, *arguments)
        if key not in self._known:
            self._known[key] = function(self, *arguments)
        return self._known[key]  # type: ignore[no-any-return]

    def _check_items(self) -> None:
        known: dict[Hashable, tuple[Outcome, tuple[Any, ...]]] = {}
        for row in self.rows:
            for key, facts in (
                ((row.kind, row.item), (row.cluster, row.facets)),
                ((row.kind, row.item, tuple(row.variant.values())), (row.truth, row.options)),
            ):
                first, expected = known.setdefault(key, (row, facts))
                if expected != facts:
                    difference = _differing(first, row)
                    raise ValueError(f"item {row.item!r} is described in two ways: {difference}")


def each_once(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes without repetitions of a question: a harness on several ranks may log some twice.

    Raises:
        ValueError: if outcomes of one question differ.
    """
    kept: dict[Hashable, Outcome] = {}
    for outcome in outcomes:
        known = kept.setdefault((outcome.kind, *outcome.question), outcome)
        if known is not outcome and known != outcome:
            raise ValueError(
                f"{_name(outcome)} occurs twice, differently: {_differing(known, outcome)}"
            )
    return list(kept.values())


def integers(values: Iterable[int | None]) -> IntArray:
    """Numbers of options as an array; None is `NONE`."""
    return np.array([NONE if value is None else value for value in values], dtype=np.int64)


def _items(table: OutcomeTable) -> list[Outcome]:
    return [rows[0] for rows in table.groups("item").values()]


def _chosen(table: OutcomeTable) -> IntArray:
    return integers(row.option for row in table.rows)


def _column(table: OutcomeTable, name: str) -> npt.NDArray[np.float64]:
    return np.array([row[name] for row in table.rows], dtype=np.float64)


def _labels(table: OutcomeTable, name: str) -> list[Any]:
    return sorted({row[name] for row in table.rows}, key=_sortable)


def _codes(table: OutcomeTable, name: str) -> IntArray:
    place = {label: number for number, label in enumerate(table.labels(name))}
    return np.array([place[row[name]] for row in table.rows], dtype=np.int64)


class _Sorting:
    """A sorting key of outcomes, in which each distinct value is looked at once."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        keys = [self._key(outcome) for outcome in outcomes]
        self._ranks = [
            {value: rank for rank, value in enumerate(sorted(set(values), key=_sortable))}
            for values in zip(*keys, strict=True)
        ]

    @staticmethod
    def _key(outcome: Outcome) -> tuple[Hashable, ...]:
        return (
            outcome.kind, outcome.item, tuple(outcome.variant.values()), outcome.repeat,
            outcome.order,
        )  # fmt: skip

    def __call__(self, outcome: Outcome) -> list[int]:
        return [ranks[value] for ranks, value in zip(self._ranks, self._key(outcome), strict=True)]


def _name(outcome: Outcome) -> str:
    parts = {"item": outcome.item, **outcome.variant}
    parts |= {"repeat": outcome.repeat, "order": outcome.order}
    return ", ".join(f"{name} {value!r}" for name, value in parts.items())


def _differing(first: Outcome, second: Outcome) -> str:
    """The fields in which two outcomes differ, with both values."""
    pairs = ((name, getattr(first, name), getattr(second, name)) for name in Outcome.__slots__)
    return "; ".join(
        f"{name} is {before!r} and {after!r}" for name, before, after in pairs if before != after
    )


def _sortable(value: Any) -> tuple[Any, ...]:
    """A key that sorts None before numbers before texts before tuples.

    >>> sorted(["b", 10, None, "a", 9], key=_sortable)
    [None, 9, 10, 'a', 'b']
    """
    if value is None:
        return (0,)
    if isinstance(value, tuple):
        return (3, *map(_sortable, value))
    return (2, value) if isinstance(value, str) else (1, value)
