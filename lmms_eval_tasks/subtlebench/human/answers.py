"""People's answers on disk, and a model's log of them: what `score`, `compare` and `panel` read.

An answer is an event as of `lmms_eval_tasks.people.events`: a `choice`, the letter of an option, to
the question `item` of task `task` with its options in `order`. Ours also have `options` (their
texts as shown), `content` (a digest of what was shown), `study`, `round` and `time`. What is right
is not in the file: whoever answers may open it.

An answer becomes the reply to the trial that asks a model the same, so a person's log has the rows
of a run over the questions that the person answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lmms_eval_tasks.people import events
from lmms_eval_tasks.people.events import Given, Reader
from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from lmms_eval_tasks.subtlebench.choices import ORDERS
from lmms_eval_tasks.subtlebench.human.study import Key, Study
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS
from pairbench_ext.core.benchmark import Outcome, OutcomeTable
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.replies.options import letters
from pairbench_ext.runs.samples import one_of, read_record
from pairbench_ext.stacks.plain import open_task

_LETTERS = tuple(letters(MOST_OPTIONS))


class Answer(Given):
    """What one person answered to one question: `score` is the option, from 1 (A)."""


class Log(NamedTuple):
    """What one person answered to a task.

    Attributes:
        rater: the person's name.
        task: its name.
        rows: as the harness would log them.
        outcomes: the same as outcomes to be scored.
    """

    rater: str
    task: str
    rows: list[dict[str, Any]]
    outcomes: list[Outcome]


def _key(record: Record) -> Key:
    return Key(record.text("task"), record.text("item"), one_of(record, "order", ORDERS))


def _answer(record: Record) -> Answer:
    score = _LETTERS.index(one_of(record, "choice", _LETTERS)) + 1
    content = events.content_of(record)
    return Answer(record.text("rater"), _key(record), score, content, record.where)


READER = Reader(_answer, _key)


def logs_of(answers: Iterable[Answer]) -> list[Log]:
    """Return the logs of all people, by task.

    Raises:
        RecordError: if a question was answered on other data than the task's.
        SourceError: if there is no such task, or its data are missing.
    """
    by_task: dict[str, list[Answer]] = {}
    for answer in answers:
        by_task.setdefault(answer.key.task, []).append(answer)
    return [log for task, given in sorted(by_task.items()) for log in _of_task(task, given)]


def _of_task(task: str, answers: Sequence[Answer]) -> Iterator[Log]:
    try:
        study = Study(task)
    except SourceError as error:
        raise SourceError(f"{answers[0].where}: field 'task': {error}") from error
    by_rater: dict[str, dict[Key, Answer]] = {}
    for answer in answers:
        _check(answer, study)
        by_rater.setdefault(answer.rater, {})[answer.key] = answer
    trials = {
        Key(task, trial.scalars["item"], trial.scalars["order"]): trial for trial in open_task(task)
    }
    for rater, given in sorted(by_rater.items()):
        rows = [
            trial.row(f"### Answer\n{_LETTERS[given[key].score - 1]}")
            for key, trial in trials.items()
            if key in given
        ]
        records = (Record(f"{rater}, {task}", row) for row in rows)
        outcomes = [outcome for each in records for outcome in read_record(CHOICES, each).outcomes]
        yield Log(rater, task, rows, outcomes)


def _check(answer: Answer, study: Study) -> None:
    key = answer.key
    if (
        key not in study.trials
        or answer.score > study.highest(key)
        or (answer.content and answer.content != study.content(key))
    ):
        raise RecordError(
            f"{answer.where}: {answer.rater!r} answered question {key.item!r} ({key.order}) on "
            f"other data than those of {key.task}; give the data that it was answered on"
        )


def together(logs: Iterable[Log]) -> OutcomeTable:
    """Return the outcomes of several people, as several answers to one question each.

    Raises:
        ValueError: if the same question differs between tasks.
    """
    return OutcomeTable(
        replace(outcome, item=f"{log.task}: {outcome.item}", repeat=number)
        for number, log in enumerate(logs)
        for outcome in log.outcomes
    )
