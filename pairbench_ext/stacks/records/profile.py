"""Describe a table's columns: the kinds of judgment that their values can be."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from math import atanh, gcd, sqrt
from statistics import correlation
from typing import Any, TypeAlias, TypeVar

from pairbench_ext.stacks.records.cells import (
    WORDS,
    empty,
    last,
    number,
    numbered,
    plain,
    ranked,
    ranking,
    says,
    says_nothing,
    several,
    text_of,
    yes_no,
)
from pairbench_ext.stacks.records.columns import KINDS, Columns

T = TypeVar("T")
TOOL = "(tool)"  # in place of a column: which known tool wrote the row
FILE = "(file)"  # in place of a column: the number of the file
Row: TypeAlias = Mapping[str, Any]
_SCALES = ((0, 1), (1, 3), (1, 4), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100))
_OF_REPLIES = _SCALES[3:]
_TRIED, _LOOKED_AT = 60, 400  # replies that are read, values that are looked at
_GOLDEN = 0.618
_COPY = 0.985
_READ = 0.75  # of the values, for a kind to be possible
_FEW = 5  # values, whose words may differ between copies
_SHOWN = 40  # characters of an example
_PAIRS = 10  # of numbers, by which a correlation is told
_LABELS = 12  # of a category, at most
_NUMBERED = re.compile(r"(.*?)[ _-]?([1-8]|[a-h])")  # names of things


class Column:
    """The values that one column has in some rows of a table.

    Args:
        name: of the column.
        rows: all of them.
    """

    def __init__(self, name: str, rows: Sequence[Row]) -> None:
        self.name, self._rows = name, rows

    @cached_property
    def cells(self) -> list[tuple[Any, Row]]:
        """Return the column's values that are not missing, each with its row."""
        name = self.name
        return [(row[name], row) for row in self._rows if not empty(row.get(name))]

    @cached_property
    def some(self) -> Sequence[tuple[Any, Row]]:
        """Return a sample of the column's values, evenly spread over the rows."""
        return spread(self.cells, _LOOKED_AT)

    @cached_property
    def counts(self) -> Counter[str]:
        """Return how often each value occurs in the column's sample, except missing values."""
        parts = (part for cell, _ in self.some for part in _parts(cell))
        return Counter(text_of(part) for part in parts if not says_nothing(part))

    @cached_property
    def words(self) -> set[str]:
        """Return the distinct values in the column's sample, in lower case."""
        return {plain(text) for text in self.counts}

    @cached_property
    def distinct(self) -> int:
        """Return how many distinct values the column has."""
        return len(self._every)

    @cached_property
    def balanced(self) -> bool:
        """Return whether the column has several distinct values, all of them equally often."""
        return len(self._every) > 1 and len({*self._every.values()}) == 1

    @cached_property
    def _every(self) -> Counter[str]:
        return Counter(text_of(cell) for cell, _ in self.cells)

    @cached_property
    def is_text(self) -> bool:
        """Return whether the column mostly holds long texts."""
        texts = [cell for cell, _ in self.some if isinstance(cell, str)]
        return 2 * len(texts) > len(self.some) and sum(map(len, texts)) > 30 * len(texts)

    @cached_property
    def numbers(self) -> list[float]:
        """Return the values in the column's sample that are numbers."""
        numbers = (number(numbered(cell)[0] or cell) for cell, _ in self.some)
        return [x for x in numbers if x is not None]

    @cached_property
    def running(self) -> bool:
        """Return whether the column's values are whole numbers that rise from row to row."""
        return len(self.numbers) > 5 and all(
            b > a and float(a).is_integer()
            for a, b in zip(self.numbers, self.numbers[1:], strict=False)
        )

    def examples(self, most: int = 3) -> str:
        """Return up to three (or `most`) distinct values of the column, as examples in a text."""
        texts = list(dict.fromkeys(_beginning(text_of(x)) for x, _ in self.some))
        return ", ".join(texts[:most]).replace("\n", " ") + ", ..." * (len(texts) > most)


def _beginning(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}..."


