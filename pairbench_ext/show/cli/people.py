"""`pairbench people`: judges beside people who rated the same items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.texts import counted
from pairbench_ext.runs.people import Beside, Besides, beside_people
from pairbench_ext.runs.side_by_side import describe_incomplete
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import cell, console, print_json, print_table, working
from pairbench_ext.statistics.alternative_annotator import EPSILON, PASSES


def compare_with_people(
    runs: options.OneOrMoreJudges,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="File of ratings from `pairbench rate pairs`; repeatable."),
    ] = None,
    epsilon: Annotated[
        float,
        typer.Option(
            help="Cost-benefit margin of the alternative annotator test; 0.2 for experts, 0.1 for "
            "crowd workers.",
            min=0,
            max=0.99,
        ),
    ] = EPSILON,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Test whether a judge may stand in for one of the people who rated the same items.

    For VIEScore and MLLM-as-a-Judge, whose data have people's judgments, and for PairBench with
    ratings from `pairbench rate pairs`. Prints kappa with base rates, the judge's correlation with
    people beside theirs among themselves, and the alternative annotator test (Calderon et al.,
    2025).
    """
    with working("comparing with people") as progress:
        judges = options.judges_of(runs, benchmark, rule)
        compared = beside_people(judges, ratings=ratings or (), epsilon=epsilon, progress=progress)
    if json_only:
        print_json(compared.document())
    else:
        _print(compared)


def _print(compared: Besides) -> None:
    for line in describe_incomplete(compared.sides):
        console.print(line)
    parts: dict[tuple[str, str], list[Beside]] = {}
    for beside in compared.every:
        parts.setdefault((beside.task, beside.part), []).append(beside)
    for (task, part), judges in parts.items():
        people = max(len(beside.people) for beside in judges)
        who = "one person" if people == 1 else f"{people} people"
        title = f"{task}{', ' if part else ''}{part}: compared with {who}"
        _print_part(title, judges)
    for where, why in compared.not_possible.items():
        console.print(f"{where}: {why}")


def _print_part(title: str, judges: Sequence[Beside]) -> None:
    numeric = judges[0].scale == "interval"
    correlations = ("correlation", "ceiling") if numeric else ()
    tested = ("advantage", "winning rate", "constant", "stands in")
    rows = []
    for beside in judges:
        numbers, test = beside.numbers, beside.numbers.alt_test
        values = [numbers.kappa, numbers.people_kappa]
        if numbers.correlations is not None:
            values += [numbers.correlations.with_others, numbers.correlations.ceiling]
        values += [test.advantage, test.winning_rate, numbers.constant]
        rows.append((beside.judge, numbers.items, *values, test.passes))
    columns = ("items", "kappa", "people's kappa", *correlations, *tested)
    print_table(title, ("judge",), columns, rows)
    notes = (line for beside in judges for line in (*_test_notes(beside), *_notes(beside)))
    for line in dict.fromkeys(notes):
        console.print(line)


def _test_notes(beside: Beside) -> Iterator[str]:
    test = beside.numbers.alt_test
    reasons = {
        name: annotator.reason
        for name, annotator in zip(beside.people, test.by_annotator, strict=True)
        if annotator.reason
    }
    tested = len(beside.people) - len(reasons)
    if tested:
        yield (
            f"stands in: wins against at least half of {tested} people, epsilon {test.epsilon:g} "
            "(false discovery rate 5%, Benjamini and Yekutieli)"
        )
    if test.passes and beside.numbers.constant >= PASSES:
        yield (
            f"{beside.judge}: a judge that always gives the same answer passes too, so with these "
            "people the test does not show that the judge looks"
        )
    if len(beside.people) == 1:
        yield "one person, or one judgment for all: agreement of people and the test are undefined"
        return
    if tested < 3:
        yield "fewer than three people are tested; the test assumes three or more"
    for reason in dict.fromkeys(reasons.values()):
        names = ", ".join(name for name in reasons if reasons[name] == reason)
        yield f"{beside.judge}: not tested: {names} ({reason})"


def _notes(beside: Beside) -> Iterator[str]:
    numbers, correlations = beside.numbers, beside.numbers.correlations
    if correlations is not None and len(beside.people) == 1:
        yield f"{beside.judge}: Spearman's correlation {cell(correlations.with_mean)}"
    if correlations is not None and correlations.undefined:
        yield (
            f"{beside.judge}: {correlations.undefined} of {correlations.single} correlations are "
            "undefined (one side rates all items alike); means leave them out"
        )
    for count, why in (
        (numbers.silent, "no usable answer or no majority"),
        (numbers.unrated, "rated by nobody"),
    ):
        if count:
            yield f"{beside.judge}: {counted(count, 'item')} left out ({why})"
    people = [rates for name, rates in beside.base_rates.items() if name != "judge" and rates]
    if people:
        judge = beside.base_rates["judge"]
        means = {key: sum(rates[key] for rates in people) / len(people) for key in judge}
        shown = ", ".join(f"{key} {value:.2f} ({means[key]:.2f})" for key, value in judge.items())
        yield f"{beside.judge}: base rates, people's mean in brackets: {shown}"
