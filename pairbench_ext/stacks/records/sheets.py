"""Read rows of spreadsheets (.xlsx) one at a time."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pairbench_ext.core.extras import require
from pairbench_ext.core.foreign import LIMITS, UnreadableError, open_archive, open_bytes
from pairbench_ext.core.progress import tracked
from pairbench_ext.stacks.records.cells import filled, width
from pairbench_ext.stacks.records.totals import without_totals

_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_ZIP = b"PK\x03\x04"
SHEET = "sheet"  # the column that says in which of several sheets a row was
_LOOKED_AT = 50  # rows, by which names are told
_FEW, _SHORT = 5, 20  # rows below, and characters of their values, by which texts are told
_DESCRIBED = "the row describes the columns"
_TITLES = 10  # rows, at most
_STREAMED = "xl/worksheets/"  # members that are read row by row; others are read at once


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file's content is an Excel workbook (.xlsx), not text.

    Raises:
        UnreadableError: if it is neither, or of a kind that is not read.
    """
    with open_bytes(path) as file:
        start = file.read(1024)
    if start.startswith(_OLD_EXCEL):
        raise UnreadableError(
            "this is an old or encrypted Excel file: save it as .xlsx without a password, or as CSV"
        )
    if start.startswith(_ZIP):
        return True
    if start.lstrip()[:1] == b"<":
        raise UnreadableError(
            "this is HTML or XML with the name of a spreadsheet: save it as .xlsx or CSV"
        )
    return False


