"""Dataclasses from mappings: entries of task files and rows of logs, validated by pydantic.

A dataclass declares its fields once. `Literal["fwd", "rev"]` allows these values,
`Annotated[int, Ge(1)]` (of `annotated_types`) whole numbers from 1, `X | None` a missing value.
Values are taken as JSON has them: a list is a tuple where one is declared, but "1" is no number.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from pairbench_ext.core.records import Record, RecordError

Kind = TypeVar("Kind")


def from_mapping(
    kind: Callable[..., Kind], values: Mapping[str, Any], where: str, *, strict: bool = False
) -> Kind:
    """Return a dataclass made from the values of its fields; None stands for a field's default.

    Args:
        kind: a dataclass.
        values: by field.
        where: what errors call the mapping.
        strict: refuse keys that are not fields, instead of ignoring them.

    Raises:
        RecordError: naming the field that is unknown, missing or not as declared.
    """
    if not isinstance(values, Mapping):
        raise RecordError(f"{where}: must be a mapping of fields, not {values!r:.80}")
    required = _required(kind)
    given = {key: v for key, v in values.items() if v is not None or required.get(key)}
    unknown = sorted(given.keys() - required.keys())
    if strict and unknown:
        raise RecordError(f"{where}: unknown key {unknown[0]!r}; known are {sorted(required)}")
    fields = {name: given[name] for name in required if name in given}
    missing = next((name for name, must in required.items() if must and name not in given), None)
    if missing is not None:
        raise RecordError(f"{where}: no field {missing!r}, only {sorted(values)}")
    return _validated(kind, fields, where)


def _validated(kind: Callable[..., Kind], fields: Mapping[str, Any], where: str) -> Kind:
    try:
        text = json.dumps(fields, allow_nan=False, ensure_ascii=False)
        # Half a surrogate pair, which no encoding has, becomes a question mark.
        made: Kind = _adapter(kind).validate_json(text.encode(errors="replace"), strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        if not problem["loc"]:  # the dataclass refuses its fields together
            raise RecordError(str(problem["ctx"]["error"])) from None
        name = problem["loc"][0]
        expected = problem["msg"].replace("Input should be", "must be", 1)
        value = fields.get(str(name))
        raise RecordError(f"{where}: field {name!r} {expected}, not {value!r:.60}") from None
    except (TypeError, ValueError) as error:  # of json.dumps
        raise RecordError(f"{where}: {error}") from error
    return made


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def from_record(kind: Callable[..., Kind], record: Record) -> Kind:
    """Return a dataclass made from a row; other fields of the row are ignored.

    Raises:
        RecordError: naming the file, the line and the field that is missing or not as declared.
    """
    return from_mapping(kind, record.fields, record.where)


def as_mapping(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name; unlike `dataclasses.asdict`, nothing is copied."""
    return {name: getattr(value, name) for name in _required(value.__class__)}


@cache
def _required(kind: Any) -> dict[str, bool]:
    """Return the names of a dataclass's fields, and whether each must be given."""
    missing = dataclasses.MISSING
    return {
        field.name: field.default is missing and field.default_factory is missing
        for field in dataclasses.fields(kind)
    }


# Values of columns as other writers have them, for `pydantic.BeforeValidator`: what can only mean
# one thing is read, anything else is left for the field's own check.


def name_of(value: object) -> object:
    """A name: a whole number is one, too."""
    return str(value) if type(value) is int else value


def listed(value: object) -> object:
    """A list as a tuple, also one that is given as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    return tuple(value) if isinstance(value, list) else value


def whole(value: object) -> object:
    """A whole number, also one that is given as a float or as text: 1.0, "1"."""
    try:
        number = float(value) if isinstance(value, float | str) else math.nan
    except ValueError:
        return value
    return int(number) if number.is_integer() else value
