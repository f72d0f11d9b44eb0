"""`pairbench plan`: estimate how large a run is, and the smallest difference it can show."""

from pathlib import Path
from typing import Annotated

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.plan import PlanError, Wanted
from pairbench_ext.runs.plan_finding import LabelPlan, plan_of
from pairbench_ext.show.cli.console import errors, fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, argument, option, share
from pairbench_ext.statistics.power import ALPHA


def plan(
    tasks: Annotated[list[str], argument("Tasks and groups of tasks, named as in lmms-eval.")],
    runs: Annotated[
        list[Path] | None,
        option(
            "Logged samples of one judge, or of two judges to estimate the variance of their "
            "difference. Without samples, only a comparison of accuracies can be planned."
        ),
    ] = None,
    number: Annotated[
        list[str] | None,
        option("With --runs: the metric by which you will compare judges; repeatable."),
    ] = None,
    discordant: Annotated[
        float, share("Share of items on which exactly one of two judges is right.")
    ] = 0.2,
    detect: Annotated[
        float | None,
        share("Also print how many items are needed to detect this difference between two judges."),
    ] = None,
    margin: Annotated[
        float | None,
        share(
            "Also print how many items are needed so that a judge as good as BASE passes "
            "`pairbench compare NEW BASE --fail-if-worse` with this --margin."
        ),
    ] = None,
    labels: Annotated[
        float | None,
        option(
            "Also print how many of people's labels are needed for a 95% interval of this half "
            "width, with the judge's verdicts (`pairbench correct`) and without them.",
            min=0,
        ),
    ] = None,
    correlation: Annotated[
        float, share("With --labels: correlation between the judge's verdicts and people's labels.")
    ] = 0.7,
    trust: Annotated[
        float | None,
        share(
            "Also print how many of people's labels `pairbench trust` needs, if this share of the "
            "trusted verdicts agrees with people."
        ),
    ] = None,
    agree: Annotated[
        float, share("With --trust: share of trusted verdicts that must agree with people.")
    ] = 0.8,
    delta: Annotated[
        float,
        share(
            "With --trust: highest allowed probability that trusted verdicts agree with people "
            "less often than the command says."
        ),
    ] = 0.1,
    alpha: Annotated[
        float,
        share(
            "Significance level of the test. Divide it by the number of comparisons that you "
            "will make."
        ),
    ] = ALPHA,
    json_only: AsJson = False,
) -> None:
    """Estimate the requests and tokens of a run, and the smallest difference that it can show.

    No model is run. Items are counted once, with all their votes and orders. A difference is shown
    if it is found with a probability of 80%.
    """
    asked = [name for text in tasks for name in text.split(",") if name]
    with fail_on(SourceError, PlanError, RecordError, ValueError):
        found = plan_of(
            asked,
            runs=runs or (),
            numbers=number or (),
            discordant=discordant,
            wanted=Wanted(alpha=alpha, difference=detect, margin=margin),
            labels=LabelPlan(labels, correlation, trust, agree, delta),
            progress=errors.print,
        )
    print_finding(found, json_only=json_only)
