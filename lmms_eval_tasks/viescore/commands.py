"""`pairbench people viescore`: recorded judgments of images, and metrics, beside human ratings."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lmms_eval_tasks.viescore.agreement import Agreement, agreement, only_rated
from lmms_eval_tasks.viescore.answers import GUESS_MARK, read_judgments, read_metric
from lmms_eval_tasks.viescore.baselines import (
    RECORDED,
    Baseline,
    Metric,
    Net,
    measure,
    write_answers,
)
from lmms_eval_tasks.viescore.correlations import Averages
from lmms_eval_tasks.viescore.human import read_human
from lmms_eval_tasks.viescore.judgments import Guesses, ImageScores, Key
from lmms_eval_tasks.viescore.museum import read_museum
from lmms_eval_tasks.viescore.paper import compare, paper_name
from lmms_eval_tasks.viescore.report import UNDERSTATED, report, tables
from lmms_eval_tasks.viescore.tasks import TASKS, find_task
from pairbench_ext.core.files import WriteError, write_atomically
from pairbench_ext.core.outputs import check_file, check_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.groups import as_json
from pairbench_ext.show.cli.console import console, errors, fail_on, print_table, table
from pairbench_ext.show.cli.options import AsJson, Overwrite

COLUMNS = ("task", "image_model", "aspect", "statistic", "value", "n")


class _Answers(NamedTuple):
    """What is compared: scores, the same with guesses kept, and what must be said of them."""

    name: str
    scores: Mapping[Key, ImageScores]
    as_in_paper: Mapping[Key, ImageScores]
    notes: list[str]


def baseline(
    museum: Annotated[Path, typer.Option(help="The museum: VIESCORE_DATA.")],
    metric: Annotated[Metric, typer.Option(help="What to measure.")],
    out: Annotated[Path, typer.Option(help="Folder for <task>/<image model>.json.")],
    task: Annotated[list[str], typer.Option(help=f"{', '.join(TASKS)}; may be repeated.")],
    weights: Annotated[
        str | None,
        typer.Option(help="Checkpoint: a name on the hub or a folder; the usual one by default."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="Folder of the task to compare with, such as GroundTruth.")
    ] = None,
    net: Annotated[Net, typer.Option(help="Backbone of LPIPS.")] = "alex",
    device: Annotated[
        str | None, typer.Option(help="torch device; a GPU by default, where there is one.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Measure images with CLIP-Score, CLIP-I, DINO or LPIPS, as baselines for a judge.

    Then: pairbench people viescore --answers OUT --human MUSEUM --metric CLIP_I
    """
    chosen = Baseline(metric, weights, reference, net, device)
    with fail_on(SourceError, RecordError, ValueError, OSError):
        check_folder(out, (museum,))
        for kind in map(find_task, task):
            found = read_museum(museum, kind)
            values = measure(found, chosen)
            for path in write_answers(out, found.folder.name, metric, values, overwrite=overwrite):
                console.print(f"{RECORDED[metric]}: {path}")


def correlate(
    answers: Annotated[Path, typer.Option(help="Folder of one judge: <task>/<image model>.json.")],
    human: Annotated[Path, typer.Option(help="Folder of human ratings: <task>/rater1.tsv, ...")],
    metric: Annotated[
        str | None, typer.Option(help="The recorded metric (LPIPS, ...) instead of a judge.")
    ] = None,
    guesses: Annotated[
        Guesses, typer.Option(help="Random guesses recorded as scores: drop, or keep as the paper.")
    ] = "drop",
    csv_file: Annotated[
        Path | None, typer.Option("--csv", help="Write every correlation as CSV.")
    ] = None,
    json_only: AsJson = False,
    report_file: Annotated[
        Path | None,
        typer.Option("--report", help="Write a report in Markdown, beside the paper's tables."),
    ] = None,
    overwrite: Overwrite = False,
    judge: Annotated[
        str | None,
        typer.Option(help="Its name in the paper, such as gpt4v_0shot; the folder's by default."),
    ] = None,
) -> None:
    """How far recorded judgments of images agree with human raters.

    Answers may be .json or .json.gz, or in the authors' layout <task>/<image model>/SC.json.
    """
    name = _paper_name(judge, metric or answers.resolve().name)
    with fail_on(RecordError, ValueError, WriteError):
        for file in (csv_file, report_file):
            if file is not None:
                check_file(file, (answers, human), overwrite=overwrite)
        recorded = _read(answers, metric, guesses)
        humans = read_human(human)
        found = agreement(recorded.scores, humans)
        notes = [*recorded.notes, *_notes(found)]
        if csv_file is not None:
            _write(csv_file, _csv(found))
        if report_file is not None:
            kept = only_rated(recorded.as_in_paper, humans)
            comparisons = compare(name, kept, humans) if name else []
            _write(report_file, report(recorded.name, found, comparisons, notes))
    if json_only:
        console.print_json(json.dumps(_document(recorded.name, guesses, found, notes)))
        return
    for one in tables(found):
        shown = table(one.columns[: one.names], one.columns[one.names :])
        for row in one.rows:
            shown.add_row(*row)
        print_table(shown, one.title)
    for note in [UNDERSTATED, *notes]:
        console.print(note)


