"""Dataclasses from mappings: entries of task files and rows of logs, checked in one place.

A dataclass says once what its fields are. `Literal["fwd", "rev"]` allows these values,
`Annotated[int, Range(1, 10)]` these numbers, `X | None` nothing at all; a field without a default
must be there. What is wrong is said with the field, its value and what was expected.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pairbench_ext.core.records import Record, RecordError

Kind = TypeVar("Kind")


class Range(NamedTuple):
    """The numbers from `low` to `high`, both of which a field may be; for a list, its length."""

    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{_written(self.low)} or more"
        return f"from {_written(self.low)} to {_written(self.high)}"


def _written(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:g}"


def from_mapping(
    kind: type[Kind],
    values: Mapping[str, Any],
    where: str,
    *,
    strict: bool = False,
    aliases: Mapping[str, str] | None = None,
) -> Kind:
    """A dataclass from the values of its fields; None stands for the default.

    Args:
        kind: a dataclass.
        values: by field.
        where: how errors call what the values are of.
        strict: refuse keys that are no fields, instead of leaving them out.
        aliases: other names that a field may have: alias -> field.

    Raises:
        RecordError: naming the field that is unknown, missing or not as declared.
    """
    if not isinstance(values, Mapping):
        raise RecordError(f"{where}: must be a mapping of fields, not {values!r:.80}")
    given = values
    if aliases:
        given = {aliases.get(key, key): value for key, value in values.items()}
    declared = _declared(kind)  # type: ignore[arg-type]
    if strict:
        known = sorted(field.name for field in declared)
        unknown = sorted(key for key, value in given.items() if value is not None)
        unknown = [key for key in unknown if key not in known]
        if unknown:
            raise RecordError(f"{where}: unknown key {unknown[0]!r}; known are {known}")
    fitting: dict[str, Any] = {}
    for field in declared:
        value = given.get(field.name)
        if value is None:
            if not field.required:
                continue
            if not (field.optional and field.name in given):
                raise RecordError(f"{where}: no field {field.name!r}, only {sorted(values)}")
        found = field.fit(value)
        if found is _MISFIT:
            raise RecordError(
                f"{where}: field {field.name!r} must be {describe(field.hint)}, not {_shown(value)}"
            )
        fitting[field.name] = found
    return kind(**fitting)


def from_record(kind: type[Kind], record: Record) -> Kind:
    """A dataclass from a row; what else the row holds is left out.

    Raises:
        RecordError: naming the file, the line and the field that is missing or not as declared.
    """
    return from_mapping(kind, record.fields, record.where)


def as_mapping(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name; unlike `dataclasses.asdict`, nothing is copied."""
    return {name: getattr(value, name) for name in _names(type(value))}  # type: ignore[arg-type]


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


#: From a value to the one that a field takes (a list becomes a tuple where that is declared), or a
#: misfit.
_Fit: TypeAlias = Callable[[Any], Any]


class _Field(NamedTuple):
    """What is declared of a field: whether it must be there, and whether it may be None."""

    name: str
    hint: Any
    fit: _Fit
    required: bool
    optional: bool


@cache
def _declared(kind: type) -> tuple[_Field, ...]:
    hints = get_type_hints(kind, include_extras=True)
    missing = dataclasses.MISSING
    return tuple(
        _Field(
            field.name,
            hints[field.name],
            _fit(hints[field.name]),
            field.default is missing and field.default_factory is missing,
            _allows_none(hints[field.name]),
        )
        for field in dataclasses.fields(kind)
    )


def _allows_none(hint: Any) -> bool:
    return hint is Any or hint is type(None) or type(None) in _alternatives(hint)


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Annotated:
        return _alternatives(get_args(hint)[0])
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


_MISFIT = object()
_BEYOND = 2**63  # the first whole number that 64 bits do not hold


