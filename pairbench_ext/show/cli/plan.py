"""`pairbench plan`: what a run will ask, take and cost, and what it will be able to show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.resumable.journal.files import JournalError
from pairbench_ext.runs.planning.costs import Costs, Prices, costs_of
from pairbench_ext.runs.planning.detectable import Detectable, Wanted, by_runs, by_share
from pairbench_ext.runs.planning.pace import Pace, measured
from pairbench_ext.runs.planning.tokens import (
    AssumedTokens,
    PlanError,
    ProcessorTokens,
    TokenCounter,
)
from pairbench_ext.runs.planning.workload import Workload, named_trials, workload
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.findings import print_json
from pairbench_ext.show.cli.options import AsJson
from pairbench_ext.show.cli.tables import UNDEFINED, cell, print_titled, table
from pairbench_ext.statistics.power import ALPHA, POWER

_MOST_BASES = 6


def plan(
    tasks: Annotated[list[str], typer.Argument(help="Tasks and groups, as lmms-eval calls them.")],
    model_seconds: Annotated[
        float | None, typer.Option(min=0, help="Seconds per request, batching included.")
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(help="Journal of `resumable`: seconds and tokens as they were there."),
    ] = None,
    price_per_1k_input: Annotated[
        float | None, typer.Option("--price-per-1k-input", min=0, help="Of input tokens.")
    ] = None,
    price_per_1k_output: Annotated[
        float | None, typer.Option("--price-per-1k-output", min=0, help="Of reply tokens.")
    ] = None,
    processor: Annotated[
        str | None,
        typer.Option(help="Folder or hub name of the model's processor or tokenizer, to count by."),
    ] = None,
    image_tokens: Annotated[
        int | None, typer.Option(min=0, help="Tokens of an image; by its pixels unless given.")
    ] = None,
    reply_tokens: Annotated[
        float | None, typer.Option(min=0, help="Tokens of a reply; at most the task's limit.")
    ] = None,
    limit_items: Annotated[
        int | None, typer.Option(min=1, help="Plan for so many items of each task.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="Logged samples of a judge; twice, to measure how much judges differ."),
    ] = None,
    number: Annotated[
        list[str] | None, typer.Option(help="With --runs: plan for this number; may be repeated.")
    ] = None,
    discordant: Annotated[
        float,
        typer.Option(
            help="Share of items on which exactly one of two judges is right: above 0, at most 1."
        ),
    ] = 0.2,
    accuracy: Annotated[
        float,
        typer.Option(help="Mean accuracy of two judges, for different items: between 0 and 1."),
    ] = 0.7,
    detect: Annotated[
        float | None, typer.Option(help="How many items show this difference?")
    ] = None,
    power: Annotated[
        float, typer.Option(help="Chance that a difference is found, above `--alpha`.")
    ] = POWER,
    alpha: Annotated[
        float, typer.Option(help="Level of the test; divide it by the comparisons you will make.")
    ] = ALPHA,
    json_only: AsJson = False,
) -> None:
    """What a run will ask, take and cost, and how small a difference it will be able to show.

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
    with fail_on(SourceError, PlanError, RecordError, JournalError):
        images = AssumedTokens(image_tokens)
        counter: TokenCounter = images if processor is None else ProcessorTokens(processor, images)
        paces, overall = ({}, Pace()) if journal is None else measured(journal)
        names = [name.strip() for text in tasks for name in text.split(",") if name.strip()]
        if not names:
            raise PlanError("no task is named; `pairbench tasks` lists them")
        loads: dict[str, Workload] = {}
        costs: dict[str, Costs] = {}
        for task, trials in named_trials(names, limit_items):
            errors.print(f"looking at {task.name}")
            load = loads[task.name] = workload(trials, counter, task.decoding.tokens)
            costs[task.name] = costs_of(
                load,
                paces.get(task.name, overall),
                Prices(price_per_1k_input, price_per_1k_output),
                seconds=model_seconds,
                reply_tokens=reply_tokens,
            )
        wanted = Wanted(power, alpha, detect)
        items = {name: load.items for name, load in loads.items()}
        try:
            shown = (
                by_runs(items, runs, number or (), wanted)
                if runs
                else [by_share(name, n, discordant, accuracy, wanted) for name, n in items.items()]
            )
        except RecordError:
            raise
        except ValueError as error:
            raise PlanError(str(error)) from error
    notes = list(_notes(loads, costs, counter, shown, wanted))
    if json_only:
        print_json(_document(loads, costs, shown, wanted, notes))
        return
    _print(loads, costs, shown, wanted, notes)


