"""`pairbench trust`: find the verdicts of a judge that need no check by a person."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.files import check_file, write_atomically
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs import label_draws
from pairbench_ext.runs import trust as trusting
from pairbench_ext.runs.distributions import recalibrations
from pairbench_ext.runs.label_checks import Question
from pairbench_ext.runs.label_rows import draw_file
from pairbench_ext.runs.labels_finding import checks_finding, trust_finding
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.promise_checks import broken, check_promises
from pairbench_ext.runs.promised import Trust
from pairbench_ext.runs.scoring import Run, read_judges
from pairbench_ext.runs.side_by_side import SideBySide, side_by_side
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.runs.trusted_items import TrustedItem
from pairbench_ext.show.cli import options
from pairbench_ext.show.cli.console import console, print_finding, working
from pairbench_ext.show.cli.correct import LabelFiles, Strata
from pairbench_ext.show.cli.foreign import labels
from pairbench_ext.show.cli.options import option
from pairbench_ext.show.cli.typed import typed_command
from pairbench_ext.show.paper_table import csv_text

_COLUMNS = (
    "task", "group", "item", "criterion", "verdict", "confidence", "trusted", "promise", "reason"
)  # fmt: skip
_SHEET = ("task", "item", "criterion", "label", "first", "second", "prompt", "images")


def trust_runs(
    runs: options.OneOrMoreJudges,
    people: LabelFiles = None,
    agree: Annotated[
        float,
        option(
            "Smallest share of people's labels with which trusted verdicts must agree.",
            min=0.01,
            max=0.99,
        ),
    ] = 0.8,
    delta: Annotated[
        float,
        option(
            "Highest allowed probability that trusted verdicts agree with people less often "
            "than the command says.",
            min=0.001,
            max=0.5,
        ),
    ] = 0.1,
    future: Annotated[
        bool,
        option(
            "Say which verdicts to trust on future items instead of on these items.", "--future"
        ),
    ] = False,
    by: Annotated[
        str | None,
        option(
            "Field of the items, such as a category. The verdicts to trust are found "
            "separately for each of its values."
        ),
    ] = None,
    strata: Strata = None,
    within: Annotated[
        float | None,
        option(
            "Largest difference between the judge's rating and people's mean rating that "
            "counts as agreement. Default: a tenth of the scale.",
            min=0,
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        option("Cost of 1000 verdicts by a judge or people: JUDGE=COST, people=COST; repeatable."),
    ] = None,
    draw: Annotated[
        int | None,
        option(
            "Draw this many questions at random for people to label, and write them to --out.",
            min=1,
        ),
    ] = None,
    seed: Annotated[int, option("Seed of the random draw of --draw.")] = 0,
    out: Annotated[
        Path | None,
        option("CSV file to write: all verdicts, or with --draw, the sheet for people."),
    ] = None,
    check: Annotated[
        Path | None,
        option(
            "Test whether trusted verdicts of these runs agree with people at least as often "
            "as this file (made with --out) says."
        ),
    ] = None,
    plot: options.PlotFile = None,
    overwrite: options.Overwrite = False,
    benchmark: options.OfBenchmark = None,
    rule: options.RuleOfRuns = None,
    json_only: options.AsJson = False,
) -> None:
    """Find, by people's labels, which verdicts of the first judge need no check by a person.

    The confidence of a verdict is the share of answers that agree with it: the judge's answers in
    both orders and all repeats, and those of further judges, if given; or the judge's own
    confidence, from 0 to 1, where a file has a column of it. The promise is that trusted verdicts
    agree with people in at least the share --agree. The risk that a promise is wrong is at most
    --delta. Labels must be of questions drawn at random: --draw 100 --out sheet.csv draws them.
    Then give the sheet with its labels: --people sheet.csv.
    """
    costs = dict(_costs(cost or ()))
    with working("reading"):
        inputs = [*runs, *(people or ())]
        options.check_plot(plot, inputs, overwrite=overwrite)
        if out is not None:
            check_file(out, inputs, overwrite=overwrite)
        sides = side_by_side(read_judges(options.runs_of(runs, benchmark), rule=rule))
        if draw is not None:
            _draw(sides, draw, strata, seed, out, overwrite=overwrite)
            return
        given = labels(people, sides)
    if check is not None:
        _check(check, sides, given, by, within, json_only=json_only)
        return
    with working("testing"):
        trusted = trusting.trust(
            sides, given, agree=agree, delta=delta, by=by, strata=strata, within=within,
            future=future,
        )  # fmt: skip
        if all(part.problem == "no label" for part in trusted):
            raise given.missing()
    if out is not None:
        write_atomically(out, _verdicts(trusted))
    judges = (next(iter(side.judges.values())) for side in sides if side.judges)
    beside = list(recalibrations(judges, given))
    print_finding(trust_finding(trusted, beside, costs), json_only=json_only)
    _end(trusted, plot)


def _end(trusted: Sequence[Trust], plot: Path | None) -> None:
    """Draw a figure, if it has a name; labels that were not drawn at random end with 1."""
    if plot is not None and not all(part.refused for part in trusted):
        from pairbench_ext.show.figures.panels import draw_trust  # it needs what only figures need

        options.draw(plot, draw_trust, trusted)
    with working(""):
        refused = [f"{part.name}: {part.problem}" for part in trusted if part.refused]
        if refused:
            raise RecordError("; ".join(refused))


def _check(
    file: Path,
    sides: Sequence[SideBySide],
    labels: PeopleLabels,
    by: str | None,
    within: float | None,
    *,
    json_only: bool,
) -> None:
    with working("testing"):
        checks = check_promises(sides, labels, file, by=by, within=within)
    print_finding(checks_finding(checks), json_only=json_only)
    if broken(checks):
        raise typer.Exit(1)


def _draw(
    sides: Sequence[SideBySide],
    number: int,
    strata: str | None,
    seed: int,
    out: Path | None,
    *,
    overwrite: bool,
) -> None:
    """Draw questions, and write the sheet and the draw beside it."""
    if out is None:
        raise RecordError(
            "--draw: also give a name for the sheet that people fill in: --out sheet.csv"
        )
    stored = draw_file(out)
    check_file(stored, [], overwrite=overwrite)
    drawn, questions = label_draws.draw(sides, number, strata=strata, seed=seed)
    runs = {side.name: next(iter(side.judges.values())) for side in sides if side.judges}
    rows = (_to_label(task, question, runs[task]) for task, question in questions)
    write_atomically(out, csv_text(_SHEET, rows))
    write_atomically(stored, label_draws.text_of(drawn))
    total = sum(drawn.questions.values())
    then = shlex.join(typed_command(("--draw", "--seed", "--out", "--overwrite")))
    page = ""
    if all(side.benchmark.tasks for side in sides):  # recorded judgments have no data of ours
        page = (
            ". If the task's data are on this machine, people can answer on a page instead: "
            f"pairbench rate questions --sheet {out} --raters NAMES, then: {then} --people "
            f"{out.with_suffix('.jsonl')}"
        )
    console.print(
        f"{out}: {counted(number, 'question')} of {total:,}, drawn at random (seed {seed}; "
        f"{stored} stores the list from which they were drawn). Fill in the column label, then: "
        f"{then} --people {out}{page}",
        soft_wrap=True,
    )


def _to_label(task: str, question: Question, run: TaskOutcomes) -> tuple[str, ...]:
    """Return a row of the sheet, with what the judge was asked."""
    first = question.outcomes[0]
    prompt, images = run.prompts.get(first.question, ("", ())) if isinstance(run, Run) else ("", ())
    systems = first.systems or ("", "")
    return task, question.item, question.criterion, "", *systems, prompt, " ".join(images)


def _verdicts(trusted: Sequence[Trust]) -> str:
    return csv_text(_COLUMNS, (_verdict(part, item) for part in trusted for item in part.items))


def _verdict(part: Trust, item: TrustedItem) -> tuple[str, ...]:
    verdict = "" if item.verdict is None else str(item.verdict)
    named = part.task, part.group, item.item, item.criterion, verdict
    trusted = "yes" if part.is_trusted(item) else "no"
    confidence = "" if math.isnan(item.confidence) else f"{item.confidence:.6f}"
    return *named, confidence, trusted, str(part.agree), part.reason(item)


def _costs(given: Sequence[str]) -> Iterator[tuple[str, float]]:
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            yield name, float(number)
        except ValueError:
            raise typer.BadParameter(f"{text}: write JUDGE=COST, such as gpt=2.5") from None
