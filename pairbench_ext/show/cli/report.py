"""`pairbench report`: write one page with all numbers and every sample behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.filesize import decimal

from pairbench_ext.core.files import check_file
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import offline_unless_reached
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.files import files_of
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import errors, working
from pairbench_ext.show.cli.foreign import Given, drawn_alike, imported, labels
from pairbench_ext.show.cli.options import option

if TYPE_CHECKING:
    from pairbench_ext.show.report.page import Written


class Images(str, Enum):
    """The size of the images in the report page."""

    full = "full"
    thumb = "thumb"
    none = "none"


def report(
    runs: options.OneOrMoreJudges,
    out: Annotated[Path, option("Page to write.")] = Path("report.html"),
    images: Annotated[
        Images, option("Size of the images: full, 320 pixels wide, or no images.")
    ] = Images.thumb,
    max_items: Annotated[
        int | None,
        option(
            "Maximum number of items per task. Items with an unreadable answer, or with "
            "answers that differ between orders, come first. The rest are drawn at random.",
            min=1,
        ),
    ] = None,
    people: Annotated[
        list[Path] | None,
        option(
            "People's labels, as for `pairbench trust`. The page then says which verdicts of "
            "the first judge need no check by a person, and can list only the other verdicts. "
            "It also recalibrates answer probabilities."
        ),
    ] = None,
    agree: Annotated[
        float,
        option(
            "With --people: share of people's labels with which trusted verdicts must agree.",
            min=0.01,
            max=0.99,
        ),
    ] = 0.8,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    title: Annotated[str, option("Title of the page.")] = "Judge card",
    overwrite: options.Overwrite = False,
) -> None:
    """Write one page about one or several judges: numbers, figures, and every sample.

    The page is a single file that opens without a server and loads nothing. A folder is one judge,
    as in `pairbench compare`. A file that somebody else wrote is imported first, as by `pairbench
    import judgments`, if it is clear which column is what. Images come from the task's source (a
    local copy, the hub's cache, or drawn again); use --images none if you may not pass them on. A
    page of the same judges, or of some of them, is replaced.
    """
    with working("report") as progress, _labelled(runs, people or ()) as (places, records):
        # What writes the page is loaded after records have been read, which begins the sooner.
        from pairbench_ext.runs.score_finding import cautions_of
        from pairbench_ext.show.report.page import is_report_of, judges_key, write_report

        judges = options.runs_of(places, benchmark)
        key = judges_key(records or (judge.place for judge in judges))
        inputs = [*records, *files_of(judges)]

        def check() -> None:
            check_file(out, inputs, overwrite=overwrite or is_report_of(out, key))

        check()
        read = read_judges(judges, rule=rule)
        for line in cautions_of(read):
            errors.print(line)
        from_hub = any(run.benchmark.tasks for judge in read for run in judge.runs.values())
        if images is not Images.none and from_hub and offline_unless_reached():
            errors.print(
                "the Hugging Face hub does not answer: images come from local copies and earlier "
                "downloads only"
            )
        written = write_report(
            read,
            out,
            images=images.value,
            most=max_items,
            title=title,
            key=key,
            people=labels(people, side_by_side(read)),
            agree=agree,
            progress=progress,
            check=check,
        )
    _print(written)


@contextmanager
def _labelled(runs: Sequence[Path], people: Sequence[Path]) -> Iterator[Given]:
    """Import files with people's labels, by which judges are then ranked, or without if need be."""
    with ExitStack() as stack:
        joined = drawn_alike(people)
        try:
            given = stack.enter_context(imported(runs, people, joined=joined))
        except RecordError:
            if not joined:
                raise
            given = stack.enter_context(imported(runs, people))
            if given.records:
                errors.print(
                    "labels do not rank the judges: `pairbench compare` with --people says why"
                )
        yield given


def _print(written: Written) -> None:
    tasks: dict[str, list[str]] = {}
    for task, counts in written.tasks.items():
        for why, times in counts.problems.most_common(3):
            of_task = f" of {task}" if task else ""  # plain rows have no task
            tasks.setdefault(why, []).append(f"{counted(times, 'trial')}{of_task}")
    for why, trials in tasks.items():
        errors.print(f"images could not be loaded: {listed(trials, 3)}: {why}")
    for task, counts in written.tasks.items():
        if counts.changed:
            errors.print(
                f"{task}: the images of {counts.changed} replies have changed since the run"
            )
        if counts.shown < counts.items:
            errors.print(f"{task}: the page shows {counts.shown} of {counts.items} items")
    errors.print(f"report: {written.path} ({decimal(written.size)}, {written.pictures} images)")
