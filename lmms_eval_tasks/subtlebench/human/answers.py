"""People's answers as the log of a model: what `score`, `compare` and `panel` read.

An answer becomes the reply to the trial that asks a model the same, so a person's log has the rows
of a run over the questions that the person answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from lmms_eval_tasks.people.questions import LETTERS, Answer, Key
from lmms_eval_tasks.subtlebench.human.study import Study
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.stacks.plain import open_task

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
