"""Tables of named tuples: the checks that every table of a benchmark makes of what it is given.

A record arrives as a named tuple or as a sequence of its fields (from a log, say). `checked` makes
it the named tuple, or says which field is wrong; relations between fields are the table's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias, TypeVar

Name: TypeAlias = int | str
NameKey: TypeAlias = tuple[bool, Name]

_Record = TypeVar("_Record", bound=tuple[Any, ...])


class Check(NamedTuple):
    """What a field must be.

    Attributes:
        accepts: whether a value is that.
        expected: what it must be, in words: "a string".
    """

    accepts: Callable[[Any], bool]
    expected: str


def checked(kind: type[_Record], entry: Sequence[Any], checks: Mapping[str, Check]) -> _Record:
    """A record of a kind, from itself or from a sequence of its fields.

    Args:
        kind: a named tuple class. Fields with a default may be left out.
        entry: the record.
        checks: what its fields must be; a field that is not named may be anything.

    Raises:
        ValueError: naming the fields, if the entry has too few or too many, or else the field that
            is wrong, its value and what it must be.
    """
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    least = len(fields) - len(kind._field_defaults)  # type: ignore[attr-defined]
    if isinstance(entry, (str, bytes)) or not least <= len(entry) <= len(fields):
        raise ValueError(
            f"a {kind.__name__.lower()} has the fields {', '.join(fields)}; got {entry!r}"
        )
    record = kind(*entry)
    for name, check in checks.items():
        value = getattr(record, name)
        if not check.accepts(value):
            raise ValueError(f"{name} must be {check.expected}, not {value!r}, in {record}")
    return record


def is_integer(value: object) -> bool:
    """Whether a value is a whole number; `True` and `False` are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def one_of(values: Iterable[Any]) -> Check:
    """The field must be one of these values."""
    known = tuple(values)
    return Check(lambda value: value in known, " or ".join(map(repr, known)))


def integer(low: int, high: int | None = None) -> Check:
    """The field must be a whole number from `low` to `high`, both of which it may be."""
    expected = f"{low:,} or more" if high is None else f"from {low:,} to {high:,}"
    return Check(
        lambda value: is_integer(value) and value >= low and (high is None or value <= high),
        expected,
    )


def optional(check: Check) -> Check:
    """The field may be None, too."""
    return Check(lambda value: value is None or check.accepts(value), f"{check.expected} or None")


TEXT = Check(lambda value: isinstance(value, str), "a string")
FLAG = Check(lambda value: isinstance(value, bool), "True or False")
NAME = Check(lambda value: isinstance(value, str) or is_integer(value), "a number or a string")


def name_key(name: Name) -> NameKey:
    """A key that sorts names: they may mix integers and strings, which do not compare.

    >>> sorted(["b", 10, "a", 9], key=name_key)
    [9, 10, 'a', 'b']
    """
    return isinstance(name, str), name if isinstance(name, str) else int(name)
