"""The page: what a reader sees first as markup, all samples behind it as data, in one file."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

import pairbench_ext
from pairbench_ext.characters import encodable
from pairbench_ext.extras import MissingPackageError
from pairbench_ext.files import appearing
from pairbench_ext.judge_runs import JudgeRun
from pairbench_ext.report.answers import SampleFile
from pairbench_ext.report.cards import Card, cards_of
from pairbench_ext.report.charts import figure_svg
from pairbench_ext.report.chunks import block, packed
from pairbench_ext.report.overview import Overview, overview
from pairbench_ext.report.pictures import PictureStore, Size
from pairbench_ext.report.samples import Counts, SamplePages, TaskSamples
from pairbench_ext.report.shown import TrialSource
from pairbench_ext.scoring import Run, by_benchmark

_UNDEFINED = "–"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Options:
    """How a page is made.

    Attributes:
        images: "full" as they are, "thumb" small, "none" not at all.
        most: items of each task that the page has; None for all.
        rule: how replies are read; None for the rule of each run, or else the default.
        title: of the page.
    """

    images: Size = "thumb"
    most: int | None = None
    rule: str | None = None
    title: str = "Judge card"


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        path: where to.
        size: bytes.
        tasks: by name, how much of each is in the page.
        pictures: how many.
    """

    path: Path
    size: int
    tasks: Mapping[str, Counts]
    pictures: int


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
    def numbers(self) -> list[tuple[str, str]]:
        """Name and title of the numbers that were measured."""
        declared = next(iter(self.runs.values())).benchmark.numbers
        return [
            (one.name, one.title)
            for one in declared
            if any(not math.isnan(run.numbers.get(one.name, math.nan)) for run in self.runs.values())
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
        every = sorted({why for one in counts for why in one}, key=lambda w: -sum(c[w] for c in counts))
        return [(why, [one[why] for one in counts]) for why in every]


def write_report(
    judges: Sequence[JudgeRun],
    path: Path,
    options: Options = Options(),  # noqa: B008  (frozen)
    progress: Callable[[str], None] = lambda _: None,
) -> Written:
    """Write the page of one or several judges.

    Args:
        judges: whose samples to show.
        path: the file; it appears when it is complete.
        options: how it is made.
        progress: is told what is done now.

    Raises:
        RecordError: if a file cannot be scored.
        WriteError: if the page cannot be written.
    """
    progress("numbers")
    seen = overview(judges, options.rule)
    progress("card")
    cards = cards_of(judges)
    pages = list(_benchmark_pages(seen, progress))
    store, counts = PictureStore(options.images), {}
    with appearing(path) as fresh, fresh.open("wb") as file:
        head, foot = _rendered(seen, cards, pages, options)
        file.write(head.encode())
        for samples in _tasks(judges, seen, options.rule):
            progress(f"samples of {samples.task}")
            made = SamplePages(samples, store, options.most)
            for piece in made.blocks():
                file.write(piece.encode("ascii"))
            counts[samples.task] = made.counts
        for data in store.blocks():
            file.write(data)
        file.write(block("page", packed(_page(seen, counts, options))).encode("ascii"))
        file.write(foot.encode())
        size = file.tell()
    return Written(path, size, counts, len(store))


def _tasks(judges: Sequence[JudgeRun], seen: Overview, rule: str | None) -> Iterator[TaskSamples]:
    for number, task in enumerate(seen.tasks):
        benchmark = next(run.benchmark for (_, t), run in seen.runs.items() if t == task)
        yield TaskSamples(
            number,
            task,
            tuple(
                SampleFile(benchmark, Path(judge.files[task]), rule) if task in judge.files else None
                for judge in judges
            ),
            TrialSource(benchmark, task),
        )


def _benchmark_pages(seen: Overview, progress: Callable[[str], None]) -> Iterator[BenchmarkPage]:
    for number, own in enumerate(by_benchmark(list(seen.runs.values()))):
        benchmark = own[0].benchmark
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
    from dataclasses import replace

    return replace(run, name=f"{judge}/{run.name}") if len(seen.judges) > 1 else run


def _page(seen: Overview, counts: Mapping[str, Counts], options: Options) -> dict[str, Any]:
    """What the script needs to know before it opens a task."""
    titles = {task: run.benchmark.title for (_, task), run in seen.runs.items()}
    return {
        "judges": list(seen.judges),
        "images": options.images,
        "tasks": [
            {
                "name": task,
                "benchmark": titles[task],
                "items": counts[task].items,
                "shown": counts[task].shown,
                "changed": counts[task].changed,
                "problems": [[why, n] for why, n in counts[task].problems.most_common(5)],
            }
            for task in seen.tasks
        ],
    }


def _rendered(
    seen: Overview, cards: Sequence[Card], pages: Sequence[BenchmarkPage], options: Options
) -> tuple[str, str]:
    """The page before and after its data."""
    script, style = _asset("page.js"), _asset("page.css")
    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": number, "interval": interval, "p_value": p_value}
    environment.filters["text"] = readable
    rendered = environment.get_template("page.html").render(
        title=options.title,
        version=pairbench_ext.__version__,
        seen=seen,
        cards=cards,
        pages=pages,
        style=Markup(style),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704
        policy=policy(script, style),
    )
    head, foot = encodable(rendered).split("<!-- data -->")
    return head, foot


def policy(script: str, style: str) -> str:
    """The Content-Security-Policy: this script and this style alone, and nothing is loaded."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _asset(name: str) -> str:
    return (files("pairbench_ext.report") / name).read_text(encoding="utf-8")


def readable(text: str) -> str:
    """A text without control characters and halves of surrogate pairs, which markup has not."""
    return _CONTROL.sub("\ufffd", str(text))


def p_value(value: float) -> str:
    """A p-value as cards show it.

    >>> p_value(0.0321), p_value(2e-9)
    ('0.032', 'below 0.001')
    """
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


def number(value: float, digits: int = 3) -> str:
    """A number as tables show it.

    >>> number(0.51234), number(-0.5), number(float("nan")), number(120)
    ('0.512', '−0.500', '–', '120')
    """
    if isinstance(value, float) and math.isnan(value):
        return _UNDEFINED
    return (f"{value:.{digits}f}" if isinstance(value, float) else f"{value:,}").replace(
        "-", "\u2212"
    )


def interval(low: float, high: float, digits: int = 3) -> str:
    """An interval as tables show it; empty where it is undefined.

    >>> interval(0.4, 0.6)
    '0.400 to 0.600'
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"{number(float(low), digits)} to {number(float(high), digits)}"