class Sample(dict[str, Column]):
    """The columns of some rows of a table, by name.

    Args:
        rows: each with the number of its file under `FILE`.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        filled: dict[str, None] = {}
        for row in rows:
            for name, cell in row.items():
                if name not in filled and name not in (FILE, TOOL) and not empty(cell):
                    filled[name] = None
        super().__init__({name: Column(name, rows) for name in filled})
        self._kinds: dict[Any, dict[str, float]] = {}
        self._twice: dict[frozenset[str], int] = {}
        options = self._listed(lambda name: WORDS["options"].fullmatch(name))
        self.more_than_two = {"A", "C"} <= self.keys() or bool(options)
        candidates = options or self._listed(lambda name: WORDS["two"].fullmatch(last(name)))
        self.things = _things(list(self)) or candidates

    def _listed(self, named: Callable[[str], Any]) -> list[str]:
        """Return numbered names of the three or more things that a column lists."""
        sizes = {name: len(several(self[name].cells[0][0])) for name in self if named(name)}
        return [f"{n} {i + 1}" for n, size in sizes.items() if size > 2 for i in range(size)]

    def counts_things(self, name: str) -> bool:
        """Return whether a column's values can be the numbers in names like `img1`, `img2`."""
        words = {word.removesuffix(".0") for word in self[name].words}
        return bool(self.things) and words <= {str(n) for n in range(len(self.things) + 1)}

    def kinds(self, name: str, columns: Columns) -> dict[str, float]:
        """Return, for each kind of judgment, the share of a column's values that fit it."""
        if name not in self:
            return {}
        key = (name, columns.kind, columns.two, columns["first_answer"], *columns.values.items())
        if key not in self._kinds:
            self._kinds[key] = self._shares(self[name], columns)
        return self._kinds[key]

    def _shares(self, column: Column, columns: Columns) -> dict[str, float]:
        cells = [(x, row) for x, row in column.some if not says_nothing(x)]
        if cells and ranked_names(cells):
            return {"ranking": 1.0}
        if any(isinstance(x, list) or several(x) for x, _ in cells[:20]):
            return self._of_lists(column.name, cells, columns)
        return {} if not cells or column.is_text else self._of_cells(column, cells, columns)

    def _of_cells(
        self, column: Column, cells: Sequence[tuple[Any, Row]], columns: Columns
    ) -> dict[str, float]:
        """Return kinds of single values."""
        asked = [columns.kind] if columns.kind else [*KINDS]
        shares = {kind: self._share(kind, cells, columns) for kind in asked if kind != "category"}
        if "category" in asked:
            shares["category"] = float(self._is_category(column))
        return {kind: share for kind, share in shares.items() if share >= _READ}

    def _share(self, kind: str, cells: Sequence[tuple[Any, Row]], columns: Columns) -> float:
        """Return the share of cells that a kind of judgment reads."""
        of = replace(columns, kind=kind, labels=())
        return sum(of.says(x, row) is not None for x, row in cells) / len(cells)

    def _of_lists(
        self, name: str, cells: Sequence[tuple[Any, Row]], columns: Columns
    ) -> dict[str, float]:
        """Return kinds of lists: rankings, two numbers, or several answers."""
        if all(ranking(cell) for cell, _ in cells):
            return {"ranking": 1.0}
        lists = [several(cell) or [cell] for cell, _ in cells]
        if "rank" in name.lower() or not all(lists) or all(map(_places, lists)):
            return {}
        parts = [{"part": part} for part in chain.from_iterable(lists)]
        if columns.of_two and {*map(len, lists)} == {2}:
            return {} if None in (number(part["part"]) for part in parts) else {"pair": 1.0}
        return Sample(parts).kinds("part", replace(columns, roles={}))

    @staticmethod
    def _is_category(column: Column) -> bool:
        texts = column.counts
        few = 2 <= len(texts) <= _LABELS and 3 * len(texts) <= max(6, column.counts.total())
        return few and all(
            len(text) <= 30 and text.count(" ") < 3 and number(text) is None for text in texts
        )

    def read(
        self, name: str, kinds: Sequence[str], columns: Columns
    ) -> list[tuple[Columns, float]]:
        """Return ways to read a column of replies, each with the share of replies it can read."""
        cells = self[name].cells
        texts = [text_of(cell) for cell, _ in spread(cells, _TRIED)]
        tried = [columns.kind] if columns.kind else [k for k in kinds if self._may_be(k, columns)]
        found = [_best_scale(texts, replace(columns, kind=kind)) for kind in tried]
        return sorted(found, key=lambda pair: -pair[1])

    def _may_be(self, kind: str, columns: Columns) -> bool:
        """Return whether replies may be of a kind, as far as other columns tell."""
        if kind == "category":
            return bool(columns.labels)
        return not (self.more_than_two if kind == "pair" else kind == "choice" and columns.of_two)

    def agreement(
        self, name: str, reply: str, columns: Columns, *, reverse: bool = False
    ) -> tuple[float, float]:
        """Return how often values agree with replies, if read as positions, and if read as options.

        Args:
            name: of the values.
            reply: the column of replies.
            columns: their kind.
            reverse: whether they were shown in reverse, whatever a column of orders says.
        """
        shown, data = list[bool](), list[bool]()
        for cell, row in spread(self[name].cells, _TRIED):
            words = row.get(reply)
            judge = None if empty(words) else columns.reads(text_of(words))
            value = columns.says(cell, row)
            if judge is not None and value is not None:
                turned = value in (0, 1) and (reverse or columns.reverse(row))
                shown.append(value == judge)
                data.append((1 - value if turned else value) == judge)
        count = max(len(shown), 1)
        return sum(shown) / count, sum(data) / count

    def copies(self, first: str, second: str) -> bool:
        """Return whether two columns' values correspond one to one in nearly all rows."""
        cells = ((row.get(first), row.get(second)) for row in self.rows)
        both = Counter((text_of(a), text_of(b)) for a, b in cells if not (empty(a) or empty(b)))
        enough = _COPY * both.total()
        if both.total() < max(1, 0.5 * len(self[first].cells)):
            return False
        best = [max_by(both, place) for place in (0, 1)]
        few = len(best[0]) > 1 and max(map(len, best)) <= _FEW  # a constant is nobody's copy
        return few and min(sum(counts.values()) for counts in best) >= enough

    def go_together(self, first: str, second: str) -> bool:
        """Return whether the numbers in two columns rise together far more than by chance.

        Yes is above no.
        """
        cells = ((_as_number(row.get(first)), _as_number(row.get(second))) for row in self.rows)
        both = [(a, b) for a, b in cells if a is not None and b is not None]
        if len(both) < _PAIRS or any(len({*numbers}) < 2 for numbers in zip(*both, strict=True)):
            return False
        x, y = zip(*both, strict=True)
        r = min(correlation(x, y), 0.999)
        return r > 0.3 and atanh(r) * sqrt(len(both) - 3) > 4

    def scale(self, names: Sequence[str]) -> tuple[int, int]:
        """Return the ends of the rating scale that these columns' numbers suggest."""
        cells = [cell for name in names for cell, _ in self[name].cells]
        parts = (part for cell in cells for part in several(cell) or [cell])
        numbers = [x for x in map(_rating, parts) if x is not None]
        if not numbers:
            return Columns.scale
        low, high = min(numbers), max(numbers)
        fitting = (scale for scale in _SCALES if scale[0] <= low and high <= scale[1])
        return next(fitting, (min(0, int(low) - 1), int(high) + 1))

    def options(self, names: Sequence[str], columns: Columns) -> int:
        """Return how many options a choice has, from values, replies, and columns A, B, ..."""
        values = [columns.says(x, row) for name in names for x, row in self[name].cells]
        values += [columns.reads(text_of(x)) for n in columns["reply"] for x, _ in self[n].some]
        counts = [
            len(x.replace("=", "")) if isinstance(x, str) else x + 1
            for x in values
            if x is not None
        ]
        lettered = sum(name in "ABCDEFGH" and len(name) == 1 for name in self)
        return max(2, lettered, len(self.things), *counts)

    def twice(self, names: Sequence[str]) -> int:
        """Return how many rows have the same values in the given columns as an earlier row."""
        key = frozenset(names)
        if key not in self._twice:
            different = {tuple(text_of(row.get(name)) for name in key) for row in self.rows}
            self._twice[key] = len(self.rows) - len(different)
        return self._twice[key]


