"""`pairbench journal`: show the answers that a resumable run has stored in its journal."""

from pathlib import Path
from typing import Annotated

from rich.filesize import decimal

from pairbench_ext.core.findings import Finding, Measure, plain_table
from pairbench_ext.core.texts import counted
from pairbench_ext.resumable import JournalError, drop_task, summarise
from pairbench_ext.show.cli.console import errors, fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, argument, option

_COLUMNS = (Measure("answers", "Answers", unit="count"),)


def journal(
    folder: Annotated[
        Path, argument("Folder in which answers are recorded, so that a run can resume.")
    ],
    as_json: AsJson = False,
    drop: Annotated[
        str | None, option("Delete the recorded answers of this task.", "--drop-task")
    ] = None,
) -> None:
    """Print for each task how many answers the journal holds."""
    with fail_on(JournalError):
        if drop is not None:
            errors.print(f"deleted {counted(drop_task(folder, drop), 'answer')} of {drop}")
            return
        summary = summarise(folder)
    answers = counted(sum(summary.tasks.values()), "answer")
    finding = Finding(
        "journal",
        (f"{answers}, {decimal(summary.size)} on disk.",),
        (plain_table("tasks", "Recorded answers", ("Task",), _COLUMNS, summary.tasks.items()),),
        notes=tuple(summary.problems),
        fields=vars(summary),
    )
    print_finding(finding, json_only=as_json)
