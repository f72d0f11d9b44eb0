"""Tell rows of totals from rows of data, by their words and by the numbers in the rows above."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any, TypeVar

from pairbench_ext.core.foreign import UnreadableError
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.cells import (
    WORDS,
    empty,
    filled,
    last,
    name_weight,
    number,
    rating,
    width,
)
from pairbench_ext.stacks.records.factors import is_criterion

_KEPT = 2_000  # rows above
_LOOKED_AT = 50  # of them, for what a column holds
_LONGEST = 40  # of a cell with a word for a total
_EXACT = 1e-6
_LARGE = 20  # from here, whole numbers may be rounded means of any rows
_ROUNDED = 0.5
Place = TypeVar("Place")


def without_totals(
    rows: Iterable[tuple[Place, Any]], names: Sequence[Any]
) -> Iterator[tuple[Place, Any]]:
    """Yield a table's rows; for a row of totals or notes, yield the reason to leave it out.

    Args:
        rows: where each row is, and its cells; None, or an error, for what is not looked at.
        names: of the columns.
    """
    held: list[tuple[Place, str, Any]] = []  # rows that are the foot if nothing else follows
    seen, apart, totals = Counter[str](), False, Totals(names)
    for where, cells in rows:
        first = _first(cells)
        if first is None:
            yield where, cells
        elif not first:
            apart = True  # what follows may be a note
        elif totals.has(cells):
            shown = ", ".join(str(cell) for cell in cells if filled(cell))
            yield where, UnreadableError(f"a total or mean of other rows, such as {shown:.40}")
        elif _may_be_foot(first.lower(), cells, apart=apart):
            held.append((where, first, cells))
        else:
            for earlier, word, skipped in held:
                seen[word] += 1
                yield earlier, skipped
            held, apart = [], False
            totals.add(cells)
            yield where, cells
    seen.update(word for _, word, _ in held)
    yield from _foot(held, seen, totals.rows)


def _foot(
    held: Sequence[tuple[Place, str, Any]], seen: Counter[str], rows: int
) -> Iterator[tuple[Place, Any]]:
    """Yield the last rows, which are the foot of a table unless their words are of the data."""
    usual = sum(all(map(filled, cells)) for *_, cells in held) > rows  # most have such names
    for where, word, cells in held:
        foot = UnreadableError(f"a total or a note below the table, such as {word:.40}")
        yield where, cells if usual or seen[word] > 1 else foot  # a word of the data: a criterion


def rows_of_data(rows: Iterable[Record | RecordError]) -> Iterator[Record | RecordError]:
    """Yield rows of named cells, or for a row of totals or notes, why it is left out."""
    every = iter(rows)
    head = list(islice(every, 1))
    names = {name: None for row in head if isinstance(row, Record) for name in row.fields}
    looked_at = ((row, _cells(row, names)) for row in chain(head, every))
    for row, cells in without_totals(looked_at, [*names]):
        left_out = cells if isinstance(cells, UnreadableError) else None
        yield RecordError(f"{row.where}: {left_out}", row.where) if left_out else row


def _cells(row: Record | RecordError, names: Mapping[str, None]) -> list[Any] | None:
    """Return a row's cells in the order of names, then others; None if it has none."""
    if isinstance(row, RecordError) or all(map(empty, row.fields.values())):
        return None
    fields, cells = row.fields, [*map(row.fields.get, names)]
    if fields.keys() != names.keys():
        cells += [cell for name, cell in fields.items() if name not in names]
    return cells


def _first(cells: Any) -> str | None:
    """Return a row's first text, empty if it has none; None if the row is not looked at."""
    if cells is None or isinstance(cells, Exception):
        return None
    for cell in cells:
        if text := "" if cell is None else str(cell).strip():
            return text
    return ""


def _may_be_foot(first: str, cells: Sequence[Any], *, apart: bool) -> bool:
    """Return whether a row begins as one of totals, or holds a note alone, as below a gap."""
    if WORDS["total"].fullmatch(first):
        return True
    after_gap = apart and len(cells) > 2 and filled(cells[0])
    return bool(after_gap or WORDS["foot"].match(first)) and width(cells) == 1


