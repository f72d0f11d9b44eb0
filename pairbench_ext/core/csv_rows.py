"""Tables as spreadsheets save them: CSV with commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.file_errors import not_plain_text, unreadable
from pairbench_ext.core.records import RecordError

_SEPARATORS = (",", "\t", ";")


class CsvRow(NamedTuple):
    """A row that is not empty, and which one it is, from 1, empty ones counted."""

    number: int
    cells: tuple[str, ...]


def csv_rows(path: Path) -> list[CsvRow]:
    """The rows of a table, the header first, without white space around cells.

    What separates cells is what the first line has most of, outside of quotation marks.

    Raises:
        RecordError: if it cannot be read, saying why, or has no row; or naming the row that has not
            as many cells as the header.
    """
    rows = list(_rows(path))
    if not rows:
        raise RecordError(f"{path}: an empty table; a header and a row per model are expected")
    width = len(rows[0].cells)
    for row in rows:
        if len(row.cells) != width:
            raise RecordError(
                f"{path}, row {row.number}: {len(row.cells)} cells, the first row has {width}"
            )
    return rows


def no_column(path: Path, name: str, header: Sequence[str]) -> RecordError:
    """The error for a table without a column: which file, and what there is instead."""
    found = f"{list(header)!r:.200}"
    return RecordError(f"{path}: no column {name!r} in its first line, which has {found}")


def _rows(path: Path) -> Iterator[CsvRow]:
    text = _text(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    unquoted = "".join(first.split('"')[::2])
    separator = max(_SEPARATORS, key=unquoted.count)
    number = 0
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text), delimiter=separator), start=1):
            if any(cell.strip() for cell in cells):
                yield CsvRow(number, tuple(cell.strip() for cell in cells))
    except csv.Error as error:
        raise RecordError(f"{path}, row {number + 1}: not CSV ({error})") from error


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RecordError(unreadable(path, error)) from error
    if what := not_plain_text(raw[:8]):
        raise RecordError(f"{path}: {what}; a table in CSV is expected")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(
            f"{path}: not a text in UTF-8 ({error.reason}); save it as CSV in UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