def _paper_name(judge: str | None, folder: str) -> str | None:
    name = paper_name(judge or folder)
    if judge and name is None:
        raise typer.BadParameter(f"--judge {judge!r} is none that the paper has numbers of")
    return name


def _read(answers: Path, metric: str | None, guesses: Guesses) -> _Answers:
    name = answers.resolve().name
    if metric is not None:
        scores = read_metric(answers, metric)
        return _Answers(metric, scores, scores, [f"{metric} counts alike in SC, PQ and O."])
    recorded = read_judgments(answers)
    table, counts = recorded.table, recorded.table.counts()
    total = sum(counts.values())
    given = f"{counts['judged']} of them read as they were given."
    notes = [f"{counted(total, 'verdict')} of {name}, {given}"]
    if counts["guess"]:
        done = "dropped" if guesses == "drop" else "kept, as in the paper"
        notes.append(
            f"{counts['guess']} are random guesses in the place of replies that could not be read "
            f'("{GUESS_MARK}"); they are {done}.'
        )
    if counts["unusable"]:
        notes.append(f"{counts['unusable']} hold no numbers; they are dropped.")
    if recorded.outside:
        notes.append(f"{recorded.outside} have sub-scores outside 0-10; the lowest is clipped.")
    if table.in_one_aspect():
        notes.append(
            f"{counted(table.in_one_aspect(), 'image')} judged in one aspect only; left out."
        )
    return _Answers(name, table.scores(guesses=guesses), table.scores(guesses="keep"), notes)


def _notes(found: Agreement) -> list[str]:
    notes = []
    if found.unrated_models:
        names = ", ".join(f"{task}/{image_model}" for task, image_model in found.unrated_models)
        notes.append(f"without human ratings, left out: {names}")
    if found.unrated_images:
        notes.append(f"{counted(found.unrated_images, 'image', 'has')} no human ratings; left out.")
    undefined = sum(math.isnan(one.value) for one in found.correlations)
    if undefined:
        notes.append(
            f"{undefined} of {len(found.correlations)} correlations are undefined (one side rates "
            "all images alike, or there are fewer than two); averages leave them out."
        )
    return notes


def _write(path: Path, text: str) -> None:
    write_atomically(path, text)
    errors.print(f"written: {path}")


def _csv(found: Agreement) -> str:
    """One line a correlation; an undefined value is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in found.correlations:
        value = "" if math.isnan(one.value) else repr(one.value)
        writer.writerow([*one[:4], value, one.n])
    return text.getvalue()


def _document(name: str, guesses: str, found: Agreement, notes: list[str]) -> dict[str, Any]:
    def by_task(means: Averages) -> list[dict[str, Any]]:
        return [
            {"task": task, "aspect": aspect, "statistic": statistic, "value": value}
            for (task, aspect, statistic), value in means.items()
        ]

    document = {
        "judge": name,
        "guesses": guesses,
        "correlations": [
            dict(zip(COLUMNS, (*one[:4], one.value, one.n), strict=True))
            for one in found.correlations
        ],
        "averages": {mean: by_task(means) for mean, means in found.means.items()},
        "human_averages": {mean: by_task(means) for mean, means in found.human_means.items()},
        "intervals": [
            {"task": task, "aspect": aspect, "low": ends.low, "high": ends.high}
            for (task, aspect), ends in found.intervals.averages.items()
        ],
        "rankings": [
            {**one._asdict(), "footrule": one.footrule, "rho": one.rho} for one in found.rankings
        ],
        "notes": notes,
    }
    return {key: as_json(value) for key, value in document.items()}
