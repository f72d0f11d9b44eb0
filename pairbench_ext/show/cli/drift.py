"""`pairbench drift`: what changed between two runs of one judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.drift import Drift, drift_of
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.show.cli.console import cell, console, interval, print_json, working
from pairbench_ext.show.cli.options import AsJson

_MOST = 20  # verdicts; --json has all


def drift(
    old: Annotated[Path, typer.Argument(help="The earlier run: a folder of samples, or a file.")],
    new: Annotated[Path, typer.Argument(help="The later run of the same judge.")],
    json_only: AsJson = False,
) -> None:
    """Show what changed between two runs of one judge: two checkpoints, or two days.

    Prints the verdicts that changed, the difference of the headline with its test (McNemar's where
    each item is right or wrong), and how much of the change is the judge's own noise: how often two
    of its answers to the same question in one run differ.
    """
    with working("comparing"):
        sides = side_by_side(read_judges(judge_runs([old, new])))
        made = [drift_of(side) for side in sides if len(side.judges) == 2]
        if not made:
            raise RecordError(f"{old} and {new} have no task in common")
    if json_only:
        print_json({"drift": made})
        return
    for task in made:
        console.print(f"{task.task}: {'; '.join(_summary(task))}")
        for item, (before, after), right in task.changes[:_MOST]:
            console.print(f"  {item}: {before} -> {after} (right: {right})")


def _summary(task: Drift) -> list[str]:
    turns = [tuple(verdict == right for verdict in both) for _, both, right in task.changes]
    right, wrong = turns.count((False, True)), turns.count((True, False))
    parts = [
        f"{len(turns)} of {task.verdicts} verdicts changed, {right} to right, {wrong} to wrong"
    ]
    if now := task.headline:
        parts += [f"{now.number} {cell(now.difference)} ({interval(*now.ci95)}), p {cell(now.p)}"]
    if task.noise != task.noise:
        return [*parts, "the judge's noise is unknown: no question was asked twice in one run"]
    share = cell(min(1.0, task.noise / task.answers) if task.answers else task.answers, 2)
    changed = f"{cell(task.answers)} of single answers changed, {cell(task.noise)} differ in a run"
    return [*parts, f"{changed}: noise explains {share} of the change"]
