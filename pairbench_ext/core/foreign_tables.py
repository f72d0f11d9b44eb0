"""Read CSV tables of unknown origin, with any separator and with limits on their size."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TextIO

from loguru import logger

from pairbench_ext.core.foreign import (
    LIMITS,
    UnreadableError,
    encoding_of,
    lines_of,
    open_text,
    unusual_encoding,
)

SEPARATORS = ",;\t|"
_LOOKED_AT = 3  # lines: a title may stand above the names


class Table(NamedTuple):
    """A CSV table that is being read: the names of its columns, and its rows.

    Attributes:
        names: the cells of its first row.
        separator: of its cells.
        rows: each with the number of its last line; what cannot be read is why in its place.
    """

    names: list[str]
    separator: str
    rows: Iterator[tuple[int, list[str] | UnreadableError]]


@contextmanager
def open_table(path: Path, separators: str = SEPARATORS) -> Iterator[Table]:
    """Open a table in a text file while the block lasts; empty lines are skipped.

    Args:
        path: of the file.
        separators: that cells may have; the commonest in the first line with one is taken.

    Raises:
        UnreadableError: if the file or its first line cannot be read, there or in its rows.
    """
    csv.field_size_limit(LIMITS.cell)
    unread: list[tuple[int, UnreadableError]] = []
    with open_text(path) as file:
        lines = _readable(file, unread)
        head = list(islice(lines, _LOOKED_AT))
        for number, error in unread:
            if number == 1:
                raise UnreadableError(f"line 1 must hold the names of the columns: {error}")
        first = next((line for line in head if {*line} & {*separators}), "")
        separator = max(separators, key=first.count)
        reader = csv.reader(chain(head, lines), delimiter=separator)
        names = next(reader, [])

        def rows() -> Iterator[tuple[int, list[str] | UnreadableError]]:
            for values in _cells(reader):
                yield from unread
                unread.clear()
                if values:
                    yield reader.line_num, values
            yield from unread

        yield Table(names, separator, rows())


def text_rows(path: Path, separators: str = ",;\t") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row of a table as cells keyed by column, without blanks around them.

    Yields:
        Where the row is, as "FILE, line 3", and its cells.

    Rows without any text are skipped.

    Raises:
        UnreadableError: naming the file, and the line of what cannot be read, of a row with more or
            fewer cells than columns, or of two columns with one name.
    """
    try:
        with open_table(path, separators) as table:
            if unusual := unusual_encoding(encoding_of(path)):
                logger.warning(f"{path}: {unusual}")
            names = [name.strip() for name in table.names]
            if len(set(names)) < len(names):
                raise UnreadableError(
                    "line 1: several columns have the same name; rename "
                    f"them. The names are {', '.join(names)}"
                )
            for number, values in table.rows:
                if isinstance(values, UnreadableError):
                    raise UnreadableError(f"line {number}: {values}")
                if not any(map(str.strip, values)):  # as spreadsheets write an empty row
                    continue
                if len(values) != len(names):
                    raise UnreadableError(
                        f"line {number}: the row has {len(values)} cells, but the header "
                        f"line has {len(names)}"
                    )
                cells = (value.strip() for value in values)
                yield f"{path}, line {number}", dict(zip(names, cells, strict=True))
    except UnreadableError as error:
        joined = ", " if str(error).startswith("line ") else ": "
        raise UnreadableError(f"{path}{joined}{error}") from error


def _readable(file: TextIO, unread: list[tuple[int, UnreadableError]]) -> Iterator[str]:
    """Yield the lines of a table; those that cannot be read go to `unread`."""
    for number, line in lines_of(file):
        if isinstance(line, UnreadableError):
            unread.append((number, line))
        else:
            yield line


def _cells(reader: Iterator[list[str]]) -> Iterator[list[str] | UnreadableError]:
    """Yield the cells of each row of a table, or why they cannot be told apart."""
    values: list[str] | UnreadableError | None = []
    while values is not None:
        try:
            values = next(reader, None)
        except csv.Error as error:
            values = UnreadableError(str(error))
        if values is not None:
            yield values
