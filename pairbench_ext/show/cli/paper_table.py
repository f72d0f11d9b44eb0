"""`pairbench table`: print a benchmark's table for a paper: text, LaTeX, CSV or Markdown."""

from typing import Annotated

import typer

from pairbench_ext.runs.compare import if_comparable
from pairbench_ext.runs.paper_table import table_finding
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import errors, print_finding, working
from pairbench_ext.show.cli.options import option
from pairbench_ext.show.paper_table import FORMS


def table(
    runs: options.OneOrMoreJudges,
    with_published: Annotated[
        bool, option("Add the rows of the paper's own table.", "--published")
    ] = False,
    intervals: Annotated[bool, option("Add the 95% intervals.", "--intervals")] = False,
    latex: Annotated[bool, option("Print LaTeX for the package booktabs.", "--latex")] = False,
    as_csv: Annotated[bool, option("Print CSV.", "--csv")] = False,
    markdown: Annotated[bool, option("Print Markdown.", "--markdown")] = False,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    pool: options.PoolOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Print a benchmark's table in its paper's layout: one row per judge, the paper's columns.

    A group of tasks has one table, with the means over its tasks. A value is bold, or has a star,
    if it is significantly better than every other judge's, as `pairbench compare` tests.
    """
    wanted = {"latex": latex, "csv": as_csv, "markdown": markdown}
    forms = [form for form, chosen in wanted.items() if chosen]
    if len(forms) > 1:
        raise typer.BadParameter("give only one of --latex, --csv and --markdown")
    with working("scoring"):
        judges = options.judges_of(runs, benchmark, rule, pool)
        compared, why = if_comparable(judges)
        found = table_finding(
            judges, compared, with_published=with_published, intervals=intervals or json_only
        )
    if forms:
        for shown in found.tables:
            typer.echo(f"{FORMS[forms[0]](shown)}\n")
    else:
        print_finding(found, json_only=json_only)
    if why:
        errors.print(f"the table does not say which judges differ significantly: {why}")
