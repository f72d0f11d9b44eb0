"""Read rows of spreadsheets (.xlsx) one at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pairbench_ext.core.extras import require
from pairbench_ext.core.foreign import LIMITS, UnreadableError, open_archive, open_bytes
from pairbench_ext.core.progress import tracked

_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_ZIP = b"PK\x03\x04"
_STREAMED = "xl/worksheets/"  # members that are read row by row; others are read at once


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file named like a spreadsheet is one.

    Raises:
        UnreadableError: if it is neither, or of a kind that is not read.
    """
    with open_bytes(path) as file:
        start = file.read(1024)
    if start.startswith(_OLD_EXCEL):
        raise UnreadableError(
            "an old or encrypted Excel file: save it as .xlsx or CSV, unprotected"
        )
    if start.startswith(_ZIP):
        return True
    if start.lstrip()[:1] == b"<":
        raise UnreadableError(
            "HTML or XML under the name of a spreadsheet: save it as .xlsx or CSV"
        )
    return False


def sheet_rows(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yield the rows of all sheets with their places, named by the sheet's first row.

    Formulas are read as the values that were last computed. A value right of the names is kept as
    `column 27`; rows with nothing else are left out, and said.

    Args:
        path: of a file that `is_spreadsheet`.

    Raises:
        UnreadableError: if it is damaged or larger than `LIMITS`.
        MissingPackageError: without openpyxl.
    """
    openpyxl = require("openpyxl", "a spreadsheet")
    _check_size(path)
    with _failures(), path.open("rb") as file:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions, which are not read
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "reset_dimensions")]
        for sheet in sheets:
            sheet.reset_dimensions()  # what a sheet says of its size makes rows of empty cells
            rows = tracked(sheet.iter_rows(values_only=True), f"reading {path.name}")
            for place, row in _rows(rows):
                known = {"sheet": sheet.title} if len(sheets) > 1 else {}
                fields = {**known, **row} if isinstance(row, dict) else row
                yield f"sheet {sheet.title}, row {place}", fields


def _check_size(path: Path) -> None:
    with open_archive(path) as archive:
        for member in archive.infolist():
            most = LIMITS.sheet if member.filename.startswith(_STREAMED) else LIMITS.whole
            if member.file_size > most:
                raise UnreadableError(
                    f"{member.filename} in it unpacks to more than {most:,} bytes"
                )


def _rows(rows: Iterator[Sequence[Any]]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield number and fields of each row below the names, or why it has none."""
    names: list[str] = []
    for number, cells in enumerate(rows, start=1):
        if all(cell is None or cell == "" for cell in cells):
            continue
        if not names:
            last = max(place for place, cell in enumerate(cells) if cell not in (None, ""))
            names = names_of(cells[: last + 1])
            continue
        row: dict[str, Any] = dict.fromkeys(names, "")
        row |= {n: c for n, c in zip(names, cells, strict=False) if c is not None}
        beyond = {
            f"column {place}": cell
            for place, cell in enumerate(cells[len(names) :], start=len(names) + 1)
            if cell is not None
        }
        if all(cell == "" for cell in row.values()):
            yield number, f"values right of the table only ({', '.join(beyond)[:40]})"
        else:
            yield number, {**row, **beyond}


def names_of(header: Sequence[Any]) -> list[str]:
    """Return unique names of columns; the third `n` becomes `n.3`.

    Raises:
        UnreadableError: if there are more than `LIMITS.columns`.
    """
    if len(header) > LIMITS.columns:
        raise UnreadableError(
            f"{len(header):,} columns; at most {LIMITS.columns:,} are read. The first line must "
            "hold the columns' names"
        )
    seen = set[str]()
    names = []
    for place, cell in enumerate(header):
        name = str("" if cell is None else cell).strip() or "index"
        names.append(f"{name}.{place}" if name in seen else name)
        seen.add(name)
    return names


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what `openpyxl` raises on a damaged file, which is anything, into one sentence."""
    try:
        yield
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError(f"cannot be read: {error}") from error
