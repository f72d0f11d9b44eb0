"""The page: what a reader sees first as markup, all samples behind it as data, in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairbench_ext.core.files import appearing
from pairbench_ext.core.media import fewer_images_kept
from pairbench_ext.runs.files import JudgeRun
from pairbench_ext.show.report.answers import SampleFile
from pairbench_ext.show.report.benchmark_pages import benchmark_pages
from pairbench_ext.show.report.cards import cards_of
from pairbench_ext.show.report.markup import GENERATOR, rendered
from pairbench_ext.show.report.overview import Overview, overview
from pairbench_ext.show.report.pictures import PictureStore, Size
from pairbench_ext.show.report.pieces import block, packed
from pairbench_ext.show.report.samples import Counts, SamplePages, TaskSamples
from pairbench_ext.show.report.shown import TrialSource

# Bytes of decoded pixels: all questions about an item follow each other, so few images are enough.
_IMAGES = 32_000_000


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


def is_report(path: Path) -> bool:
    """Whether a file is a page that this module wrote: one that may be written anew."""
    try:
        with path.open("rb") as file:
            return f'<meta name="generator" content="{GENERATOR}">'.encode() in file.read(4096)
    except OSError:
        return False


def write_report(
    judges: Sequence[JudgeRun],
    path: Path,
    options: Options = Options(),
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
    with fewer_images_kept(_IMAGES):
        return _write(judges, path, options, progress)


def _write(
    judges: Sequence[JudgeRun], path: Path, options: Options, progress: Callable[[str], None]
) -> Written:
    progress("numbers")
    seen = overview(judges, options.rule)
    progress("card")
    cards = cards_of(seen.by_judge, options.rule)
    pages = list(benchmark_pages(seen, progress))
    counts: dict[str, Counts] = {}
    with (
        PictureStore(options.images) as store,
        appearing(path) as fresh,
        fresh.open("wb") as file,
    ):
        head, foot = rendered(seen, cards, pages, options.title)
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
        own = [seen.runs.get((judge.name, task)) for judge in judges]
        yield TaskSamples(
            number,
            task,
            tuple(
                None if run is None else SampleFile(benchmark, run.file, run.readings, rule)
                for run in own
            ),
            TrialSource(benchmark, task),
        )


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
