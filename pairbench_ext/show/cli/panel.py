"""`pairbench panel`: test whether several judges together beat the best single judge."""

from typing import Annotated

from pairbench_ext.runs.panel import panel
from pairbench_ext.runs.panel_finding import panel_finding
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.options import option


def panel_runs(
    runs: options.Judges,
    number: Annotated[
        list[str] | None,
        option("Number by which combined judges are evaluated; repeatable. Default: accuracy."),
    ] = None,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    pool: options.PoolOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Combine the verdicts of several judges, and compare them with the best judge. Runs no model.

    Choices are combined by majority and by a vote weighted by accuracy, ratings by mean and median.
    The command also prints agreement beyond chance, the effective number of independent votes, and
    the items that all judges miss. Weights and the best single judge are chosen on one part of the
    items and evaluated on the others.
    """
    with working("combining") as progress:
        judges = options.judges_of(runs, benchmark, rule, pool)
        panels = panel(judges, numbers=number or (), progress=progress)
    print_finding(panel_finding(panels), json_only=json_only)
