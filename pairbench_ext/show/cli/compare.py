"""`pairbench compare`: which of several judges is better, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.table import Table

from pairbench_ext.core.plurals import counted, listed, plural
from pairbench_ext.runs import placing
from pairbench_ext.runs.compare import (
    ALPHA,
    Comparison,
    Comparisons,
    Ranking,
    compare,
    describe_unmeasured,
)
from pairbench_ext.runs.completeness import describe_each
from pairbench_ext.runs.files import describe, files_of, judge_runs
from pairbench_ext.show.cli.console import (
    UNDEFINED,
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
    Overwrite,
    PlotFile,
    PoolOfRuns,
    RuleOfRuns,
    check_plot,
    draw,
)

_MOST_PAIRS = 60  # more are in the JSON
_MOST_ANSWERS = 8


def compare_runs(
    runs: Judges,
    baseline: Annotated[
        str | None, typer.Option(help="Compare every judge with this one, instead of all pairs.")
    ] = None,
    number: Annotated[
        list[str] | None,
        typer.Option(help="Number to compare; repeatable. Default: the headline numbers."),
    ] = None,
    rule: RuleOfRuns = None,
    pool: PoolOfRuns = None,
    json_only: AsJson = False,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Compare judges: which one is better, and is the difference significant? No model is run.

    A folder is one judge: all of its samples, at any depth. Tasks are matched by name, items by id.
    Items, or the images that they share, are resampled together with all answers about them.
    p-values are adjusted over all numbers and pairs (Holm). Judges that share a letter do not
    differ significantly.
    """
    with working("comparing") as progress:
        judges = judge_runs(runs)
        check_plot(plot, files_of(judges), overwrite=overwrite)
        found = compare(
            judges,
            rule=rule,
            pool=pool,
            numbers=number or (),
            baseline=baseline,
            progress=progress,
        )
        placed = placing.of_rankings(found, rule)
    if json_only:
        reference_rows = {"reference": placing.document(placed)} if placed else {}
        print_json(found.document() | reference_rows)
    else:
        _print(found)
        for line in placing.describe(placed):
            console.print(line, soft_wrap=True)
    if plot is not None:
        from pairbench_ext.show.figures.differences import save_figure

        draw(plot, save_figure, found.every)


def _print(found: Comparisons) -> None:
    for line in (*describe_each(found.asked), *describe_unmeasured(found.unmeasured)):
        console.print(line)
    for run in found.runs:
        console.print(f"{run.name}: {listed([task or 'plain rows' for task in run.files], 6)}")
        for line in describe(run.passed_over):
            console.print(f"{run.name}: {line}")
    for line in _answers(found.rankings):
        console.print(line)
    for ranking in found.rankings:
        print_table(_ranked(ranking), f"{ranking.task}: {ranking.title} ({ranking.number})")
    shown = sorted(found.every, key=lambda one: (math.isnan(one.p_holm), one.p_holm))[:_MOST_PAIRS]
    kept = set(map(id, shown))
    print_table(pairs_table([one for one in found.every if id(one) in kept]), "differences")
    for line in _notes(found, len(shown)):
        console.print(line)


def _answers(rankings: Sequence[Ranking]) -> Iterator[str]:
    """For each task, the best judge by the first number; of many, the last, which are groups."""
    first: dict[str, Ranking] = {}
    for ranking in rankings:
        first.setdefault(ranking.task, ranking)
    for ranking in [*first.values()][-_MOST_ANSWERS:]:
        if not ranking.letters:
            continue
        best, *others = ranking.values
        tied = [one for one in others if set(ranking.letters[one]) & set(ranking.letters[best])]
        value = ranking.values[best]
        verdict = "not significantly better than" if tied else "significantly better than"
        yield (
            f"{ranking.task}: by {ranking.number} {best} is first, {cell(value.value)} "
            f"({interval(*value.ci95)}), {verdict} {listed(tied or others, 4)}"
        )


def _ranked(ranking: Ranking) -> Table:
    lettered = bool(ranking.letters)
    made = table(("judge", *(("ties",) if lettered else ())), ("value", "95% interval"))
    for judge, value in ranking.values.items():
        letters = (ranking.letters[judge],) if lettered else ()
        made.add_row(judge, *letters, cell(value.value), interval(*value.ci95))
    return made


def pairs_table(comparisons: Sequence[Comparison]) -> Table:
    """Differences with their intervals and p-values."""
    made = table(
        ("task", "number", "a", "b"),
        ("a - b", "95% interval", "p", "p (Holm)", "significant", "items", "only a", "only b"),
    )
    for one in comparisons:
        made.add_row(
            one.task,
            one.number,
            one.a,
            one.b,
            UNDEFINED if math.isnan(one.difference) else f"{one.difference:+.3f}",
            interval(*one.ci95),
            _p(one.p),
            _p(one.p_holm),
            UNDEFINED if math.isnan(one.p) else ("yes" if one.differs else "no"),
            *map(str, (one.items, one.only_a, one.only_b)),
        )
    return made


def _p(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def _notes(found: Comparisons, shown: int) -> Iterator[str]:
    if shown < len(found.every):
        yield f"{shown} of {len(found.every)} comparisons are shown, lowest p first; --json has all"
    yield tests_remark(found.every)
    untested = {one.number for one in found.every if math.isnan(one.p)}
    if untested:
        yield (
            f"without interval and p-value: {', '.join(sorted(untested))} (undefined, too few "
            "items, or the number cannot be resampled)"
        )
    for line in dict.fromkeys(text for one in found.every for text in _missing(one)):
        yield line
    for task, (number, splits) in found.noise.items():
        for judge, split in splits.items():
            for line in split.describe(number):
                yield f"{task}, {judge}: {line}"


def tests_remark(comparisons: Sequence[Comparison]) -> str:
    """Return the significance level and the tests that were used."""
    tested = [one for one in comparisons if not math.isnan(one.p)]
    return (
        f"significant: p (Holm) of at most {ALPHA:g}, over {counted(len(tested), 'comparison')}; "
        f"tests: {', '.join(dict.fromkeys(one.test for one in tested)) or 'none'}"
    )


def _missing(one: Comparison) -> Iterator[str]:
    for judge, count, named in (
        (one.a, one.only_a, one.named_a),
        (one.b, one.only_b, one.named_b),
    ):
        if count:
            other = one.b if judge == one.a else one.a
            left = f"{counted(count, 'item')} of {judge} {plural('is', count)} left out"
            yield (f"{one.task}: {left}, missing in {other}: {listed(named, len(named), count)}")
    if one.uneven:
        yield (
            f"{one.task}: {counted(one.uneven, 'item', 'has')} a different number of answers from "
            f"{one.a} and {one.b}"
        )
