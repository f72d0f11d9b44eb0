"""`pairbench drift`: what changed between two runs of one judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.runs.drift import EXIT_STATUS
from pairbench_ext.runs.drift_finding import drift_finding
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.options import AsJson


def drift(
    old: Annotated[Path, typer.Argument(help="The earlier run: a folder of samples, or a file.")],
    new: Annotated[Path, typer.Argument(help="The later run of the same judge.")],
    fail_if_changed: Annotated[
        bool,
        typer.Option(
            "--fail-if-changed",
            help="Exit with 1 if the judge changed significantly, with 3 if nothing can be tested.",
        ),
    ] = False,
    json_only: AsJson = False,
) -> None:
    """Show what changed between two runs of one judge: two checkpoints, or two days.

    The first line says whether the judge changed: one test for each task's main number and mean
    rating, adjusted over all of them (Holm). Then come, task by task, the verdicts that changed and
    how much of the change is the judge's own noise: how often two of its answers to the same
    question in one run differ.
    """
    with working("comparing"):
        found = drift_finding(read_judges(judge_runs([old, new])))
    print_finding(found, json_only=json_only)
    if fail_if_changed:
        raise typer.Exit(EXIT_STATUS[found.fields["verdict"]])
