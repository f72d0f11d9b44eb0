"""Which column is what: what is known of a file's columns, and tests on the values of some rows.

A role is what a column is to a judgment. `item`: what is judged. `reply`: what the judge wrote.
`verdict`: what whoever recorded it read there, by the place that was shown; `winner` by the order
of the data; `scores` of the two, the higher one winning. `people`: what people said, a column for
each rater. `judge`, `order`, `repeat`, `first` and `second` (the two systems), `first_answer` and
`second_answer`, `system` (the one), `aspect`, `source` (part of the data), `cluster`, `image`,
`prompt`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from pairbench_ext.core.contents import digest, short
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.records import RecordError, from_mapping
from pairbench_ext.replies import parse
from pairbench_ext.stacks.records.cells import (
    NAMES,
    READINGS,
    TABLE,
    WORDS,
    empty,
    last,
    number,
    plain,
    ranking,
    read_toml,
    several,
    text_of,
)

ROLES = {*NAMES, "winner", "scores", "first", "second", "first_answer", "second_answer", "cluster"}
_LONGEST = 80  # characters of an item's name
_END = re.compile(r"[_-][^_-]+$")  # of a name: `_1`, `_2`
#: By the kind of judgment: in words, the grammar of its replies, its options, and from its value to
#: a cell's.
KINDS: Mapping[str, tuple[str, str, Callable[[Columns], dict[str, Any]], Callable[[Any], Any]]] = {
    "pair": ("verdict", "labels", lambda _: {"labels": "ABC", "ties": True}, lambda x: x - 1),
    "rating": ("rating", "rating", lambda c: {"scale": c.scale}, float),
    "yesno": ("answer, yes or no", "yesno", lambda _: {}, lambda x: 1 - x),
    "choice": ("choice", "letter", lambda c: {"options": max(c.options, 5)}, lambda x: ord(x) - 65),
    "ranking": ("ranking", "ranking", lambda c: {"labels": "ABCDEFGH"[: max(c.options, 3)]}, str),
}


class QuestionError(RecordError):
    """Two readings fit; the message asks for the one that is meant, and says how to answer."""


@dataclass(frozen=True)
class Columns:
    """Which columns have which roles.

    Attributes:
        kind: of the judgments, a key of `KINDS`.
        roles: the columns of each role.
        values: what values mean that are not clear by themselves: first, second, tie; yes, no.
        scale: of ratings.
        options: how many there are, of choices and rankings.
        suffix: whether the end of an item's name (`_1`, `_2`) is not part of it.
        files: the end of the files' paths, such as `{judge}/{source}.jsonl`: so named columns.
        benchmark: whose samples are made; by default those of recorded judgments of the kind.
        task: of the samples; names in braces are columns.

    Raises:
        RecordError: if there is no such kind.
    """

    kind: str = ""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[int, int] = (1, 10)
    options: int = 2
    suffix: bool = False
    files: str = ""
    benchmark: str = ""
    task: str = "judgments"

    def __post_init__(self) -> None:
        if self.kind and self.kind not in KINDS:
            raise RecordError(f"kind {self.kind!r}: write one of {', '.join(KINDS)}")

    def __getitem__(self, role: str) -> tuple[str, ...]:
        return self.roles.get(role, ())

    def with_roles(self, **roles: Sequence[str]) -> Columns:
        """The same with other columns of some roles."""
        return replace(self, roles={**self.roles, **{n: tuple(own) for n, own in roles.items()}})

    @property
    def said(self) -> tuple[str, ...]:
        """The columns of what the judge said, as values."""
        return self["verdict"] or self["winner"] or self["scores"]

    @cached_property
    def two(self) -> tuple[str, ...]:
        """The columns of the two systems, or what is there of them."""
        return *self["first"], *self["second"]

    @property
    def of_two(self) -> bool:
        """Whether two things are named, or scored."""
        return bool(self["first"] or self["first_answer"] or self["scores"])

    def item(self, row: Mapping[str, Any]) -> str:
        """The name of a row's item; empty where a part of it is missing."""
        names = self["item"]
        parts = [text_of(row[name]) for name in names if not empty(row.get(name))]
        if not parts or len(parts) < len(names):
            return ""
        if self.suffix:
            parts[0] = _END.sub("", parts[0])
        if self.two and {*self.two} <= {*names}:  # the same two in another order: the same item
            both = sorted(text_of(row[name]) for name in self.two)
            parts = [both.pop(0) if n in self.two else x for n, x in zip(names, parts, strict=True)]
        name = "/".join(parts)
        return (
            name
            if len(name) <= _LONGEST
            else f"{name[:_LONGEST]}... {short(digest([name.encode()]))}"
        )

    def reverse(self, row: Mapping[str, Any]) -> bool:
        """Whether the two were shown in reverse, as a column of orders says."""
        return any(WORDS["reversed"].fullmatch(plain(row.get(name))) for name in self["order"])

    def says(self, cell: Any, row: Mapping[str, Any]) -> Any:
        """What a value says; None if that is nothing. A system's name is its place."""
        named = [row.get(name) for name in self.two]
        meant = self.values.get(text_of(cell).strip(), cell)
        if self.kind == "pair" and isinstance(meant, str) and meant in named and len(named) == 2:
            return named.index(meant)
        return READINGS[self.kind](meant)

    def reads(self, reply: str) -> Any:
        """What a judge's words say; None if that is nothing."""
        _, grammar, options, cell = KINDS[self.kind]
        value = parse(grammar, reply, None, options(self)).value
        return None if value is None else cell(value)


