"""`pairbench plan`: what a run will ask, and how small a difference it will be able to show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.plan import (
    ASSUMED,
    Detectable,
    PlanError,
    Wanted,
    Workload,
    by_runs,
    by_share,
    named_trials,
    workload,
)
from pairbench_ext.show.cli.console import (
    UNDEFINED,
    console,
    errors,
    fail_on,
    print_json,
    print_table,
)
from pairbench_ext.show.cli.options import AsJson, share
from pairbench_ext.statistics.corrected import labels_needed
from pairbench_ext.statistics.power import ALPHA, POWER
from pairbench_ext.statistics.trust import labels_needed as labels_to_trust

_COUNTS = ("requests", "images", "input_tokens", "reply_tokens")


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
        for task, trials in named_trials(names):
            errors.print(f"reading {task.name}")
            loads[task.name] = workload(trials, task.decoding.tokens)
        items = {name: load.items for name, load in loads.items()}
        if runs:
            shown = by_runs(items, runs, number or (), wanted)
        else:
            shown = [by_share(name, n, discordant, accuracy, wanted) for name, n in items.items()]
    total = {name: sum(getattr(load, name) for load in loads.values()) for name in _COUNTS}
    notes = [*_notes(loads), f"tokens: {ASSUMED}; replies as long as the task allows"]
    notes += dict.fromkeys(f"differences: {row.basis}" for row in shown)
    if labels is not None:
        notes += (_labels(name, n, labels, correlation) for name, n in items.items())
    if trust is not None:
        needed = labels_to_trust(trust, agree, delta)
        count = "no number of labels suffices" if math.isinf(needed) else f"{needed:,.0f} labels"
        notes.append(
            f"trust: {count} of kept verdicts, each on a different image or prompt, to promise "
            f"{agree:.0%} agreement ({1 - delta:.0%} sure) if {trust:.0%} of them agree with people"
        )
    if margin is not None:
        notes.append(f"margin: an equal judge meets it on a headline in {POWER:.0%} of runs")
    notes.append(f"same items: McNemar's exact test; {UNDEFINED} : too few for any difference")
    if json_only:
        print_json(
            {
                "tasks": [{"task": name, **asdict(load)} for name, load in loads.items()],
                "total": total,
                "power": POWER,
                **asdict(wanted),
                "detectable": [asdict(row) for row in shown],
                "notes": notes,
            }
        )
        return
    _print_requests(loads, total)
    _print_detectable(shown, wanted)
    for line in notes:
        console.print(line)


def _print_requests(loads: Mapping[str, Workload], total: Mapping[str, float]) -> None:
    rows: list[Sequence[Any]] = []
    for name, load in loads.items():
        total_items = f" of {load.of_items:,}" if load.of_items > load.items else ""
        counts = (round(getattr(load, count)) for count in _COUNTS)
        rows.append((name, f"{load.items:,}{total_items}", *counts))
    if len(loads) > 1:
        rows += [(), ("all", "", *map(round, total.values()))]
    titles = ("items", *(name.replace("_", " ") for name in _COUNTS))
    print_table("requests", ("task",), titles, rows)


def _print_detectable(shown: Sequence[Detectable], wanted: Wanted) -> None:
    detect = wanted.difference is not None
    more = [f"items for {wanted.difference:g}", "other items, per judge"] if detect else []
    if wanted.margin is not None:
        more.append(f"items for the margin {wanted.margin:g}")
    rows = []
    for row in shown:
        needed = [row.items_paired, row.items_unpaired] if detect else []
        if wanted.margin is not None:
            needed.append(row.items_margin)
        basis = "measured" if math.isnan(row.discordant) else f"{row.discordant:.3f} discordant"
        names = row.task, row.number or "right or wrong", basis
        rows.append((*names, row.items, row.paired, row.unpaired, *needed))
    title = f"smallest difference of two judges found with {POWER:.0%} power"
    print_table(
        f"{title}, tests at the level {wanted.alpha:g}",
        ("task", "number", "from"),
        ("items", "same items", "other items", *more),
        rows,
    )


def _labels(task: str, items: int, half_width: float, correlation: float) -> str:
    """Say how many labels are needed, at a rate of one half, where most are."""
    counts = [labels_needed(half_width, 0.5, known, items) for known in (correlation, 0.0)]
    judge, alone = (
        f"more than all {items:,} items" if math.isinf(n) else f"{n:,.0f}" for n in counts
    )
    return (
        f"{task}: labels for +-{half_width:g}: {judge} with a judge whose verdicts correlate at "
        f"{correlation:g} with them, {alone} without a judge"
    )


def _notes(loads: Mapping[str, Workload]) -> Iterator[str]:
    for name, load in loads.items():
        if load.looked_at < load.trials:
            looked = f"{load.looked_at} of {load.trials:,}"
            yield f"{name}: images and tokens from {looked} trials, drawn at random"
        if load.in_rounds:
            yield f"{name}: asks in rounds; counted as if each reply were the expected one"
        if load.left_out:
            yield f"{name}: {load.left_out} of the trials examined cannot be shown"
