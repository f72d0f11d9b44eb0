"""A model's log of people's answers: what `pairbench score`, `compare` and `panel` read.

An answer becomes the reply to the trial that asks a model the same, so a person's file has the rows
of a run over the questions that the person answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from lmms_eval_tasks.subtlebench.human.answers import Answer
from lmms_eval_tasks.subtlebench.human.questions import Key, Questions
from pairbench_ext.core.benchmark import Outcome, OutcomeTable
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.samples import read_record
from pairbench_ext.stacks.plain import PlainTask, open_task


class Logged(NamedTuple):
    """What one person answered to a task.

    Attributes:
        rater: who.
        task: its name.
        rows: as the harness would log them.
        choices: the same as answers to be scored.
    """

    rater: str
    task: str
    rows: list[dict[str, Any]]
    choices: list[Outcome]


def logged(answers: Iterable[Answer]) -> list[Logged]:
    """The logs of all people, by task.

    Raises:
        RecordError: if a question was answered on other data than the task's.
        SourceError: if there is no such task, or its data are missing.
    """
    by_task: dict[str, dict[str, dict[Key, Answer]]] = {}
    for answer in answers:
        of = by_task.setdefault(answer.key.task, {}).setdefault(answer.rater, {})
        of[answer.key] = answer
    return [one for task, by_rater in sorted(by_task.items()) for one in _of_task(task, by_rater)]


def _of_task(task: str, by_rater: Mapping[str, Mapping[Key, Answer]]) -> Iterator[Logged]:
    try:
        questions, asked = Questions(task), open_task(task)
    except SourceError as error:
        first = next(one for answers in by_rater.values() for one in answers.values())
        raise SourceError(f"{first.where}: field 'task': {error}") from error
    _check(questions, by_rater)
    for rater, answers in sorted(by_rater.items()):
        rows = list(_rows(asked, answers))
        records = (Record(f"{rater}, {task}", row) for row in rows)
        choices = [one for record in records for one in read_record(CHOICES, record).outcomes]
        yield Logged(rater, task, rows, choices)


def _check(questions: Questions, by_rater: Mapping[str, Mapping[Key, Answer]]) -> None:
    contents: dict[Key, str] = {}
    known = set(questions.keys)
    for answer in (one for answers in by_rater.values() for one in answers.values()):
        key = answer.key
        if key not in known:
            raise RecordError(
                f"{answer.where}: {questions.task} has no question {key.item!r} ({key.order}); "
                "give the data that it was answered on"
            )
        n = len(questions.options(key))
        if answer.score > n:
            raise RecordError(
                f"{answer.where}: {answer.letter!r} is none of the {n} options of this question"
            )
        if answer.content:
            if key not in contents:
                contents[key] = questions.content(key)
            if answer.content != contents[key]:
                raise RecordError(
                    f"{answer.where}: {answer.rater!r} answered this question on other data; give "
                    "the data that it was answered on"
                )


def _rows(task: PlainTask, answers: Mapping[Key, Answer]) -> Iterator[dict[str, Any]]:
    for trial in task:
        said = trial.scalars
        answer = answers.get(Key(task.name, said["item"], said["order"]))
        if answer is not None:
            yield trial.row(f"### Answer\n{answer.letter}")


def together(logs: Iterable[Logged]) -> OutcomeTable:
    """The answers of several people, as several answers to one question each.

    Raises:
        ValueError: if the same question differs between tasks.
    """
    numbered = enumerate(logs)
    return OutcomeTable(
        replace(choice, item=f"{log.task}: {choice.item}", repeat=number)
        for number, log in numbered
        for choice in log.choices
    )


def folders(logs: Iterable[Logged]) -> dict[str, str]:
    """A folder's name for each person; names differ in any file system.

    Raises:
        ValueError: if two people would share a folder.
    """
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for rater in dict.fromkeys(log.rater for log in logs):
        name = re.sub(r"[^\w.-]+", "_", rater).strip("._") or "_"
        if name.lower() in taken:
            raise ValueError(
                f"{taken[name.lower()]!r} and {rater!r} would have one folder, {name!r}: rename "
                "one of them in the file"
            )
        taken[name.lower()] = rater
        names[rater] = name
    return names
