"""`pairbench rate questions` and `pairbench people answers`: people's accuracy (Appendix B.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.people.command import Port, Raters, names, serve
from lmms_eval_tasks.people.server import ServerError
from lmms_eval_tasks.subtlebench import paper
from lmms_eval_tasks.subtlebench.human.answers import READER, collect
from lmms_eval_tasks.subtlebench.human.questions import Questions
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
        str, typer.Option(help="Whose questions; a task of the standard prompt.")
    ] = NAME,
    per_type: Annotated[
        int,
        typer.Option(help="Questions of each type of difference, per person and round.", min=1),
    ] = 100,
    seed: Annotated[int, typer.Option(help="Draws the questions and their orders.")] = 0,
    port: Port = 0,
    out: Annotated[Path, typer.Option(help="JSON lines that answers are added to.")] = Path(
        "answers.jsonl"
    ),
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
        study = Study(Questions(task), per_type, seed)
        serve(study, people, out, READER, port)


def answers(
    files: Annotated[
        list[Path], typer.Argument(help="Answers, as `pairbench rate questions` writes them.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write a model's log of each person to, for `score` and all."),
    ] = None,
    as_json: AsJson = False,
    overwrite: Overwrite = False,
) -> None:
    """Print how often people are right, by type of difference, and write their answers as a log.

    With --out each person has a folder, which `pairbench score subtlebench`, `compare` and `panel`
    read beside those of models.

    pairbench people answers answers.jsonl --out humans
    """
    from lmms_eval_tasks.subtlebench.human.logs import folders, logged, together

    with fail_on(SourceError, RecordError, ValueError), without_noise():
        found = collect(files)
        if out is not None:
            check_folder(out, files)
        logs = logged(found.ratings)
        if out is not None:
            places = folders(logs)
            paths = [out / places[log.rater] / f"samples_{log.task}.jsonl" for log in logs]
            for path in paths:
                check_file(path, files, overwrite=overwrite)
            for path, log in zip(paths, logs, strict=True):
                write_atomically(path, map(as_line, log.rows))
        everyone = together(logs)
        people = {
            rater: together(log for log in logs if log.rater == rater)
            for rater in dict.fromkeys(log.rater for log in logs)
        }
    for line in found.skipped:
        errors.print(f"left out: {line}")
    if as_json:
        print_json(
            {
                "people": {rater: _numbers(one) for rater, one in people.items()},
                "all": _numbers(everyone),
                "left_out": found.skipped,
            }
        )
        return
    _print(everyone, people)
    if out is not None:
        console.print(f"{counted(len(logs), 'log')} in {out}; next: pairbench score {NAME} {out}")


def _shares(one: OutcomeTable) -> dict[str, Share]:
    found = accuracy_by(one, "category")
    by_type = {name: found[name] for name in TYPES if name in found}
    return {**by_type, "AVG": accuracy(one)}


def _numbers(one: OutcomeTable) -> dict[str, Any]:
    return {
        name: {"accuracy": share.value, "interval": [*share.interval], "n": share.n}
        for name, share in _shares(one).items()
    }


def _print(everyone: OutcomeTable, people: dict[str, OutcomeTable]) -> None:
    drawn = all(choice["source"] == SYNTHETIC for choice in everyone)
    shown = table(["type"], ["accuracy", "95% interval", "n", "paper's people"])
    for name, share in _shares(everyone).items():
        number = "accuracy" if name == "AVG" else f"accuracy_{name}"
        printed = UNDEFINED if drawn else cell(paper.reference(number)[paper.HUMAN])
        shown.add_row(name, cell(share.value), interval(*share.interval), str(share.n), printed)
    print_table(shown, "how often people are right")
    by_person = table(["rater"], ["accuracy", "95% interval", "n"])
    for rater, one in people.items():
        share = accuracy(one)
        by_person.add_row(rater, cell(share.value), interval(*share.interval), str(share.n))
    print_table(by_person, "by person")
    console.print("intervals: 95%, bootstrap over pairs of images")
