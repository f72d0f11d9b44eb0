"""`pairbench study`: do two benchmarks order models alike?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core.plurals import counted, listed
from pairbench_ext.runs.judge_runs import files_of, judge_runs
from pairbench_ext.show.cli.console import console, print_table
from pairbench_ext.show.cli.findings import check_plot, draw, print_json, working
from pairbench_ext.show.cli.options import AsJson, Overwrite, PlotFile, completed
from pairbench_ext.show.cli.tables import cell, interval, table
from pairbench_ext.statistics.relation import LEAST, Relation
from pairbench_ext.study.pairs import ScorePair, study, unpaired
from pairbench_ext.study.printed import Printed, printed_of
from pairbench_ext.study.scores import Scores
from pairbench_ext.study.sources import add_published, add_runs, published_benchmarks
from pairbench_ext.study.table import read_scores

_NAMED = 5


def study_scores(
    scores: Annotated[
        Path | None,
        typer.Argument(help="CSV with a row per model: columns model, family, size, and scores."),
    ] = None,
    published: Annotated[
        list[str] | None,
        typer.Option(
            help="Scores that papers print: BENCHMARK:TABLE, such as subtlebench:8, or "
            "BENCHMARK:TABLE:NUMBER,NUMBER; repeat it.",
            autocompletion=completed(published_benchmarks),
        ),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of a model's logged samples, named as the model; repeat it."),
    ] = None,
    number: Annotated[
        list[str] | None,
        typer.Option(help="Of the runs; each benchmark's headline unless given. Repeat it."),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(help="Only pairs with this score; may be given again."),
    ] = None,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
    json_only: AsJson = False,
) -> None:
    """Do two benchmarks order models alike?

    Pearson's, Spearman's and Kendall's correlations of every two scores, with 95% intervals over
    models, p-values of a permutation test (Holm over all pairs), without each family of models in
    turn, and given the models' size. Scores are from a table, from papers, from runs, or from all
    of these, put together by the models' names.
    """
    if scores is None and not published and not runs:
        raise typer.BadParameter(
            "name a table of scores, or give --published or --runs", param_hint="SCORES"
        )
    with working("study") as progress:
        judges = judge_runs(runs) if runs else []
        check_plot(plot, [*([scores] if scores else []), *files_of(judges)], overwrite=overwrite)
        read = read_scores(scores) if scores else Scores()
        for wanted in published or ():
            add_published(read, wanted)
        if judges:
            add_runs(read, judges, number or ())
        pairs = study(read, of or (), progress)
        printed = [one for pair in pairs for one in printed_of(read, pair)]
    if json_only:
        print_json(_document(read, pairs, printed))
    else:
        _print(read, pairs, printed)
    if plot is not None:
        from pairbench_ext.show.figures.scatter import save_figure

        draw(plot, save_figure, read, pairs)


def _print(scores: Scores, pairs: Sequence[ScorePair], printed: Sequence[Printed]) -> None:
    families = any(one.without for pair in pairs for one in pair.relations)
    sizes = any(not math.isnan(one.partial) for pair in pairs for one in pair.relations)
    left = ("score", "other score", "correlation")
    right = ["models", "value", "95% interval", "p", "p (Holm)"]
    right += ["without a family"] * families + ["given size"] * sizes
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
            cells += [_range(one)] * families + [_given_size(one, pair)] * sizes
            shown.add_row(*names, one.name, *cells)
    print_table(shown)
    for line in (*(one.describe() for one in printed), *_notes(scores, pairs)):
        console.print(line, soft_wrap=True)


def _notes(scores: Scores, pairs: Sequence[ScorePair]) -> Iterator[str]:
    """Which models, columns and names the numbers are of."""
    for pair in pairs:
        if pair.missing:
            lacking = ", ".join(pair.missing[:_NAMED]) + ", ..." * (len(pair.missing) > _NAMED)
            yield (
                f"{pair.x} and {pair.y}: left out for want of one of them: "
                f"{counted(len(pair.missing), 'model')} ({lacking})"
            )
    for pair in pairs:
        for name in pair.constant:
            yield (
                f"{pair.x} and {pair.y}: no correlation is defined, for {name} is the same for "
                f"all {len(pair.models)} models"
            )
    alone = [f"{name} ({counted(n, 'model')})" for name, n in unpaired(scores, pairs).items()]
    if alone:
        yield f"in no pair, which takes {LEAST} models with both: {listed(alone, _NAMED)}"
    for column, why in scores.left_out.items():
        yield f"column {column!r} is left out: {why}"
    yield from scores.describe()


def _range(one: Relation) -> str:
    """The lowest and highest correlation without a family."""
    values = [value for value in one.without.values() if not math.isnan(value)]
    return interval(min(values), max(values)) if values else cell(math.nan)


def _given_size(one: Relation, pair: ScorePair) -> str:
    """The partial correlation; if not all sizes are known, with how many are and the plain one."""
    if one.sized == len(pair.models) or math.isnan(one.partial):
        return cell(one.partial)
    return f"{cell(one.partial)} ({one.sized} models: {cell(one.unadjusted)})"


def _document(
    scores: Scores, pairs: Sequence[ScorePair], printed: Sequence[Printed]
) -> dict[str, Any]:
    return {
        "models": [
            {"model": model, "family": scores.family(model), "size": scores.size(model)}
            for model in scores.models
        ],
        "relations": [
            {
                "x": pair.x,
                "y": pair.y,
                "models": list(pair.models),
                "missing": list(pair.missing),
                "constant": list(pair.constant),
                "correlation": one.name,
                "value": one.value,
                "ci95_low": one.ci95.low,
                "ci95_high": one.ci95.high,
                "p": one.p,
                "p_holm": p,
                "without": one.without,
                "given_size": one.partial,
                "sized": one.sized,
                "of_sized": one.unadjusted,
            }
            for pair in pairs
            for one, p in zip(pair.relations, pair.p_holm, strict=True)
        ],
        "printed": [one._asdict() for one in printed],
        "unpaired": unpaired(scores, pairs),
        "left_out": scores.left_out,
        "remarks": scores.describe(),
    }
