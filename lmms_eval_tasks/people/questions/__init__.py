"""Questions with options, about any task's images: the page, and people's answers on disk.

An answer is an event as of `lmms_eval_tasks.people.events`: a `choice`, the letter of an option, to
the question `item` of task `task` with its options in `order`. Ours also have `options` (their
texts as shown), `content` (a digest of what was shown), `study`, `round` and `time`. What is right
is not in the file: whoever answers may open it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lmms_eval_tasks.people.events import Given, Reader
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.records import Record
from pairbench_ext.replies.options import letters
from pairbench_ext.runs.samples import one_of

PAGE = __name__
LETTERS = tuple(letters(26))


@dataclass(frozen=True, order=True)
class Key:
    """A question.

    Attributes:
        task: the task that asks it.
        item: its name.
        order: of its options, "fwd" or "rev".
    """

    task: str
    item: str
    order: Literal["fwd", "rev"]


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
    score = LETTERS.index(one_of(record, "choice", LETTERS)) + 1
    return Answer(line.rater, key, score, line.content, record.where)


READER = Reader(_answer, Key)
