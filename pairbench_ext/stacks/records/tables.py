"""The rows of files that others wrote, one at a time, each with the place where it stands.

JSON, JSON lines, CSV, TSV, Parquet, Excel and inspect's `.eval`, each also with gzip around it.
Nested values get dotted names; where a field holds a list of objects (games, annotations), each of
them is a row.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from pairbench_ext.core.extras import require
from pairbench_ext.core.records import Record, RecordError

#: A row, or why what stands there is none.
Row: TypeAlias = "Record | RecordError"

KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".xlsx", ".xls", ".eval")
_ENDS = ("stop", "length", "end_turn")  # beside a reply: why it ended
_ITEMS = 20  # more fields than a row has: values by item
_TURN = ({"role", "content"}, {"from", "value"}, {"type", "text"})  # of conversations
_EXPLODED = re.compile(
    r"(?:\w*\.)?(?:games|judge?ments|annotations|votes|ratings|reviews|evaluations|verdicts|rounds)"
)
_GAME = re.compile(r"(?:g|game|round|pass)_?([12])_(\w+)")


def kind_of(path: Path) -> str:
    """The ending of a file's name, without that of gzip; empty if it is none of `KINDS`."""
    name = path.name.lower().removesuffix(".gz")
    return next((kind for kind in KINDS if name.endswith(kind)), "")


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of a file, in their order.

    Raises:
        RecordError: if the file cannot be read.
    """
    try:
        for place, row in _RAW[kind_of(path)](path):
            where = f"{path}, {place}"
            if isinstance(row, dict):
                yield from (Record(where, flat) for flat in _flat(row))
            else:
                yield RecordError(f"{where}: {row}", where)
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zipfile.BadZipFile) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from error


def _text(path: Path) -> TextIO:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    with _text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    row = json.loads(line)
                    yield f"line {number}", row if isinstance(row, dict) else "no JSON object"
                except (ValueError, RecursionError) as error:
                    yield f"line {number}", f"not JSON ({error})"


def _json(path: Path) -> Iterator[tuple[str, Any]]:
    with _text(path) as file:
        try:
            content = json.load(file)
        except (ValueError, RecursionError):  # perhaps it is JSON lines
            content = None
    if content is None:
        yield from _lines(path)
        return
    for number, row in enumerate(_listed(content), start=1):
        yield f"row {number}", row if isinstance(row, dict) else "no JSON object"


def _listed(content: Any) -> Iterable[Any]:
    """The rows of a JSON file: a list, columns, objects by their keys, or a list among fields."""
    if not isinstance(content, dict):
        return content if isinstance(content, list) else [content]
    values = list(content.values())
    lists = {name: value for name, value in content.items() if isinstance(value, list) and value}
    columns = not any(isinstance(value[0], dict) for value in lists.values())
    if len(lists) > 1 and columns and len(set(map(len, lists.values()))) == 1:
        rest = {name: value for name, value in content.items() if name not in lists}
        cells = zip(*lists.values(), strict=True)
        return ({**rest, **dict(zip(lists, row, strict=True))} for row in cells)
    if len(values) > 1 and all(isinstance(value, dict) for value in values):
        return ({"key": key, **value} for key, value in content.items())
    if len(values) > 1 and lists.keys() == content.keys():
        return ({"key": k, **row} for k, rows in content.items() for row in rows if row)
    tables = {name: rows for name, rows in lists.items() if isinstance(rows[0], dict)}
    tables |= {n: list(_listed(v)) for n, v in content.items() if n == "results" and v}
    if tables:
        name = max(tables, key=lambda name: len(tables[name]))
        rest = {n: v for n, v in content.items() if not isinstance(v, list | dict)}
        return ({**rest, **row} if isinstance(row, dict) else row for row in tables[name])
    scalars = not any(isinstance(value, list | dict) for value in values)
    if scalars and len(values) > _ITEMS:
        return ({"key": key, "value": value} for key, value in content.items())
    return [content]


def _csv(path: Path) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(1 << 30)
    with _text(path) as lines:
        first = lines.readline()
        delimiter = max(",;\t|", key=first.count) if kind_of(path) == ".csv" else "\t"
        lines.seek(0)
        reader = csv.reader(lines, delimiter=delimiter)
        names = [name.strip() or "index" for name in next(reader, [])]
        for values in reader:
            if values:
                place = f"line {reader.line_num}"
                fits = len(values) == len(names)
                problem = f"{len(values)} values for {len(names)} columns"
                yield place, dict(zip(names, values, strict=True)) if fits else problem


def _parquet(path: Path) -> Iterator[tuple[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        batches = pq.ParquetFile(path).iter_batches(10_000)
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from ((f"row {number}", row) for number, row in enumerate(rows, start=1))
    except pa.ArrowException as error:
        raise OSError(error) from error


def _excel(path: Path) -> Iterator[tuple[str, Any]]:
    require("openpyxl", "a spreadsheet")
    pandas = require("pandas", "a spreadsheet")
    try:
        frame = pandas.read_excel(path, dtype=object, keep_default_na=False)
    except (ValueError, ImportError, KeyError) as error:
        raise OSError(error) from error
    for number, row in enumerate(frame.to_dict("records"), start=2):
        yield f"row {number}", {str(name): value for name, value in row.items()}


def _eval(path: Path) -> Iterator[tuple[str, Any]]:
    """The samples of inspect's log, which is an archive of JSON files."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        header = json.loads(archive.read("header.json")) if "header.json" in names else {}
        model = header.get("eval", {}).get("model")
        for name in sorted(name for name in names if name.startswith("samples/")):
            row = json.loads(archive.read(name))
            kept = ("id", "epoch", "target", "input", "metadata", "choices", "error")
            fields = {field: row[field] for field in kept if row.get(field) is not None}
            words = {"completion": (row.get("output") or {}).get("completion")}
            yield name, {"judge": model, "output": words, **fields}


