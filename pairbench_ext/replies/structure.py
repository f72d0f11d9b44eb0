"""Extract values that a reply marks, such as by a box, or writes into table cells.

JSON need not be valid, and what is a value's name does not matter here: a grammar takes the values
that are its labels, whatever a judge calls them. Reading takes time linear in the text.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple


class Mark(NamedTuple):
    r"""A sign that marks the value after it: `\boxed{`, `[[`, `<answer>` or `[RESULT]`.

    Attributes:
        name: of a tag; empty for a box and for double brackets.
        in_brackets: whether it is double brackets, which have to close after the value.
        start: where the sign starts.
        end: where what it marks begins.
    """

    name: str
    in_brackets: bool
    start: int
    end: int


class TableRow(NamedTuple):
    """A row of a table in a reply."""

    cells: list[str]
    places: list[int]


_BARS = range(1, 14)  # in a line that is a row of a table
_RULE = re.compile(r"[|: -]+")
_MARK = re.compile(
    r"\\(?:boxed|fbox) ?\{|(?P<brackets>\[{2,9} ?)|(?<![^\W_])[<\[](?P<name>[^<>\[\]{}\\\n]{1,60})[>\]]:?"
)


def marks(text: str) -> Iterator[Mark]:
    """Yield every sign in a reply that marks the value after it."""
    if "[" in text or "<" in text or "\\" in text:
        for match in _MARK.finditer(text):
            yield Mark(match["name"] or "", bool(match["brackets"]), *match.span())


def tables(text: str) -> Iterator[list[TableRow]]:
    """Yield the tables in a reply, without the separator line below each header."""
    table: list[TableRow] = []
    start = 0
    for line in text.split("\n") if "|" in text else ():
        if line.count("|") not in _BARS:
            yield table
            table = []
        elif not _RULE.fullmatch(line):
            cells = line.strip().strip("|").split("|")
            first = start + line.startswith("|")
            places = accumulate((len(cell) + 1 for cell in cells[:-1]), initial=first)
            table.append(TableRow([cell.strip() for cell in cells], list(places)))
        start += len(line) + 1
    yield table
