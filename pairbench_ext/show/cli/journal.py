"""`pairbench journal`: the answers in a journal."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.filesize import decimal
from rich.table import Table

from pairbench_ext.core.plurals import counted
from pairbench_ext.resumable import JournalError, drop_task, summarise
from pairbench_ext.show.cli.console import console, errors, fail_on, print_table


def journal(
    folder: Annotated[Path, typer.Argument(help="Folder of the journal.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    drop: Annotated[
        str | None, typer.Option("--drop-task", help="Delete the recorded answers of this task.")
    ] = None,
) -> None:
    """Count the recorded answers by task."""
    with fail_on(JournalError):
        if drop is not None:
            errors.print(f"deleted {counted(drop_task(folder, drop), 'answer')} of {drop}")
            return
        summary = summarise(folder)
    if as_json:
        console.print_json(json.dumps(asdict(summary)))
        return
    table = Table("task", box=SIMPLE_HEAD)
    table.add_column("answers", justify="right", no_wrap=True)
    for name, answers in summary.tasks.items():
        table.add_row(name, f"{answers:,}")
    print_table(table)
    answers = sum(summary.tasks.values())
    console.print(f"{counted(answers, 'answer')}, {decimal(summary.size)} on disk")
    if summary.damaged:
        console.print(f"{counted(summary.damaged, 'row')} damaged: the next run asks them again")
