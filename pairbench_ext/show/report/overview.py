"""The metrics in the report: a table of all judges and tasks, and one section per benchmark."""

import base64
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from pairbench_ext.core.benchmark import Number
from pairbench_ext.core.extras import MissingPackageError, require
from pairbench_ext.core.findings import Finding, FindingRow, FindingTable
from pairbench_ext.core.findings_html import body
from pairbench_ext.runs.comparisons import Comparisons
from pairbench_ext.runs.groups import by_benchmark, by_judge, labels
from pairbench_ext.runs.score_finding import measure_of, quantity_of, score_finding
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.numbers import draw
from pairbench_ext.show.figures.panels import draw_reliability
from pairbench_ext.statistics.calibration import Bin


def numbers_finding(runs: Sequence[Run], compared: Comparisons) -> Finding:
    """Return each judge's metrics on each task: the main one, and those with an interval."""
    best = {(rank.task, rank.number, rank.best) for rank in compared.rankings if rank.best}
    notes = (
        ["Bold: significantly better than all other judges (5%, Holm's correction)."]
        if best
        else []
    )
    tables = tuple(_table(same, best) for same in by_benchmark(runs))
    return Finding("numbers", (), tables, notes=tuple(notes))


def _table(runs: Sequence[Run], best: set[tuple[str, str, str]]) -> FindingTable:
    benchmark = runs[0].benchmark
    numbers: Sequence[Number] = [
        n for n in benchmark.numbers if n.ends or n.name == benchmark.headline
    ]
    numbers = numbers or benchmark.numbers[:1]
    rows = []
    for run in runs:
        cells = {
            n.name: quantity_of(n, run.numbers, best=(run.name, n.name, run.judge) in best)
            for n in numbers
        }
        rows.append(FindingRow((run.judge, run.task_name), cells))
    return FindingTable(
        benchmark.name, benchmark.title, ("Judge", "Task"), tuple(map(measure_of, numbers)),
        tuple(rows), tasks=tuple(dict.fromkeys(run.task for run in runs if run.task)),
    )  # fmt: skip


class BenchmarkPage(NamedTuple):
    """The section of the report about one benchmark: its figures and metrics.

    Attributes:
        name, title: of the benchmark.
        body: its numbers, as `pairbench score` finds them.
        figures: as data addresses, by judge where several have several tasks.
        note: why there is no figure; empty where there is one.
    """

    name: str
    title: str
    body: Markup
    figures: dict[str, str]
    note: str


def benchmark_pages(all_runs: Sequence[Run]) -> Iterator[BenchmarkPage]:
    """Yield the report's section about each benchmark."""
    for runs in by_benchmark(all_runs):
        benchmark = runs[0].benchmark
        measured = [run for run in runs if run.measured]
        figures, note = {}, ""
        try:
            for judge, runs_of in by_judge(measured).items() if measured else ():
                figures[judge] = drawn(partial(draw, runs_of))
            if bins := dict(_reliability(measured)):
                figures["reliability of distributions"] = drawn(partial(draw_reliability, bins))
        except (ValueError, MissingPackageError) as error:
            figures, note = {}, str(error)
        numbers = Markup(body(score_finding(runs)))  # noqa: S704  (escaped there)
        yield BenchmarkPage(benchmark.name, benchmark.title, numbers, figures, note)


def _reliability(runs: Sequence[Run]) -> Iterator[tuple[str, list[Bin]]]:
    for label, run in zip(labels(runs), runs, strict=True):
        if run.distributions is not None and len(run.distributions.likeliest):
            yield label, run.distributions.likeliest.bins


def drawn(save: Callable[[Path], None]) -> str:
    """Return a figure as a data URL, to embed it in the page.

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
