"""The numbers of the page: a table of all tasks and judges, and a page per benchmark."""

from __future__ import annotations

import base64
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.extras import MissingPackageError, require
from pairbench_ext.runs import placing
from pairbench_ext.runs.comparisons import Comparisons
from pairbench_ext.runs.groups import by_benchmark, by_judge, labels
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.show.figures.numbers import draw
from pairbench_ext.show.figures.panels import draw_reliability
from pairbench_ext.statistics.calibration import Bin

Runs = Mapping[tuple[str, str], Run]  # by judge and task


class ShownCell(NamedTuple):
    """A number of one judge.

    Attributes:
        value, low, high: the number and its 95% interval; NaN where undefined.
        letters: judges that share one do not differ significantly; empty without comparison.
        best: whether it is the best one of its line.
    """

    value: float
    low: float
    high: float
    letters: str
    best: bool


class Line(NamedTuple):
    """A number of one task, with a cell per judge."""

    task: str
    number: Number
    cells: tuple[ShownCell | None, ...]


@dataclass(frozen=True)
class Overview:
    """The numbers of all judges.

    Attributes:
        judges: their names.
        runs: by judge and task, all that was scored.
        lines: task by task.
        compared: the comparison of the judges; None if there is only one, or they cannot be.
        note: why judges were not compared; empty if they were, or if there is only one.
    """

    judges: tuple[str, ...]
    runs: Runs
    lines: tuple[Line, ...]
    compared: Comparisons | None
    note: str

    @property
    def tasks(self) -> list[str]:
        """Return the tasks, in their order."""
        return list(dict.fromkeys(task for _, task in self.runs))

    def runs_of(self, task: str) -> list[Run | None]:
        """Return each judge's run on a task; None where a judge has none."""
        return [self.runs.get((judge, task)) for judge in self.judges]


def overview(
    judges: Sequence[Judge], compared: Comparisons | None = None, note: str = ""
) -> Overview:
    """Return the numbers of judges beside their comparison, or why there is none.

    Raises:
        RecordError: if no numbers follow from a run.
    """
    runs = {
        (judge.name, task): run.scored() for judge in judges for task, run in judge.runs.items()
    }
    names = tuple(judge.name for judge in judges)
    return Overview(names, runs, tuple(_lines(names, runs, compared)), compared, note)


def _lines(judges: Sequence[str], runs: Runs, compared: Comparisons | None) -> Iterator[Line]:
    rankings = compared.rankings if compared else ()
    letters = {(ranking.task, ranking.number): ranking.letters for ranking in rankings}
    for task in dict.fromkeys(task for _, task in runs):
        of_task = {judge: runs.get((judge, task)) for judge in judges}
        benchmark = next(run.benchmark for run in of_task.values() if run is not None)
        for number in _shown(benchmark):
            cells = _cells(number, of_task, letters.get((task, number.name), {}))
            if any(cell and not math.isnan(cell.value) for cell in cells):
                yield Line(task, number, cells)


def _shown(benchmark: Benchmark) -> Sequence[Number]:
    """Return the numbers with an interval, and the headline; the first number without these."""
    shown = [n for n in benchmark.numbers if n.ends or n.name == benchmark.headline]
    return shown or benchmark.numbers[:1]


def _cells(
    number: Number, runs: Mapping[str, Run | None], letters: Mapping[str, str]
) -> tuple[ShownCell | None, ...]:
    values = {judge: number.found_in(run.numbers) for judge, run in runs.items() if run is not None}
    known = [value for value, *_ in values.values() if not math.isnan(value)]
    several = len(known) > 1 and number.better is not None
    best = (min if number.better == "lower" else max)(known) if several else math.nan
    cells = {
        judge: ShownCell(*shown, letters.get(judge, ""), shown[0] == best)
        for judge, shown in values.items()
    }
    return tuple(map(cells.get, runs))


@dataclass(frozen=True)
class BenchmarkPage:
    """The figure, numbers and remarks of a benchmark.

    Attributes:
        benchmark: the benchmark.
        runs: of its tasks.
        figures: as data addresses, by judge where several have several tasks.
        note: why there is no figure; empty where there is one.
    """

    benchmark: Benchmark
    runs: Runs
    figures: Mapping[str, str]
    note: str

    @property
    def numbers(self) -> list[Number]:
        """Return the numbers that were measured."""
        return [
            number
            for number in self.benchmark.numbers
            if not all(math.isnan(number.found_in(run.numbers)[0]) for run in self.runs.values())
        ]

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """Return the remarks of each judge and task."""
        of_runs = [
            (" ".join(filter(None, key)), remark)
            for key, run in self.runs.items()
            for remark in (*run.remarks(), *(control.describe() for control in run.controls))
        ]
        judges = by_judge(list(self.runs.values())).items()
        placed = ((judge, placing.describe(placing.of_runs(runs))) for judge, runs in judges)
        return [*of_runs, *((judge, line) for judge, lines in placed for line in lines)]

    @property
    def unread(self) -> list[tuple[str, list[int]]]:
        """Return why replies could not be read, with counts per run."""
        counts = [run.unusable for run in self.runs.values()]
        reasons = {reason for of_run in counts for reason in of_run}
        made = [(reason, [of_run[reason] for of_run in counts]) for reason in sorted(reasons)]
        return sorted(made, key=lambda row: -sum(row[1]))


def benchmark_pages(seen: Overview) -> Iterator[BenchmarkPage]:
    """Yield the pages of all benchmarks."""
    for of_benchmark in by_benchmark(list(seen.runs.values())):
        benchmark = of_benchmark[0].benchmark
        runs = {key: run for key, run in seen.runs.items() if run.benchmark.name == benchmark.name}
        measured = [run for run in runs.values() if run.measured]
        figures, note = {}, ""
        try:
            for judge, runs_of in by_judge(measured).items() if measured else ():
                figures[judge] = drawn(partial(draw, runs_of))
            if bins := dict(_reliability(measured)):
                figures["reliability of distributions"] = drawn(partial(draw_reliability, bins))
        except (ValueError, MissingPackageError) as error:
            figures, note = {}, str(error)
        yield BenchmarkPage(benchmark, runs, figures, note)


def _reliability(runs: Sequence[Run]) -> Iterator[tuple[str, list[Bin]]]:
    for label, run in zip(labels(runs), runs, strict=True):
        if run.distributions is not None and len(run.distributions.likeliest):
            yield label, run.distributions.likeliest.bins


def drawn(save: Callable[[Path], None]) -> str:
    """Return a figure as a data URL.

    An image has a style of its own, which the page's Content-Security-Policy lets pass.

    Raises:
        ValueError: if there is nothing to draw.
        MissingPackageError: if matplotlib is not installed.
    """
    matplotlib = require("matplotlib", "a figure")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        with matplotlib.rc_context({"savefig.transparent": True}):
            save(path)
        return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
