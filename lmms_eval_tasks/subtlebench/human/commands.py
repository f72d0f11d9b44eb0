"""`pairbench rate questions` and `pairbench people answers`: people's accuracy (Appendix B.4)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.people.command import Port, Raters, names, serve
from lmms_eval_tasks.people.events import EventsFile, collect
from lmms_eval_tasks.people.server import ServerError
from lmms_eval_tasks.people.session import Session
from lmms_eval_tasks.subtlebench import published
from lmms_eval_tasks.subtlebench.human.answers import READER, Log, logs_of, together
from lmms_eval_tasks.subtlebench.human.study import Study
from lmms_eval_tasks.subtlebench.items import SYNTHETIC, TYPES
from lmms_eval_tasks.subtlebench.numbers import accuracy, accuracy_by
from lmms_eval_tasks.subtlebench.tasks import NAME
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file, check_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, without_noise
from pairbench_ext.show.cli.console import (
    UNDEFINED,
    cell,
    console,
    errors,
    fail_on,
    interval,
    print_json,
    print_table,
    table,
)
from pairbench_ext.show.cli.options import AsJson, Overwrite
from pairbench_ext.stacks.plain.tasks import as_line
from pairbench_ext.statistics.shares import Share


def rate_questions(
    raters: Raters,
    task: Annotated[
        str, typer.Option(help="Task whose questions are asked; one of the standard prompt.")
    ] = NAME,
    per_type: Annotated[
        int,
        typer.Option(help="Questions of each type of difference, per person and round.", min=1),
    ] = 100,
    seed: Annotated[int, typer.Option(help="Random seed of the questions and orders.")] = 0,
    port: Port = 0,
    out: Annotated[
        Path, typer.Option(help="File that answers are appended to, JSON lines.")
    ] = Path("answers.jsonl"),
) -> None:
    """Serve a page on which people answer VLM-SubtleBench's questions, as in its human evaluation.

    All people answer the same questions, each in an order of their own; of each type of difference,
    sources have their shares. An answer is on disk as soon as it is given; the same command goes on
    where it was left. Ctrl-C ends it. `pairbench people answers` converts answers into sample
    logs.

    pairbench rate questions --task subtlebench_demo --raters anna,ben --per-type 20
    """
    people = names(raters)
    with fail_on(SourceError, RecordError, ServerError, ValueError), without_noise():
        study = Study(task, per_type, seed)
        with EventsFile(out, READER) as file:
            sessions = [Session(name, study, file) for name in people]
            console.print(f"{counted(study.total, 'question')} to draw from; answers go to {out}")
            serve(sessions, file, port)


def answers(
    files: Annotated[
        list[Path], typer.Argument(help="Answers, as `pairbench rate questions` writes them.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Output folder for a sample log of each person.")
    ] = None,
    as_json: AsJson = False,
    overwrite: Overwrite = False,
) -> None:
    """Print how often people are right, by type of difference, and write their answers as a log.

    With --out each person has a folder, which `pairbench score subtlebench`, `compare` and `panel`
    read beside those of models.

    pairbench people answers answers.jsonl --out humans
    """
    with fail_on(SourceError, RecordError, ValueError), without_noise():
        collected = collect(files, READER)
        logs = logs_of(collected.ratings)
        if out is not None:
            _write(logs, out, files, overwrite)
        everyone = together(logs)
        raters = dict.fromkeys(log.rater for log in logs)
        people = {rater: together(log for log in logs if log.rater == rater) for rater in raters}
    for line in collected.skipped:
        errors.print(f"left out: {line}")
    if as_json:
        by_person = {rater: _numbers(answered) for rater, answered in people.items()}
        left_out = collected.skipped
        print_json({"people": by_person, "all": _numbers(everyone), "left_out": left_out})
        return
    _print(everyone, people)
    if out is not None:
        console.print(f"{counted(len(logs), 'log')} in {out}; next: pairbench score {NAME} {out}")


def _write(logs: list[Log], out: Path, inputs: list[Path], overwrite: bool) -> None:
    """Write every person's log into a folder of the person's name."""
    check_folder(out, inputs)
    for log in logs:
        if not re.fullmatch(r"\w[\w .-]*", log.rater):
            raise ValueError(f"{log.rater!r} cannot name a folder; rename the rater in the file")
        path = out / log.rater / f"samples_{log.task}.jsonl"
        check_file(path, inputs, overwrite=overwrite)
        write_atomically(path, map(as_line, log.rows))


def _shares(answered: OutcomeTable) -> dict[str, Share]:
    by_type = accuracy_by(answered, "category")
    return {**{t: by_type[t] for t in TYPES if t in by_type}, "AVG": accuracy(answered)}


def _numbers(answered: OutcomeTable) -> dict[str, Any]:
    return {
        name: {"accuracy": share.value, "interval": [*share.interval], "n": share.n}
        for name, share in _shares(answered).items()
    }


def _print(everyone: OutcomeTable, people: dict[str, OutcomeTable]) -> None:
    drawn = everyone.labels("source") == [SYNTHETIC]
    shown = table(["type, or rater"], ["accuracy", "95% interval", "n", "paper's people"])
    by_rater = {rater: accuracy(answered) for rater, answered in people.items()}
    for name, share in [*_shares(everyone).items(), *by_rater.items()]:
        theirs = published.reference("accuracy" if name == "AVG" else f"accuracy_{name}")
        paper = UNDEFINED if drawn or not theirs else cell(theirs[published.HUMAN])
        shown.add_row(name, cell(share.value), interval(*share.interval), str(share.n), paper)
    print_table(shown, "how often people are right")
    console.print("intervals: 95%, bootstrap over pairs of images")
