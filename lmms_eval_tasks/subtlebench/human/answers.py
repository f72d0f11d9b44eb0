"""People's answers on disk, and reading them: events as of `pairbench_ext.rating.events`.

An answer is a `choice`, the letter of an option, to the question `item` of task `task` with its
options in `order`. Ours also have `options` (their texts as shown), `content` (a digest of what was
shown), `study`, `round` and `time`. What is right is not in the file: whoever answers may open it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lmms_eval_tasks.subtlebench.choice_trials import ORDERS
from lmms_eval_tasks.subtlebench.human.questions import Key
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS
from pairbench_ext.rating import events
from pairbench_ext.rating.events import Log
from pairbench_ext.rating.events_file import EventsFile
from pairbench_ext.records import Line, Record, RecordError, lines_of
from pairbench_ext.replies.letter import letters
from pairbench_ext.sample_log import one_of


class Answer(NamedTuple):
    """What one person answered to one question.

    Attributes:
        rater: who.
        key: which question.
        score: the option, from 1 (A).
        content: digest of what was shown; empty where the file does not say.
        where: file and line.
    """

    rater: str
    key: Key
    score: int
    content: str
    where: str

    @property
    def letter(self) -> str:
        """The option's letter."""
        return letters(MOST_OPTIONS)[self.score - 1]


class AnswersFile(EventsFile[Answer]):
    """A file of answers, open to be added to; see there."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, to_log, "pairbench rate-questions")


def to_log(lines: Iterable[Line]) -> Log[Answer]:
    """Everything that the lines of a file of answers say; lines that say nothing are named.

    Raises:
        RecordError: if there are lines and none is of a study: naming what is wrong with the first.
    """
    return events.to_log(lines, _answer, _key)


class Collected(NamedTuple):
    """The answers that hold.

    Attributes:
        answers: one per person and question.
        skipped: what is wrong with each line that cannot be used.
    """

    answers: list[Answer]
    skipped: list[str]


def collect(paths: Sequence[Path]) -> Collected:
    """The answers that hold, of all files.

    Raises:
        RecordError: if a file cannot be read, there is no answer, or one person answered a question
            in two files.
    """
    kept: dict[tuple[str, Key], Answer] = {}
    skipped: list[str] = []
    for path in paths:
        log = to_log(lines_of(path))
        skipped += log.skipped
        own = {(one.rater, one.key): one for one in log.ratings}
        for twice in own.keys() & kept.keys():
            raise RecordError(
                f"{own[twice].where} and {kept[twice].where}: {twice[0]!r} answered one question "
                "in two files; leave one file out, or rename the rater"
            )
        kept |= own
    if not kept:
        raise RecordError(f"{', '.join(map(str, paths)) or 'no file'}: no answers")
    return Collected(list(kept.values()), skipped)


def _key(record: Record) -> Key:
    return Key(record.text("task"), record.text("item"), one_of(record, "order", ORDERS))


def _answer(record: Record) -> Answer:
    known = tuple(letters(MOST_OPTIONS))
    return Answer(
        rater=record.text("rater"),
        key=_key(record),
        score=known.index(one_of(record, "choice", known)) + 1,
        content=record.get("content", str) if "content" in record.fields else "",
        where=record.where,
    )
