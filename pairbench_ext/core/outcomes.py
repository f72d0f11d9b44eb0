"""Outcomes: what each reply said of an item, in one form for all benchmarks, and their table.

The fields of an outcome are those of the logged trial and of a plain row, and the columns of the
table that numbers are computed from. A benchmark declares its own with `OutcomeFields`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.fields import as_mapping, from_mapping, from_record
from pairbench_ext.core.records import Record, RecordError

Kind: TypeAlias = Literal["chosen", "rated", "text"]
Order: TypeAlias = Literal["fwd", "rev"] | tuple[int, ...]
Name: TypeAlias = int | str
Value = TypeVar("Value")

TIE = -1  # in the place of an option: none of them is better
_NOTHING: Mapping[str, Any] = {}  # plain, because ranks exchange outcomes by pickle


@dataclass(frozen=True, slots=True)
class Outcome:
    """One reply's answer to one question about one item.

    Attributes:
        kind: "chosen" (one of several options, or a tie), "rated" (a number) or "text".
        item: what was asked about, the same for all judges and in all orders.
        said: the place, as shown, of the chosen option, from 0, or `TIE`; the rating; or the text.
            None if the reply is unusable.
        truth: the right option in the order of the data, from 0, or `TIE`; the right rating or
            text. None where there is none.
        cluster: what intervals resample, such as the source row; the item by default.
        variant: which of the questions about the item this is: condition, template, aspect, ...
        order: in which the options, or the two things compared, were shown: as in the data ("fwd"),
            reversed ("rev"), or the option at each place.
        repeat: the number of the answer, from 0, where a question is asked several times.
        options: how many options there are, of a choice.
        longer: the longest option; None if there is none, or nobody counted.
        people: what people say of the item, by rater: options in the order of the data, or numbers.
        facets: what else is known of the item: source, category, ...
        measured: what else was found in the reply: the same reply as the authors' rule reads it, a
            similarity to the reference, ...
    """

    kind: Kind
    item: Hashable
    said: Any
    truth: Any = None
    cluster: Hashable = None
    variant: Mapping[str, Hashable] = field(default_factory=dict)
    order: Order = "fwd"
    repeat: int = 0
    options: int = 0
    longer: int | None = None
    people: Mapping[str, Any] = field(default_factory=dict)
    facets: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.cluster is None:
            object.__setattr__(self, "cluster", self.item)

    def __getitem__(self, name: str) -> Any:
        """The value of a field, a facet, a part of the variant or a measurement.

        Raises:
            KeyError: if the outcome has none of that name.
        """
        for values in (self.facets, self.variant, self.measured):
            if name in values:
                return values[name]
        if name in _FIELDS:
            return getattr(self, name)
        raise KeyError(name)

    @property
    def usable(self) -> bool:
        """Whether the reply could be used."""
        return self.said is not None

    @property
    def reverse(self) -> bool:
        """Whether the order of the data was reversed."""
        return self.order == "rev"

    @property
    def condition(self) -> str:
        """The condition or aspect of a rating: its variant without the template."""
        return " ".join(str(part) for name, part in self.variant.items() if name != "template")

    @property
    def item_and_variant(self) -> tuple[Hashable, ...]:
        """What is asked, in whatever order and however often."""
        return self.item, *self.variant.values()

    @property
    def question(self) -> tuple[Hashable, ...]:
        """What all judges are asked alike."""
        return self.item, tuple(self.variant.values()), self.repeat, self.order

    @property
    def shown(self) -> tuple[int, ...]:
        """The option at each place.

        Raises:
            RecordError: if an order does not have each option once.
        """
        if isinstance(self.order, str):
            return tuple(range(self.options)[:: -1 if self.reverse else 1])
        if sorted(self.order) != list(range(self.options)):
            raise RecordError(
                f"item {self.item!r}: 'order' must have the options 0 to {self.options - 1}, each "
                f"once, not {list(self.order)!r:.60}"
            )
        return self.order

    @property
    def option(self) -> Any:
        """The chosen option in the order of the data, or `TIE`; of others, what was said."""
        if self.kind != "chosen" or self.said in (None, TIE):
            return self.said
        return self.shown[self.said]

    @property
    def right(self) -> float:
        """1.0 if the chosen option is the right one, else 0.0."""
        return float(self.usable and self.option == self.truth)

    @property
    def first(self) -> float | None:
        """1.0 if the option shown first was chosen, else 0.0; None if the reply is unusable."""
        return float(self.said == 0) if self.usable else None

    def saying(self, option: Any) -> Outcome:
        """The same outcome with another answer: an option in the order of the data, or a number.

        Args:
            option: of a choice, by the order of the data, or `TIE`; None for no answer.
        """
        placed = self.kind == "chosen" and option not in (None, TIE)
        return replace(self, said=self.shown.index(option) if placed else option)


_FIELDS = frozenset(field.name for field in dataclass_fields(Outcome)) | {
    "usable", "reverse", "option", "right", "first", "question"
}  # fmt: skip


@dataclass(frozen=True)
class OutcomeFields:
    """The fields that a benchmark's logged trials and plain rows have of an outcome.

    Attributes:
        kind: of the outcomes.
        row: a dataclass that declares all fields with their types; its fields `truth`, `order`,
            `repeat` or `repeats`, `options`, `longer` and `people` are those of `Outcome`.
        item: the fields that name the item together.
        cluster: the field that names the cluster; the item by default.
        variant: the fields that tell the questions about one item apart.
        facets: the fields that are the same for all questions about an item.
        options: how many options a choice has, where it is the same for all items.
        truth: the field of the truth; empty where there is none.
        scale: the lowest and the highest rating.
    """

    kind: Kind
    row: type[Any]
    item: tuple[str, ...] = ("item",)
    cluster: str = ""
    variant: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    options: int = 0
    truth: str = "truth"
    scale: tuple[float, float] | None = None

    def read(self, record: Record) -> Mapping[str, Any]:
        """The declared fields of a logged trial or a plain row.

        Raises:
            RecordError: naming the field that is missing or wrong.
        """
        return as_mapping(from_record(self.row, record))

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has the declared fields."""
        try:
            from_mapping(self.row, row, "")
        except RecordError:
            return False
        return True

    def outcome(self, trial: Mapping[str, Any], said: Any, **changes: Any) -> Outcome:
        """The outcome of a trial.

        Args:
            trial: its fields, as `read` returns them.
            said: the place of the chosen option, the rating or the text; None if unusable.
            changes: fields of the outcome that differ from those of the trial.
        """
        named = tuple(trial[name] for name in self.item)
        order = trial.get("order") or "fwd"
        known = {
            "item": named[0] if len(named) == 1 else named,
            "truth": trial.get(self.truth),
            "cluster": trial[self.cluster] if self.cluster else None,
            "variant": {name: trial[name] for name in self.variant},
            "order": order if isinstance(order, str) else tuple(order),
            "repeat": trial.get("repeat") or 0,
            "options": self.options or trial.get("options") or 0,
            "longer": trial.get("longer"),
            "people": trial.get("people") or {},
            "facets": {name: trial[name] for name in self.facets},
        }
        return Outcome(self.kind, said=said, **{**known, **changes})


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
        kept: dict[Hashable, Outcome] = {}
        for outcome in outcomes:
            known = kept.setdefault((outcome.kind, *outcome.question), outcome)
            if known is not outcome and known != outcome:
                raise ValueError(
                    f"{_name(outcome)} occurs twice, differently: {_differing(known, outcome)}"
                )
        self.rows = sorted(kept.values(), key=_Sorting(kept.values()))
        self.options = options
        self._known: dict[Any, Any] = {}
        self._check_items()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.rows)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Shape (n,): the values of a field or facet; None is NaN where the others are numbers."""
        return self.once(_column, name)

    def labels(self, name: str) -> list[Any]:
        """The distinct values of a field or facet, sorted."""
        return self.once(_labels, name)

    def codes(self, name: str) -> npt.NDArray[np.int64]:
        """Shape (n,): the place of each row's value among the `labels` of a field or facet."""
        return self.once(_codes, name)

    def first_of(self, name: str) -> list[Outcome]:
        """The first row of each of the `labels` of a field."""
        return [rows[0] for rows in self.groups(name).values()]

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
    """Outcomes without repetitions of a question: a harness on several ranks may log some twice."""
    kept: dict[Hashable, Outcome] = {}
    for outcome in outcomes:
        kept.setdefault((outcome.kind, *outcome.question), outcome)
    return list(kept.values())


def _column(table: OutcomeTable, name: str) -> npt.NDArray[Any]:
    return as_array([row[name] for row in table.rows])


def _labels(table: OutcomeTable, name: str) -> list[Any]:
    return sorted({row[name] for row in table.rows}, key=_sortable)


def _codes(table: OutcomeTable, name: str) -> npt.NDArray[np.int64]:
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


def as_array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Return values as an array: numbers (None is NaN), truth values, or objects.

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
