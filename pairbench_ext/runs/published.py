"""Published tables of a benchmark's results, with each number as it was printed.

A file is CSV with a column `model` and, where there are any, `table`, `page`, `setting`, `part` and
`note`. It has one column for each number, or the columns `number` and `value`. A value is written
as it is printed, digit for digit, so that its rounding is known; empty and `-` are no value.

Papers and checkpoints spell names of models in many ways; `models.json` has the other names and the
checkpoints of each model.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

_KEYS = ("table", "page", "model", "setting", "part", "note")
# What names of checkpoints have after the name that papers print.
_SUFFIX = re.compile(r"(instruct|chat|hf|ov|vision|preview|latest|\d{4,8}|v\d)*")
_PARENTHESES = re.compile(r"\(.*\)")


class PrintedCell(NamedTuple):
    """One number that a paper prints.

    Attributes:
        table: in which table, as it is called where it is printed; or the name of a file.
        page: on which page, where that is known.
        model: whose.
        setting: how it was asked, where the table tells several apart.
        part: of what, where the table tells several apart.
        number: its name, that of the benchmark's number where there is one.
        value: as printed.
        note: what is known of it.
    """

    table: str
    page: str
    model: str
    setting: str
    part: str
    number: str
    value: str
    note: str = ""

    @property
    def middle(self) -> float:
        """Return the printed value; percentages are divided by 100."""
        return float(sum(self.ends) / 2)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest value that round to the printed number.

        >>> PrintedCell("", "", "m", "", "", "accuracy", "52.4").ends
        (Fraction(1047, 20), Fraction(1049, 20))
        """
        digits = self.value.rstrip("%")
        scale = 100 if self.value.endswith("%") else 1
        half = Fraction(1, 2 * 10 ** len(digits.partition(".")[2]))
        return (Fraction(digits) - half) / scale, (Fraction(digits) + half) / scale


class Place(NamedTuple):
    """The rows of a published table among which a task's runs are ranked.

    Attributes:
        task: the task or group of ours that asks as the table's models were asked.
        numbers: of the table, and what the task calls them where that is another name.
        setting, part: of the table's rows.
        options: of `pairbench score`, as its numbers were counted; by default as they are here.
        authors: the task or group that asks the same as the authors' public code does.
    """

    task: str
    numbers: Mapping[str, str]
    setting: str = ""
    part: str = ""
    options: Mapping[str, Any] = MappingProxyType({})
    authors: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return the tasks and groups to which the rows of the published table belong."""
        return (self.task, self.authors) if self.authors else (self.task,)


class Table(NamedTuple):
    """A table of numbers that a paper prints.

    Attributes:
        name: as it is called: `Table 2`.
        file: its cells, in the benchmark's folder.
        about: its contents, in a few words.
        page: where it is printed, if known.
        places: which of its numbers runs of our tasks are placed among.
        decoding: how replies were generated, as the publication says.
    """

    name: str
    file: str
    about: str
    page: str = ""
    places: tuple[Place, ...] = ()
    decoding: str = ""


@dataclass(frozen=True)
class Published:
    """All published tables of a benchmark.

    Attributes:
        folder: where the files of the tables are.
        tables: the tables.
        counts: how many items a share is of, by the name of the number.
        rule: by which the publication's replies were read; None if that is not known.
        not_models: rows that are no models: people, guesses, means.
        source: what has published them, if not the paper.
        titles: of numbers, as they are printed, where that is not a number's own title.
    """

    folder: Path
    tables: tuple[Table, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    rule: str | None = None
    not_models: frozenset[str] = frozenset()
    source: str = "the paper"
    titles: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def cells(self) -> tuple[PrintedCell, ...]:
        """Return the printed numbers of all tables."""
        return tuple(
            cell
            for table in self.tables
            for cell in read_cells(self.folder / table.file, table=table.name, page=table.page)
            if cell.table == table.name  # a file may hold several tables
        )

    def at(self, table: Table, place: Place) -> list[PrintedCell]:
        """Return the paper's values in those rows of its table with which runs are ranked."""
        rows = (table.name, place.setting, place.part)
        return [cell for cell in self.cells if (cell.table, cell.setting, cell.part) == rows]


def read_cells(path: Path, *, table: str = "", page: str = "") -> list[PrintedCell]:
    """Return the printed numbers in a file, in the order of the file.

    Args:
        path: CSV, in the form that the module's text describes.
        table: the name of the table, where the file does not have it; the file's by default.
        page: likewise.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = []
    for row in rows:
        keys = {"table": table or path.name, "page": page}
        keys |= {key: row[key] for key in _KEYS if row.get(key)}
        same = {key: keys.get(key, "") for key in _KEYS}
        cells += [PrintedCell(number=name, value=value, **same) for name, value in _numbers(row)]
    return cells


def _numbers(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    pairs = [(row["number"], row["value"])] if "number" in row else row.items()
    for name, value in pairs:
        if name not in _KEYS and value not in ("", "-"):
            yield name, value


def same_model(folder: str, models: Sequence[str]) -> str | None:
    """Return the published model that a run's folder is named after; None if there is none.

    A name is looked up in the table of models; one that is not in it may be a printed one and the
    end of a checkpoint's name.

    >>> same_model("OpenGVLab__InternVL2-8B", ["InternVL2", "Qwen2-VL-7B"])
    'InternVL2'
    """
    name = folder.rpartition("__")[2]
    names = _by_letters()
    mine = names.get(letters(name))
    for model in models:
        if mine is not None and names.get(letters(model)) == mine:
            return model
    longest_first = sorted(models, key=len, reverse=True)
    return next((model for model in longest_first if continues(name, model)), None)


@cache
def _by_letters() -> Mapping[str, str]:
    """The models of the table by all of their names, checkpoints with and without their owner."""
    table = json.loads(files("pairbench_ext.runs").joinpath("models.json").read_text("utf-8"))
    names: dict[str, str] = {}
    for model, others in table.items():
        for name in (model, *others, *(name.rpartition("/")[2] for name in others)):
            names.setdefault(letters(name), model)
    return names


def letters(name: str) -> str:
    """Return a model's name in lower case, without spaces and without punctuation except dots.

    >>> letters("Qwen2.5-VL 7B"), letters("InternVL2_5-8B")
    ('qwen2.5vl7b', 'internvl2.58b')
    """
    return re.sub(r"[^a-z0-9.]", "", re.sub(r"(?<=\d)_(?=\d)", ".", name.lower()))


def continues(checkpoint: str, printed: str) -> bool:
    """Return whether a checkpoint's name is a published model name, perhaps with a common suffix.

    >>> continues("gpt-4o-2024-11-20", "GPT-4o (Dec 2024)"), continues("Qwen2-VL-7B", "Qwen2-VL")
    (True, False)
    """
    named, start = letters(checkpoint), letters(_PARENTHESES.sub("", printed))
    return bool(start) and named.startswith(start) and bool(_SUFFIX.fullmatch(named[len(start) :]))


def family(model: str) -> str:
    """Return the family that a model's name begins with.

    >>> family("Qwen2-VL-7B"), family("GPT-4o"), family("OpenGVLab/InternVL2-8B")
    ('qwen', 'gpt', 'internvl')
    """
    name = model.rpartition("/")[2].lower()
    start = re.search(r"[a-z]+", name)
    return start.group() if start else name
