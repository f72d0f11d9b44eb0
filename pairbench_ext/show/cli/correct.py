"""`pairbench correct`: a judge's verdicts on all items, corrected by people's labels of some."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from pairbench_ext.core.texts import counted
from pairbench_ext.runs.correct import Corrected, correct
from pairbench_ext.runs.people_labels import LABEL
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import cell, console, interval, print_json, print_table, working

LabelFiles: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        help="File of labels (.csv, or JSON lines) with the fields item and label, and if needed "
        "task, criterion, rater, probability, first and second; or ratings of `pairbench rate`; "
        f"repeatable. Default: what the runs say of people. A label is {LABEL}."
    ),
]


def correct_runs(
    runs: options.OneOrMoreJudges,
    people: LabelFiles = None,
    by: Annotated[
        str | None, typer.Option(help="Field that names the system judged, such as image_model.")
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(help="Field that names strata, in each of which labelled items were drawn."),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            min=0, help="Also give the number of labels for a 95% interval of this half width."
        ),
    ] = None,
    future: Annotated[
        bool,
        typer.Option("--future", help="Estimate for items to come, of which these are a sample."),
    ] = False,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Estimate what people would say of all items, from a judge's verdicts and a few labels.

    Items must have been labelled at random, or with the probability in the column `probability`.
    Corrected values are by prediction-powered inference (PPI++), which holds for any judge. The
    estimate from error rates (Rogan and Gladen) is printed if both labels are frequent enough.
    """
    with working("correcting"):
        judges = options.judges_of(runs, benchmark, rule)
        made = correct(judges, people or (), by=by, strata=strata, half_width=width, future=future)
    if json_only:
        print_json({"corrected": made})
        return
    for (task, part), rows in groupby(made, key=lambda each: (each.task, each.part)):
        every = list(rows)
        name = task if part in task else f"{task} {part}"
        _print(f"{name}: {every[0].mean_of}", every)


def _print(title: str, rows: Sequence[Corrected]) -> None:
    numbers = ("labels", "judge says", "labels alone", "95%", "corrected", "95%", "saves")
    names = ("judge", "system") if any(row.system for row in rows) else ("judge",)
    shown = [
        (
            *(row.judge, row.system)[: len(names)],
            f"{row.labelled:,} of {row.items:,}",
            row.verdicts,
            *(row.people.value, row.people.interval),
            *(row.corrected.value, row.corrected.interval),
            cell(row.saved, 0),
        )
        for row in rows
    ]
    print_table(title, names, numbers, shown)
    for row in rows:
        name = " ".join(filter(None, (row.judge, row.system)))
        for remark in row.remarks:
            console.print(f"{row.judge}: {remark}")
        if not math.isnan(row.error_rates.interval.low):
            ends = interval(*row.error_rates.interval)
            console.print(f"{name}: by error rates {cell(row.error_rates.value)} ({ends})")
        if not math.isnan(row.needed):
            console.print(f"{name}: that half width needs {row.needed:,.0f} labels")
        if row.unread:
            console.print(
                f"{name}: {counted(row.unread, 'item')} without a usable verdict, replaced by the "
                "judge's mean"
            )
    population = "these items alone; --future: for items to come"
    if rows[0].population != "these items":
        population = "items to come, of which these are a sample"
    console.print(f"Means and intervals are for {population}")
    console.print("saves: labels that would narrow the interval as much as the judge does")
