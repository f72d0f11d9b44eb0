"""What is printed of a model, and which task of ours asks so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.runs.models.table import Model, ModelTable
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.tables import Place, Published
from pairbench_ext.runs.run_groups import group_with, leaves_of


class Printed(NamedTuple):
    """A printed number that a task of ours measures.

    Attributes:
        cell: where it is printed, and its value.
        number: what the benchmark calls it.
    """

    cell: Cell
    number: str


class Expected(NamedTuple):
    """What a task should give, as far as it is printed.

    Attributes:
        benchmark: whose task it is.
        place: the task that asks so, and which rows of the tables are meant.
        decoding: how replies were generated, as the publication says; empty if it says nothing.
        printed: the model's numbers.
    """

    benchmark: Benchmark
    place: Place
    decoding: str
    printed: tuple[Printed, ...]

    @property
    def published(self) -> Published:
        """All that is printed of the benchmark."""
        assert self.benchmark.published is not None
        return self.benchmark.published

    @property
    def leaves(self) -> set[str]:
        """The tasks that are asked, without groups."""
        return leaves_of(self.benchmark, self.place.task)


class Otherwise(NamedTuple):
    """Printed numbers that runs of a task have only with options of `pairbench score`.

    Attributes:
        benchmark: whose task it is.
        task: that asks so; the group of them, where there is one.
        options: of `pairbench score`.
        tables: where they are printed.
    """

    benchmark: Benchmark
    task: str
    options: Mapping[str, Any]
    tables: tuple[str, ...]

    def command(self, runs: str) -> str:
        """What counts the numbers of runs so, and places them."""
        given = [f"--{name} {value}" for name, value in self.options.items()]
        return " ".join(["pairbench score", self.benchmark.name, runs, *given])


def with_tables() -> dict[str, tuple[Benchmark, ...]]:
    """The benchmarks of which something is published, by folder; one has one set."""
    return {
        folder: known
        for folder, own in registry.benchmarks().items()
        if (known := tuple(one for one in own if one.published is not None))
    }


def expected(model: Model, table: ModelTable, benchmarks: Iterable[Benchmark]) -> list[Expected]:
    """The tasks that ask as something was asked that is printed of a model.

    Raises:
        RecordError: if a published table cannot be read.
    """
    return [one for benchmark in benchmarks for one in _of(model, table, benchmark)]


def tables_of(model: Model, table: ModelTable, benchmarks: Iterable[Benchmark]) -> list[str]:
    """All published tables that have a number of a model, measured by a task of ours or not.

    Args:
        model: whose numbers.
        table: the models' names.
        benchmarks: of one folder.

    Raises:
        RecordError: if a published table cannot be read.
    """
    published = (one.published for one in benchmarks if one.published is not None)
    cells = (cell for one in published for cell in _cells(model, table, one))
    return list(dict.fromkeys(cell.table for cell in cells))


def _cells(model: Model, table: ModelTable, published: Published) -> list[Cell]:
    return [
        cell
        for cell in published.cells
        if cell.model not in published.not_models and table.named(cell.model) is model
    ]


def _of(model: Model, table: ModelTable, benchmark: Benchmark) -> Iterator[Expected]:
    assert benchmark.published is not None
    cells = _cells(model, table, benchmark.published)
    # Benchmarks of one folder share their tables: each has the places of its own tasks. Numbers
    # that are counted with options of `pairbench score` are not compared.
    declared = {one.name for one in benchmark.tasks}
    places = [
        (printed, place)
        for printed in benchmark.published.tables
        for place in printed.places
        if place.task in declared
    ]
    for printed, place in places:
        rivals = {other.task for _, other in places if _rows(other) == _rows(place)}
        own = [cell for cell in cells if len(rivals) == 1 or cell.table == printed.name]
        numbers = {} if place.options else _numbers(benchmark, place, own)
        if numbers:
            yield Expected(benchmark, place, printed.decoding, tuple(numbers.values()))


def counted_otherwise(
    model: Model, table: ModelTable, benchmarks: Iterable[Benchmark]
) -> list[Otherwise]:
    """What is printed of a model and counted with options, which no comparison has.

    Raises:
        RecordError: if a published table cannot be read.
    """
    return [one for benchmark in benchmarks for one in _otherwise(model, table, benchmark)]


def _otherwise(model: Model, table: ModelTable, benchmark: Benchmark) -> Iterator[Otherwise]:
    assert benchmark.published is not None
    printed = {cell.table for cell in _cells(model, table, benchmark.published)}
    tasks: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    tables: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    for one in benchmark.published.tables:
        for place in one.places:
            if place.options and one.name in printed:
                key = tuple(place.options.items())
                tasks.setdefault(key, []).append(place.task)
                tables.setdefault(key, []).append(one.name)
    for key, names in tasks.items():
        whole = group_with(benchmark, set(names))
        for task in [whole] if whole else dict.fromkeys(names):
            yield Otherwise(benchmark, task, dict(key), tuple(dict.fromkeys(tables[key])))


def _rows(place: Place) -> tuple[str, str]:
    return place.setting, place.part


def _numbers(benchmark: Benchmark, place: Place, cells: Sequence[Cell]) -> Mapping[str, Printed]:
    """The rows about what a task asks, each number once.

    Args:
        benchmark: whose task it is.
        place: the task.
        cells: of its table; of all tables where rows of that setting and part are of one task.
    """
    known = {number.name for number in benchmark.numbers}
    found: dict[str, Printed] = {}
    for cell in cells:
        number = place.numbers.get(cell.number, cell.number)
        if (cell.setting, cell.part) == _rows(place) and number in known:
            found.setdefault(number, Printed(cell, number))
    return found
