"""`pairbench panel`: how good several judges are together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.table import Table

from pairbench_ext.core.plurals import counted, listed
from pairbench_ext.runs.compare import Comparison, describe_unmeasured
from pairbench_ext.runs.completeness import describe_each
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.panel import BEST, Panels, TaskPanel, panel
from pairbench_ext.show.cli.compare import pairs_table, tests_remark
from pairbench_ext.show.cli.console import (
    cell,
    console,
    interval,
    print_json,
    print_table,
    table,
    working,
)
from pairbench_ext.show.cli.options import (
    AsJson,
    Judges,
    PoolOfRuns,
    RuleOfRuns,
)

_MOST_PAIRS = 21  # of seven judges; more are in the JSON
_MOST_MISSED = 10


def panel_runs(
    runs: Judges,
    number: Annotated[
        list[str] | None,
        typer.Option(help="Number to evaluate panels by; repeatable. Default: accuracy."),
    ] = None,
    rule: RuleOfRuns = None,
    pool: PoolOfRuns = None,
    json_only: AsJson = False,
) -> None:
    """Combine several judges, and test whether they are better than the best one. No model is run.

    Choices are combined by majority and by a vote weighted by accuracy, ratings by mean and median.
    Also: agreement beyond chance, the effective number of independent votes, and the items that all
    judges miss. Weights and the best single judge are chosen on other items than those that they
    are evaluated on.
    """
    with working("combining") as progress:
        judges = judge_runs(runs)
        found = panel(
            judges,
            rule=rule,
            pool=pool,
            numbers=number or (),
            progress=progress,
        )
    if json_only:
        print_json(found.document())
    else:
        _print(found)


def _print(found: Panels) -> None:
    unmeasured = {one.task: one.unmeasured for one in found.tasks if one.unmeasured}
    asked = {one.task: one.asked for one in found.tasks}
    for line in (*describe_each(asked), *describe_unmeasured(unmeasured)):
        console.print(line)
    for line in _answers(found.comparisons):
        console.print(line)
    for one in found.tasks:
        console.print(
            f"{one.task}: {len(one.judges)} judges, {one.questions} questions asked of all, "
            f"{one.clusters} clusters"
        )
        for name, values in one.values.items():
            shown = table(("", ""), (name, "95% interval"))
            for judge, value in values.items():
                kind = "panel" if judge in one.panels else ""
                shown.add_row(judge, kind, cell(value.value), interval(*value.ci95))
            print_table(shown, f"{name} of judges and panels")
        print_table(_agreement(one), "agreement of judges")
        for line in _remarks(one):
            console.print(line)
    if found.comparisons:
        _print_comparisons(found)
    for task, why in found.not_possible.items():
        console.print(f"no panel on {task or 'plain rows'}: {why}")


def _print_comparisons(found: Panels) -> None:
    best = {
        (one.task, name): of_number.in_hindsight
        for one in found.tasks
        for name, of_number in one.best.items()
    }
    shown = [one for one in found.comparisons if best.get((one.task, one.number)) == one.b]
    print_table(pairs_table(shown), "panels, less the best judge on the same items")
    console.print(tests_remark(found.comparisons))


def _answers(comparisons: Sequence[Comparison]) -> Iterator[str]:
    panels: dict[tuple[str, str, str], list[Comparison]] = {}
    for one in comparisons:
        panels.setdefault((one.task, one.number, one.a), []).append(one)
    for (task, number, name), every in panels.items():
        yield f"{task}, {number}: {name} is {_verdict(every)}"


def _verdict(comparisons: Sequence[Comparison]) -> str:
    """Name the judges that a panel is significantly better and worse than."""
    said = []
    for what, sign in (("better", 1), ("worse", -1)):
        better = [one for one in comparisons if one.differs and sign * _ahead(one) > 0]
        if better:
            every = len(better) == len(comparisons)
            names = "every judge" if every else ", ".join(one.b for one in better)
            said.append(f"significantly {what} than {names}")
    return "; ".join(said) or "not significantly different from any judge"


def _ahead(one: Comparison) -> float:
    return -one.difference if one.better == "lower" else one.difference


def _agreement(one: TaskPanel) -> Table:
    choice = one.kind == "choice"
    first = "agreement" if choice else "Spearman"
    more = ("error consistency", "same wrong answer") if choice else ()
    shown = table(("a", "b"), ("both usable", first, "kappa", "alpha", "error correlation", *more))
    for pair in one.pairs[:_MOST_PAIRS]:
        values = [
            pair.agreement if choice else pair.correlation,
            pair.kappa,
            pair.alpha,
            pair.error_correlation,
            *((pair.error_consistency, pair.same_error) if choice else ()),
        ]
        shown.add_row(pair.a, pair.b, str(pair.questions), *map(cell, values))
    return shown


def _remarks(one: TaskPanel) -> Iterator[str]:
    if len(one.pairs) > _MOST_PAIRS:
        yield f"{_MOST_PAIRS} of {len(one.pairs)} pairs of judges are shown; --json has all"
    yield (
        f"all judges: kappa {cell(one.kappa)} (each judge's own base rates), Krippendorff's alpha "
        f"{cell(one.alpha)} (one base rate for all)"
    )
    votes = one.effective
    yield (
        f"effective number of independent votes: {cell(votes.votes, 2)} of {len(one.judges)} "
        f"(95% interval {interval(*votes.interval, 2)}; mean correlation of errors "
        f"{cell(votes.correlation)}, {votes.n} questions)"
    )
    if max(votes.votes, votes.interval.high) > len(one.judges):
        yield (
            f"more than {len(one.judges)} would mean that judges err on different questions "
            "(a negative correlation)"
        )
    for name, best in one.best.items():
        folds = ", ".join(f"{judge} in {n}" for judge, n in best.picked.items())
        yield (
            f"{BEST} by {name}: {cell(best.value)}, chosen on other items "
            f"({sum(best.picked.values())} folds: {folds}); on the same items {best.in_hindsight} "
            "(biased upward)"
        )
    if not one.best:
        yield "weights and the best single judge need two clusters or more"
    if one.weights:
        shown = ", ".join(f"{judge} {weight:.2f}" for judge, weight in one.weights.items())
        yield f"weights (log-odds of accuracy over chance, mean of folds): {shown}"
    for name, n in one.undecided.items():
        yield f"{name}: {n} questions undecided (ties, no usable answer); they count as unusable"
    for name, n in one.unusable.items():
        yield f"{name}: {n} answers unusable; not counted as votes, and as wrong for the judge"
    for name, left in one.left_out.items():
        yield (
            f"{left.questions} questions of {name} that not all judges were asked are left out: "
            f"{listed(left.named, len(left.named), left.questions, '; ')}"
        )
    if one.missed is None:
        yield "no items missed by all judges: ratings are near or far, not right or wrong"
    else:
        more = f": {listed(one.missed, _MOST_MISSED, between='; ')}" if one.missed else ""
        yield f"{counted(len(one.missed), 'item', 'is')} missed by all judges{more}"
