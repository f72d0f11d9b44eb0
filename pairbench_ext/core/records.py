"""Read JSON lines and check their fields; errors name the line.

A dataclass declares its fields once. `Literal["fwd", "rev"]` allows these values,
`Annotated[int, Ge(1)]` (of `annotated_types`) whole numbers from 1, `X | None` a missing value.
Values are taken as JSON has them: a list is a tuple where one is declared, but "1" is no number.
Entries of task files are validated likewise.
"""

import dataclasses
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from pairbench_ext.core.foreign import UnreadableError, from_json, lines_of


class RecordError(ValueError):
    """A record is malformed; the message names file, line and field.

    Args:
        message: what is wrong.
        where: file and line, where it is one line that is wrong.
    """

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.where = where


def reason_of(error: Exception) -> str:
    """Return the reason why a file cannot be read, without the file's name."""
    return str(getattr(error, "strerror", None) or error).removeprefix("cannot be read: ")


@dataclass(slots=True)  # frozen ones take three times as long to make
class Record:
    """One JSON object, with the file and the line that it was read from."""

    where: str
    fields: Mapping[str, Any]

    def get(self, field: str, *types: type) -> Any:
        """Return the value of `field`, which must have one of `types`.

        Raises:
            RecordError: if it is missing or of another type.
        """
        if field not in self.fields:
            raise RecordError(f"{self.where}: no field {field!r}, only {sorted(self.fields)}")
        value = self.fields[field]
        if types and (
            not isinstance(value, types) or (isinstance(value, bool) and bool not in types)
        ):
            names = " or ".join(kind.__name__ for kind in types)
            raise RecordError(f"{self.where}: field {field!r} must be {names}, not {value!r:.60}")
        return value

    def text(self, field: str) -> str:
        """Return the text in `field`, which must not be blank.

        Raises:
            RecordError: if it is missing, no text, or empty.
        """
        value: str = self.get(field, str)
        if not value.strip():
            raise RecordError(f"{self.where}: field {field!r} is empty")
        return value


def _record(where: str, text: str) -> Record:
    """Return what a line says.

    Raises:
        RecordError: if it is not a JSON object.
    """
    try:
        fields = from_json(text)
    except UnreadableError as error:
        what = str(error).removeprefix("not JSON (").removesuffix(")")
        raise RecordError(
            f"{where}: not a JSON object ({what}). Each line must hold one JSON object, as "
            "in the _samples_ files of lmms-eval. A run that was killed may leave half a "
            "line: delete that line",
            where=where,
        ) from error
    if not isinstance(fields, dict):
        raise RecordError(
            f"{where}: each line must hold a JSON object, not {type(fields).__name__}", where=where
        )
    return Record(where, fields)


def read_jsonl(path: Path) -> Iterator[Record]:
    """Yield the records of a JSON lines file; blank lines are skipped.

    Raises:
        RecordError: if the file cannot be read or a line is not a JSON object.
    """
    for record in read_each_line(path):
        if isinstance(record, RecordError):
            raise record
        yield record


