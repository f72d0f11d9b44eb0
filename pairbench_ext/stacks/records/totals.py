"""Tell rows of totals and means from rows of data, by a word in them and the rows above."""

from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from pairbench_ext.stacks.records.cells import NAMES, WORDS, last, number, rating, width
from pairbench_ext.stacks.records.factors import is_criterion

_KEPT = 2_000  # rows above
_LOOKED_AT = 50  # of them, for what a column holds
_LONGEST = 40  # of a cell with a word for a total
_EXACT = 1e-6
_LARGE = 20  # from here, whole numbers may be rounded means


class Totals:
    """The latest rows of a table, kept to recognise rows with totals.

    Args:
        names: of the columns.
    """

    def __init__(self, names: Sequence[Any]) -> None:
        self._names = names
        self._rows: deque[Sequence[Any]] = deque(maxlen=_KEPT)
        self._since = 0  # how many of them follow the last total

    @property
    def rows(self) -> int:
        """Return how many rows of data there are, up to a limit."""
        return len(self._rows)

    def add(self, cells: Sequence[Any]) -> None:
        """Add a row of data."""
        self._rows.append(cells)
        self._since += 1

    def has(self, cells: Sequence[Any]) -> bool:
        """Return whether a row holds totals: a word says so, and cells or numbers confirm it."""
        found = self._is_narrow(cells) if "" in cells or None in cells else self._is_wide(cells)
        self._since = 0 if found else self._since
        return found

    def _is_narrow(self, cells: Sequence[Any]) -> bool:
        named = any(isinstance(c, str) and WORDS["subtotal"].match(_plain(c)) for c in cells)
        return named and bool(self._rows) and 0 < width(cells) < width(self._rows[-1])

    def _is_wide(self, cells: Sequence[Any]) -> bool:
        """Return whether a word alone names the row, and its numbers are of the rows above."""
        named = any(_is_word(cell) and self._identifies(n) for n, cell in enumerate(cells))
        return named and any(_are_totals(cells, rows) for rows in self._above(cells))

    def _identifies(self, place: int) -> bool:
        """Return whether a column's texts are mostly names: not such words, grades or criteria."""
        name = last(str(self._names[place])) if place < len(self._names) else ""
        if any(pattern.fullmatch(name) for pattern, _ in NAMES["aspect"]):
            return False
        above = islice(reversed(self._rows), _LOOKED_AT)
        names = [_is_name(str(row[place])) for row in above if place < len(row)]
        return bool(names) and 2 * sum(names) > len(names)

    def _above(self, cells: Sequence[Any]) -> Iterator[list[Sequence[Any]]]:
        """Yield the rows that a total may be of: those since the last, of a part, or all."""
        every = list(self._rows)
        yield every[len(every) - min(self._since, len(every)) :]
        for place, cell in enumerate(cells):
            if isinstance(cell, str) and _number(cell) is None and not _is_word(cell):
                yield [row for row in every if place < len(row) and row[place] == cell]
        yield every


def _are_totals(cells: Sequence[Any], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether half of a row's numbers or more are means or sums of those in rows."""
    fits = []
    for place, cell in enumerate(cells):
        known = [_number(row[place]) for row in rows if place < len(row)]
        numbers = [x for x in known if x is not None]
        value = _number(cell)
        if value is not None and 2 * len(numbers) > len(known):
            fits.append(_is_total(value, _step(cell, value), numbers))
    return bool(fits) and 2 * sum(fits) >= len(fits)


def _is_total(value: float, step: float, numbers: Sequence[float]) -> bool:
    """Return whether a number is a mean or a sum; or no whole one, below whole ones."""
    total = sum(numbers)
    if min(abs(value - total), abs(value - total / len(numbers))) <= step:
        return len(numbers) > 1
    return not value.is_integer() and all(x.is_integer() for x in numbers)


def _step(cell: Any, value: float) -> float:
    """Return by how much a number may be off, as rounded to the digits that it shows."""
    digits = len(str(cell).replace(",", ".").partition(".")[2])
    rounded = 0.51 * 10.0**-digits if digits or abs(value) >= _LARGE else 0.0
    return max(rounded, _EXACT * abs(value))


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str) and len(cell) <= _LONGEST and _means_total(cell)


@lru_cache(maxsize=10_000)
def _means_total(cell: str) -> bool:
    return WORDS["alone"].fullmatch(_plain(cell)) is not None


@lru_cache(maxsize=10_000)
def _is_name(cell: str) -> bool:
    """Return whether a cell is no word for a total, no grade in words and no criterion."""
    text = _plain(cell)
    graded = _number(text) is None and rating(text) is not None
    return not (_is_word(text) or graded or is_criterion(text))


def _number(cell: Any) -> float | None:
    return number(cell.replace(",", ".").rstrip("% ") if isinstance(cell, str) else cell)


def _plain(cell: str) -> str:
    return cell.strip().lower()
