"""Undo two habits of spreadsheets before columns get roles: merged cells and columns of ranks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.stacks.records.cells import empty, number, text_of
from pairbench_ext.stacks.records.profile import FILE
from pairbench_ext.stacks.records.tables import Row, Rows

_RANK = re.compile(
    r"(.*(?:^|[\W_])(?:rank|ranking|rang|platz|place|rango|puesto))[\W_]+([^\W\d][\w.-]*)", re.I
)
_LETTERS = "ABCDEFGH"
_GROUPS = 3  # of merged cells, at least
_EMPTY = 0.25  # of the cells of a merged column, at least


class Habits(NamedTuple):
    """What is undone in each row.

    Attributes:
        merged: columns in which an empty cell means the value above it.
        ranked: by the column of a ranking, those that hold a rank each, and what is ranked.
    """

    merged: Sequence[str]
    ranked: Mapping[str, Mapping[str, str]]

    def lines(self) -> list[str]:
        """Return what is to be said of it."""
        shown = listed([f"`{name}`" for name in self.merged], 4)
        lines = [f"an empty cell of {shown} means the value above it"] if self.merged else []
        for name, of in self.ranked.items():
            lines.append(f"{listed([f'`{n}`' for n in of], 4)} are read as one ranking, `{name}`")
        return lines


def _merged(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the first column, and those empty where it is, if it looks merged.

    Its values are all different, many cells below them are empty, and rows are not.
    """
    first = next(iter(rows[0]), "")
    gaps = [empty(row.get(first)) for row in rows]
    values = [text_of(row[first]) for row, gap in zip(rows, gaps, strict=True) if not gap]
    many = not gaps[0] and sum(gaps) >= _EMPTY * len(rows)
    if not many or len(values) < _GROUPS or len({*values}) < len(values):
        return []
    names = [n for n in rows[0] if [empty(row.get(n)) for row in rows] == gaps]
    return names if all(_says_more(row, names) for row in rows) else []


def _says_more(row: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(not empty(cell) for name, cell in row.items() if name not in names)


def _ranked(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return columns of ranks, which hold each rank from 1 of several things in a row."""
    found = defaultdict[str, dict[str, str]](dict)
    for name in rows[0]:
        if match := _RANK.fullmatch(name):
            word = match[2]
            thing = word if len(word) > 1 or word in _LETTERS else f"option {word}"
            found[match[1]][name] = thing
    free = {name: of for name, of in found.items() if name not in rows[0] and len(of) > 2}
    return {name: of for name, of in free.items() if all(_ranking(row, of) for row in rows)}


def _ranking(row: Mapping[str, Any], of: Mapping[str, str]) -> str:
    """Return the ranking in a row, such as `B > A = C`; empty if its cells are no ranks."""
    ranks = {thing: number(row.get(name)) for name, thing in of.items()}
    known = sorted({rank for rank in ranks.values() if rank is not None})
    if None in ranks.values() or not known or known[0] != 1 or known[-1] > len(of):
        return ""
    groups = ([t for t, rank in ranks.items() if rank == each] for each in known)
    return " > ".join(" = ".join(group) for group in groups)


class Reshaped(NamedTuple):
    """Rows without those habits.

    Attributes:
        source: the rows as they are.
        habits: what is undone.
    """

    source: Rows
    habits: Habits

    @property
    def folder(self) -> Any:
        """Return the folder for images that rows name."""
        return self.source.folder

    def rows(self) -> Iterator[Row]:
        """Return all rows."""
        above: dict[str, Any] = {}
        for row in self.source.rows():
            yield row if isinstance(row, RecordError) else Record(row.where, self._of(row, above))

    def _of(self, row: Record, above: dict[str, Any]) -> dict[str, Any]:
        fields = dict(row.fields)
        for name in self.habits.merged:
            if empty(fields.get(name)):
                fields[name] = above.get(name)
            above[name] = fields[name]
        for name, of in self.habits.ranked.items():
            ranking = _ranking(fields, of)
            fields = {n: cell for n, cell in fields.items() if n not in of} | {name: ranking}
        return fields


def reshaped(
    sources: Sequence[Rows], rows: Sequence[Mapping[str, Any]], lines: list[str]
) -> list[Rows]:
    """Return the rows of files without the habits that some of them show; nothing without any.

    Args:
        sources: the rows of each file.
        rows: some of them, with the number of their file.
        lines: what is to be said of it goes here.
    """
    made: list[Rows] = []
    for place, source in enumerate(sources):
        own = [{n: c for n, c in row.items() if n != FILE} for row in rows if row[FILE] == place]
        of = Habits(_merged(own), _ranked(own)) if own else Habits((), {})
        lines += [line for line in of.lines() if line not in lines]
        made.append(Reshaped(source, of) if of.merged or of.ranked else source)
    return made if made != [*sources] else []
