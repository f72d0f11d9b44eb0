"""The result of a command (a finding): sentences, tables of numbers, and problems found.

`runs` makes findings; the terminal, JSON, a notebook, a figure and the report show them. An object
holds numbers; text is made at the last moment, by the modules beside this one.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib import import_module
from typing import Any, Literal, TypeAlias

from pairbench_ext.core.texts import counted, decimal, plural

SCHEMA = "pairbench/finding/1"
Unit: TypeAlias = Literal[
    "share", "percent", "number", "count", "points", "difference", "p", "text"
]
Interval95: TypeAlias = tuple[float, float]
_NARROWEST = 30  # columns of a terminal
SCREEN = 50  # lines of a first look


@dataclass(frozen=True)
class Measure:
    """A column of a table: what its values mean and how they are printed.

    Attributes:
        name: in code and JSON.
        title: above the column.
        explain: one sentence for a reader who does not know the number.
        unit: "share" (0 to 1, printed in percent), "number", "count", "points" (a difference of
            shares, printed in percentage points), "difference", "p" (a p-value), "text",
            "percent" (0 to 1, printed in percent without a sign, as papers do).
        better: "higher", "lower", or None if neither is.
        scale: the lowest and the highest value that there can be; None if there is no such.
        reference: a value to compare with, such as chance; None without one.
        reference_says: what that value is: "chance", "no bias".
        digits: after the point, of a number; of "points", two fewer.
        main: whether rows are ranked by it.
    """

    name: str
    title: str
    explain: str = ""
    unit: Unit = "number"
    better: str | None = None
    scale: tuple[float, float] | None = None
    reference: float | None = None
    reference_says: str = ""
    digits: int = 2
    main: bool = False

    @property
    def head(self) -> str:
        """Return the title, followed by "(%)" if the values are percentages."""
        return f"{self.title} (%)" if self.unit == "percent" else self.title

    def spell(self, value: float | str | None) -> str:
        """Return a value as text; "-" if it is undefined.

        >>> Measure("a", "A", unit="share").spell(0.515), Measure("k", "K").spell(0.5)
        ('52%', '0.50')
        >>> Measure("p", "P", unit="p").spell(0.0001), Measure("n", "N", unit="count").spell(1200)
        ('< 0.001', '1,200')
        """
        if value is None or isinstance(value, str):
            return value or "-"
        return "-" if math.isnan(value) else _SPELLINGS.get(self.unit, decimal)(value, self.digits)

    def spell_interval(self, ends: Interval95) -> str:
        """Return a confidence interval as text, such as "40-64%".

        >>> Measure("a", "A", unit="share").spell_interval((0.4, 0.64))
        '40-64%'
        >>> Measure("k", "K").spell_interval((-0.25, 0.5))
        '-0.25 to 0.50'
        """
        low, high = map(self.spell, ends)
        if min(ends) < 0 or self.unit in ("points", "difference"):
            return f"{low.removesuffix(' points')} to {high}"
        return f"{low.removesuffix('%')}-{high}"

    def sentence(self, value: Quantity) -> str:
        """Return a sentence: value, confidence interval, reference value, number of items."""
        if value.value is None:
            return value.why or f"{self.title}: not measured."
        text = f"{self.title}: {self.spell(value.value)}"
        more = [f"95% CI {self.spell_interval(value.ci95)}"] if value.ci95 else []
        if self.reference is not None and self.reference_says:
            more.append(f"{self.reference_says}: {self.spell(self.reference)}")
        text += f" ({'; '.join(more)})." if more else "."
        return text + (f" Measured on {counted(value.n, value.counted)}." if value.n else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the column's description as a dictionary for JSON."""
        return {name: value for name, value in vars(self).items() if name != "digits"}


_SPELLINGS: dict[str, Callable[[float, int], str]] = {
    "share": lambda value, _: f"{decimal(100 * value, 0)}%",
    "percent": lambda value, digits: decimal(100 * value, digits),
    "points": lambda value, digits: f"{decimal(100 * value, max(0, digits - 2), '+')} points",
    "difference": lambda value, digits: decimal(value, digits, "+"),
    "count": lambda value, _: f"{round(value):,}",
    "p": lambda value, _: "< 0.001" if value < 0.001 else decimal(value, 3),
}