_RAW = {
    ".jsonl": _lines, ".ndjson": _lines, ".json": _json, ".csv": _csv, ".tsv": _csv,
    ".parquet": _parquet, ".xlsx": _excel, ".xls": _excel, ".eval": _eval,
}  # fmt: skip


def _flat(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row without nesting, once for each of the games or annotations in it."""
    if not any(isinstance(value, dict | list) for value in row.values()) and "g2_winner" not in row:
        yield dict(row)
        return
    flat: dict[str, Any] = {}
    many: list[tuple[str, list[Any]]] = []
    for name, value in row.items():
        flat |= _under(name, value, many)
    several = many[0] if many else None
    for name, rows in many[1:]:
        flat |= _under(name, rows[0], [])
    games = {name: match for name in flat if (match := _GAME.fullmatch(name))}
    if several is None and len({match[1] for match in games.values()}) == 2:
        of_each = [{m[2]: flat[n] for n, m in games.items() if m[1] == which} for which in "12"]
        several = "", of_each
        flat = {name: value for name, value in flat.items() if name not in games}
    if several is None:
        yield flat
        return
    name, rows = several
    for number, one in enumerate(rows):
        inner = _under(name, one, []) if name else one
        yield {**flat, **inner, f"{name}.game".lstrip("."): number}


def _under(name: str, value: Any, many: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    """A value by dotted names; what holds several judgments goes to `many`."""
    if isinstance(value, list) and value and all(part in _ENDS for part in value[1:]):
        return _under(name, value[0], many)
    if isinstance(value, dict):
        two = list(value.values())
        if len(two) == 2 and all(isinstance(part, dict) for part in two) and _alike(*two):
            many.append((name, two))
            return {}
        parts = [_under(f"{name}.{key}", inner, many) for key, inner in value.items()]
        return {key: inner for part in parts for key, inner in part.items()}
    if not (isinstance(value, list) and value and all(isinstance(part, dict) for part in value)):
        return {name: value}
    if any(turn & value[0].keys() == turn for turn in _TURN):
        said = [part.get("content") or part.get("value") or part.get("text") for part in value]
        return {name: "\n\n".join(text for text in map(_text_of, said) if text)}
    if not _EXPLODED.fullmatch(name):
        return {name: json.dumps(value, ensure_ascii=False, default=str)}
    many.append((name, value))
    return {}


def _alike(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    """Whether two objects are the same judgment in two orders."""
    return bool(one) and one.keys() == two.keys() and not one.keys() <= {"id", "name", "label"}


def _text_of(content: Any) -> str:
    """The text of a turn of a conversation."""
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
