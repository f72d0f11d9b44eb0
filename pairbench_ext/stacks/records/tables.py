"""Find files of recorded judgments and read their rows, each with its file and line.

JSON, JSON lines, CSV and TSV, each also with gzip around it; Parquet, Excel and inspect's `.eval`.
Rows are read one at a time, through the gate for foreign files.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, starmap
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from pairbench_ext.core.extras import require
from pairbench_ext.core.foreign import (
    LIMITS,
    UnreadableError,
    encoding_of,
    from_json,
    is_shallow,
    lines_of,
    member_of,
    open_archive,
    open_text,
    read_whole,
    unusual_encoding,
)
from pairbench_ext.core.foreign_tables import SEPARATORS, open_table
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.nested import flat_rows
from pairbench_ext.stacks.records.objects import AGGREGATED, of_inspect, rows_in
from pairbench_ext.stacks.records.sheets import headed, is_spreadsheet, sheet_rows
from pairbench_ext.stacks.records.tools import as_known
from pairbench_ext.stacks.records.totals import rows_of_data

#: A row, or why what stands there is none.
Row: TypeAlias = "Record | RecordError"

_AGGREGATE = (
    "this file of Every Eval Ever holds the metrics of a run, but no judgments: give the "
    "`_samples.jsonl` that the field `detailed_evaluation_results` names"
)
_USUAL = re.compile("(?:results?|outputs?|judge?ments?|evaluations?|scores?|data|votes?)", re.I)
_DECIMAL = re.compile(r"([-+]?\d+),(\d+)")
_BEGINS_JSON = re.compile(r"""\s*(?:\{\s*["}]|\[\s*(?:\{\s*"|\]))""")  # no column named [id]


def kind_of(path: Path) -> str:
    """Return a file's extension without `.gz`; an empty text if the file type is unknown."""
    name = path.name.lower().removesuffix(".gz")
    return next((kind for kind in _RAW if name.endswith(kind)), "")


def rows_of(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, in the order of the file.

    Raises:
        RecordError: if the file cannot be read.
    """
    try:
        begin, read = f"{path}, ", _reader_of(path)
        places = ((begin + place, row) for place, row in as_known(read(path)))
        if read is _csv:
            yield from (
                Record(where, row) if type(row) is dict else next(_rows(where, row))
                for where, row in places
            )
        elif read is _excel:
            yield from chain.from_iterable(starmap(_rows, places))
        else:
            yield from rows_of_data(chain.from_iterable(starmap(_rows, places)))
    except (UnreadableError, ValueError) as error:
        raise RecordError(f"{path}: {error}") from error


def _reader_of(path: Path) -> Callable[[Path], Iterator[tuple[str, Any]]]:
    """Return what reads a file, by the end of its name; a `.txt` may hold JSON or a table."""
    if kind_of(path) == ".txt":
        with open_text(path) as file:
            if _BEGINS_JSON.match(file.read(1000)):
                return _json
    return _RAW[kind_of(path)]


def _rows(where: str, row: Any) -> Iterator[Row]:
    """Yield what stands at a place: rows without nesting, or why there is none."""
    problem = "" if isinstance(row, dict) else str(row)
    if not problem and row.keys() >= AGGREGATED:
        problem = _AGGREGATE
    elif not problem and len(row) > LIMITS.columns:
        problem = f"the row has {len(row):,} fields; at most {LIMITS.columns:,} are read"
    if problem:
        yield RecordError(f"{where}: {problem}", where)
        return
    yield from (Record(where, flat) for flat in flat_rows(row))


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    with open_text(path) as file:
        for number, line in lines_of(file):
            if isinstance(line, UnreadableError):
                yield f"line {number}", line
            elif text := line.strip():
                try:
                    row = from_json(text)
                    yield f"line {number}", row if isinstance(row, dict) else "no JSON object"
                except UnreadableError as error:
                    yield f"line {number}", error


def _json(path: Path) -> Iterator[tuple[str, Any]]:
    with open_text(path) as file:
        try:
            content = from_json(read_whole(file))
        except UnreadableError:  # perhaps it is JSON lines
            content = None
    if content is None:
        yield from _lines(path)
        return
    for number, row in enumerate(rows_in(content), start=1):
        yield f"row {number}", row if isinstance(row, dict) else "no JSON object"


def _csv(path: Path) -> Iterator[tuple[str, Any]]:
    with open_table(path, "\t" if kind_of(path) == ".tsv" else SEPARATORS) as table:
        names, rows = headed(chain([(1, table.names)], table.rows))
        for number, values in rows:
            row: Any = values
            if not isinstance(values, UnreadableError):
                if table.separator == ";":  # then a comma is a decimal point
                    values = [_DECIMAL.sub(r"\1.\2", x) if "," in x else x for x in values]
                if len(values) == len(names):
                    row = dict(zip(names, values, strict=True))
                else:
                    row = f"{len(values)} values for {len(names)} columns"
            yield f"line {number}", row


def _parquet(path: Path) -> Iterator[tuple[str, Any]]:
    require("pyarrow", "a Parquet file")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        batches = pq.ParquetFile(path).iter_batches(1_000)
        rows = (row for batch in batches for row in batch.to_pylist())
        for number, row in enumerate(rows, start=1):
            problem = f"the row is nested more than {LIMITS.depth} levels deep"
            yield f"row {number}", row if is_shallow(row) else problem
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(f"cannot be read: {error}") from error


def _excel(path: Path) -> Iterator[tuple[str, Any]]:
    """The rows of a spreadsheet; of a text that is called one, as some programs write, its own."""
    if is_spreadsheet(path):
        yield from sheet_rows(path)
    else:
        yield from _csv(path)


def _eval(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the samples of inspect's log, which is an archive of JSON files."""
    with open_archive(path) as archive:
        names = set(archive.namelist())
        log = from_json(member_of(archive, "header.json")) if "header.json" in names else {}
        for name in sorted(name for name in names if name.startswith("samples/")):
            try:
                yield name, of_inspect(from_json(member_of(archive, name)), log)
            except UnreadableError as error:  # noqa: PERF203  (a sample each)
                yield name, error


_TEXTS = (_lines, _json, _csv)
_RAW = {
    ".jsonl": _lines, ".ndjson": _lines, ".json": _json, ".csv": _csv, ".tsv": _csv,
    ".parquet": _parquet, ".xlsx": _excel, ".xls": _excel, ".eval": _eval,
    ".txt": _csv, ".tab": _csv,
}  # fmt: skip


class Rows(Protocol):
    """A source of rows that are read together, such as a file."""

    @property
    def path(self) -> Path:
        """Return the file or folder to which the image paths in the rows are relative."""

    def rows(self) -> Iterator[Row]:
        """Return all rows of the source."""


class Source(NamedTuple):
    """A source of rows: one file, or a folder of files with one row each.

    Attributes:
        path: the file or folder.
        files: its files.
        of_path: what its path says, by column.
    """

    path: Path
    files: tuple[Path, ...]
    of_path: Mapping[str, str]

    def rows(self) -> Iterator[Row]:
        """Yield all rows, with fields added that the file's path states, such as the judge."""
        rows = (row for file in self.files for row in rows_of(file))
        if not self.of_path:
            yield from rows
            return
        for row in rows:
            if isinstance(row, Record):
                row = Record(row.where, {**self.of_path, **row.fields})
            yield row


def sources_of(paths: Sequence[Path], pattern: str = "") -> list[Source]:
    """Return the sources of rows among the given files and folders.

    Args:
        paths: files and folders.
        pattern: of the ends of the files' paths, such as `{judge}/{part}.jsonl`.

    Raises:
        RecordError: if there are none.
    """
    expression = re.escape(pattern).replace(r"\*", "[^/]*")
    expression = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+?)", expression)
    ending = re.compile(f"(?:^|/){expression}$" if pattern else "$")
    found: list[Source] = []
    for path in paths:
        if not path.exists():
            raise RecordError(f"{path}: no such file or folder")
        among = (p for p in path.rglob("*") if kind_of(p) not in ("", ".txt"))
        files = [path] if path.is_file() else sorted(among)
        by_folder = defaultdict[Path, list[Source]](list)
        for file in files:
            match = ending.search(file.as_posix())
            if match and kind_of(file) and file.stat().st_size:
                by_folder[file.parent].append(Source(file, (file,), match.groupdict()))
        found += chain.from_iterable(map(_of_folder, by_folder.values()))
    if not found:
        what = f"the folder has no file of records{f' like {pattern}' * bool(pattern)}"
        if paths[0].is_file() and not pattern:
            what = f"the file is empty, or its name ends in none of {', '.join(_RAW)}"
        raise RecordError(f"{paths[0]}: {what}")
    return found


