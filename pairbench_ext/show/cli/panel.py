"""`pairbench panel`: how good several judges are together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.comparisons import Comparison, describe_tests
from pairbench_ext.runs.panel import Panels, TaskPanel, panel
from pairbench_ext.runs.panel_votes import BEST
from pairbench_ext.runs.side_by_side import describe_incomplete
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.compare import print_differences
from pairbench_ext.show.cli.console import cell, console, interval, print_json, print_table, working

_MOST_PAIRS = 21  # of seven judges; more are in the JSON
_MOST_MISSED = 10


def panel_runs(
    runs: options.Judges,
    number: Annotated[
        list[str] | None,
        typer.Option(help="Number to evaluate panels by; repeatable. Default: accuracy."),
    ] = None,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    pool: options.PoolOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Combine several judges, and test whether they are better than the best one. No model is run.

    Choices are combined by majority and by a vote weighted by accuracy, ratings by mean and median.
    Also: agreement beyond chance, the effective number of independent votes, and the items that all
    judges miss. Weights and the best single judge are chosen on other items than those that they
    are evaluated on.
    """
    with working("combining") as progress:
        judges = options.judges_of(runs, benchmark, rule, pool)
        panels = panel(judges, numbers=number or (), progress=progress)
    if json_only:
        print_json(panels.document())
    else:
        _print(panels)


def _print(panels: Panels) -> None:
    sides = [task_panel.side for task_panel in panels.tasks]
    for line in (*describe_incomplete(sides), *_answers(panels.comparisons)):
        console.print(line)
    for task_panel in panels.tasks:
        _print_panel(task_panel)
    if panels.comparisons:
        best = {
            (task_panel.side.name, number, of_number.in_hindsight)
            for task_panel in panels.tasks
            for number, of_number in task_panel.best.items()
        }
        shown = [pair for pair in panels.comparisons if (pair.task, pair.number, pair.b) in best]
        print_differences("panel minus the best judge, on the same items", shown)
        console.print(describe_tests(panels.comparisons))
    for task, why in panels.not_possible.items():
        console.print(f"no panel on {task or 'plain rows'}: {why}")


def _print_panel(task_panel: TaskPanel) -> None:
    side = task_panel.side
    console.print(
        f"{side.name}: {len(side.names)} judges, {task_panel.questions} questions that all "
        f"were asked, {task_panel.clusters} clusters"
    )
    for name, values in task_panel.values.items():
        rows = [
            (judge, "panel" * (judge in task_panel.panels), value.value, value.ci95)
            for judge, value in values.items()
        ]
        print_table(f"{name} of judges and panels", ("", ""), (name, "95% interval"), rows)
    _print_agreement(task_panel)
    for line in _remarks(task_panel):
        console.print(line)


def _answers(comparisons: Sequence[Comparison]) -> Iterator[str]:
    panels: dict[tuple[str, str, str], list[Comparison]] = {}
    for comparison in comparisons:
        panels.setdefault((comparison.task, comparison.number, comparison.a), []).append(comparison)
    for (task, number, name), pairs in panels.items():
        yield f"{task}, {number}: {name} is {_verdict(pairs)}"


def _verdict(comparisons: Sequence[Comparison]) -> str:
    """Name the judges that a panel is significantly better and worse than."""
    parts = []
    for word, sign in (("better", 1), ("worse", -1)):
        judges = [pair.b for pair in comparisons if pair.differs and sign * _ahead(pair) > 0]
        if judges:
            every = len(judges) == len(comparisons)
            names = "every judge" if every else ", ".join(judges)
            parts.append(f"significantly {word} than {names}")
    return "; ".join(parts) or "not significantly different from any judge"


def _ahead(comparison: Comparison) -> float:
    return -comparison.difference if comparison.better == "lower" else comparison.difference


def _print_agreement(task_panel: TaskPanel) -> None:
    if task_panel.side.kind == "choice":
        titles = {"agreement": "agreement"}
        more = {"error consistency": "error_consistency", "same wrong answer": "same_error"}
    else:
        titles, more = {"Spearman": "correlation"}, {}
    titles |= {"kappa": "kappa", "alpha": "alpha", "error correlation": "error_correlation"} | more
    rows = [
        (pair.a, pair.b, pair.questions, *(getattr(pair, name) for name in titles.values()))
        for pair in task_panel.pairs[:_MOST_PAIRS]
    ]
    print_table("agreement of judges", ("a", "b"), ("both usable", *titles), rows)


def _remarks(task_panel: TaskPanel) -> Iterator[str]:
    if len(task_panel.pairs) > _MOST_PAIRS:
        yield f"{_MOST_PAIRS} of {len(task_panel.pairs)} pairs of judges are shown; --json has all"
    yield (
        f"all judges: kappa {cell(task_panel.kappa)} (each judge's own base rates), Krippendorff's "
        f"alpha {cell(task_panel.alpha)} (one base rate for all)"
    )
    votes = task_panel.effective
    yield (
        f"effective number of independent votes: {cell(votes.votes, 2)} of "
        f"{len(task_panel.side.names)} (95% interval {interval(*votes.interval, 2)}; mean "
        f"correlation of errors {cell(votes.correlation)}, {votes.n} questions)"
    )
    for name, best in task_panel.best.items():
        folds = ", ".join(f"{judge} in {n}" for judge, n in best.picked.items())
        yield (
            f"{BEST} by {name}: {cell(best.value)}, chosen on other items "
            f"({sum(best.picked.values())} folds: {folds}); in hindsight {best.in_hindsight} "
            "(biased upward: chosen on the same items)"
        )
    if task_panel.weights:
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in task_panel.weights.items())
        yield f"weights (log-odds of accuracy over chance, mean of folds): {weights}"
    if not task_panel.panels:
        yield "no panel: two judges have no majority, and a tie says nothing; add a third judge"
    for name, n in task_panel.ties.items():
        yield f"{name}: {counted(n, 'tie')}, each decided by a coin, so half right in expectation"
    for name, n in task_panel.unusable.items():
        yield f"{name}: {n} unusable answers: no votes in a panel, and wrong for the judge"
    for name, left in task_panel.side.left_out.items():
        named = listed(left.named, len(left.named), left.questions, "; ")
        yield f"{left.questions} questions of {name} left out, not asked of every judge: {named}"
    if task_panel.missed is not None:
        missed = listed(task_panel.missed, _MOST_MISSED, between="; ")
        items = counted(len(task_panel.missed), "item", "is")
        yield f"{items} missed by all judges{': ' if missed else ''}{missed}"
