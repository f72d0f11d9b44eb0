"""An outcome: the verdict that one reply gives on one item, with fields that benchmarks share.

The fields of an outcome are those of the logged trial and of a plain row, and the columns of the
table (`core.table`) that numbers are computed from. A benchmark declares its own with
`OutcomeFields`.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import Any, Literal, TypeAlias

from pairbench_ext.core.records import Record, RecordError, as_mapping, from_mapping, from_record

Kind: TypeAlias = Literal["chosen", "rated", "text"]
Order: TypeAlias = Literal["fwd", "rev"] | tuple[int, ...]
Name: TypeAlias = int | str

TIE = -1  # in the place of an option: none of them is better
_NOTHING: Mapping[str, Any] = {}  # plain, because ranks exchange outcomes by pickle


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer that one reply gives to one question about one item.

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
        distribution: the probability of each answer, named as in `said`, where the judge gives it;
            what is missing from 1 is on no answer.
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
    measured: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    distribution: Mapping[Any, float] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        if self.cluster is None:
            object.__setattr__(self, "cluster", self.item)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a field, a facet, a part of the question's variant or a measurement.

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
        """Return whether the reply could be read."""
        return self.said is not None

    @property
    def reverse(self) -> bool:
        """Return whether the options were shown in the reverse of the data's order."""
        return self.order == "rev"

    @property
    def condition(self) -> str:
        """Return the condition or aspect that is rated, without the prompt template's name."""
        return " ".join(str(part) for name, part in self.variant.items() if name != "template")

    @property
    def criterion(self) -> str:
        """Return the criterion by which the item is judged; empty if there is only one criterion.

        Of ratings the condition or aspect, of choices all of the variant.
        """
        if self.kind == "rated":
            return self.condition.strip()
        return " ".join(str(part) for part in self.variant.values() if part not in ("", None))

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the two systems that the item compares, in the order of the data."""
        named = tuple(map(str, self.facets.get("systems") or ()))
        return named if self.options == len(named) == len({*named}) == 2 else ()

    @property
    def item_and_variant(self) -> tuple[Hashable, ...]:
        """Return a question's key, whatever the order of its options and the repeat."""
        return self.item, *self.variant.values()

    @property
    def question(self) -> tuple[Hashable, ...]:
        """Return the key of a question in one order and repeat, the same for all judges."""
        return self.item, tuple(self.variant.values()), self.repeat, self.order

    @property
    def shown(self) -> tuple[int, ...]:
        """Return the options' numbers in the data, in the order in which the options were shown.

        Raises:
            RecordError: if an order does not have each option once.
        """
        if isinstance(self.order, str):
            return _in_order(self.options, self.order == "rev")
        if sorted(self.order) != list(range(self.options)):
            raise RecordError(
                f"item {self.item!r}: 'order' must list the options 0 to {self.options - 1}, each "
                f"once, not {list(self.order)!r:.60}"
            )
        return self.order

    @property
    def option(self) -> Any:
        """Return the chosen option's position in the data; `TIE` for a tie, None if unreadable."""
        if self.order == "fwd" or self.kind != "chosen" or self.said in (None, TIE):
            return self.said
        return self.shown[self.said]

    @property
    def right(self) -> float:
        """Return 1.0 if the reply chooses the right option, else (also if unreadable) 0.0."""
        return float(self.said is not None and self.option == self.truth)

    @property
    def first(self) -> float | None:
        """Return 1.0 if the option shown first was chosen, 0.0 if not, None if unreadable."""
        return float(self.said == 0) if self.usable else None

    def saying(self, option: Any) -> Outcome:
        """Return a copy of the outcome in which the judge gives another answer.

        Args:
            option: of a choice, by the order of the data, or `TIE`; None for no answer.
        """
        return replace(self, said=self.place_of(option))

    def answered(
        self, answer: Any, item: Hashable = None, facets: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Return a copy of the outcome with another answer, much faster than `dataclasses.replace`.

        Args:
            answer: of the reply, as shown.
            item: another name of the item.
            facets: what else is known of the item, if that differs.
        """
        return Outcome(
            self.kind, self.item if item is None else item, answer, self.truth, self.cluster,
            self.variant, self.order, self.repeat, self.options, self.longer, self.people,
            self.facets if facets is None else facets, _NOTHING, _NOTHING,
        )  # fmt: skip

    def place_of(self, option: Any) -> Any:
        """Return the position at which an option was shown; return other answers unchanged."""
        placed = self.kind == "chosen" and option not in (None, TIE)
        return self.shown.index(option) if placed else option


@functools.cache
def _in_order(options: int, reverse: bool) -> tuple[int, ...]:
    return tuple(range(options)[:: -1 if reverse else 1])


_FIELDS = frozenset(field.name for field in dataclass_fields(Outcome)) | {
    "usable", "reverse", "option", "right", "first", "question"
}  # fmt: skip


def shared(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the same object for equal mappings, to save memory. Do not change this object."""
    if not values:
        return _NOTHING
    types = [type(value) for value in values.values()]  # 1 is not True
    parts = [type(x) for of in values.values() if type(of) is tuple for x in of]
    plain = _PLAIN.issuperset(parts) and {*_PLAIN, tuple}.issuperset(types)
    return _shared(tuple(values.items()), (*types, *parts)) if plain else values


_PLAIN = {str, int, float, bool, type(None)}


@functools.lru_cache(maxsize=1 << 14)
def _shared(items: tuple[tuple[str, Any], ...], _: tuple[type, ...]) -> Mapping[str, Any]:
    return dict(items)


@dataclass(frozen=True)
class OutcomeFields:
    """The declaration of the fields that a benchmark's logged trials and plain rows have.

    Attributes:
        kind: of the outcomes.
        row: a dataclass that declares all fields with their types; its fields `truth`, `order`,
            `repeat` or `repeats`, `options`, `longer` and `people` are those of `Outcome`.
        item: the fields that name the item together.
        cluster: the field that names the cluster; the item by default.
        variant: the fields that tell the questions about one item apart.
        criterion: the one of these whose values are parts of the data, each with numbers of its
            own; empty where there is none.
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
    criterion: str = ""
    facets: tuple[str, ...] = ()
    options: int = 0
    truth: str = "truth"
    scale: tuple[float, float] | None = None

    def read(self, record: Record) -> Mapping[str, Any]:
        """Return the values of the declared fields in a logged trial or a plain row.

        Raises:
            RecordError: naming the field that is missing or wrong.
        """
        return as_mapping(from_record(self.row, record))

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row has all of the declared fields."""
        try:
            from_mapping(self.row, row, "")
        except RecordError:
            return False
        return True

    def outcome(self, trial: Mapping[str, Any], answer: Any, **changes: Any) -> Outcome:
        """Return the outcome of a trial, given its fields and the answer read from the reply.

        Args:
            trial: its fields, as `read` returns them.
            answer: the place of the chosen option, the rating or the text; None if unusable.
            changes: fields of the outcome that differ from those of the trial.
        """
        named = tuple(trial[name] for name in self.item)
        order = trial.get("order") or "fwd"
        fields = {
            "item": named[0] if len(named) == 1 else named,
            "truth": trial.get(self.truth),
            "cluster": trial[self.cluster] if self.cluster else None,
            "variant": shared({name: trial[name] for name in self.variant}),
            "order": order if isinstance(order, str) else tuple(order),
            "repeat": trial.get("repeat") or 0,
            "options": self.options or trial.get("options") or 0,
            "longer": trial.get("longer"),
            "people": shared(trial.get("people") or _NOTHING),
            "facets": shared({name: trial[name] for name in self.facets}),
            **changes,
        }
        return Outcome(self.kind, said=answer, **fields)
