"""Published tables of a benchmark, as its folder declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pairbench_ext.runs.published.cells import Cell, CellKey, read_cells
from pairbench_ext.runs.published.orders import Ordered
from pairbench_ext.runs.published.relations import Finding, Relation, check_all
from pairbench_ext.runs.published.shares import MoreThanAll

_RANK = "_rank"


class Place(NamedTuple):
    """Where a run of a task stands among a table's rows.

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
        """The tasks and groups that ask so."""
        return (self.task, self.authors) if self.authors else (self.task,)


class Table(NamedTuple):
    """A published table.

    Attributes:
        name: as it is called: `Table 2`.
        file: its cells, in the benchmark's folder.
        about: what it has, in a few words.
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


class Cells:
    """Printed numbers by what they are of."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.all = tuple(cells)
        self._by_key: dict[CellKey, list[Cell]] = {}
        for cell in self.all:
            if cell.value:
                self._by_key.setdefault(cell.key, []).append(cell)

    def __iter__(self) -> Iterator[Cell]:
        return (cell for own in self._by_key.values() for cell in own)

    def rows(self) -> dict[tuple[str, str, str, str], dict[str, Cell]]:
        """The numbers of each table's rows: (table, model, setting, part) to cells by name."""
        found: dict[tuple[str, str, str, str], dict[str, Cell]] = {}
        for cell in self:
            key = (cell.table, cell.model, cell.setting, cell.part)
            found.setdefault(key, {})[cell.number] = cell
        return found

    def find(
        self, model: str, number: str, *, setting: str = "", part: str = "", table: str = ""
    ) -> Cell | None:
        """The first cell of what is named; None if nothing is printed of it."""
        own = self._by_key.get((model, setting, part, number), [])
        return next((cell for cell in own if table in ("", cell.table)), None)

    def twice(self) -> Iterator[tuple[Cell, Cell]]:
        """Numbers that are printed again: the first time, and each later one."""
        for own in self._by_key.values():
            yield from ((own[0], again) for again in own[1:])


@dataclass(frozen=True)
class Published:
    """What was published of a benchmark.

    Attributes:
        source: the paper, or repository.
        folder: where the files of the tables are.
        tables: the tables.
        relations: what printed numbers say of each other, from all that are there: those of the
            tables, or of a table that is audited.
        counts: how many items a share is of, by the name of the number.
        names: other names of numbers, as columns of tables have them.
        percent: further numbers that others print in per cent.
        undecided: which share of the items may plausibly be undecided and leave denominators.
        rule: by which the publication's replies were read; None if that is not known.
        not_models: rows that are no models: people, guesses, means.
        served: what it says of how open models were run; empty if it says nothing.
        backend: the model of the harness that runs them so, where it says.
    """

    source: str
    folder: Path
    tables: tuple[Table, ...]
    relations: Callable[[Cells, float], Iterable[Relation]] = lambda _, __: ()
    counts: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    percent: frozenset[str] = frozenset()
    undecided: float = 0.0
    rule: str | None = None
    not_models: frozenset[str] = frozenset()
    served: str = ""
    backend: str = ""

    @cached_property
    def cells(self) -> Cells:
        """All that its tables print.

        Raises:
            RecordError: if a file cannot be read.
        """
        return Cells(
            cell
            for table in self.tables
            for cell in read_cells(self.folder / table.file, table=table.name, page=table.page)
            if cell.table == table.name  # a file may hold several tables
        )

    def user_cells(self, path: Path) -> Cells:
        """The printed numbers of somebody's table of this benchmark.

        Shares may be printed in per cent, with or without `%`, or as fractions of 1: if any is
        above 1, all are taken for per cent.

        Raises:
            RecordError: naming what cannot be read.
        """
        cells = read_cells(path, names=self.names)
        shares = [cell for cell in cells if cell.number in self.shares and cell.value]
        if any(not cell.value.endswith("%") and cell.range.low > 1 for cell in shares):
            cells = read_cells(path, names=self.names, percent=self.shares)
        return Cells(cells)

    @cached_property
    def shares(self) -> frozenset[str]:
        """The numbers that are shares."""
        printed = {cell.number for cell in self.cells if cell.value.endswith("%")}
        return frozenset(printed | set(self.counts) | self.percent)

    def findings(
        self, cells: Cells | None = None, undecided: float | None = None
    ) -> tuple[int, list[Finding]]:
        """How many relations printed numbers have, and what contradicts them.

        Args:
            cells: those of its own tables by default.
            undecided: which share of the items may be undecided; by default as it says.
        """
        share = self.undecided if undecided is None else undecided
        checked = self.cells if cells is None else cells
        relations = (*self.relations(checked, share), *ranks(checked))
        too_large = [MoreThanAll(cell) for cell in checked if cell.number in self.shares]
        return len(relations), check_all((*too_large, *relations))


def ranks(cells: Cells) -> Iterator[Relation]:
    """The relation of each column `<number>_rank` to the column `<number>` of its table."""
    columns: dict[tuple[str, str], list[tuple[Cell, Cell]]] = {}
    for (table, *_), row in cells.rows().items():
        for name, rank in row.items():
            number = name.removesuffix(_RANK)
            if number != name and number in row:
                columns.setdefault((table, number), []).append((row[number], rank))
    for pairs in columns.values():
        values, own = zip(*pairs, strict=True)
        yield Ordered(values, own)


def row_relations(
    cells: Cells, make: Callable[[Mapping[str, Cell]], Iterable[Relation]]
) -> Iterator[Relation]:
    """The relations within each row of each table."""
    for row in cells.rows().values():
        yield from make(row)


def all_of(row: Mapping[str, Cell], names: Sequence[str]) -> tuple[Cell, ...] | None:
    """The cells of names; None unless all are there."""
    return tuple(row[name] for name in names) if all(name in row for name in names) else None