def sheet_rows(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yield the rows of all sheets with their places; the first row of each sheet is its header.

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
        wide = {sheet.title: max(map(width, _head(sheet)), default=0) for sheet in sheets}
        for sheet in sheets:
            if wide[sheet.title] == 1 and max(wide.values()) > 2:
                yield f"sheet {sheet.title}", "the sheet holds a text, no table"
                continue
            rows = tracked(sheet.iter_rows(values_only=True), f"reading {path.name}")
            for place, row in _rows(rows):
                title = {SHEET: sheet.title} if len(sheets) > 1 else {}
                fields = {**title, **row} if isinstance(row, dict) else row
                yield f"sheet {sheet.title}, row {place}", fields


def _head(sheet: Any) -> Iterator[Sequence[Any]]:
    return islice(sheet.iter_rows(values_only=True), _LOOKED_AT)


def _check_size(path: Path) -> None:
    with open_archive(path) as archive:
        for member in archive.infolist():
            most = LIMITS.sheet if member.filename.startswith(_STREAMED) else LIMITS.whole
            if member.file_size > most:
                raise UnreadableError(
                    f"its part {member.filename} unpacks to more than {most:,} bytes; "
                    "save the table as CSV"
                )


def _rows(rows: Iterator[Sequence[Any]]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield number and fields of each row below the names, or why it has none."""
    names, below = headed(enumerate(rows, start=1))
    for number, cells in below:
        if isinstance(cells, UnreadableError):
            yield number, str(cells)
            continue
        if not any(map(filled, cells)):
            continue
        row: dict[str, Any] = dict.fromkeys(names, "")
        row |= {n: c for n, c in zip(names, cells, strict=False) if c is not None}
        beyond = {
            f"column {place}": cell
            for place, cell in enumerate(cells[len(names) :], start=len(names) + 1)
            if cell is not None
        }
        if all(cell == "" for cell in row.values()):
            yield number, f"all values are to the right of the table ({', '.join(beyond)[:40]})"
        else:
            yield number, {**row, **beyond}


def headed(rows: Iterable[tuple[int, Any]]) -> tuple[list[str], Iterator[tuple[int, Any]]]:
    """Return a table's column names, and the rows of data below the names.

    Lines of a title above the names are left out. Where a second row of names stands below merged
    cells, a column is called by both: `gpt-4o AB`.

    Raises:
        UnreadableError: if there are more columns than `LIMITS.columns`.
    """
    rows = iter(rows)
    every = list(islice(rows, _LOOKED_AT))
    head = _from_names([row for row in every[_titles(every) :] if width(row[1])])
    if not head:
        return [], rows
    names = head[0][1]
    if isinstance(names, Exception):
        raise names
    names = names[: 1 + max(place for place, cell in enumerate(names) if filled(cell))]
    if _is_second_header(names, [cells for _, cells in head[1:]]):
        names, head = _merged(names, head[1][1]), head[1:]
    described = dict.fromkeys(_descriptions(head[1:]), UnreadableError(_DESCRIBED))
    below = [(n, described.get(n, cells)) for n, cells in every if n > head[0][0]]
    names = names_of(names)
    return names, without_totals(chain(below, rows), names)


def _descriptions(rows: Sequence[tuple[int, Any]]) -> list[int]:
    """Return the numbers of up to two rows below the names that say what is in the columns."""
    for count in (2, 1):
        values = [cells for _, cells in rows[count:]]
        if len(values) > _FEW and all(_describes(cells, values) for _, cells in rows[:count]):
            return [number for number, _ in rows[:count]]
    return []


def _describes(cells: Any, below: Sequence[Any]) -> bool:
    """Return whether a row has texts, notes or ids above columns of few short values."""
    if any(isinstance(row, Exception) for row in (cells, *below)):
        return False
    above = ((cell, [row[n] for row in below if n < len(row)]) for n, cell in enumerate(cells))
    return sum(_is_text(cell) and _are_few(values) for cell, values in above) > 1


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str) and (cell[:1] in ("{", "(", "[") or cell.count(" ") > 1)


def _are_few(values: Sequence[Any]) -> bool:
    few = len({*map(str, values)}) * 3 <= len(values)
    return few and all(len(str(value)) <= _SHORT and not _is_text(value) for value in values)


def _from_names(rows: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return rows without titles of one cell above wider ones."""
    wide = max((width(cells) for _, cells in rows[1:]), default=0)
    start = 0
    while wide > 2 and start < len(rows) - 2 and width(rows[start][1]) == 1:
        start += 1
    return rows[start:]


def _titles(rows: Sequence[tuple[int, Any]]) -> int:
    """Return how many rows are titles: an empty one parts them from one at least twice as wide."""
    wide, last = 0, 0
    for place, (number, cells) in enumerate(rows[:_TITLES]):
        count = width(cells)
        below = max(width(other) for _, other in rows[place : place + 2])  # of two rows of names
        if wide and count and below >= 2 * wide and number > last + 1:
            return place
        if count:
            wide, last = max(wide, count), number
    return 0


def _merged(names: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """Return names of columns from two rows; a merged cell stands above several columns."""
    above, merged = "", []
    for place, name in enumerate(second):
        if place < len(names) and filled(names[place]):
            above = names[place]
        whole = above == name or not filled(name)  # the cell above spans both rows
        merged.append(above if whole else f"{above} {name}".strip())
    return merged


def _is_second_header(names: Sequence[Any], below: Sequence[Sequence[Any]]) -> bool:
    """Return whether the row below names has names, too: words, none of which comes again."""
    if len(below) < 3 or any(isinstance(cells, Exception) for cells in below):
        return False
    second, values = below[0], below[1:]
    full = all(map(filled, names)) and len(second) <= len(names)
    named = [n for n, cell in enumerate(second) if filled(cell) or not any(names[n : n + 1])]
    if full or 2 * len(named) <= len(second) or not all(_is_word(second[n]) for n in named):
        return False
    return not any(second[n] in row[n : n + 1] for row in values for n in named)


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str) and cell != "" and not cell[0].isdecimal()


def names_of(header: Sequence[Any]) -> list[str]:
    """Return the column names made unique; for example, the third column `n` becomes `n.3`.

    Raises:
        UnreadableError: if there are more than `LIMITS.columns`.
    """
    if len(header) > LIMITS.columns:
        raise UnreadableError(
            f"the table has {len(header):,} columns; at most {LIMITS.columns:,} are read. The "
            "first line must hold the names of the columns"
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
