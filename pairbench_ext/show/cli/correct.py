"""`pairbench correct`: correct a judge's mean verdict with people's labels of some items."""

from pathlib import Path
from typing import Annotated, TypeAlias

from pairbench_ext.runs.correct import correct
from pairbench_ext.runs.labels_finding import correct_finding
from pairbench_ext.runs.people_labels import LABEL
from pairbench_ext.runs.side_by_side import side_by_side, tasks_of
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.foreign import labels
from pairbench_ext.show.cli.options import option

LabelFiles: TypeAlias = Annotated[
    list[Path] | None,
    option(
        "File of people's labels: CSV, spreadsheet, JSON, or a file of `pairbench rate`; "
        "repeatable. Columns: item and label, and if needed task, criterion, rater, probability, "
        "first and second. Columns with other names are recognised by their values; if not, "
        "name them: --columns item=nr,people=vote. "
        f"Default: people's judgments in the runs. A label is {LABEL}."
    ),
]
Strata: TypeAlias = Annotated[
    str | None,
    option(
        "Field that holds each item's stratum. Give it if the items that people labelled "
        "were drawn at random within strata."
    ),
]


def correct_runs(
    runs: options.OneOrMoreJudges,
    people: LabelFiles = None,
    by: Annotated[
        str | None,
        option("Field that names the system whose answer was judged, such as image_model."),
    ] = None,
    strata: Strata = None,
    width: Annotated[
        float | None,
        option(
            "Also print how many labels are needed for a 95% interval of this half width.", min=0
        ),
    ] = None,
    future: Annotated[
        bool,
        option(
            "Estimate the mean label of future items, of which these items are a sample.",
            "--future",
        ),
    ] = False,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Estimate people's mean label over all items, from a judge's verdicts and a few labels.

    Labelled items must be drawn at random, or with the probability in the column `probability`. The
    correction is prediction-powered inference (PPI++), which holds for any judge. The estimate from
    error rates (Rogan and Gladen) is printed, too, if there are enough labels of both kinds.
    """
    with working("correcting"):
        sides = side_by_side(options.judges_of(runs, benchmark, rule))
        given = labels(people, sides)
        corrected = correct(
            tasks_of(sides), given, by=by, strata=strata, half_width=width, future=future
        )
    print_finding(correct_finding(corrected), json_only=json_only)
