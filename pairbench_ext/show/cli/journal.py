"""`pairbench journal`: show the answers in a journal."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from pairbench_ext.core.texts import counted
from pairbench_ext.resumable import JournalError, drop_task, summarise
from pairbench_ext.show.cli.console import console, errors, fail_on, print_json, print_table
from pairbench_ext.show.cli.options import AsJson


def journal(
    folder: Annotated[
        Path, typer.Argument(help="Folder in which answers are recorded, so that a run can resume.")
    ],
    as_json: AsJson = False,
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
        print_json(asdict(summary))
        return
    print_table("", ("task",), ("answers",), summary.tasks.items())
    answers = sum(summary.tasks.values())
    console.print(f"{counted(answers, 'answer')}, {decimal(summary.size)} on disk")
    for problem in summary.problems:
        console.print(problem, markup=False)
