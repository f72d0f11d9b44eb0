"""`pairbench rate questions` and `pairbench papers answers`: people's answers (Appendix B.4).

An answer becomes the reply to the trial that asks a model the same, so a person's log has the rows
of a run over the questions that the person answered: `score`, `compare` and `panel` read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from lmms_eval_tasks.people.command import Port, Raters, names, serve
from lmms_eval_tasks.people.events import collect
from lmms_eval_tasks.people.questions import LETTERS, READER, Answer, Key
from lmms_eval_tasks.people.study import Study as AnyStudy
from lmms_eval_tasks.preference.trials import PairItems
from lmms_eval_tasks.subtlebench.human.study import Study
from lmms_eval_tasks.subtlebench.tasks import NAME
from lmms_eval_tasks.vl_rewardbench.own import study as preferences
from pairbench_ext.core.files import check_file, check_folder, write_atomically
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, without_noise
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.tasks import as_line, trials_of

#: The rows that the harness would log, by rater and task.
Logs: TypeAlias = dict[tuple[str, str], list[dict[str, Any]]]


def logs_of(answers: Iterable[Answer]) -> Logs:
    """Return the logs of all people.

    Raises:
        RecordError: if a question was answered on other data than the task's.
        SourceError: if there is no such task, or its data are missing.
    """
    by_task: dict[str, list[Answer]] = {}
    for answer in answers:
        by_task.setdefault(answer.key.task, []).append(answer)
    logs: Logs = {}
    for task, given in sorted(by_task.items()):
        replies = _replies(task, given)
        for trial in open_task(task):
            key = Key(task, trial.scalars["item"], trial.scalars["order"])
            for rater, letter in sorted(replies.get(key, {}).items()):
                logs.setdefault((rater, task), []).append(trial.row(f"### Answer\n{letter}"))
    return logs


def _replies(task: str, answers: Sequence[Answer]) -> dict[Key, dict[str, str]]:
    """The letters that people chose, by question and rater."""
    try:
        study = Study(task)
    except SourceError as error:
        raise SourceError(f"{answers[0].where}: field 'task': {error}") from error
    replies: dict[Key, dict[str, str]] = {}
    for answer in answers:
        _check(answer, study)
        replies.setdefault(answer.key, {})[answer.rater] = LETTERS[answer.score - 1]
    return replies


def _check(answer: Answer, study: Study) -> None:
    key = answer.key
    if (
        key not in study.trials
        or answer.score > study.question(key).highest
        or (answer.content and answer.content != study.content(key))
    ):
        raise RecordError(
            f"{answer.where}: {answer.rater!r} answered question {key.item!r} ({key.order}) on "
            f"other data than those of {key.task}; give the data that it was answered on"
        )


def rate_questions(
    raters: Raters,
    task: Annotated[
        str,
        typer.Option(
            help="Task that the questions are from: one with the standard prompt, or with pairs."
        ),
    ] = NAME,
    per_type: Annotated[
        int,
        typer.Option(
            help="Questions of each type of difference, or pairs, per person and round.", min=1
        ),
    ] = 100,
    seed: Annotated[int, typer.Option(help="Random seed of the questions and orders.")] = 0,
    port: Port = 0,
    out: Annotated[
        Path, typer.Option(help="File that answers are appended to, JSON lines.")
    ] = Path("answers.jsonl"),
) -> None:
    """Serve a page on which people answer VLM-SubtleBench's questions, as in its human evaluation.

    For a task with pairs of answers, such as preference_custom, people say which answer is better.

    All people answer the same questions, each in an order of their own, stratified by source within
    each type of difference. An answer is on disk as soon as it is given; the same command continues
    where it stopped. Ctrl-C ends it. `pairbench papers answers` converts answers into sample
    logs.

    pairbench rate questions --task subtlebench_demo --raters anna,ben --per-type 20
    """
    people = names(raters)
    with fail_on(ValueError), without_noise():
        trials = trials_of(task)
        asked: AnyStudy[Key] = (
            preferences.Study(task, trials, per_type, seed)
            if isinstance(trials, PairItems)
            else Study(task, per_type, seed)
        )
        serve(asked, people, out, READER, port)


def answers(
    files: Annotated[
        list[Path], typer.Argument(help="Answers, as `pairbench rate questions` writes them.")
    ],
    out: Annotated[
        Path, typer.Option(help="Output folder for a sample log of each person.")
    ] = Path("humans"),
    overwrite: Overwrite = False,
) -> None:
    """Write people's answers as sample logs, a folder a person.

    `pairbench score subtlebench`, `compare` and `panel` read them beside those of models.

    pairbench papers answers answers.jsonl --out humans
    """
    with fail_on(ValueError), without_noise():
        collected = collect(files, READER)
        logs = logs_of(collected.ratings)
        _write(logs, out, files, overwrite)
    for line in collected.skipped:
        errors.print(f"left out: {line}")
    console.print(f"{counted(len(logs), 'log')} in {out}; next: pairbench score {NAME} {out}")


def _write(logs: Logs, out: Path, inputs: list[Path], overwrite: bool) -> None:
    """Write every person's logs into a folder of the person's name."""
    check_folder(out, inputs)
    for (rater, task), rows in logs.items():
        if not re.fullmatch(r"\w[\w .-]*", rater):
            raise ValueError(f"{rater!r} cannot name a folder; rename the rater in the file")
        path = out / rater / f"samples_{task}.jsonl"
        check_file(path, inputs, overwrite=overwrite)
        write_atomically(path, map(as_line, rows))