def _as_number(cell: Any) -> float | None:
    """Return a number, or 1 for yes and 0 for no."""
    value = number(cell)
    no = None if value is not None or empty(cell) else yes_no(cell)
    return value if no is None else 1.0 - no


def spread(values: Sequence[T], most: int) -> Sequence[T]:
    """Return at most `most` of the values, evenly spread over all values, in their order.

    Steps of the golden ratio meet each of two orders, or of several judges, as often.

    >>> spread(range(100), 8)
    [0, 15, 26, 41, 52, 63, 78, 89]
    """
    size = len(values)
    if size <= most:
        return values
    stride = next(n for n in range(round(size * _GOLDEN), size + 2) if gcd(n, size) == 1)
    return [values[place] for place in sorted(n * stride % size for n in range(most))]


def _best_scale(texts: Sequence[str], columns: Columns) -> tuple[Columns, float]:
    """Return columns with the scale by which most replies are read, and the share of them."""
    best = columns, 0.0
    for scale in _OF_REPLIES if columns.kind == "rating" else (columns.scale,):
        tried = replace(columns, scale=scale)
        share = sum(tried.reads(text) is not None for text in texts) / len(texts)
        best = (tried, share) if share > best[1] + 0.02 else best
        if best[1] > 0.98:  # no other scale reads more
            break
    return best