def columns_of(words: Sequence[str], values: str = "") -> Columns:
    """What `--columns` and `--values` say.

    Args:
        words: `role=column,role=column+column`, settings such as `kind=pair`, or TOML files.
        values: `0=first,1=second`.

    Raises:
        RecordError: if a word is none of these, or a file is none of columns.
    """
    columns = Columns()
    for word in words:
        if word.endswith(".toml"):
            columns = load(Path(word))
            continue
        for part in word.split(","):
            role, sign, names = part.partition("=")
            scale = re.fullmatch(r"(-?\d+)-(\d+)", names)
            if role == "scale" and scale:
                columns = replace(columns, scale=(int(scale[1]), int(scale[2])))
            elif role in ("kind", "files", "benchmark", "task"):
                columns = replace(columns, **{role: names})  # type: ignore[arg-type]
            elif sign and (role in ROLES or columns.benchmark):
                named = tuple(name for name in names.split("+") if name)
                columns = columns.with_roles(**{role: named})
            else:
                known = ", ".join(("kind", "files", "scale", *sorted(ROLES)))
                raise RecordError(f"--columns {part}: write ROLE=COLUMN, the role one of {known}")
    unclear = [part for part in values.split(",") if values and "=" not in part]
    if unclear:
        raise RecordError(f"--values {unclear[0]}: write VALUE=MEANING, such as 0=first,1=second")
    meant = dict(part.rsplit("=", 1) for part in values.split(",") if part)
    return replace(columns, values={**columns.values, **meant})


def load(file: Path) -> Columns:
    """The columns of a TOML file.

    Raises:
        RecordError: naming what is wrong in it.
    """
    try:
        content = read_toml(file)
    except (OSError, ValueError) as error:
        raise RecordError(f"{file}: cannot be read as TOML: {error}") from error
    return _of_table(content, str(file))


def _of_table(content: dict[str, Any], where: str) -> Columns:
    named = content.pop("columns", {}).items()
    roles = {role: [names] if isinstance(names, str) else names for role, names in named}
    return from_mapping(Columns, {**content, "roles": roles}, where, strict=True)


#: Of other harnesses' files: the columns by which they are known, and what is known of them.
HARNESSES: Mapping[str, tuple[set[str], Columns]] = {
    title: ({*table.pop("marks")}, _of_table(table, title))
    for title, table in TABLE["harness"].items()
}


def save(columns: Columns, file: Path) -> None:
    """Write columns as a TOML file, which `load` reads."""
    settings = {each.name: getattr(columns, each.name) for each in fields(Columns)}
    tables = {"columns": settings.pop("roles"), "values": settings.pop("values")}
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value]
    for title, table in tables.items():
        entries = (f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())
        lines += ["", f"[{title}]", *entries]
    write_atomically(file, "\n".join([*lines, ""]))


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
