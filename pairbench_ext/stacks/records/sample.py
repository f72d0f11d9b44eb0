"""Some rows of all files: what the values of their columns could be, and what they say alike."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from pairbench_ext.stacks.records.cells import (
    WORDS,
    empty,
    last,
    number,
    plain,
    ranking,
    several,
    text_of,
)
from pairbench_ext.stacks.records.columns import KINDS, Columns

FILE = "(file)"  # in place of a column: the number of the file
Cell: TypeAlias = "tuple[Any, Mapping[str, Any]]"  # with its row
_SCALES = ((0, 1), (1, 3), (1, 4), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100))
_OF_REPLIES = _SCALES[3:]
_TRIED, _LOOKED_AT = 60, 400  # replies that are read, values that are looked at
_MOSTLY = 0.8


class Sample:
    """The columns of some rows.

    Args:
        rows: each with the number of its file under `FILE`.

    Attributes:
        cells: of each column, those with something in them.
        distinct: how many different values each column has.
        more_than_two: whether there are columns of three options or more.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = rows
        self.cells: dict[str, list[Cell]] = {}
        for row in rows:
            for name, cell in row.items():
                if not empty(cell) and name != FILE:
                    self.cells.setdefault(name, []).append((cell, row))
        self.distinct = {n: len({text_of(x) for x, _ in cells}) for n, cells in self.cells.items()}
        self._known: dict[Hashable, list[str]] = {}
        options = [n for n in self.cells if WORDS["options"].fullmatch(n)]
        lists = [several(self.cells[name][0][0]) for name in options]
        self.more_than_two = {"A", "C"} <= self.cells.keys() or any(len(x) > 2 for x in lists)

    def some(self, name: str, most: int = _LOOKED_AT) -> list[Cell]:
        """So many cells of a column, evenly spread; an odd step meets both orders."""
        cells = self.cells[name]
        return cells[:: max(1, len(cells) // most) | 1][:most]

    def examples(self, name: str) -> str:
        """Three values of a column, for people."""
        texts = list(dict.fromkeys(f"{text_of(x):.40}" for x, _ in self.some(name)))
        return ", ".join(texts[:3]).replace("\n", " ") + ", ..." * (len(texts) > 3)

    def is_text(self, name: str) -> bool:
        """Whether a column mostly holds sentences."""
        texts = [cell for cell, _ in self.some(name) if isinstance(cell, str)]
        return 2 * len(texts) > len(self.some(name)) and sum(map(len, texts)) > 30 * len(texts)

    def fits(self, name: str, columns: Columns) -> list[str]:
        """The kinds of judgment that the values of a column could be.

        Args:
            name: of the column.
            columns: what is known; two numbers in a cell are of the two that it names.
        """
        key = (name, columns.kind, columns["first"], columns["first_answer"])
        if key not in self._known:
            self._known[key] = self._fits(name, columns)
        return self._known[key]

    def _fits(self, name: str, columns: Columns) -> list[str]:
        if WORDS["no_value"].fullmatch(last(name)) and not WORDS["verdict"].fullmatch(last(name)):
            return []
        cells = [(x, row) for x, row in self.some(name) if not WORDS["missing"].fullmatch(plain(x))]
        lists = [several(cell) for cell, _ in cells]
        if cells and all(ranking(cell) for cell, _ in cells):
            return ["ranking"]
        if cells and all(lists) and ("rank" in last(name) or all(map(_places, lists))):
            return []  # ranks, or the options from the best on
        if cells and all(lists):
            if columns.of_two and {len(parts) for parts in lists} == {2}:
                return ["pair"]
            every = zip(lists, cells, strict=True)
            cells = [(part, row) for parts, (_, row) in every for part in parts]
        kinds = [kind for kind in KINDS if kind != "pair" or not self.more_than_two]
        known = [replace(columns, kind=k) for k in kinds if columns.kind in ("", k)]
        said = {c.kind: sum(c.says(x, r) is not None for x, r in cells) for c in known}
        least = max(1, _MOSTLY * len(cells), 0.98 * max(said.values()))
        return [kind for kind, count in said.items() if count >= least]

    def read(self, name: str, kinds: Sequence[str], columns: Columns) -> tuple[Columns, float]:
        """The kind, and the scale, whose grammar reads most of a column, and the share of it."""
        texts = [text_of(cell) for cell, _ in self.some(name, _TRIED)]
        best = columns, 0.0
        for kind in [columns.kind] if columns.kind else kinds:
            if (kind == "choice" and columns.of_two) or (kind == "pair" and self.more_than_two):
                continue
            for scale in _OF_REPLIES if kind == "rating" else (columns.scale,):
                tried = replace(columns, kind=kind, scale=scale)
                share = sum(tried.reads(text) is not None for text in texts) / len(texts)
                best = (tried, share) if share > best[1] + 0.02 else best
        return best

    def agreement(self, name: str, columns: Columns) -> tuple[float, bool]:
        """How often a column says what the judge's words, or else its value, say.

        Returns:
            The share, and whether it is that of what the column says in the order of the data, not
            as shown.
        """
        replies, same, count = columns["reply"], [0, 0], 0
        others = replies or columns["verdict"]
        for cell, row in self.some(name, _TRIED) if others else ():
            other = row.get(others[0])
            judge = None
            if not empty(other):
                judge = columns.reads(text_of(other)) if replies else columns.says(other, row)
            if judge is not None:
                own, count = columns.says(cell, row), count + 1
                same[0] += own == judge
                same[1] += ({0: 1, 1: 0}.get(own, own) if columns.reverse(row) else own) == judge
        return max(same) / max(count, 1), same[1] > same[0]

    def scale(self, names: Sequence[str]) -> tuple[int, int]:
        """The scale that the numbers of columns are on."""
        cells = [cell for name in names for cell, _ in self.cells[name]]
        every = [number(part) for cell in cells for part in several(cell) or [cell]]
        numbers = [value for value in every if value is not None]
        if not numbers:
            return Columns.scale
        low, high = min(numbers), max(numbers)
        fitting = [(a, b) for a, b in _SCALES if a <= low and high <= b]
        return (fitting or [(min(0, int(low) - 1), int(high) + 1)])[0]

    def options(self, names: Sequence[str], columns: Columns) -> int:
        """How many options there are: columns A, B, ..., or as many as are named."""
        said = [columns.says(x, row) for name in names for x, row in self.cells[name]]
        said += [columns.reads(text_of(x)) for n in columns["reply"] for x, _ in self.some(n)]
        counts = [
            len(x.replace("=", "")) if isinstance(x, str) else x + 1 for x in said if x is not None
        ]
        return max(2, sum(re.fullmatch("[A-H]", name) is not None for name in self.cells), *counts)

    def same(self, name: str, other: str) -> bool:
        """Whether two columns hold the same."""
        return all(text_of(row.get(name)) == text_of(row.get(other)) for row in self.rows)

    def twice(self, names: Sequence[str]) -> int:
        """How many rows are like earlier ones in some columns."""
        if not names:
            return len(self.rows) - 1
        rows = {tuple(text_of(row.get(name)) for name in names) for row in self.rows}
        return len(self.rows) - len(rows)


def _places(parts: Sequence[Any]) -> bool:
    """Whether a list holds each of the numbers from 1, or from 0, once: three of them or more."""
    numbers = [number(part) for part in parts]
    known = sorted(value for value in numbers if value is not None)
    counted = [[*range(start, start + len(parts))] for start in (0, 1)]
    return len(known) == len(parts) > 2 and known in counted