def _fit(hint: Any) -> _Fit:
    """What fits a hint; made once for a field, and not for each of its values."""
    origin = get_origin(hint)
    if hint is Any:
        return lambda value: value
    if origin is Annotated:
        return _within_limits(hint)
    if origin in (Union, types.UnionType):
        return _fit_any([_fit(one) for one in get_args(hint)])
    if origin is Literal:
        options = get_args(hint)
        return lambda value: next(
            (o for o in options if o == value and type(o) is type(value)), _MISFIT
        )
    if origin in (list, tuple):
        return _fit_sequence(hint)
    if origin is dict or origin is Mapping or str(origin).endswith("Mapping'>"):
        return lambda value: value if isinstance(value, Mapping) else _MISFIT
    return lambda value: value if _is_a(value, hint) else _MISFIT


def _within_limits(hint: Any) -> _Fit:
    inner, *checks = get_args(hint)
    fit = _fit(inner)
    limits = [check for check in checks if isinstance(check, Range)]

    def fit_within(value: Any) -> Any:
        found = fit(value)
        return found if found is _MISFIT or all(_within(found, c) for c in limits) else _MISFIT

    return fit_within


def _fit_any(fits: Sequence[_Fit]) -> _Fit:
    """The first of several that fits."""

    def fit_one(value: Any) -> Any:
        for fit in fits:
            found = fit(value)
            if found is not _MISFIT:
                return found
        return _MISFIT

    return fit_one


def _fit_sequence(hint: Any) -> _Fit:
    fits = [_fit(one) for one in get_args(hint) if one is not ...]
    fixed = get_origin(hint) is tuple and ... not in get_args(hint)
    made = tuple if get_origin(hint) is tuple else list

    def fit_each(value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or (fixed and len(value) != len(fits)):
            return _MISFIT
        each = fits if fixed else fits * len(value)
        found = [fit(one) for fit, one in zip(each, value, strict=True)]
        return _MISFIT if any(one is _MISFIT for one in found) else made(found)

    return fit_each


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a column can hold.

    A truth value is none, nor is a whole number beyond 64 bits.

    >>> [is_number(value) for value in (1, 0.5, True, math.nan, 10**30, "1")]
    [True, True, False, False, False, False]
    """
    if type(value) is int:
        return -_BEYOND <= value < _BEYOND
    return isinstance(value, float) and math.isfinite(value)


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; a whole number is a float, too."""
    if hint is type(None) or hint is None:
        return value is None
    if hint is float:
        return is_number(value)
    if hint is int:
        return is_number(value) and isinstance(value, int)
    if hint in (list, tuple):
        return isinstance(value, (list, tuple))
    return isinstance(value, hint)


def _shown(value: Any) -> str:
    """A value in an error; of a number that is too large, that it is."""
    return "one beyond 64 bits" if type(value) is int and not is_number(value) else f"{value!r:.60}"


def _within(value: Any, limits: Range) -> bool:
    if value is None:
        return True
    size = len(value) if isinstance(value, (str, list, tuple)) else value
    return limits.low <= size <= limits.high


_NAMES: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    tuple: "a list",
    type(None): "null",
}


def describe(hint: Any) -> str:
    """What a field must be, in words.

    >>> describe(Annotated[int, Range(1, 10)]), describe(Literal["fwd", "rev"] | None)
    ('a whole number from 1 to 10', "'fwd', 'rev' or null")
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        limits = " ".join(str(one) for one in arguments[1:] if isinstance(one, Range))
        long = "with a length " if limits and get_origin(arguments[0]) in (list, tuple) else ""
        return f"{describe(arguments[0])} {long}{limits}".strip()
    if origin in (Union, types.UnionType):
        return _either([name for one in arguments for name in _alternative_names(one)])
    if origin is Literal:
        return _either(_alternative_names(hint))
    if origin in (list, tuple):
        inner = [describe(one) for one in arguments if one is not ...]
        fixed = origin is tuple and ... not in arguments
        return f"a list of {', '.join(inner)}" if fixed else f"a list (each of it {inner[0]})"
    if origin is not None:
        return "an object"
    return _NAMES.get(hint, getattr(hint, "__name__", str(hint)))


def _alternative_names(hint: Any) -> list[str]:
    """A value each of a choice; anything else is one alternative."""
    if get_origin(hint) is Literal:
        return [repr(one) for one in get_args(hint)]
    return [describe(hint)]


def _either(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