def _things(names: Sequence[str]) -> list[str]:
    """Return the columns of three or more things that are numbered: `img1`, `img2`, `img3`."""
    found: dict[str, list[str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name.strip().lower())
        if match and WORDS["thing"].fullmatch(match[1]):
            numbered_alike = found.setdefault(match[1], [])
            if match[2] in (str(len(numbered_alike) + 1), chr(97 + len(numbered_alike))):
                numbered_alike.append(name)
    most = max(found.values(), key=len, default=[])
    return most if 3 <= len(most) <= 8 else []


def ranked_names(found: Sequence[tuple[Any, Row]]) -> tuple[str, ...]:
    """Return the ranked names if every cell ranks the same three to eight names; else no names."""
    cells = [several(x) or x for x, _ in found]
    if not all(isinstance(x, list) or ">" in text_of(x) for x in cells):
        return ()
    sets = {tuple(sorted(chain.from_iterable(ranked(x)))) for x in cells}
    names = sets.pop() if len(sets) == 1 else ()
    words = {name for name in names if len(name) > 1 and number(name) is None}
    return names if 3 <= len(words) == len(names) <= 8 else ()


def _parts(cell: Any) -> Sequence[Any]:
    """Return the parts of a list, or else a cell alone."""
    listed = isinstance(cell, list) or (isinstance(cell, str) and cell[:1] == "[")
    return (several(cell) if listed else []) or [cell]


_rating = partial(says, "rating")


def max_by(both: Counter[tuple[str, str]], place: int) -> dict[str, int]:
    """Return how often each value of one column occurs with its most frequent partner value."""
    best: dict[str, int] = {}
    for pair, count in both.items():
        best[pair[place]] = max(best.get(pair[place], 0), count)
    return best


def _places(parts: Sequence[Any]) -> bool:
    """Whether a list holds each of the numbers from 1, or from 0, once: three of them or more."""
    numbers = [number(part) for part in parts]
    ordered = sorted(value for value in numbers if value is not None)
    counted = [[*range(start, start + len(parts))] for start in (0, 1)]
    return len(ordered) == len(parts) > 2 and ordered in counted


def words_of(names: Sequence[str], sample: Sample) -> set[str]:
    """Return the distinct sampled values of the given columns, in lower case."""
    return {word for name in names for word in sample[name].words}