def _document(
    loads: dict[str, Workload],
    costs: dict[str, Costs],
    shown: Sequence[Detectable],
    wanted: Wanted,
    notes: Sequence[str],
) -> dict[str, Any]:
    """All of it for JSON."""
    return {
        "tasks": [{"task": name, **asdict(loads[name]), **asdict(costs[name])} for name in loads],
        "total": asdict(_total(list(costs.values()))),
        "power": wanted.power,
        "alpha": wanted.alpha,
        "difference": wanted.difference,
        "detectable": [asdict(one) for one in shown],
        "notes": list(notes),
    }


def _total(costs: Sequence[Costs]) -> Costs:
    """The sums; undefined where a part is."""
    fields = ("requests", "images", "input_tokens", "reply_tokens", "hours", "money")
    sums = {name: sum(getattr(one, name) for one in costs) for name in fields}
    return Costs(**sums, measured=" and ".join(dict.fromkeys(one.measured for one in costs)))


def _print(
    loads: dict[str, Workload],
    costs: dict[str, Costs],
    shown: Sequence[Detectable],
    wanted: Wanted,
    notes: Sequence[str],
) -> None:
    columns = ("items", "requests", "images", "input tokens", "reply tokens", "hours", "cost")
    made = table(("task",), columns)
    for name, one in costs.items():
        load = loads[name]
        of = f" of {load.of_items:,}" if load.of_items > load.items else ""
        made.add_row(name, f"{load.items:,}{of}", *_cells(one))
    if len(costs) > 1:
        made.add_section()
        made.add_row("all", "", *_cells(_total(list(costs.values()))))
    print_titled("what is asked", made)
    detect = wanted.difference is not None
    more = (f"items for {wanted.difference:g}", "other items, each") if detect else ()
    made = table(("task", "number", "from"), ("items", "same items", "other items", *more))
    for row in shown:
        needed = [
            UNDEFINED if n is None else f"{n:,}" for n in (row.items_paired, row.items_unpaired)
        ]
        smallest = (cell(row.paired), cell(row.unpaired))
        name = row.number or "right or wrong"
        source = "bootstrap" if math.isnan(row.discordant) else f"{row.discordant:.3f} discordant"
        made.add_row(
            row.task, name, source, f"{row.items:,}", *smallest, *(needed if detect else ())
        )
    print_titled(
        f"the smallest difference of two judges that is found with {wanted.power:.0%} power", made
    )
    for line in notes:
        console.print(line)


def _cells(one: Costs) -> tuple[str, ...]:
    counts = (one.requests, one.images, one.input_tokens, one.reply_tokens)
    return (
        *(UNDEFINED if math.isnan(count) else f"{count:,.0f}" for count in counts),
        UNDEFINED if math.isnan(one.hours) else f"{one.hours:.3g}",
        cell(one.money, 2),
    )


def _notes(
    loads: dict[str, Workload],
    costs: dict[str, Costs],
    counter: TokenCounter,
    shown: Sequence[Detectable],
    wanted: Wanted,
) -> Iterator[str]:
    yield f"tokens: {counter.about}"
    yield from dict.fromkeys(one.measured for one in costs.values())
    yield from _notes_on_loads(loads)
    bases = list(dict.fromkeys(one.basis for one in shown))
    yield from (f"differences: {basis}" for basis in bases[:_MOST_BASES])
    if len(bases) > _MOST_BASES:
        yield f"differences: and so on for {len(bases) - _MOST_BASES} more; --json has all"
    yield (
        f"tests at the level {wanted.alpha:g}; an item counts once, with all of its votes and "
        "orders; `same items`: McNemar's exact test"
    )
    if any(math.isnan(one.paired) for one in shown):
        yield "- : too few items, whatever the difference, or nothing to measure it by"
    if not any(one.basis.startswith("bootstrap") for one in shown):
        yield (
            "correlations, means over groups and the like: only with --runs A --runs B, by "
            "bootstrap; a share of discordant items does not say how they vary"
        )


def _notes_on_loads(loads: dict[str, Workload]) -> Iterator[str]:
    some = [one for one in loads.values() if one.looked_at < one.trials]
    if some:
        looked = ", ".join(f"{one.looked_at} of {one.trials:,}" for one in some[:3])
        yield f"images and tokens: from {looked} trials, drawn at random"
    rounds = [name for name, one in loads.items() if one.in_rounds]
    if rounds:
        yield f"{', '.join(rounds[:3])}: in rounds, counted with replies such as are expected"
    for name, one in loads.items():
        if one.left_out:
            yield f"{name}: {one.left_out} of the trials looked at cannot be shown"