def read_each_line(path: Path) -> Iterator[Record | RecordError]:
    """Yield each line of a JSON lines file as a record, or as an error if it cannot be read.

    Raises:
        RecordError: if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, raw in lines_of(file):
                record = _read(f"{path}, line {number}", raw)
                if record is not None:
                    yield record
    except (OSError, UnreadableError) as error:
        reason = f"cannot be read ({reason_of(error)})" if isinstance(error, OSError) else error
        raise RecordError(f"{path}: {reason}") from error


def _read(where: str, raw: bytes | UnreadableError) -> Record | RecordError | None:
    """Return the record of a line, or what is wrong with it; None if it is blank."""
    if isinstance(raw, UnreadableError):
        return RecordError(f"{where}: {raw}", where=where)
    try:
        text = raw.decode("utf-8-sig")
        return _record(where, text) if text.strip() else None
    except UnicodeDecodeError as error:
        return RecordError(
            f"{where}: the text is not UTF-8 ({error.reason}); convert the file, for example "
            "with iconv",
            where=where,
        )
    except RecordError as error:
        return error


def read_up_to_cut(path: Path) -> tuple[list[Record], bool]:
    """Return the records of a JSON lines file, and whether its last line is cut off.

    A writer that is killed, or finds the disk full, leaves an incomplete last line.

    Raises:
        RecordError: if the file cannot be read, or a line is not a JSON object, but for the last
            one of several, where the file does not end in a line break.
    """
    records: list[Record] = []
    for record in read_each_line(path):
        if isinstance(record, RecordError):
            if records and record.where == f"{path}, line {_cut_line(path)}":
                return records, True
            raise record
        records.append(record)
    return records, False


def _cut_line(path: Path) -> int | None:
    """Return the number of the last line, if it does not end in a line break."""
    number, last = 0, b""
    with path.open("rb") as file:
        for number, last in enumerate(file, start=1):  # noqa: B007
            pass
    return None if last.endswith(b"\n") else number


def file_in(folder: Path, name: str, field: str, where: str) -> Path:
    """Return the path of the file that a field names, which must be inside a folder.

    Raises:
        RecordError: naming the field, if the path leads out of the folder or to no file.
    """
    folder = Path(os.path.normpath(folder.absolute()))
    path = Path(os.path.normpath(folder / name))
    if not is_inside(folder, path):
        raise RecordError(f"{where}: the path in field {field!r} leads outside {folder}: {name!r}")
    if not path.is_file():
        raise RecordError(
            f"{where}: the file named in field {field!r} does not exist: {str(path)!r}"
        )
    return path


def is_inside(folder: Path, path: Path) -> bool:
    """Return whether a path leads into a folder, at any depth.

    Links count as what they are called: those in the folder are its owner's doing, and the hub's
    cache is made of them.
    """
    return Path(os.path.normpath(path.absolute())).is_relative_to(
        os.path.normpath(folder.absolute())
    )


Kind = TypeVar("Kind")


def from_mapping(
    kind: Callable[..., Kind], values: Mapping[str, Any], where: str, *, strict: bool = False
) -> Kind:
    """Return an object of a dataclass, made from field values; None stands for a default.

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
    extra = values.keys() - required.keys() if strict else ()
    unknown = sorted(key for key in extra if values[key] is not None)
    if unknown:
        raise RecordError(f"{where}: unknown key {unknown[0]!r}; known are {sorted(required)}")
    fields = {
        name: value
        for name, value in values.items()
        if name in required and (value is not None or required[name])
    }
    for name, must in required.items():
        if must and name not in fields:
            raise RecordError(f"{where}: no field {name!r}, only {sorted(values)}")
    return _validated(kind, fields, where)


def _validated(kind: Callable[..., Kind], fields: Mapping[str, Any], where: str) -> Kind:
    try:
        checked: Kind = _adapter(kind).validate_json(_as_json(fields), strict=True)
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
    return checked


def _as_json(fields: Mapping[str, Any]) -> bytes:
    """Return fields as JSON.

    Raises:
        ValueError, TypeError: if they have none, such as NaN.
    """
    with suppress(PydanticSerializationError):
        text = to_json(fields)  # an eighth of the time
        if b"NaN" not in text and b"Infinity" not in text:
            return text
    # Half a surrogate pair, which no encoding has, becomes a question mark.
    return json.dumps(fields, allow_nan=False, ensure_ascii=False).encode(errors="replace")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def from_record(kind: Callable[..., Kind], record: Record) -> Kind:
    """Return an object of a dataclass, made from a row; unknown fields are ignored.

    Raises:
        RecordError: naming the file, the line and the field that is missing or not as declared.
    """
    return from_mapping(kind, record.fields, record.where)


def as_mapping(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass object, keyed by name, without copying their values."""
    if hasattr(value, "__dict__"):  # that of a dataclass without slots has just its fields
        return dict(vars(value))
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
    """Return a value for use as a name: whole numbers become text, other values stay."""
    return str(value) if type(value) is int else value


def listed(value: object) -> object:
    """Return a list, or a list written as JSON text, as a tuple; return other values unchanged."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    return tuple(value) if isinstance(value, list) else value


def whole(value: object) -> object:
    """Return 1.0 or "1" as the whole number 1; return other values unchanged."""
    try:
        number = float(value) if isinstance(value, float | str) else math.nan
    except ValueError:
        return value
    return int(number) if number.is_integer() else value
