"""Interpret cells of people's labels, given the questions to judges."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.runs.label_rows import PLACES, whole
from pairbench_ext.stacks.records.cells import empty, rating, says_nothing, text_of
from pairbench_ext.stacks.records.columns import Columns

_CODES = frozenset(("0", "1"))


@dataclass(frozen=True)
class Asked:
    """The questions that judges were asked: items and criteria that people's labels can be about.

    Attributes:
        kinds: of the judgments of each item, by its name.
        words: by kind, what a label may be without being interpreted, in lower case.
        criteria: under which items are judged.
        systems: that made what is judged.
        fields: further fields of the items.
        key: the columns of the judgments that name the item, as a file of labels may have them.
        two: those of the two systems.
        studies: whether ratings of `pairbench rate` may be of these items.
    """

    kinds: Mapping[str, tuple[str, ...]]
    words: Mapping[str, Collection[str]] = field(default_factory=dict)
    criteria: Collection[str] = ()
    systems: Collection[str] = ()
    fields: Collection[str] = ()
    key: tuple[str, ...] = ()
    two: tuple[str, ...] = ()
    studies: bool = False

    @cached_property
    def every_kind(self) -> tuple[str, ...]:
        """Return the distinct kinds of judgment over all items; text judgments are left out."""
        kinds = (kind for of_item in self.kinds.values() for kind in of_item if kind)
        return tuple(dict.fromkeys(kinds))

    @cached_property
    def _numbered(self) -> Mapping[str, str]:
        """Items by their numbers as a spreadsheet writes them: 7 for 007."""
        short = Counter(map(_plain, self.kinds))
        return {_plain(name): name for name in self.kinds if short[_plain(name)] == 1}

    def item(self, name: str) -> str:
        """Return the item that a name in a label file means; if no item fits, the name itself."""
        return name if name in self.kinds else self._numbered.get(_plain(name), name)

    def has(self, name: str) -> bool:
        """Return whether a name in a label file means one of the judged items."""
        return self.item(name) in self.kinds


def _plain(name: str) -> str:
    return str(int(name)) if name.isdecimal() and name.isascii() else name


def cell_text(cell: Any) -> str:
    """Return a cell as text; whole numbers are written without decimals."""
    return "" if empty(cell) else whole(text_of(cell).strip())


class Meanings:
    """Translates cells of people's labels into the words that `people_labels.Coding` uses.

    Args:
        asked: what the labels are of.
        columns: of the labels.
        rows: all of them. Where every label is a word that an answer may be, each is kept as it
            is: 0 and 1 are places, but of 1 and 2 the first one is 1.
    """

    def __init__(self, asked: Asked, columns: Columns, rows: Sequence[Mapping[str, Any]]) -> None:
        self._asked = asked
        self._of_kind = {kind: replace(columns, kind=kind) for kind in asked.every_kind}
        cells = [row.get(name) for row in rows for name in columns["people"]]
        every = {cell_text(cell).lower() for cell in cells if not says_nothing(cell)}
        self._named = {name.lower() for name in asked.systems}
        self._named |= {cell_text(row.get(name)).lower() for row in rows for name in columns.two}
        defined = self._named.union(columns.values)
        words = asked.words.items()
        self._kept = {kind for kind, of in words if of and every <= defined.union(of)}
        # A 1 may be the first, beside a 2, or the second, beside a 0: these two are asked about.
        self._asked_about = _CODES if "0" in every <= _CODES else frozenset[str]()

    def of(self, item: str, cell: Any, row: Mapping[str, Any]) -> str | None:
        """Return the label that a cell means for an item; None if the cell is not understood."""
        kinds = self._asked.kinds.get(item) or self._asked.every_kind
        meanings = (self._meaning(kind, cell, row) for kind in kinds)
        return next((word for word in meanings if word is not None), None)

    def _meaning(self, kind: str, cell: Any, row: Mapping[str, Any]) -> str | None:
        text, columns = cell_text(cell), self._of_kind.get(kind)
        if columns is None:
            return text
        if text in columns.values:
            return columns.values[text]
        words = self._asked.words.get(kind, ())
        if kind == "category":
            return text if not words or text.lower() in words else None
        if kind in self._kept or text.lower() in self._named:
            return text
        if kind == "rating":
            number = rating(cell)
            return None if number is None else text_of(number)
        if kind == "pair" and text in self._asked_about:
            return None
        return _word(kind, columns.says(cell, row))


def _word(kind: str, meaning: Any) -> str | None:
    """Return the word for an option."""
    if meaning is None or kind == "ranking":
        return None if meaning is None else str(meaning)
    if kind == "yesno":
        return ("yes", "no")[meaning]
    if kind == "pair":
        return "tie" if meaning == TIE else PLACES[meaning]
    return chr(ord("A") + meaning)
