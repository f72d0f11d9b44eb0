"""What is shown of each benchmark besides its samples: its figure, all its numbers, remarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from pairbench_ext.core.benchmark import Number
from pairbench_ext.core.extras import MissingPackageError
from pairbench_ext.runs.groups import by_benchmark
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.report.charts import figure_svg
from pairbench_ext.show.report.overview import Overview


@dataclass(frozen=True)
class BenchmarkPage:
    """What is shown of a benchmark besides its samples.

    Attributes:
        name, title: of the benchmark.
        figures: as markup.
        runs: by judge and task.
        note: why there is no figure; empty where there is one.
    """

    name: str
    title: str
    figure: Markup
    runs: Mapping[tuple[str, str], Run]
    note: str

    @property
    def tasks(self) -> list[str]:
        """Its tasks, in their order."""
        return list(dict.fromkeys(task for _, task in self.runs))

    @property
    def numbers(self) -> list[Number]:
        """The numbers that were measured."""
        declared = next(iter(self.runs.values())).benchmark.numbers
        return [
            number
            for number in declared
            if any(
                not math.isnan(run.numbers.get(number.name, math.nan)) for run in self.runs.values()
            )
        ]

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """What is to be said of the runs: of which, and what."""
        return [
            (" ".join(filter(None, key)), remark)
            for key, run in self.runs.items()
            for remark in run.remarks()
        ]

    @property
    def unread(self) -> list[tuple[str, list[int]]]:
        """Why replies could not be read, the most frequent reason first, and how many per run."""
        counts = [run.unusable for run in self.runs.values()]
        every = sorted(
            {why for of_run in counts for why in of_run}, key=lambda w: -sum(c[w] for c in counts)
        )
        return [(why, [of_run[why] for of_run in counts]) for why in every]


def benchmark_pages(seen: Overview, progress: Callable[[str], None]) -> Iterator[BenchmarkPage]:
    """The pages of all benchmarks; `progress` is told what is drawn now."""
    for number, of_benchmark in enumerate(by_benchmark(list(seen.runs.values()))):
        benchmark = of_benchmark[0].benchmark
        progress(f"figure of {benchmark.title}")
        runs = {key: run for key, run in seen.runs.items() if run.benchmark.name == benchmark.name}
        figure, note = Markup(), ""
        measured = [_named(judge, run, seen) for (judge, _), run in runs.items() if run.measured]
        try:
            if measured:
                benchmark.check_runs(measured[:1])
                figure = Markup(figure_svg(measured, f"figure-{number}"))  # noqa: S704
        except (ValueError, MissingPackageError) as error:
            note = str(error)
        yield BenchmarkPage(benchmark.name, benchmark.title, figure, runs, note)


def _named(judge: str, run: Run, seen: Overview) -> Run:
    """A run as figures name it: by its judge where there are several."""
    return replace(run, name=f"{judge}/{run.name}") if len(seen.judges) > 1 else run
