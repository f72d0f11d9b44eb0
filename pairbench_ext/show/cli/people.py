"""`pairbench people`: compare judges with people who rated the same items."""

from pathlib import Path
from typing import Annotated

from pairbench_ext.core.files import check_file, write_atomically
from pairbench_ext.runs.people import DISAGREEMENT, beside_people, disagreements
from pairbench_ext.runs.people_finding import people_finding
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.correct import LabelFiles
from pairbench_ext.show.cli.foreign import labels
from pairbench_ext.show.cli.options import option
from pairbench_ext.show.paper_table import csv_text
from pairbench_ext.statistics.alternative_annotator import EPSILON


def compare_with_people(
    runs: options.OneOrMoreJudges,
    people: LabelFiles = None,
    epsilon: Annotated[
        float,
        option(
            "Advantage that the judge gets in the alternative annotator test, because it "
            "costs less than a person: 0.2 for experts, 0.1 for crowd workers.",
            min=0,
            max=0.99,
        ),
    ] = EPSILON,
    out: Annotated[
        Path | None,
        option("Write the items on which a judge and people disagree to this CSV file."),
    ] = None,
    overwrite: options.Overwrite = False,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    everything: Annotated[
        bool, option("Also print the judge's agreement with each person.", "--all")
    ] = False,
    json_only: options.AsJson = False,
) -> None:
    """Test whether a judge may replace one of the people who rated the same items.

    For VIEScore and MLLM-as-a-Judge, whose data have people's judgments, for PairBench with ratings
    from `pairbench rate pairs`, and for any task with a file of labels. Prints kappa with base
    rates, the judge's correlation with people beside theirs among themselves, and the alternative
    annotator test (Calderon et al., 2025).
    """
    with working("comparing with people") as progress:
        if out is not None:
            check_file(out, [*runs, *(people or ())], overwrite=overwrite)
        sides = side_by_side(options.judges_of(runs, benchmark, rule))
        given = labels(people, sides)
        compared = beside_people(sides, given, epsilon=epsilon, progress=progress)
        if out is not None:
            write_atomically(out, csv_text(DISAGREEMENT, disagreements(sides, given)))
    print_finding(people_finding(compared), json_only=json_only, everything=everything)
