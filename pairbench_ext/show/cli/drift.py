"""`pairbench drift`: show what changed between several runs of one judge, and why."""

from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import did_you_mean, listed
from pairbench_ext.runs.drift import EXIT_STATUS
from pairbench_ext.runs.drift_finding import drift_finding
from pairbench_ext.runs.files import JudgeRun, files_of
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import print_finding, working
from pairbench_ext.show.cli.options import argument, option


def drift(
    old: Annotated[Path, argument("The earliest run: a folder of samples, or a file.")],
    new: Annotated[Path, argument("A later run of the same judge.")],
    later: Annotated[
        list[Path] | None,
        argument("Further runs of this judge; each is compared with the earliest."),
    ] = None,
    judge: Annotated[
        str, option("Name of the judge, if a file or folder holds several judges.")
    ] = "",
    fail_if_changed: Annotated[
        bool,
        option(
            "Exit with 1 if the judge changed significantly, with 3 if no test is possible, "
            "with 2 after an error.",
            "--fail-if-changed",
        ),
    ] = False,
    markdown: options.AsMarkdown = False,
    json_only: options.AsJson = False,
    plot: options.PlotFile = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Show whether a judge changed between several runs of it, and why.

    The first line says whether the judge changed, by one test for each task's main number and mean
    rating (Holm). Then the change is split by its cause: questions asked in one run only, another
    prompt, unreadable replies, another order. The rest is the judge itself, compared with its own
    noise. With three runs or more, the t-th later run is tested at 5% x 6 / (pi^2 t^2), so that
    false alarms stay at 5% however often you look.
    """
    with working("comparing"):
        runs = [old, new, *(later or ())]
        given = _named([options.runs_of([run]) for run in runs], judge)
        options.check_plot(plot, files_of(given), overwrite=overwrite)
        if len(given) != len(runs):
            raise RecordError(
                f"the {len(runs)} paths hold {len(given)} judges; give runs of one judge, or "
                "name the judge: --judge NAME"
            )
        finding = drift_finding([judge_run for run in given for judge_run in read_judges([run])])
    print_finding(finding, json_only=json_only, markdown=markdown)
    if plot is not None:
        options.draw(plot, lambda path: finding.plot().savefig(path))
    if fail_if_changed:
        raise typer.Exit(EXIT_STATUS[finding.fields["verdict"]])


def _named(paths: list[list[JudgeRun]], name: str) -> list[JudgeRun]:
    """Return the runs of the judge with a name, and all of paths that have none of this name.

    Raises:
        RecordError: if no path has one.
    """
    names = sorted({run.name for runs in paths for run in runs})
    if name and name not in names:
        near = did_you_mean(name, names)
        raise RecordError(f"--judge: no judge {name!r}; there are {listed(names, 6)}{near}")
    return [run for runs in paths for run in [x for x in runs if x.name == name] or runs]
