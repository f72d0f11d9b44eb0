"""`pairbench report`: one page of what judges measured, and every sample behind it."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import without_noise
from pairbench_ext.resumable.journal.files import JournalError, existing
from pairbench_ext.runs.files import files_of, judge_runs
from pairbench_ext.show.cli.console import console, errors, fail_on, progress_bar
from pairbench_ext.show.cli.options import Overwrite, Reference, ReferenceRows, RuleOfRuns
from pairbench_ext.show.report.page import Options, Written, is_report, write_report


class Images(str, Enum):
    """How large pictures are in the page."""

    full = "full"
    thumb = "thumb"
    none = "none"


def report(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="One or more judges: folders of logged samples, or files."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    images: Annotated[
        Images, typer.Option(help="Pictures as they are, 320 pixels wide, or none.")
    ] = Images.thumb,
    max_items: Annotated[
        int | None,
        typer.Option(min=1, help="Items of each task: flipped and unread first, then all groups."),
    ] = None,
    rule: RuleOfRuns = None,
    reference: ReferenceRows = Reference.PUBLISHED,
    title: Annotated[str, typer.Option(help="Of the page.")] = "Judge card",
    overwrite: Overwrite = False,
    live: Annotated[
        Path | None,
        typer.Option(help="Serve the page of a run in progress: the folder of its journal."),
    ] = None,
    port: Annotated[
        int, typer.Option(help="Of --live; any free one by default.", min=0, max=65535)
    ] = 0,
) -> None:
    """One page of one or several judges: numbers, figures, and every sample behind them.

    It is one file that opens without a server and loads nothing. A folder is one judge, as in
    `pairbench compare`. Images are those of the task's source: its local copy, the hub's cache, or
    drawn anew; use --images none where they may not be passed on.

    With --live, a page at this machine alone: rate, what is left, first numbers. It only reads.
    """
    if (live is None) == (not runs):
        raise typer.BadParameter("Missing argument: name runs, or one journal with --live DIR")
    if live is not None:
        _serve(live, port)
        return
    assert runs is not None
    options = Options(images.value, max_items, rule, title, placed=reference is Reference.PUBLISHED)
    written_before = is_report(out)
    with fail_on(RecordError), progress_bar() as progress:
        judges = judge_runs(runs)
        check_file(out, files_of(judges), overwrite=overwrite or written_before)
        done = progress.add_task("report", total=None)
        written = write_report(
            judges,
            out,
            options,
            progress=lambda what: progress.update(done, description=what),
        )
    _say(written)


def _serve(folder: Path, port: int) -> None:
    from pairbench_ext.live.progress import Progress as LiveProgress
    from pairbench_ext.live.server import LiveServer, PortError

    with (
        fail_on(PortError, JournalError),
        without_noise(),
        LiveServer(LiveProgress(folder), port) as server,
    ):
        existing(folder)
        console.print(f"{folder} at {server.url} (Ctrl-C ends)")
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _say(written: Written) -> None:
    for task, counts in written.tasks.items():
        for why, times in counts.problems.most_common(3):
            errors.print(f"{task}: {times} trials are not shown as they were: {why}")
        if counts.changed:
            errors.print(f"{task}: the images of {counts.changed} replies have changed since")
        if counts.shown < counts.items:
            errors.print(f"{task}: {counts.shown} of {counts.items} items are in the page")
    errors.print(f"report: {written.path} ({decimal(written.size)}, {written.pictures} pictures)")
