"""The rows of files that others wrote, one at a time, each with the place where it stands.

JSON, JSON lines, CSV, TSV, Parquet, Excel and inspect's `.eval`, each also with gzip around it.
Nested values get dotted names. Where a field holds a list of objects (games, annotations), or
columns are of two orders (`vote_ab`, `vote_ba`), each of them is a row; of a debate, which is a
list of rounds in both orders, the last round is.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias

from pairbench_ext.core.extras import require
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.columns import NAMES, SIDE, last

#: A row, or why what stands there is none.
Row: TypeAlias = "Record | RecordError"

KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".xlsx", ".xls", ".eval")
_ENDS = ("stop", "length", "end_turn", "")  # beside a reply: why it ended
_ITEMS = 20  # more fields than a row has: values by item
_ZSTANDARD = 93  # a way to compress a file of an archive
_AGGREGATE = (
    "numbers of a run of Every Eval Ever, which hold no judgments: give the `_samples.jsonl` that "
    "its field `detailed_evaluation_results` names"
)
_TURN = ({"role", "content"}, {"from", "value"}, {"type", "text"})  # of conversations
_ANSWERS = ("assistant", "gpt", "model")
_TWO = re.compile(r"(?:models|systems|generators|responses|answers|outputs|completions|candidates)")
_RATED = re.compile(r'"\w*(?:rating|score)s?":', re.I)
_DECIMAL = re.compile(r"([-+]?\d+),(\d+)")
_EXPLODED = re.compile(
    r"(?:\w*\.)?(?:games|judge?ments|annotations|votes|ratings|reviews|evaluations|verdicts|rounds)"
)
_ORDER = re.compile(
    r"(?:(?:g|game|round|pass|order)_?(?P<n>[12])_)(?P<a>\w+)|(?P<b>\w+?)_(?:(?:in_)?(?:"
    r"(?P<first>ab|fwd|forward|orig(?:inal)?|normal|order_?1|game_?1)|"
    r"ba|rev|reversed?|backward|swap(?:ped)?|flip(?:ped)?|order_?2|game_?2))"
)
_JUDGED = re.compile("|".join((*NAMES["verdict"][:2], *NAMES["reply"][:3])))
_VERDICT = re.compile(NAMES["verdict"][0])
_IN_REVERSE = re.compile(r"true|rev|back|2|second|\bba\b|swap(?!.*false)|flip")


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
        known = isinstance(row, dict) or row is _AGGREGATE
        yield f"row {number}", row if known else "no JSON object"


def _listed(content: Any) -> Iterable[Any]:
    """The rows of a JSON file; of a log of inspect, its samples."""
    if not isinstance(content, dict):
        return content if isinstance(content, list) else [content]
    if "evaluation_results" in content:
        return [_AGGREGATE]
    if {"eval", "samples"} <= content.keys():
        return (_of_inspect(sample, content) for sample in content["samples"] or ())
    [*values] = content.values()
    single = len(values) == 1 and isinstance(values[0], dict)
    return _listed(values[0]) if single else _table(content, values)


def _table(content: Mapping[str, Any], values: list[Any]) -> Iterable[Any]:
    """The rows of an object: of its columns, by its keys, or of a list among its fields."""
    lists = {name: value for name, value in content.items() if isinstance(value, list) and value}
    columns = not any(isinstance(value[0], dict) for value in lists.values())
    if len(lists) > 1 and columns and len(set(map(len, lists.values()))) == 1:
        rest = {name: value for name, value in content.items() if name not in lists}
        cells = zip(*lists.values(), strict=True)
        return ({**rest, **dict(zip(lists, row, strict=True))} for row in cells)
    if len(values) > 1 and all(isinstance(value, dict) for value in values):
        if all(name.isdecimal() for value in values for name in value):  # as pandas writes tables
            return [{n: v.get(key) for n, v in content.items()} for key in values[0]]
        inner = [part for value in values for part in value.values()]
        if len(inner) > len(values) and all(isinstance(part, dict) for part in inner):
            every = ((key, value) for key, value in content.items())
            return ({"group": k, "key": i, **row} for k, rows in every for i, row in rows.items())
        return ({"key": key, **value} for key, value in content.items())
    if len(values) > 1 and lists.keys() == content.keys():
        return ({"group": k, **row} for k, rows in content.items() for row in rows if row)
    tables = {name: rows for name, rows in lists.items() if isinstance(rows[0], dict)}
    tables |= {n: list(_listed(v)) for n, v in content.items() if n == "results" and v}
    if tables:
        name = max(tables, key=lambda name: len(tables[name]))
        rest = {n: v for n, v in content.items() if not isinstance(v, list) and n != name}
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
        header = [name.strip() or "index" for name in next(reader, [])]
        names = [n if n not in header[:i] else f"{n}.{i}" for i, n in enumerate(header)]
        for values in reader:
            if values:
                if delimiter == ";":  # then a comma is a decimal point
                    values = [_DECIMAL.sub(r"\1.\2", x) if "," in x else x for x in values]
                fits = len(values) == len(names)
                problem = f"{len(values)} values for {len(names)} columns"
                row = dict(zip(names, values, strict=True)) if fits else problem
                yield f"line {reader.line_num}", row


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
        sheets = pandas.read_excel(path, sheet_name=None, dtype=object, keep_default_na=False)
    except (ValueError, ImportError, KeyError) as error:
        raise OSError(error) from error
    for title, frame in sheets.items():
        known = {"sheet": title} if len(sheets) > 1 else {}
        for number, row in enumerate(frame.to_dict("records"), start=2):
            fields = {str(name): value for name, value in row.items()}
            yield f"sheet {title}, row {number}", {**known, **fields}


def _eval(path: Path) -> Iterator[tuple[str, Any]]:
    """The samples of inspect's log, which is an archive of JSON files."""
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        names = set(archive.namelist())
        log = json.loads(_member(archive, file, "header.json")) if "header.json" in names else {}
        for name in sorted(name for name in names if name.startswith("samples/")):
            yield name, _of_inspect(json.loads(_member(archive, file, name)), log)


