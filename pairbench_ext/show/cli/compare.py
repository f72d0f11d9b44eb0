"""`pairbench compare`: which of several judges is better, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer

from pairbench_ext.core.texts import counted, decimal, listed
from pairbench_ext.runs import placing
from pairbench_ext.runs.card.lines import cards_of
from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.comparisons import (
    Comparison,
    Comparisons,
    Ranking,
    describe_large_clusters,
    describe_left_out,
    describe_tests,
)
from pairbench_ext.runs.files import files_of
from pairbench_ext.runs.gate import EXIT_STATUS, Gate, gate_of
from pairbench_ext.runs.ranking_table import MOST_HEADLINES, ranked_table
from pairbench_ext.runs.score_finding import cautions_of
from pairbench_ext.runs.scoring import Judge, read_judges
from pairbench_ext.runs.side_by_side import describe_incomplete
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import Grey, console, print_json, print_table, working
from pairbench_ext.show.cli.ranked import print_ranked

_MOST_PAIRS = 60  # more are in the JSON


def compare_runs(
    runs: options.Judges,
    baseline: Annotated[
        str | None, typer.Option(help="Compare every judge with this one, instead of all pairs.")
    ] = None,
    number: Annotated[
        list[str] | None,
        typer.Option(help="Number to compare; repeatable. Default: the headline numbers."),
    ] = None,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    pool: options.PoolOfRuns = None,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="For two judges, NEW and BASE: exit with 1 if NEW is significantly worse on a "
            "headline number, with 2 on errors, such as items of BASE that NEW lacks.",
        ),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="With --fail-if-worse: pass only if the 95% interval shows that NEW is less than "
            "this much worse; exit with 3 if it cannot tell. `pairbench plan --margin` says how "
            "many items that needs.",
        ),
    ] = None,
    allow_missing: Annotated[
        bool,
        typer.Option(
            "--allow-missing",
            help="With --fail-if-worse: if NEW lacks items of BASE, compare the items both have.",
        ),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also print every number and every pair of judges.")
    ] = False,
    json_only: options.AsJson = False,
    plot: options.PlotFile = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Compare judges: which one is better, and is the difference significant? No model is run.

    A folder is one judge: all of its samples, at any depth. Tasks are matched by name, items by id.
    First come the judges in order, with their headlines and defects; --all prints the rest.
    Each task's headline, or a group's mean, is tested first, p-values adjusted over all pairs
    (Holm); other numbers are tested where their headline differs. Judges that share a letter do
    not differ significantly.
    """
    for option, given in (("--margin", margin is not None), ("--allow-missing", allow_missing)):
        if given and not fail_if_worse:
            raise typer.BadParameter("only with --fail-if-worse", param_hint=option)
    try:
        with working("comparing") as progress:
            judges = options.runs_of(runs, benchmark)
            options.check_plot(plot, files_of(judges), overwrite=overwrite)
            read = read_judges(judges, rule=rule, pool=pool)
            compared = compare(
                read,
                numbers=number or (),
                baseline=baseline,
                headlines_alone=not (everything or number or baseline or json_only),
                progress=progress,
            )
            gate = gate_of(compared, margin, allow_missing=allow_missing) if fail_if_worse else None
            placed = placing.of_rankings(compared, rule)
            ranked = ranked_table(cards_of(read), compared)
        if plot is not None:
            from pairbench_ext.show.figures.differences import save_figure

            options.draw(plot, save_figure, _headlines(compared))
    except typer.Exit as error:
        raise typer.Exit(2 if fail_if_worse else error.exit_code) from error
    if json_only:
        reference_rows = {"reference": placing.document(placed)} if placed else {}
        verdict = {"gate": gate.document()} if gate else {}
        print_json(verdict | compared.document() | reference_rows)
    else:
        for line in cautions_of(read):
            console.print(line)
        _print_remarks(compared, gate)
        print_ranked(ranked)
        if everything or number or baseline:
            _print(compared, ranked.in_order(compared.judges), placed)
    if gate:
        raise typer.Exit(EXIT_STATUS[gate.verdict])


