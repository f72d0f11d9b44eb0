"""`pairbench study`: do two benchmarks order models alike?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.cli.console import console, print_table
from pairbench_ext.cli.findings import check_plot, draw, print_json, working
from pairbench_ext.cli.options import AsJson, Overwrite, PlotFile
from pairbench_ext.cli.tables import cell, interval, table
from pairbench_ext.judge_runs import judge_runs
from pairbench_ext.plurals import counted
from pairbench_ext.statistics.relation import Relation
from pairbench_ext.study import Pair, Scores, add_runs, read_scores, study

_NAMED = 5


def study_scores(
    scores: Annotated[
        Path,
        typer.Argument(help="CSV with a row per model: columns model, family, size, and scores."),
    ],
    of: Annotated[
        list[str] | None,
        typer.Option(help="Only pairs with this score; may be given again."),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of a model's logged samples, named as the model; repeat it."),
    ] = None,
    number: Annotated[
        str | None, typer.Option(help="Of the runs; each benchmark's headline unless given.")
    ] = None,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
    json_only: AsJson = False,
) -> None:
    """Do two benchmarks order models alike?

    Pearson's, Spearman's and Kendall's correlations of every two scores, with 95% intervals over
    models, p-values of a permutation test (Holm over all pairs), without each family of models in
    turn, and given the models' size.
    """
    with working("study") as progress:
        check_plot(plot, [scores], overwrite=overwrite)
        read = read_scores(scores)
        if runs:
            add_runs(read, judge_runs(runs), number)
        pairs = study(read, of or (), progress)
    if json_only:
        print_json(_document(pairs))
    else:
        _print(read, pairs)
    if plot is not None:
        from pairbench_ext.figures.scatter import save_figure

        draw(plot, save_figure, read, pairs)


def _print(scores: Scores, pairs: Sequence[Pair]) -> None:
    left = ("score", "other score", "correlation")
    right = ["models", "value", "95% interval", "p", "p (Holm)"]
    right += ["without a family"] * (scores.families is not None)
    right += ["given size"] * (scores.sizes is not None)
    shown = table(left, right)
    for pair in pairs:
        for number, one in enumerate(pair.relations):
            first = number == 0
            names = (pair.x, pair.y) if first else ("", "")
            cells = [
                str(len(pair.models)) if first else "",
                cell(one.value),
                interval(*one.ci95),
                cell(one.p, 4),
                cell(pair.p_holm[number], 4),
            ]
            cells += [_range(one)] * (scores.families is not None)
            cells += [cell(one.partial)] * (scores.sizes is not None)
            shown.add_row(*names, one.name, *cells)
    print_table(shown)
    for pair in pairs:
        if pair.missing:
            lacking = ", ".join(pair.missing[:_NAMED]) + ", ..." * (len(pair.missing) > _NAMED)
            console.print(
                f"{pair.x} and {pair.y}: without {counted(len(pair.missing), 'model')} "
                f"that lack one of them: {lacking}"
            )
    for column, why in scores.left_out.items():
        console.print(f"column {column!r} is left out: {why}")


def _range(one: Relation) -> str:
    """The lowest and highest correlation without a family."""
    values = [value for value in one.without.values() if not math.isnan(value)]
    return interval(min(values), max(values)) if values else cell(math.nan)


def _document(pairs: Sequence[Pair]) -> dict[str, Any]:
    return {
        "relations": [
            {
                "x": pair.x,
                "y": pair.y,
                "models": list(pair.models),
                "missing": list(pair.missing),
                "correlation": one.name,
                "value": one.value,
                "ci95_low": one.ci95.low,
                "ci95_high": one.ci95.high,
                "p": one.p,
                "p_holm": p,
                "without": one.without,
                "given_size": one.partial,
            }
            for pair in pairs
            for one, p in zip(pair.relations, pair.p_holm, strict=True)
        ]
    }