def _member(archive: zipfile.ZipFile, file: BinaryIO, name: str) -> bytes:
    """A file of an archive, also one in Zstandard, which `zipfile` cannot read."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        return archive.read(name)
    import pyarrow as pa

    file.seek(info.header_offset + 26)  # there, the lengths of two fields before the content
    lengths = file.read(4)
    file.seek(sum(int.from_bytes(lengths[i : i + 2], "little") for i in (0, 2)), 1)
    packed = file.read(info.compress_size)
    return bytes(pa.decompress(packed, info.file_size, codec="zstd"))


def _of_inspect(sample: Mapping[str, Any], log: Mapping[str, Any]) -> dict[str, Any]:
    """What a sample of a log of inspect says of a judgment, and whose it is."""
    kept = ("id", "epoch", "target", "input", "metadata", "choices")
    fields = {field: sample[field] for field in kept if sample.get(field) is not None}
    words = {"completion": (sample.get("output") or {}).get("completion")}
    return {"judge": (log.get("eval") or {}).get("model"), "output": words, **fields}


_RAW = {
    ".jsonl": _lines, ".ndjson": _lines, ".json": _json, ".csv": _csv, ".tsv": _csv,
    ".parquet": _parquet, ".xlsx": _excel, ".xls": _excel, ".eval": _eval,
}  # fmt: skip


def _flat(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row without nesting, once for each of the games, annotations or orders in it."""
    flat, many = dict(row), list[tuple[str, list[Any]]]()
    if any(isinstance(value, dict | list) for value in row.values()):
        parts = [_under(name, value, many) for name, value in row.items()]
        flat = {name: cell for part in parts for name, cell in part.items()}
    for name, rows in many[1:]:  # of several lists the first one has the rows
        named = dict.fromkeys(key for inner in rows for key in inner)
        flat |= {f"{name}.{key}": [inner.get(key) for inner in rows] for key in named}
    orders = _orders(tuple(flat))
    if many:
        name, rows = many[0]
        for number, inner in enumerate(rows):
            yield {**flat, **_under(name, inner, []), f"{name}.game": number}
    elif orders:
        shared = {n: cell for n, cell in flat.items() if not any(n in names for names in orders)}
        for number, names in enumerate(orders):
            of_order = {without: flat[n] for n, without in names.items()}
            yield {**shared, **of_order, "game": number}
    else:
        yield flat