@dataclass(frozen=True)
class Quantity:
    """The value in a table cell, with its interval and the number of items it is computed from.

    Attributes:
        value: the number, or a text; None where it is undefined or not measured.
        ci95: the ends of its 95% interval; None without one.
        n: how many it rests on; 0 where that is not known.
        counted: what these are, in the singular: "item", "reply".
        why: why there is no value.
        problem: the name of the problem that it shows; empty without one.
        items_needed: how many more items would tell, where there is not enough data.
        best: whether it is significantly ahead of every other judge's.
    """

    value: float | str | None = None
    ci95: Interval95 | None = None
    n: int = 0
    counted: str = "item"
    why: str = ""
    problem: str = ""
    items_needed: int | None = None
    best: bool = False

    def __post_init__(self) -> None:
        """Store every undefined value as None, also if it was given as NaN."""
        if isinstance(self.value, float) and math.isnan(self.value):
            object.__setattr__(self, "value", None)
        if self.ci95 is not None:
            low, high = map(float, self.ci95)
            defined = self.value is not None and not math.isnan(low + high)
            object.__setattr__(self, "ci95", (low, high) if defined else None)

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as a dictionary for JSON."""
        fields: dict[str, Any] = {"value": self.value}
        if self.ci95:
            fields["ci95"] = self.ci95
        if self.n:
            fields |= {"n": self.n, "counted": plural(self.counted, 2)}
        more = {"why": self.why, "problem": self.problem, "best": self.best}
        fields |= {name: value for name, value in more.items() if value}
        return fields if self.items_needed is None else fields | {"items_needed": self.items_needed}


UNKNOWN = Quantity()


@dataclass(frozen=True)
class Problem:
    """A problem of a judge that the data show, such as position bias.

    Attributes:
        name: in code: "first_position".
        measure: the name of the column that shows it.
        title: in words: "Position bias".
        evidence: a sentence with the numbers.
        todo: what to do about it, in a sentence.
    """

    name: str
    measure: str
    title: str
    evidence: str
    todo: str = ""

    def __str__(self) -> str:
        """Return the problem as a paragraph of text."""
        return " ".join(filter(None, (f"{self.title}.", self.evidence, self.todo)))


@dataclass(frozen=True)
class FindingRow:
    """A row of a table in a finding, such as the row of one judge.

    Attributes:
        keys: what it is of: a judge, a task, two judges; as many as the table has keys.
        cells: its numbers, by the names of the columns.
        rank: the first and the last rank that the data leave open; None where it is not ranked.
        best: "best" if it is better than all others, "tied" if it may be; else empty.
        problems: that the data show.
        note: why it stands below the ranked rows, and what to run; empty for the others.
    """

    keys: tuple[str, ...]
    cells: Mapping[str, Quantity]
    rank: tuple[int, int] | None = None
    best: Literal["", "best", "tied"] = ""
    problems: tuple[Problem, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """Return the row's name: its keys, such as judge and task, joined by commas."""
        return ", ".join(self.keys)

    def spell_rank(self) -> str:
        """Return the range of ranks that the data cannot rule out, as text such as "1-3".

        >>> FindingRow(("a",), {}, (1, 3)).spell_rank(), FindingRow(("a",), {}, (2, 2)).spell_rank()
        ('1-3', '2')
        """
        if self.rank is None:
            return "-"
        first, last = self.rank
        return str(first) if first == last else f"{first}-{last}"