def _print_remarks(compared: Comparisons, gate: Gate | None) -> None:
    """Print what the gate says, what is incomplete or left out, and what rests on one cluster."""
    verdict = gate.describe() if gate else ()
    incomplete = describe_incomplete(compared.sides)
    large = describe_large_clusters(compared.every)
    left_out = describe_left_out([c for c in compared.every if c.headline], compared.sides)
    for line in (*verdict, *incomplete, *left_out, *large):
        console.print(line)


def _headlines(compared: Comparisons) -> list[Comparison]:
    """The comparisons to draw."""
    drawn = {(r.task, r.number) for r in compared.headlines[:MOST_HEADLINES]}
    return [c for c in compared.every if (c.task, c.number) in drawn]


def _print(
    compared: Comparisons,
    judges: Sequence[Judge],
    placed: Mapping[str, Sequence[placing.Placement]],
) -> None:
    for judge in judges:
        console.print(f"{judge.name}: {listed([task or 'plain rows' for task in judge.runs], 6)}")
    for ranking in compared.rankings:
        print_table(*_ranking_table(ranking))
    shown = sorted(compared.every, key=lambda pair: not pair.headline)
    if len(shown) > _MOST_PAIRS:
        shown.sort(key=lambda pair: (not pair.headline, math.isnan(pair.p_holm), pair.p_holm))
        shown = shown[:_MOST_PAIRS]
    print_differences("differences", shown)
    for line in _notes(compared, len(shown)):
        console.print(line)
    for line in placing.describe(placed):
        console.print(line, soft_wrap=True)


def _ranking_table(
    ranking: Ranking,
) -> tuple[str, Sequence[str], Sequence[str], list[tuple[object, ...]]]:
    """Return the title, columns and rows of a number of all judges, on the items of all."""
    where = f"on {counted(ranking.items, 'common item')}" if ranking.items else "on own items"
    title = f"{ranking.task}: {ranking.title} ({ranking.number}), {where}"
    columns = ["value", "95% interval"]
    columns += ["on all of its items", "95% interval", "its items"] if ranking.own else []
    rows: list[tuple[object, ...]] = []
    for judge, value in ranking.values.items():
        (all_of, ends), items = ranking.own.get(judge, (value, ranking.items))
        more = (all_of, ends, items) if ranking.own else ()
        rows.append((judge, ranking.letters.get(judge), value.value, value.ci95, *more))
    return title, ("judge", "ties"), columns, rows


def print_differences(title: str, comparisons: Sequence[Comparison]) -> None:
    """Print a table of differences; grey is what is tested behind a headline."""
    tested = ("a - b", "95% interval", "p", "p (Holm)", "significant")
    rows = []
    for pair in comparisons:
        difference = None if math.isnan(pair.difference) else decimal(pair.difference, 3, "+")
        differs = None if math.isnan(pair.p) else pair.differs
        names = pair.task, pair.number, pair.a, pair.b
        test = difference, pair.ci95, _p(pair.p), _p(pair.p_holm), differs
        kind = tuple if pair.headline else Grey
        rows.append(kind((*names, *test, pair.items, pair.only_a, pair.only_b)))
    counts = ("items", "only in a", "only in b")
    print_table(title, ("task", "number", "a", "b"), (*tested, *counts), rows)


def _p(value: float) -> str | None:
    if math.isnan(value):
        return None
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def _notes(compared: Comparisons, shown: int) -> Iterator[str]:
    if shown < len(compared.every):
        total = len(compared.every)
        yield f"{shown} of {total} comparisons are shown, lowest p first; --json has all"
    yield describe_tests(compared.every)
    untested = {comparison.number for comparison in compared.every if math.isnan(comparison.p)}
    if untested:
        yield (
            f"without interval and p-value: {', '.join(sorted(untested))} (undefined, too few "
            "items, or the number cannot be resampled)"
        )
    for side in compared.sides:
        for judge, split in side.noise.items():
            for line in split.describe(str(side.benchmark.headline)):
                yield f"{side.name}, {judge}: {line}"
