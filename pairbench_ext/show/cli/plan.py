"""`pairbench plan`: estimate the size of a run, and the difference it can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.benchmark import Benchmark, Task
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, offline_unless_reached
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.plan import (
    PlanError,
    Wanted,
    Workload,
    by_runs,
    by_share,
    named_tasks,
    right_or_wrong,
    workload,
)
from pairbench_ext.runs.plan_finding import LabelPlan, plan_finding
from pairbench_ext.show.cli.console import errors, fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, share
from pairbench_ext.statistics.power import ALPHA


def plan(
    tasks: Annotated[list[str], typer.Argument(help="Tasks and groups, named as for lmms-eval.")],
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            help="Sample logs of a judge. Pass it twice to estimate the between-judge variance; "
            "without it, only shares of right answers are planned."
        ),
    ] = None,
    number: Annotated[
        list[str] | None, typer.Option(help="With --runs: plan for this number; repeatable.")
    ] = None,
    discordant: Annotated[
        float, share("Share of items on which exactly one of two judges is right.")
    ] = 0.2,
    accuracy: Annotated[float, share("Mean accuracy of two judges, for different items.")] = 0.7,
    detect: Annotated[
        float | None, share("Also give the number of items that show this difference.")
    ] = None,
    margin: Annotated[
        float | None,
        share(
            "Also give the number of items that the gate needs (`pairbench compare NEW BASE "
            "--fail-if-worse --margin`), to pass a judge as good as BASE."
        ),
    ] = None,
    labels: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Also give the number of people's labels for a 95% interval of a rate of this "
            "half width, with the judge's verdicts (`pairbench correct`) and without.",
        ),
    ] = None,
    correlation: Annotated[
        float, share("With --labels: correlation of verdicts and labels.")
    ] = 0.7,
    trust: Annotated[
        float | None,
        share(
            "Also give the number of people's labels for a promise (`pairbench trust`), if the "
            "verdicts kept agree with people in this share."
        ),
    ] = None,
    agree: Annotated[float, share("With --trust: the share to promise.")] = 0.8,
    delta: Annotated[float, share("With --trust: how often the promise may fail.")] = 0.1,
    alpha: Annotated[
        float, share("Level of the test; divide it by the comparisons you will make.")
    ] = ALPHA,
    json_only: AsJson = False,
) -> None:
    """Count the requests and tokens of a run, and the smallest difference that it can show.

    No model is run. Items are counted once, with all their votes and orders. A difference is shown
    if it is found with a probability of 80%.
    """
    wanted = Wanted(alpha=alpha, difference=detect, margin=margin)
    names = [name for text in tasks for name in text.split(",") if name]
    loads: dict[str, Workload] = {}
    with fail_on(SourceError, PlanError, RecordError, ValueError):
        asked = list(named_tasks(names))
        notes = ["the hub does not answer: only local copies and its cache are read"]
        notes = notes if _from_hub(asked) and offline_unless_reached() else []
        for benchmark, task in asked:
            errors.print(f"reading {task.name}")
            try:
                loads[task.name] = workload(benchmark.trials(task.entry), task.decoding.tokens)
            except (SourceError, PlanError) as error:  # the others are planned all the same
                if len(asked) == 1:
                    raise
                notes.append(f"{task.name} is left out: {error}")
        if not loads:
            raise PlanError("; ".join(notes))
        items = {name: load.items for name, load in loads.items()}
        if runs:
            shown = by_runs(items, runs, number or (), wanted)
        else:
            planned, more = _right_or_wrong(asked, items)
            shown = [by_share(n, items[n], discordant, accuracy, wanted) for n in planned]
            notes += more
    for note in notes:
        errors.print(note)
    about_labels = LabelPlan(labels, correlation, trust, agree, delta)
    print_finding(plan_finding(loads, shown, wanted, about_labels), json_only=json_only)


def _right_or_wrong(
    asked: Sequence[tuple[Benchmark, Task]], items: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """Return the tasks whose answers are right or wrong, and a note on the others."""
    planned = [task.name for of, task in asked if right_or_wrong(of) and task.name in items]
    others = [name for name in items if name not in planned]
    note = (
        f"{listed(others, 3)}: answers are not right or wrong; give the logs of two "
        "judges (--runs, twice) to plan for its numbers"
    )
    return planned, [note] if others else []


def _from_hub(asked: Sequence[tuple[Benchmark, Task]]) -> bool:
    """Return whether a task may read the hub: neither a demo nor data of the user's own."""
    own = ("demo", "custom")
    return any(task.entry.get("data") not in own for _, task in asked)
