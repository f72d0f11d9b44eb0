"""Outcomes in columns: one table for every kind of judgment, whatever order outcomes arrive in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Name: TypeAlias = int | str
NameKey: TypeAlias = tuple[bool, Name]
Outcome = TypeVar("Outcome")
Self = TypeVar("Self", bound="OutcomeTable[Any]")


class OutcomeTable(Generic[Outcome]):
    """Outcomes sorted by their key, each once; columns are made when they are asked for.

    An outcome that occurs twice with the same content is kept once: a harness on several ranks
    evaluates a few trials twice, to give every rank as many.

    Args:
        outcomes: dataclasses or named tuples, in any order.
        key: the fields that tell outcomes apart.
        facts: fields that are the same wherever another field is: {"item": ("source", "truth")}.

    Raises:
        ValueError: if two outcomes of one key, or what they say of an item, contradict each other.
    """

    def __init__(
        self,
        outcomes: Iterable[Outcome],
        key: Sequence[str],
        facts: dict[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.key = tuple(key)
        self.facts = facts or {}
        kept: dict[tuple[Any, ...], Outcome] = {}
        for outcome in outcomes:
            place = tuple([getattr(outcome, field) for field in self.key])
            if (known := kept.setdefault(place, outcome)) is not outcome and known != outcome:
                raise ValueError(
                    f"{self._place(outcome)} occurs twice, differently: {known} and {outcome}"
                )
        self.rows: list[Outcome] = [kept[place] for place in _in_order(kept)]
        for name, others in self.facts.items():
            self._check_facts(name, others)
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, field: str) -> npt.NDArray[Any]:
        """Shape (n,): the values of a field; None is NaN where the others are numbers."""
        if field not in self._columns:
            self._columns[field] = as_array([getattr(row, field) for row in self.rows])
        return self._columns[field]

    def labels(self, field: str) -> list[Any]:
        """The values of a field, each once, sorted."""
        return sorted({getattr(row, field) for row in self.rows}, key=_sortable)

    def codes(self, field: str) -> npt.NDArray[np.int64]:
        """Shape (n,): where each row's value stands among the `labels` of a field."""
        place = {label: number for number, label in enumerate(self.labels(field))}
        return np.array([place[getattr(row, field)] for row in self.rows], dtype=np.int64)

    def where(self: Self, keep: Callable[[Outcome], bool]) -> Self:
        """The table of the outcomes that a function keeps."""
        made = object.__new__(type(self))
        made.__dict__.update(key=self.key, facts=self.facts, _columns={})
        made.rows = [row for row in self.rows if keep(row)]
        return made

    def groups(self, field: str) -> dict[Any, list[Outcome]]:
        """The rows by the value of a field, in the order of `labels`."""
        found: dict[Any, list[Outcome]] = {label: [] for label in self.labels(field)}
        for row in self.rows:
            found[getattr(row, field)].append(row)
        return found

    def _place(self, outcome: Outcome) -> str:
        return ", ".join(f"{field} {getattr(outcome, field)!r}" for field in self.key)

    def _check_facts(self, field: str, others: Sequence[str]) -> None:
        known: dict[Any, tuple[Any, ...]] = {}
        for row in self.rows:
            said = tuple(getattr(row, other) for other in others)
            name = getattr(row, field)
            if known.setdefault(name, said) != said:
                raise ValueError(
                    f"{field} {name!r} is described in two ways: ({', '.join(others)}) is "
                    f"{known[name]} and {said}"
                )


def each_once(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes, each once: a harness on several ranks evaluates a few trials twice.

    >>> each_once([("a", {"ann": 1}), ("b", {}), ("a", {"ann": 1})])
    [('a', {'ann': 1}), ('b', {})]
    """
    found: dict[Any, Outcome] = {}
    for outcome in outcomes:
        found.setdefault(_identity(outcome), outcome)
    return list(found.values())


def _identity(value: Any) -> Hashable:
    """A value, or what is the same where the value is: mappings and lists cannot be hashed."""
    try:
        hash(value)
    except TypeError:
        if is_dataclass(value):
            held = {field.name: getattr(value, field.name) for field in fields(value)}
            return type(value), _identity(held)
        if isinstance(value, Mapping):
            return frozenset((name, _identity(one)) for name, one in value.items())
        if isinstance(value, (list, tuple)):
            return tuple(map(_identity, value))
        return repr(value)
    return value  # type: ignore[no-any-return]


def as_array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Values as an array: numbers (None is NaN), truth values, or objects.

    >>> as_array([1, None]).tolist(), as_array(["a", None]).tolist()
    ([1.0, nan], ['a', None])
    """
    kinds = {type(value) for value in values}
    if kinds <= {bool}:
        return np.array(values, dtype=np.bool_)
    if kinds <= {int}:
        return np.array(values, dtype=np.int64)
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def name_key(name: Name) -> NameKey:
    """A key that sorts names: they may mix integers and strings, which do not compare.

    >>> sorted(["b", 10, "a", 9], key=name_key)
    [9, 10, 'a', 'b']
    """
    return isinstance(name, str), name if isinstance(name, str) else int(name)


def _in_order(places: Mapping[tuple[Any, ...], Any]) -> list[tuple[Any, ...]]:
    """Places, sorted; a value is looked at once, however often it occurs."""
    values = [sorted(set(one), key=_sortable) for one in zip(*places, strict=True)]
    ranks = [{value: rank for rank, value in enumerate(one)} for one in values]
    return sorted(places, key=lambda place: [r[v] for r, v in zip(ranks, place, strict=True)])


def _sortable(value: Hashable) -> tuple[Any, ...]:
    """A key that sorts integers before strings, and None before both."""
    if value is None:
        return (0,)
    if isinstance(value, tuple):
        return (3, *map(_sortable, value))
    if isinstance(value, (bool, float)):
        return (1, False, value)
    return (1, *name_key(value))  # type: ignore[arg-type]
