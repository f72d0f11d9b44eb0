"""People's answers on disk, and a model's log of them: what `score`, `compare` and `panel` read.

An answer is an event as of `lmms_eval_tasks.people.events`: a `choice`, the letter of an option, to
the question `item` of task `task` with its options in `order`. Ours also have `options` (their
texts as shown), `content` (a digest of what was shown), `study`, `round` and `time`. What is right
is not in the file: whoever answers may open it.

An answer becomes the reply to the trial that asks a model the same, so a person's log has the rows
of a run over the questions that the person answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lmms_eval_tasks.people.events import Given, Reader
from lmms_eval_tasks.subtlebench.human.study import Key, Study
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.replies.options import letters
from pairbench_ext.runs.samples import one_of
from pairbench_ext.stacks.plain import open_task

_LETTERS = tuple(letters(MOST_OPTIONS))
#: The rows that the harness would log, by rater and task.
Logs: TypeAlias = dict[tuple[str, str], list[dict[str, Any]]]


class Answer(Given):
    """What one person answered to one question: `score` is the option, from 1 (A)."""


@dataclass(frozen=True)
class _Line:
    """What a line says besides the question that it answers."""

    rater: str
    choice: str
    content: str = ""


def _answer(record: Record) -> Answer:
    key, line = from_record(Key, record), from_record(_Line, record)
    score = _LETTERS.index(one_of(record, "choice", _LETTERS)) + 1
    return Answer(line.rater, key, score, line.content, record.where)


READER = Reader(_answer, Key)


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
        replies.setdefault(answer.key, {})[answer.rater] = _LETTERS[answer.score - 1]
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
