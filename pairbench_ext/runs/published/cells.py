"""Printed numbers as data: what a cell of a table says, and files of such cells.

A file is CSV with a column `model` and, where there are any, `table`, `page`, `setting`, `part` and
`note`. It has one column for each number, or the columns `number` and `value`. A value is written
as it is printed, digit for digit, so that its rounding is known; empty and `-` are no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pairbench_ext.core.csv_rows import csv_rows, no_column
from pairbench_ext.core.records import RecordError

_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(%?)")
_KEYS = ("table", "page", "model", "setting", "part", "note")
_NOTHING = ("", "-", "\N{EN DASH}", "\N{EM DASH}", "n/a", "N/A")

_ERROR = 1e-9  # of values that are computed with floats

CellKey: TypeAlias = tuple[str, str, str, str]


class Range(NamedTuple):
    """All values that print as one text, ends included: a half may be rounded up or to even."""

    low: Fraction
    high: Fraction

    def meets(self, other: Range) -> bool:
        """Whether a value is in both."""
        return self.low <= other.high and other.low <= self.high

    def holds(self, value: float) -> bool:
        """Whether a computed value prints so, its error of computation aside."""
        low, high = map(float, self)
        return low - _ERROR <= value <= high + _ERROR


def printed_range(text: str) -> Range:
    """The values that print as a text.

    >>> printed_range("52.4")
    Range(low=Fraction(1047, 20), high=Fraction(1049, 20))

    Raises:
        ValueError: if it is no decimal number.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None or not (found[2] or found[3]):
        raise ValueError(f"{text!r} is no number such as 52.4, 0.524 or 52.4%")
    sign, whole, digits, percent = found[1], found[2], found[3] or "", found[4]
    unit = Fraction(1, 10 ** len(digits)) / (100 if percent else 1)
    value = int((whole + digits) or "0") * unit * (-1 if sign == "-" else 1)
    return Range(value - unit / 2, value + unit / 2)


class Cell(NamedTuple):
    """One printed number.

    Attributes:
        table: in which table, as it is called where it is printed; or the name of a file.
        page: on which page, where that is known.
        model: whose.
        setting: how it was asked, where the table tells several apart.
        part: of what, where the table tells several apart.
        number: its name, that of the benchmark's number where there is one.
        value: as printed.
        note: what is known of it.
        where: file and line.
    """

    table: str
    page: str
    model: str
    setting: str
    part: str
    number: str
    value: str
    note: str = ""
    where: str = ""

    @property
    def range(self) -> Range:
        """The values that print so."""
        return printed_range(self.value)

    @property
    def middle(self) -> float:
        """The printed value."""
        return float(sum(self.range) / 2)

    @property
    def key(self) -> CellKey:
        """What it is of, wherever it is printed."""
        return self.model, self.setting, self.part, self.number

    @property
    def name(self) -> str:
        """What it is of, in words."""
        of = ", ".join(filter(None, [self.model, self.setting, self.part]))
        return f"{of}: {self.number}" if of else self.number


def read_cells(
    path: Path,
    *,
    table: str = "",
    page: str = "",
    names: Mapping[str, str] | None = None,
    percent: Iterable[str] = (),
) -> list[Cell]:
    """The printed numbers of a file, in its order.

    Args:
        path: CSV.
        table: what the table is called, where the file does not say; its name by default.
        page: likewise.
        names: numbers by other names that a column may have; case does not matter.
        percent: numbers that are shares: printed in per cent where the file has no `%`.

    Raises:
        RecordError: naming file, line and column of what cannot be read.
    """
    first, *rows = csv_rows(path)
    known = {other.lower(): name for other, name in (names or {}).items()}
    header = [known.get(name.lower(), name) for name in first.cells]
    _check_header(path, header)
    shares = frozenset(percent)
    cells = []
    for row in rows:
        where = f"{path}, line {row.number}"
        fields = dict(zip(header, row.cells, strict=True))
        said = {key: fields[key] for key in _KEYS if fields.get(key)}
        keys = {"table": table or path.name, "page": page, **said}
        for number, value in _numbers(fields, known):
            cells.append(_cell(keys, number, value, where, shares))
    _check_once(cells)
    if not cells:
        raise RecordError(f"{path}: no numbers in it; a header and a row per model are expected")
    return cells


def _check_header(path: Path, header: list[str]) -> None:
    if "model" not in header:
        raise no_column(path, "model", header)
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise RecordError(f"{path}: two columns are {twice[0]!r}")
    if ("number" in header) != ("value" in header):
        raise RecordError(f"{path}: columns 'number' and 'value' come together")


def _check_once(cells: Iterable[Cell]) -> None:
    known: dict[tuple[str, CellKey], Cell] = {}
    for cell in cells:
        first = known.setdefault((cell.table, cell.key), cell)
        if first is not cell:
            raise RecordError(
                f"{cell.where}: {cell.name} was there in line {first.where.rpartition(' ')[2]}; "
                "a column 'setting' or 'part' tells rows of a model apart"
            )


def _numbers(fields: Mapping[str, str], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if "number" in fields:
        yield known.get(fields["number"].lower(), fields["number"]), fields["value"]
        return
    yield from ((name, value) for name, value in fields.items() if name not in _KEYS)


def _cell(
    keys: Mapping[str, str], number: str, value: str, where: str, shares: frozenset[str]
) -> Cell:
    said = {key: keys.get(key, "") for key in _KEYS}
    written = value
    if value in _NOTHING:
        written = ""
    elif number in shares and not value.endswith("%"):
        written = f"{value}%"
    if written:
        try:
            printed_range(written)
        except ValueError as error:
            raise RecordError(f"{where}, {number!r}: {error}") from error
    return Cell(number=number, value=written, where=where, **said)