def _of_folder(sources: list[Source]) -> list[Source]:
    """Return the sources of a folder: one, if each of its files holds one row."""
    alone = len(sources) > 2 and all(len(list(islice(s.rows(), 2))) == 1 for s in sources[:3])
    every = tuple(source.path for source in sources)
    return [Source(every[0].parent, every, sources[0].of_path)] if alone else sources


def encodings_of(sources: Sequence[Source]) -> list[str]:
    """Return a remark for each text file that is not Unicode: the encoding that was guessed."""
    texts = [f for source in sources for f in source.files if _RAW[kind_of(f)] in _TEXTS]
    lines = []
    for file in texts:
        with suppress(UnreadableError):  # it is said where the file's rows are read
            if unusual := unusual_encoding(encoding_of(file)):
                lines.append(f"{file}: {unusual}")
    return lines


def judges_of(sources: Sequence[Source], paths: Sequence[Path], pattern: str = "") -> list[str]:
    """Return the name of each file's judge, taken from the file's path.

    Where a pattern says something else of the paths, all are of one judge.
    """
    places = [source.path for source in sources]
    if len(places) == 1:
        return [_title(places[0])]
    if pattern and "{judge}" not in pattern:
        return [_title(paths[0])] * len(places)
    parts = [re.split(r"(?<=[/_.])", path.as_posix()) for path in places]
    for rest in (slice(1, None), slice(None, -1)):
        while _alike_outside(parts, rest):
            parts = [part[rest] for part in parts]
    names = ["".join(part).strip("/_.") for part in parts]
    short = [_without_usual(Path(name)) for name in names]
    return short if len({*short}) == len(names) else names


def _alike_outside(parts: Sequence[Sequence[str]], rest: slice) -> bool:
    """Return whether all have more parts than one, and the same one outside of the rest."""
    end = 0 if rest.start else -1
    return min(map(len, parts)) > 1 and len({part[end] for part in parts}) == 1


def _title(path: Path) -> str:
    """Return a file's name without its ending, or its folder's where that says nothing."""
    name = path.name.removesuffix(".gz")
    return _without_usual(path.with_name(name.removesuffix(kind_of(Path(name))))).rpartition("/")[2]


def _without_usual(path: Path) -> str:
    """Return a path, without a name at its end that files of many judges have: `result`."""
    usual = _USUAL.fullmatch(path.name) and path.parent.name
    return (path.parent if usual else path).as_posix()


def image_in(folder: Path, name: str) -> str:
    """Return an image's absolute path if a folder holds the image; else the name as given."""
    return str((folder / name).absolute()) if name and (folder / name).is_file() else name
