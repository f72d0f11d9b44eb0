"""A page on which people answer multiple-choice questions about any task's images.

An answer is an event as of `lmms_eval_tasks.people.events`: a `choice`, the letter of an option, to
the question `item` of task `task` with its options in `order`. Ours also have `options` (their
texts as shown), `content` (a digest of what was shown), `study`, `round` and `time`. What is right
is not in the file: whoever answers may open it.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeVar

from lmms_eval_tasks.people import study
from lmms_eval_tasks.people.events import Given, Reader
from lmms_eval_tasks.people.study import digest_of, of_image, of_text
from pairbench_ext.core.foreign import UnreadableError, open_text
from pairbench_ext.core.records import Record, RecordError, from_record
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.texts import listed
from pairbench_ext.replies.options import letters
from pairbench_ext.runs.samples import one_of

Value = TypeVar("Value")
LETTERS = tuple(letters(26))


@dataclass(frozen=True, order=True)
class Key:
    """The name of a question: its task, its item, and the order of its options."""

    task: str
    item: str
    order: Literal["fwd", "rev"]


class QuestionStudy(study.Study[Key]):
    """A study of multiple-choice questions; a score is the chosen option's number, from 1 (A).

    The page is told the `question`, its `options` and a `note`.
    """

    page = __name__
    given = "answer"

    def content(self, key: Key) -> str:
        """Return a digest of what a question shows: its text, its options and its images."""
        asked = self.question(key)
        texts = map(of_text, (asked.told["question"], *asked.told["options"]))
        images = (of_image(self.picture(key, side)) for side in range(len(asked.data)))
        return digest_of([*texts, *chain.from_iterable(images)])

    def recorded(self, key: Key, score: int) -> Mapping[str, Any]:
        """Return the fields to log with an answer: the chosen letter and the options' texts."""
        return {"choice": LETTERS[score - 1], "options": self.question(key).told["options"]}


@dataclass(frozen=True)
class Answer(Given):
    """One person's answer to one question; `score` is the chosen option's number, from 1 (A).

    Attributes:
        options: the texts of the options as they were shown; none where the line does not say.
    """

    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Line:
    """The fields of a line of answers, apart from the question."""

    rater: str
    choice: str
    content: str = ""
    options: tuple[str, ...] = ()


def _answer(record: Record) -> Answer:
    key, line = from_record(Key, record), from_record(_Line, record)
    score = LETTERS.index(one_of(record, "choice", LETTERS)) + 1
    return Answer(line.rater, key, score, line.content, record.where, line.options)


READER = Reader(_answer, Key)


def asked_about(questions: Mapping[Key, Value], only: frozenset[str] | None) -> dict[Key, Value]:
    """Return the questions about the items in `only`, or all questions if `only` is None.

    Raises:
        SourceError: if there is no question about one of the items.
    """
    if only is None:
        return {**questions}
    missing = sorted(only - {key.item for key in questions})
    if missing:
        raise SourceError(
            f"the sheet has items that the task's data do not have: {listed(missing, 3)}; give "
            "the data that the judge was asked about"
        )
    return {key: value for key, value in questions.items() if key.item in only}


def of_sheet(sheet: Path) -> tuple[str, frozenset[str]]:
    """Return the task and the items that a sheet of `pairbench trust --draw` lists.

    Raises:
        RecordError: if it cannot be read, or has questions of several tasks.
    """
    try:
        with open_text(sheet) as lines:
            rows = [(row["task"], row["item"]) for row in csv.DictReader(lines)]
    except (OSError, KeyError, csv.Error, UnreadableError) as error:
        raise RecordError(
            f"{sheet}: this is no sheet made by `pairbench trust --draw` ({error})"
        ) from error
    tasks = sorted({task for task, _ in rows})
    if len(tasks) != 1:
        raise RecordError(
            f"{sheet}: the sheet has questions of {len(tasks)} tasks ({listed(tasks, 3)}), but a "
            "page asks about one task; draw from the run of one task"
        )
    return tasks[0], frozenset(item for _, item in rows)
