"""`pairbench card`: test whether a judge can be trusted, and print one line per question."""

from typing import Annotated

from pairbench_ext.core.progress import tracked
from pairbench_ext.runs.card_finding import card_finding
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.options import option


def print_card(
    runs: options.OneOrMoreJudges,
    everything: Annotated[
        bool, option("For each task, also print the numbers that no test uses.", "--all")
    ] = False,
    verbose: Annotated[
        bool,
        option("With several judges, also print each judge's test results.", "--verbose", "-v"),
    ] = False,
    benchmark: options.OfBenchmark = None,
    json_only: options.AsJson = False,
) -> None:
    """Test whether a judge can be trusted, by its logged samples of any tasks. No model is run.

    Tests over all tasks come first, then the problems of single tasks. A folder is one judge: all
    of its samples, at any depth. A flag is a significant test after correction over all tests of
    the judge (Holm, with half of the 5% for position bias and a fifth for length bias). At most 1
    of 20 judges without a problem gets a flag. Several judges have a line each, the best first.
    """
    with working("reading"):
        judges = best_first(read_judges(tracked(options.runs_of(runs, benchmark), "scoring")))
        found = card_finding(judges, everything=everything)
    print_finding(found, json_only=json_only, everything=everything or verbose)
