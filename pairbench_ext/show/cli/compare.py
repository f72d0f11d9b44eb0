"""`pairbench compare`: find which of several judges is better, and by how much."""

from typing import Annotated

import typer

from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.compare_finding import compare_finding
from pairbench_ext.runs.comparisons import Comparison, Comparisons
from pairbench_ext.runs.files import files_of
from pairbench_ext.runs.gate import EXIT_STATUS, gate_of
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.options import option

MOST_DRAWN = 8  # main numbers of a figure


def compare_runs(
    runs: options.Judges,
    baseline: Annotated[
        str | None, option("Compare every judge with this judge, not with every other judge.")
    ] = None,
    number: Annotated[
        list[str] | None,
        option("Number by which to compare judges; repeatable. Default: each task's main number."),
    ] = None,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    pool: options.PoolOfRuns = None,
    fail_if_worse: Annotated[
        bool,
        option(
            "Give two judges, NEW and BASE. Exit with 1 if NEW is significantly worse on a "
            "main number, and with 2 on errors, such as items of BASE that NEW lacks.",
            "--fail-if-worse",
        ),
    ] = False,
    margin: Annotated[
        float | None,
        option(
            "With --fail-if-worse: largest acceptable loss of NEW, in units of the main "
            "number. Pass only if the 95% interval rules out a larger loss; exit with 3 if "
            "this cannot be decided. `pairbench plan --margin` says how many items are needed.",
            min=0,
        ),
    ] = None,
    allow_missing: Annotated[
        bool,
        option(
            "With --fail-if-worse: if NEW lacks items of BASE, compare the items that both have.",
            "--allow-missing",
        ),
    ] = False,
    everything: Annotated[
        bool, option("Also print every number and every pair of judges.", "--all")
    ] = False,
    markdown: options.AsMarkdown = False,
    json_only: options.AsJson = False,
    plot: options.PlotFile = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Compare judges: which one is better, and is the difference significant? No model is run.

    A folder is one judge: all of its samples, at any depth. Tasks are matched by name, items by id.
    The table orders judges by their main number. It shows the ranks that the tests allow, and each
    judge's problems; --all prints every number and pair. Judges that ran different tasks are ranked
    in groups. P-values are adjusted over all pairs (Holm). Judges that share a letter do not differ
    significantly.
    """
    more = bool(everything or number or baseline)
    if not fail_if_worse:
        for name, given in (("--margin", margin is not None), ("--allow-missing", allow_missing)):
            if given:
                raise typer.BadParameter("only possible with --fail-if-worse", param_hint=name)
    with working("comparing") as progress:
        judges = options.runs_of(runs, benchmark)
        options.check_plot(plot, files_of(judges), overwrite=overwrite)
        compared = compare(
            read_judges(judges, rule=rule, pool=pool),
            numbers=number or (),
            baseline=baseline,
            headlines_alone=not (more or json_only),
            stand_in=not fail_if_worse,
            progress=progress,
        )
        gate = gate_of(compared, margin, allow_missing=allow_missing) if fail_if_worse else None
        found = compare_finding(compared, rule, gate)
    if plot is not None:
        from pairbench_ext.show.figures.differences import save_figure

        options.draw(plot, save_figure, _headlines(compared))
    print_finding(found, json_only=json_only, everything=more, markdown=markdown)
    if gate:
        raise typer.Exit(EXIT_STATUS[gate.verdict])


def _headlines(compared: Comparisons) -> list[Comparison]:
    """Return the comparisons to draw."""
    drawn = {(r.task, r.number) for r in compared.headlines[:MOST_DRAWN]}
    return [c for c in compared.every if (c.task, c.number) in drawn]
