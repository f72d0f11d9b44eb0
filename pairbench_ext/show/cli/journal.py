"""`pairbench journal`: what a journal of answers holds, and what is left to ask."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.box import SIMPLE_HEAD
from rich.filesize import decimal
from rich.table import Table

from pairbench_ext.core.characters import encodable
from pairbench_ext.core.files import appearing
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.resumable.journal.answers import Entry
from pairbench_ext.resumable.journal.files import JournalError, by_rank, existing, nothing_of
from pairbench_ext.resumable.journal.misses import misses
from pairbench_ext.resumable.journal.rewrite import drop_task
from pairbench_ext.resumable.journal.summary import Summary, TaskSummary, entries, summarise
from pairbench_ext.show.cli.console import console, errors, fail_on, print_table
from pairbench_ext.show.cli.options import Overwrite

_COLUMNS = ("answers", "expected", "left", "answers/s", "size", "last answer")
_TORN_NAMED = 5


def journal(
    folder: Annotated[Path, typer.Argument(help="The journal's folder.")],
    task: Annotated[str | None, typer.Option(help="Show or export this task only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    export: Annotated[
        str | None, typer.Option(help="Write the answers as JSON lines here; - prints them.")
    ] = None,
    overwrite: Overwrite = False,
    drop: Annotated[
        str | None, typer.Option("--drop-task", help="Remove this task's answers for good.")
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Say why runs asked again what seemed to be answered.")
    ] = False,
) -> None:
    """What a journal of answers holds: counts, rate, size, and what is left of each task.

    Left are the requests that a task's latest run has announced and the journal cannot answer yet;
    later rounds of a task are announced when they begin. Rates are per second of answering.
    """
    if sum((as_json, export is not None, drop is not None, why)) > 1:
        raise typer.BadParameter("--json, --export, --drop-task and --why exclude each other")
    if drop is not None and task is not None:
        raise typer.BadParameter("--drop-task names its task itself: leave out --task")
    with fail_on(JournalError):
        if drop is not None:
            errors.print(f"removed {counted(drop_task(folder, drop), 'answer')} of {drop}")
            return
        if why:
            _say_why(folder, task)
            return
        if export is not None:
            _check_destination(folder, export, overwrite)
        summary = summarise(folder)
        if task is not None and task not in summary.tasks:
            raise nothing_of(folder, task, summary.tasks)
        if export is not None:
            _export(folder, task, export)
            return
    shown = {name: one for name, one in summary.tasks.items() if task in (None, name)}
    if as_json:
        console.print_json(json.dumps(_as_json(folder, summary, shown)))
        return
    print_table(_table(summary, shown))
    for note in _notes(summary):
        console.print(note)


def _say_why(folder: Path, task: str | None) -> None:
    found = [miss for miss in misses(folder) if task in (None, miss.task)]
    for miss in found:
        began = datetime.fromtimestamp(miss.run)
        console.print(
            f"{miss.task}, run of {began:%Y-%m-%d %H:%M:%S}: what was asked again, of all"
        )
        for reason in miss.reasons:
            console.print(f"  {reason}")
    if not found:
        console.print("no run asked again what an earlier one had answered")


def _check_destination(folder: Path, destination: str, overwrite: bool) -> None:
    """Raise `JournalError` if writing here would change the journal, or `OutputError`."""
    if destination == "-":
        return
    own = [*existing(folder).values(), *by_rank(folder, "lock").values()]
    for path in own:
        if _same(Path(destination), path):
            raise JournalError(
                f"{destination}: this is the journal's own file {path}; export to another file"
            )
    if any(_same(parent, folder) for parent in _real(destination).parents):
        raise JournalError(
            f"{destination}: this is inside the journal {folder}; export to a file outside it"
        )
    check_file(Path(destination), overwrite=overwrite)


def _real(destination: str) -> Path:
    """Where a name leads, so that a link stays a link to what is written."""
    return Path(os.path.realpath(destination))


def _same(one: Path, other: Path) -> bool:
    with suppress(OSError):  # one that is not there is no other's
        return one.samefile(other)
    return False


@contextmanager
def _output(destination: str) -> Iterator[TextIO]:
    """Standard output, or a file that changes only once all is written."""
    if destination == "-":
        yield sys.stdout
    else:
        with appearing(Path(destination)) as fresh, fresh.open("w") as file:
            yield file


def _export(folder: Path, task: str | None, destination: str) -> None:
    answers = repaired = 0
    try:
        with _output(destination) as file:
            for entry in entries(folder, task):
                line, changed = _line(entry)
                file.write(line + "\n")
                answers += 1
                repaired += changed
            file.flush()
    except BrokenPipeError:  # the reader has had enough; typer knows what to do
        raise
    except OSError as error:
        raise JournalError(f"{destination}: cannot be written ({error.strerror})") from error
    note = f"; in {repaired:,} of them lone surrogates became U+FFFD" if repaired else ""
    errors.print(f"exported {counted(answers, 'answer')}{note}")


def _line(entry: Entry) -> tuple[str, bool]:
    """An answer as JSON, and if it was changed: many parsers refuse lone surrogates."""
    fields = {**entry._asdict(), **entry.answer._asdict()}
    del fields["answer"]
    written = encodable(fields)
    return json.dumps(written), written != fields


def _as_json(folder: Path, summary: Summary, shown: dict[str, TaskSummary]) -> dict[str, Any]:
    """NaN, which JSON does not have, becomes null."""

    def clean(fields: dict[str, Any]) -> dict[str, Any]:
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in fields.items()
        }

    return {
        "folder": str(folder),
        **clean(
            {name: getattr(summary, name) for name in ("files", "size", "runs", "answers", "rate")}
        ),
        "tasks": {name: clean(asdict(one)) for name, one in shown.items()},
        "torn": [{**asdict(torn), "path": str(torn.path)} for torn in summary.torn],
        "holders": [holder._asdict() for holder in summary.holders],
    }


def _table(summary: Summary, shown: dict[str, TaskSummary]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("task", no_wrap=True)
    for title in _COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    for name, one in shown.items():
        table.add_row(name, *_cells(one))
    if len(shown) > 1:
        table.add_section()
        total = TaskSummary(
            answers=summary.answers,
            size=summary.size,
            expected=_total([one.expected for one in shown.values()]),
            left=_total([one.left for one in shown.values()]),
            rate=summary.rate,
            last=max((x.last for x in shown.values() if x.answers), default=math.nan),
        )
        table.add_row("all", *_cells(total))
    return table


def _total(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _cells(one: TaskSummary) -> tuple[str, ...]:
    def count(number: int | None) -> str:
        return "-" if number is None else f"{number:,}"

    last = "-" if math.isnan(one.last) else f"{datetime.fromtimestamp(one.last):%Y-%m-%d %H:%M:%S}"
    rate = "-" if math.isnan(one.rate) else f"{one.rate:,.2f}"
    return (
        count(one.answers),
        count(one.expected),
        count(one.left),
        rate,
        decimal(one.size),
        last,
    )


def _notes(summary: Summary) -> list[str]:
    notes = [
        f"{counted(summary.files, 'file')}, {decimal(summary.size)}, {counted(summary.runs, 'run')}"
    ]
    if summary.torn:
        notes.append(f"{counted(len(summary.torn), 'record')} torn or damaged, to be asked again:")
        notes += [
            f"  {x.path}, byte {x.offset}, {decimal(x.size)}" for x in summary.torn[:_TORN_NAMED]
        ]
        if len(summary.torn) > _TORN_NAMED:
            notes.append("  and others, see --json")
    notes += [f"in use by {holder}" for holder in summary.holders]
    return notes