class Totals:
    """The latest rows of a table, by which rows of totals below them are recognised.

    Args:
        names: of the columns.
    """

    def __init__(self, names: Sequence[Any]) -> None:
        self._names = names
        self._rows: deque[Sequence[Any]] = deque(maxlen=_KEPT)
        self._since = 0  # how many of them follow the last total

    @property
    def rows(self) -> int:
        """Return how many of the rows of data that were added are kept for comparison."""
        return len(self._rows)

    def add(self, cells: Sequence[Any]) -> None:
        """Add a row of data, which a later row of totals may include."""
        self._rows.append(cells)
        self._since += 1

    def has(self, cells: Sequence[Any]) -> bool:
        """Return whether a row holds totals, such as means, judging by its words and numbers."""
        found = self._is_narrow(cells) if "" in cells or None in cells else self._is_wide(cells)
        self._since = 0 if found else self._since
        return found

    def _is_narrow(self, cells: Sequence[Any]) -> bool:
        named = any(isinstance(c, str) and WORDS["subtotal"].match(_plain(c)) for c in cells)
        return named and bool(self._rows) and 0 < width(cells) < width(self._rows[-1])

    def _is_wide(self, cells: Sequence[Any]) -> bool:
        """Return whether a word alone names the row, and its numbers are of the rows above."""
        words = [n for n, c in enumerate(cells)
                 if isinstance(c, str) and len(c) <= _LONGEST and is_word(c)]  # fmt: skip
        if not any(map(self._identifies, words)):
            return False
        parts = list(self._parts(cells))
        every = list(self._rows)
        since = every[len(every) - min(self._since, len(every)) :]
        found = any(_are_totals(cells, rows) for rows in (since, *parts, every))
        return found or any(_are_rounded_means(cells, rows) for rows in parts)

    def _identifies(self, place: int) -> bool:
        """Return whether a column's texts are mostly names: not such words, grades or criteria."""
        name = last(str(self._names[place])) if place < len(self._names) else ""
        if name_weight(name, "aspect"):
            return False
        above = islice(reversed(self._rows), _LOOKED_AT)
        names = [_is_name(str(row[place])) for row in above if place < len(row)]
        return bool(names) and 2 * sum(names) > len(names)

    def _parts(self, cells: Sequence[Any]) -> Iterator[list[Sequence[Any]]]:
        """Yield the rows of each part of the data that a row names."""
        for place, cell in enumerate(cells):
            if isinstance(cell, str) and _number(cell) is None and not is_word(cell):
                yield [row for row in self._rows if place < len(row) and row[place] == cell]


def _are_totals(cells: Sequence[Any], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether half of a row's numbers or more are means or sums of those in rows."""
    both = _beside_numbers(cells, rows)
    fits = [_is_total(value, _step(cell, value), above) for cell, value, above in both]
    return bool(fits) and 2 * sum(fits) >= len(fits)


def _are_rounded_means(cells: Sequence[Any], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether all numbers of a row are the means in several rows, as whole numbers."""
    both = list(_beside_numbers(cells, rows))
    return bool(both) and all(
        len(above) > 2 and value.is_integer() and abs(value - sum(above) / len(above)) <= _ROUNDED
        for _, value, above in both
    )


def _beside_numbers(
    cells: Sequence[Any], rows: Sequence[Sequence[Any]]
) -> Iterator[tuple[Any, float, list[float]]]:
    """Yield each number of a row, as a cell and as a value, with those of its column in rows."""
    for place, cell in enumerate(cells):
        above = [_number(row[place]) for row in rows if place < len(row)]
        numbers = [x for x in above if x is not None]
        value = _number(cell)
        if value is not None and 2 * len(numbers) > len(above):
            yield cell, value, numbers


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


@lru_cache(maxsize=10_000)
def is_word(cell: str) -> bool:
    """Return whether a text is only a word for a total, such as `mean` or `sum`."""
    return len(cell) <= _LONGEST and WORDS["alone"].fullmatch(_plain(cell)) is not None


@lru_cache(maxsize=10_000)
def _is_name(cell: str) -> bool:
    """Return whether a cell is no word for a total, no grade in words and no criterion."""
    text = _plain(cell)
    graded = _number(text) is None and rating(text) is not None
    return not (is_word(text) or graded or is_criterion(text))


def _number(cell: Any) -> float | None:
    return number(cell.replace(",", ".").rstrip("% ") if isinstance(cell, str) else cell)


def _plain(cell: str) -> str:
    return cell.strip().lower()
