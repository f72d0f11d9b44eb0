"""`pairbench plan`: what a run will ask, and how small a difference it will be able to show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.detectable import Detectable, Wanted, by_runs, by_share
from pairbench_ext.runs.workload import (
    AssumedTokens,
    PlanError,
    Workload,
    named_trials,
    workload,
)
from pairbench_ext.show.cli.console import (
    UNDEFINED,
    cell,
    console,
    errors,
    fail_on,
    print_json,
    print_table,
    table,
)
from pairbench_ext.show.cli.options import AsJson
from pairbench_ext.statistics.power import ALPHA, POWER

_MOST_BASES = 6
_COUNTS = ("requests", "images", "input_tokens", "reply_tokens")


def plan(
    tasks: Annotated[list[str], typer.Argument(help="Tasks and groups, as lmms-eval calls them.")],
    image_tokens: Annotated[
        int | None, typer.Option(min=0, help="Tokens per image. Default: by its pixels.")
    ] = None,
    limit_items: Annotated[
        int | None, typer.Option(min=1, help="Plan for so many items of each task.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            help="Sample logs of a judge. Pass it twice to estimate the between-judge variance."
        ),
    ] = None,
    number: Annotated[
        list[str] | None, typer.Option(help="With --runs: plan for this number; may be repeated.")
    ] = None,
    discordant: Annotated[
        float, typer.Option(help="Share of items on which exactly one of two judges is right.")
    ] = 0.2,
    accuracy: Annotated[
        float, typer.Option(help="Mean accuracy of two judges, for different items.")
    ] = 0.7,
    detect: Annotated[
        float | None, typer.Option(help="Also give the number of items that show this difference.")
    ] = None,
    power: Annotated[
        float, typer.Option(help="Probability of detecting a difference, above `--alpha`.")
    ] = POWER,
    alpha: Annotated[
        float, typer.Option(help="Level of the test; divide it by the comparisons you will make.")
    ] = ALPHA,
    json_only: AsJson = False,
) -> None:
    """Count the requests and tokens of a run, and the smallest difference that it can show.

    Nothing is run. Items, with all their votes and orders, are what differences are counted by.
    """
    if not 0 < alpha < power < 1:
        raise typer.BadParameter("--power must be between --alpha and 1, --alpha above 0")
    if detect is not None and not 0 < detect < 1:
        raise typer.BadParameter("--detect must be a difference between 0 and 1")
    if not 0 < discordant <= 1:
        raise typer.BadParameter("must be above 0, and at most 1", param_hint="--discordant")
    if not 0 < accuracy < 1:
        raise typer.BadParameter("must be between 0 and 1", param_hint="--accuracy")
    with fail_on(SourceError, PlanError, RecordError, ValueError):
        counter = AssumedTokens(image_tokens)
        names = [name.strip() for text in tasks for name in text.split(",") if name.strip()]
        if not names:
            raise PlanError("no task is named; `pairbench tasks` lists them")
        loads: dict[str, Workload] = {}
        for task, trials in named_trials(names, limit_items):
            errors.print(f"reading {task.name}")
            loads[task.name] = workload(trials, counter, task.decoding.tokens)
        wanted = Wanted(power, alpha, detect)
        items = {name: load.items for name, load in loads.items()}
        if runs:
            shown = by_runs(items, runs, number or (), wanted)
        else:
            shown = [by_share(name, n, discordant, accuracy, wanted) for name, n in items.items()]
    notes = list(_notes(loads, counter, shown, wanted))
    if json_only:
        print_json(
            {
                "tasks": [{"task": name, **asdict(load)} for name, load in loads.items()],
                "total": _total(loads),
                "power": wanted.power,
                "alpha": wanted.alpha,
                "difference": wanted.difference,
                "detectable": [asdict(row) for row in shown],
                "notes": notes,
            }
        )
        return
    _print(loads, shown, wanted)
    for line in notes:
        console.print(line)


def _total(loads: Mapping[str, Workload]) -> dict[str, float]:
    return {name: sum(getattr(load, name) for load in loads.values()) for name in _COUNTS}


def _print(loads: Mapping[str, Workload], shown: Sequence[Detectable], wanted: Wanted) -> None:
    made = table(("task",), ("items", *(name.replace("_", " ") for name in _COUNTS)))
    for name, load in loads.items():
        of = f" of {load.of_items:,}" if load.of_items > load.items else ""
        counts = (f"{getattr(load, count):,.0f}" for count in _COUNTS)
        made.add_row(name, f"{load.items:,}{of}", *counts)
    if len(loads) > 1:
        made.add_section()
        made.add_row("all", "", *(f"{count:,.0f}" for count in _total(loads).values()))
    print_table(made, "requests")
    detect = wanted.difference is not None
    more = (f"items for {wanted.difference:g}", "other items, each") if detect else ()
    made = table(("task", "number", "from"), ("items", "same items", "other items", *more))
    for row in shown:
        needed = [
            UNDEFINED if n is None else f"{n:,}" for n in (row.items_paired, row.items_unpaired)
        ]
        source = "bootstrap" if math.isnan(row.discordant) else f"{row.discordant:.3f} discordant"
        made.add_row(
            row.task,
            row.number or "right or wrong",
            source,
            f"{row.items:,}",
            cell(row.paired),
            cell(row.unpaired),
            *(needed if detect else ()),
        )
    print_table(made, f"smallest difference of two judges found with {wanted.power:.0%} power")


def _notes(
    loads: Mapping[str, Workload],
    counter: AssumedTokens,
    shown: Sequence[Detectable],
    wanted: Wanted,
) -> Iterator[str]:
    yield f"tokens: {counter.about}; replies as long as the task allows"
    some = [load for load in loads.values() if load.looked_at < load.trials]
    if some:
        looked = ", ".join(f"{load.looked_at} of {load.trials:,}" for load in some[:3])
        yield f"images and tokens: from {looked} trials, drawn at random"
    rounds = [name for name, load in loads.items() if load.in_rounds]
    if rounds:
        yield f"{', '.join(rounds[:3])}: in rounds, counted with replies as they are expected"
    for name, load in loads.items():
        if load.left_out:
            yield f"{name}: {load.left_out} of the trials looked at cannot be shown"
    bases = list(dict.fromkeys(row.basis for row in shown))
    yield from (f"differences: {basis}" for basis in bases[:_MOST_BASES])
    if len(bases) > _MOST_BASES:
        yield f"differences: and so on for {len(bases) - _MOST_BASES} more; --json has all"
    yield (
        f"tests at the level {wanted.alpha:g}; an item counts once, with all of its votes and "
        "orders; `same items`: McNemar's exact test"
    )
    if any(math.isnan(row.paired) for row in shown):
        yield "- : too few items for any difference, or no runs to measure it by"
    if not any(row.basis.startswith("bootstrap") for row in shown):
        yield "correlations and means over groups: only with --runs A --runs B, by bootstrap"
