"""The questions of a best-of-N run: what is asked, about which images, which answers there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.best_of_n.contests import first_alike
from lmms_eval_tasks.best_of_n.correctness import worth_of
from lmms_eval_tasks.preference.candidates import Candidates, add_candidates
from pairbench_ext.core.left_out import EVERYTHING_USABLE, LeftOut, named
from pairbench_ext.core.records import Record, RecordError, file_in, read_each_line


class Question(NamedTuple):
    """One question and its candidate answers.

    Attributes:
        name: the line's `id`.
        query: the question.
        images: the files of the images that it is about.
        candidates: the answers, two or more.
        worth: what each is worth, from 0 to 1.
        unread: how many have no final answer that could be read, and so are worth 0.
    """

    name: str
    query: str
    images: tuple[Path, ...]
    candidates: tuple[str, ...]
    worth: tuple[float, ...]
    unread: int

    @property
    def alike(self) -> tuple[int, ...]:
        """For each candidate, the number of the first one with the same text."""
        return first_alike(self.candidates)


def read_questions(file: Path, left_out: LeftOut = EVERYTHING_USABLE) -> list[Question]:
    """The questions of a file, in its order; no image is read.

    Args:
        file: JSON lines.
        left_out: takes file, line and field of what is missing or not as described; an image must
            be in the file's folder or below. It is raised by default.

    Raises:
        RecordError: if no question is left.
    """
    read: dict[str, Candidates] = {}
    questions = []
    for record in read_each_line(file):
        with left_out.unless_usable(str(file)):
            if isinstance(record, RecordError):
                raise record
            questions.append(_question(add_candidates(record, read), file))
    if not questions:
        raise RecordError(named(left_out) if left_out else f"{file}: no questions in it")
    left_out.warn()
    return questions


def _question(candidates: Candidates, file: Path) -> Question:
    record = candidates.record
    if len(candidates.texts) < 2:
        raise RecordError(
            f"{record.where}: field 'candidates' must be two texts or more, "
            f"not {len(candidates.texts)}"
        )
    worth = worth_of(candidates)
    return Question(
        name=candidates.id,
        query=candidates.query,
        images=_images(record, file.parent),
        candidates=candidates.texts,
        worth=worth.values,
        unread=worth.unread,
    )


def _images(record: Record, folder: Path) -> tuple[Path, ...]:
    value: Any = record.get("image", str, list)
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) for name in names):
        raise RecordError(f"{record.where}: field 'image' must be one path or more, not {value!r}")
    return tuple(file_in(folder, name, "image", record.where) for name in names)
