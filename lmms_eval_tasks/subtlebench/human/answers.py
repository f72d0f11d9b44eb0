"""People's answers on disk, and reading them: events as of `lmms_eval_tasks.people.events`.

An answer is a `choice`, the letter of an option, to the question `item` of task `task` with its
options in `order`. Ours also have `options` (their texts as shown), `content` (a digest of what was
shown), `study`, `round` and `time`. What is right is not in the file: whoever answers may open it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lmms_eval_tasks.people import events
from lmms_eval_tasks.people.events import Collected, Given, Reader
from lmms_eval_tasks.subtlebench.choice_trials import ORDERS
from lmms_eval_tasks.subtlebench.human.questions import Key
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS
from pairbench_ext.core.records import Record
from pairbench_ext.replies.letter import letters
from pairbench_ext.runs.samples import one_of


class Answer(Given):
    """What one person answered to one question: `score` is the option, from 1 (A)."""

    @property
    def letter(self) -> str:
        """The option's letter."""
        return letters(MOST_OPTIONS)[self.score - 1]


def collect(paths: Sequence[Path]) -> Collected[Answer]:
    """The answers that hold, of all files; errors as `people.events.collect`."""
    return events.collect(paths, READER)


def _key(record: Record) -> Key:
    return Key(record.text("task"), record.text("item"), one_of(record, "order", ORDERS))


def _answer(record: Record) -> Answer:
    known = tuple(letters(MOST_OPTIONS))
    return Answer(
        rater=record.text("rater"),
        key=_key(record),
        score=known.index(one_of(record, "choice", known)) + 1,
        content=events.content_of(record),
        where=record.where,
    )


READER = Reader(_answer, _key)