@cache
def _orders(names: tuple[str, ...]) -> tuple[dict[str, str], ...]:
    """Of columns in two orders: by order, their names with and without it; empty if none are."""
    orders: tuple[dict[str, str], ...] = ({}, {})
    for name in names:
        if match := _ORDER.fullmatch(last(name)):
            second = match["n"] == "2" or not (match["n"] or match["first"])
            orders[second][name] = match["a"] or match["b"]
    both = {*orders[0].values()} & {*orders[1].values()}
    kept = tuple({n: a for n, a in named.items() if a in both} for named in orders)
    return kept if any(map(_JUDGED.fullmatch, both)) else ()


def _under(name: str, value: Any, many: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    """A value by dotted names; what holds several judgments goes to `many`."""
    if isinstance(value, list) and value:
        objects = [part for part in value if isinstance(part, dict)]
        alone = all(part in _ENDS for part in value[1:]) and not ("" in value and name[-1:] == "s")
        rounds = objects and (len(objects) < len(value) or all(map(_in_two_orders, objects)))
        if alone or rounds:
            return _under(name, objects[-1] if rounds else value[0], many)
        if len(objects) == len(value):
            return _of_objects(name, value, many)
        if len(value) == 2 and "rank" in name.lower() and value[0] != value[1]:
            return {name: "B>A" if value[0] > value[1] else "A>B"}  # the lower rank is better
        if len(value) == 2 and _TWO.fullmatch(last(name)):
            return {f"{name}.{n}": part for n, part in enumerate(value, start=1)}
    if not isinstance(value, dict):
        return {name: value}
    if two := _in_two_orders(value):
        many.append((name, two))
        return {}
    parts = [_under(f"{name}.{key}", inner, many) for key, inner in value.items()]
    return {key: inner for part in parts for key, inner in part.items()}


def _of_objects(name: str, value: list[Any], many: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    """A list of objects: turns, whose last is what was answered, judgments, or anything else."""
    if any(turn & value[0].keys() == turn for turn in _TURN):
        said = [
            _text_of(part.get("content") or part.get("value") or part.get("text")) for part in value
        ]
        answered = len(said) > 1 and (value[-1].get("role") or value[-1].get("from")) in _ANSWERS
        before = {f"{name}.prompt": "\n\n".join(filter(None, said[:-1]))} if answered else {}
        return {**before, name: said[-1] if answered else "\n\n".join(filter(None, said))}
    text = json.dumps(value, ensure_ascii=False, default=str)
    if not (_EXPLODED.fullmatch(name) or (_TWO.fullmatch(last(name)) and _RATED.search(text))):
        return {name: text}
    many.append((name, value))
    return {}


def _in_two_orders(value: Mapping[str, Any]) -> list[Any]:
    """The same judgment in two orders, if an object holds nothing else; the order of data first."""
    two = list(value.values())
    alike = len(two) == 2 and all(isinstance(part, dict) and part for part in two)
    judged = _VERDICT if all(map(SIDE.fullmatch, value)) else _JUDGED
    if not alike or two[0].keys() != two[1].keys() or not any(map(judged.fullmatch, two[0])):
        return []
    return [
        value[key] for key in sorted(value, key=lambda key: bool(_IN_REVERSE.search(key.lower())))
    ]


def _text_of(content: Any) -> str:
    """The text of a turn of a conversation."""
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
