"""`pairbench card`: can a judge be trusted? One line per question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from pairbench_ext.core.progress import tracked
from pairbench_ext.runs.card.lines import CardLine, cards_of, flags
from pairbench_ext.runs.card.model import ALPHA, WEIGHTS
from pairbench_ext.runs.compare import if_comparable
from pairbench_ext.runs.ranking_table import ranked_table
from pairbench_ext.runs.score_finding import cautions_of
from pairbench_ext.runs.scoring import Run, read_judges
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import (
    cell,
    console,
    interval,
    print_json,
    working,
)
from pairbench_ext.show.cli.ranked import print_ranked


def print_card(
    runs: options.OneOrMoreJudges,
    everything: Annotated[
        bool, typer.Option("--all", help="Also print each task's numbers, with or without a test.")
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Of several judges, also print each one's tests."),
    ] = False,
    benchmark: options.OfBenchmark = None,
    json_only: options.AsJson = False,
) -> None:
    """Print the card of a judge from logged samples of any tasks. No model is run.

    First come the tests of all tasks together, and the defects of single tasks. A folder is one
    judge: all of its samples, at any depth. A flag is a significant test, after correction over all
    tests of the judge (Holm; position may spend half of the 5%, length a fifth, all else the
    rest): at most 1 of 20 judges without a defect gets one. Several judges have
    a line each, the best first.
    """
    with working("reading"):
        given = options.runs_of(runs, benchmark)
        judges = read_judges(tracked(given, "scoring"))
        cards = cards_of(judges)
        ranked = ranked_table(cards, if_comparable(judges, headlines_alone=True)[0])
    judges = ranked.in_order(judges)
    if json_only:
        made = {judge.name: [asdict(line) for line in cards[judge.name]] for judge in judges}
        asked = {
            judge.name: {run.name: run.asked for run in judge.runs.values()} for judge in judges
        }
        controls = {
            judge.name: {run.name: list(run.controls) for run in judge.runs.values()}
            for judge in judges
        }
        weights = {name or "other": weight for name, weight in WEIGHTS.items()}
        print_json(
            {
                "alpha": ALPHA,
                "weights": weights,
                "cards": made,
                "asked": asked,
                "controls": controls,
            }
        )
        return
    for line in cautions_of(judges):
        console.print(line)
    for judge in judges:
        for line in _remarks(judge.runs.values()):
            console.print(f"{judge.name}, {line}")
    if len(cards) > 1:
        print_ranked(ranked)
        if not (verbose or everything):
            console.print("-v: the tests of each judge")
            return
    for judge in judges:
        _print(judge.name, cards[judge.name], everything=everything)
        for run in judge.runs.values():
            for reached in run.controls[:1]:
                console.print(f"{run.name}: {reached.describe()}")
    shares = ", ".join(f"{name or 'all else'} {share:g}" for name, share in WEIGHTS.items())
    console.print(f"a judge without a defect has a flag in at most {ALPHA:.0%} ({shares} of it)")


def _print(name: str, lines: Sequence[CardLine], *, everything: bool) -> None:
    """Print an aspect, its number and its verdict, wrapped to the width of the terminal."""
    console.print(f"\n{name}: {_summary(lines)}")
    made = Table.grid(padding=(0, 2))
    for line in lines if everything else _in_short(lines):
        ends = "" if math.isnan(line.low) else f" ({interval(line.low, line.high)})"
        ends += f", p {line.p:.2g}" if everything and not math.isnan(line.p) else ""
        text = f"{line.title}, {line.task}: {cell(line.value)}{ends}" if line.task else line.title
        if not line.verdict.startswith(f"{line.title}: "):
            text += f"\n{line.verdict}"
        made.add_row(line.aspect, "!" if line.flag else " ", text)
    console.print(made)


def _in_short(lines: Sequence[CardLine]) -> Iterator[CardLine]:
    """Yield the tests of all tasks, the defects, and of an aspect without tests its numbers."""
    tested = {line.aspect for line in lines if line.null}
    together = {(line.aspect, line.title) for line in lines if len(line.tasks) > 1}
    for line in lines:
        single = len(line.tasks) == 1 and (line.aspect, line.title) in together
        if line.flag or (line.task and not single and (line.null or line.aspect not in tested)):
            yield line


def _remarks(runs: Iterable[Run]) -> Iterator[str]:
    """Yield how much of their tasks runs hold, what was left out or failed, distributions."""
    for run in runs:
        for line in (
            *run.asked.describe(),
            *run.remarks_on_samples(),
            *(run.distributions.describe() if run.distributions else ()),
        ):
            yield f"{run.name}: {line}"


def _summary(lines: Sequence[CardLine]) -> str:
    """Return the flags, and the aspects that were not measured."""
    tested = {line.aspect for line in lines if line.null}
    open_aspects = (line.aspect for line in lines if not line.measured)
    missing = dict.fromkeys(aspect for aspect in open_aspects if aspect not in tested)
    raised = f"flags: {', '.join(sorted(flags(lines))) or 'none'}"
    return f"{raised}; not measured: {', '.join(missing)}" if missing else raised
