"""`pairbench drift`: what changed between two runs of one judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.comparisons import Comparison, describe_left_out
from pairbench_ext.runs.drift import EXIT_STATUS, Drift, Verdict, drift_of, verdict_of
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.show.cli.console import (
    cell,
    console,
    interval,
    p_text,
    print_json,
    text_of,
    working,
)
from pairbench_ext.show.cli.options import AsJson

_MOST = 20  # verdicts; --json has all


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
        sides = side_by_side(read_judges(judge_runs([old, new])))
        made = drift_of([side for side in sides if len(side.judges) == 2])
        if not made:
            raise RecordError(f"{old} and {new} have no task in common")
    verdict = verdict_of(made)
    if json_only:
        print_json({"verdict": verdict, "drift": made})
    else:
        _print(made, verdict)
    if fail_if_changed:
        raise typer.Exit(EXIT_STATUS[verdict])


def _print(made: Sequence[Drift], verdict: Verdict) -> None:
    tested = [comparison for task in made for comparison in task.tested]
    console.print(f"{verdict}: {'; '.join(map(_test, tested)) or 'nothing can be compared'}")
    for line in describe_left_out(tested):
        console.print(line)
    for task in made:
        console.print(f"{task.task}: {'; '.join(_summary(task))}")
        for item, (before, after), right in task.changes[:_MOST]:
            is_right = "" if right is None else f" (right: {text_of(right)})"
            console.print(f"  {item}: {text_of(before)} -> {text_of(after)}{is_right}")


def _test(now: Comparison) -> str:
    ends = f"({interval(*now.ci95)}), " if now.p == now.p else ""
    return f"{now.task} {now.number} {decimal(now.difference, 3, '+')} {ends}{p_text(now.p_holm)}"


def _summary(task: Drift) -> list[str]:
    turned = "".join(f", {count} to {turn}" for turn, count in task.turns.items() if count)
    parts = [f"{len(task.changes)} of {counted(task.verdicts, 'verdict')} changed{turned}"]
    if task.noise != task.noise:
        return [*parts, "the judge's noise is unknown: no question was asked twice in one run"]
    share = cell(min(1.0, task.noise / task.answers) if task.answers else task.answers, 2)
    changed = f"{cell(task.answers)} of single answers changed, {cell(task.noise)} differ in a run"
    return [*parts, f"{changed}: noise explains {share} of the change"]