@dataclass(frozen=True)
class FindingTable:
    """A table in a finding: its columns, its rows, and the sentences above and below it.

    Attributes:
        name: in code and JSON.
        title: above it.
        keys: titles of the columns that say what a row is of: "Judge".
        columns: its measures, in order.
        rows: in order.
        asked: of which tasks and how many items it is.
        says: sentences above it.
        notes: lines below it.
        detail: whether a first look can do without it: the terminal leaves it out, the page
            folds it.
        tasks: whose samples it is of.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    columns: tuple[Measure, ...]
    rows: tuple[FindingRow, ...]
    asked: str = ""
    says: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    detail: bool = False
    tasks: tuple[str, ...] = ()

    @property
    def main(self) -> Measure | None:
        """Return the column by which the rows are ranked; None if the rows are not ranked."""
        return next((column for column in self.columns if column.main), None)

    @property
    def ranked(self) -> bool:
        """Return whether the rows are ranked, that is, whether any row has a rank."""
        return any(row.rank for row in self.rows)

    @property
    def empty(self) -> bool:
        """Return whether the table has nothing to show: no sentence above it and no value."""
        return not self.says and not (self.rows and self.used().columns)

    def used(self) -> FindingTable:
        """Return a copy without the columns that are empty in all rows."""
        kept = [
            c for c in self.columns if any(self.cell(r, c).value is not None for r in self.rows)
        ]
        return replace(self, columns=tuple(kept))

    def cell(self, row: FindingRow, column: Measure) -> Quantity:
        """Return the cell that stands in this row and this column."""
        return row.cells.get(column.name, UNKNOWN)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dictionary without nested values, for a data frame."""
        for row in self.rows:
            record: dict[str, Any] = {"table": self.name}
            record |= {slug(title): key for title, key in zip(self.keys, row.keys, strict=True)}
            if self.ranked:
                first, last = row.rank or (None, None)
                record |= {"rank_first": first, "rank_last": last}
            for column in self.columns:
                cell = self.cell(row, column)
                record[column.name] = cell.value
                if any(self.cell(other, column).ci95 for other in self.rows):
                    low, high = cell.ci95 or (None, None)
                    record |= {f"{column.name}_low": low, f"{column.name}_high": high}
            if any(other.problems for other in self.rows):
                record["problems"] = ", ".join(problem.name for problem in row.problems)
            yield record

    def to_dict(self) -> dict[str, Any]:
        """Return the table as a dictionary for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "asked": self.asked,
            "says": self.says,
            "keys": list(map(slug, self.keys)),
            "columns": self.columns,
            "rows": list(map(self._row, self.rows)),
            "notes": self.notes,
            "tasks": self.tasks,
        }

    def _row(self, row: FindingRow) -> dict[str, Any]:
        fields: dict[str, Any] = {slug(t): key for t, key in zip(self.keys, row.keys, strict=True)}
        if row.rank:
            fields |= {"rank": row.rank, "best": row.best}
        fields |= {"cells": row.cells, "problems": row.problems}
        return fields | ({"note": row.note} if row.note else {})


def plain_table(
    name: str,
    title: str,
    keys: tuple[str, ...],
    columns: tuple[Measure, ...],
    rows: Iterable[Sequence[Any]],
    notes: tuple[str, ...] = (),
    asked: str = "",
) -> FindingTable:
    """Return a table of the given values, in which rows have no rank and show no problem.

    Args:
        name: in code and JSON.
        title: above it.
        keys: titles of the columns that say what a row is of.
        columns: its measures.
        rows: of each, its keys, then a value or a `Quantity` of each column.
        notes: lines below it.
        asked: of which tasks and how many items it is.
    """
    finding_rows = []
    for row in rows:
        values = zip(columns, row[len(keys) :], strict=True)
        cells = {c.name: x if isinstance(x, Quantity) else Quantity(x) for c, x in values}
        finding_rows.append(FindingRow(tuple(row[: len(keys)]), cells))
    return FindingTable(name, title, keys, columns, tuple(finding_rows), asked, notes=notes)


def slug(title: str) -> str:
    """Return a title turned into a name that code can use, such as "read_as" for "Read as".

    >>> slug("Task and part")
    'task_and_part'
    """
    return title.lower().replace(" ", "_")


@dataclass(frozen=True)
class Source:
    """A file of samples that a finding was computed from.

    Attributes:
        judge, task: whose samples it holds, of which task.
        file: its path.
        samples: how many it holds.
        complete: whether it holds the whole task; None where that is not known.
    """

    judge: str
    task: str
    file: str
    samples: int
    complete: bool | None = None


@dataclass(frozen=True, repr=False)
class Finding:
    """A result that can be printed, shown in a notebook, or turned into JSON or a data frame.

    Attributes:
        kind: "compare", "card", "score", ...: the command, or function, that found it.
        says: the answer, in sentences.
        tables: the numbers.
        sources: the files that it rests on.
        notes: lines below all tables: what was left out, how it was tested.
        details: further notes, which a first look can do without.
        confidence: of all intervals.
        fields: further values for JSON, by names of their own.
    """

    kind: str
    says: tuple[str, ...] = ()
    tables: tuple[FindingTable, ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    confidence: float = 0.95
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return True, except for a gate that did not pass, so that tests can `assert` it."""
        return self.kind != "gate" or self.fields.get("verdict") == "passed"

    def table(self, name: str) -> FindingTable:
        """Return the table with this name.

        Raises:
            KeyError: if there is none; it names those that there are.
        """
        for table in self.tables:
            if table.name == name:
                return table
        names = ", ".join(table.name for table in self.tables) or "none"
        raise KeyError(f"no table {name!r}; the tables are: {names}")

    def to_text(
        self, width: int = 80, *, everything: bool = False, lines: int | None = None
    ) -> str:
        """Return the finding as plain text that fits the width of a terminal.

        Args:
            width: in characters; no line is longer.
            everything: show every column, judge and table, however long that is.
            lines: how many there is room for: with more, the problems of fewer judges are told.
        """
        width = max(_NARROWEST, width)
        return str(_module("text").render(self, width, everything=everything, most_lines=lines))

    def to_markdown(self) -> str:
        """Return the finding as Markdown, for example for a comment on a pull request."""
        return str(_module("markdown").render(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as a dictionary for JSON; `finding.schema.json` describes it."""
        common = {
            "schema": SCHEMA,
            "kind": self.kind,
            "version": import_module("pairbench_ext").__version__,
            "confidence": self.confidence,
            "says": self.says,
            "tables": self.tables,
            "sources": self.sources,
            "notes": [*self.notes, *self.details],
        }
        further = {name: value for name, value in self.fields.items() if name not in common}
        fields: dict[str, Any] = as_json({**common, **further})
        return fields

    def to_frame(self, table: str | None = None) -> Any:
        """Return one or all tables as a data frame of pandas, or of polars if pandas is missing.

        Args:
            table: its name; None for all, below each other, but those of detail.

        Raises:
            MissingPackageError: if neither pandas nor polars is installed.
            KeyError: if there is no such table.
        """
        return _module("frame").frame(self, table)

    def plot(self) -> Any:
        """Return a Matplotlib figure: the main metric of each row with its interval.

        Raises:
            MissingPackageError: if Matplotlib is not installed.
            ValueError: if there is nothing to draw.
        """
        return _module("frame").plot(self)

    def __str__(self) -> str:
        """Return the finding as text that is as wide as the terminal."""
        return self.to_text(shutil.get_terminal_size((80, 24)).columns, lines=SCREEN)

    def __repr__(self) -> str:
        """Return the finding as text."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return str(_module("html").render(self))


def _module(name: str) -> Any:
    """Return a module that shows findings; it imports this one."""
    return import_module(f"pairbench_ext.core.findings_{name}")


def as_json(value: Any) -> Any:
    """Return a value, with all that is nested in it, in a form that JSON can hold.

    NaN becomes null, and an interval its two ends.

    >>> as_json({"a": [0.5, float("nan")], 1: "text"})
    {'a': [0.5, None], '1': 'text'}
    """
    if getattr(value, "_fields", ()) == ("low", "high"):
        return list(map(as_json, value))
    for name in ("to_dict", "_asdict"):
        if hasattr(value, name):
            return as_json(getattr(value, name)())
    if is_dataclass(value):
        return as_json({part.name: getattr(value, part.name) for part in fields(value)})
    if hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
