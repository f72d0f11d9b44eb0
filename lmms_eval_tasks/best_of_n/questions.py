"""The questions of a best-of-N run: their texts, images and candidate answers.

{"id": "q1", "query": "How many?", "image": "q1.png", "candidates": ["Two.", "3"],
"correct": [0, 1]}
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from annotated_types import Interval, Len

from lmms_eval_tasks.best_of_n.contests import first_alike
from lmms_eval_tasks.best_of_n.correctness import final_answer, is_right
from pairbench_ext.core.records import Record, RecordError, file_in, from_record, read_each_line
from pairbench_ext.core.sources import EVERYTHING_USABLE, LeftOut, named


@dataclass(frozen=True)
class CandidatesRow:
    """The fields of one line in a file of questions with candidate answers.

    Attributes:
        id: occurs once.
        query: the question.
        image: the path of its image from the file's folder, or several.
        candidates: the answers.
        correct: the score of each candidate, from 0 to 1.
        reference: in place of `correct`: the right answer.
    """

    id: str | int
    query: str
    image: str | Annotated[tuple[str, ...], Len(1)]
    candidates: Annotated[tuple[str, ...], Len(2)]
    correct: tuple[bool | Annotated[float, Interval(ge=0, le=1)], ...] | None = None
    reference: str | None = None


class Question(NamedTuple):
    """One question and its candidate answers.

    Attributes:
        name: the line's `id`.
        query: the question.
        images: the files of the images that it is about.
        candidates: the answers, two or more.
        worth: the score of each candidate, from 0 to 1.
        unread: how many have no final answer that could be read, and so get a score of 0.
    """

    name: str
    query: str
    images: tuple[Path, ...]
    candidates: tuple[str, ...]
    worth: tuple[float, ...]
    unread: int

    @property
    def alike(self) -> tuple[int, ...]:
        """Return, for each candidate, the index of the first candidate with the same text."""
        return first_alike(self.candidates)


def read_questions(file: Path, left_out: LeftOut = EVERYTHING_USABLE) -> list[Question]:
    """Return the questions of a file, in the file's order, without reading their images.

    Args:
        file: JSON lines.
        left_out: takes file, line and field of what is missing or not as described; an image must
            be in the file's folder or below. It is raised by default.

    Raises:
        RecordError: if no question is left.
    """
    questions: dict[str, Question] = {}
    for record in read_each_line(file):
        with left_out.unless_usable(str(file)):
            if isinstance(record, RecordError):
                raise record
            question = _question(record, file.parent)
            if question.name in questions:
                raise RecordError(
                    f"{record.where}: an earlier row has the same id, {question.name!r}"
                )
            questions[question.name] = question
    if not questions:
        raise RecordError(named(left_out) if left_out else f"{file}: the file holds no questions")
    left_out.warn()
    return list(questions.values())


def _question(record: Record, folder: Path) -> Question:
    row: CandidatesRow = from_record(CandidatesRow, record)
    names = (row.image,) if isinstance(row.image, str) else row.image
    images = tuple(file_in(folder, name, "image", record.where) for name in names)
    worth, unread = _worth(row, record.where)
    return Question(str(row.id), row.query, images, row.candidates, worth, unread)


def _worth(row: CandidatesRow, where: str) -> tuple[tuple[float, ...], int]:
    """Return the score of each candidate, and how many final answers could not be read."""
    if row.correct is not None:
        if len(row.correct) != len(row.candidates):
            raise RecordError(
                f"{where}: field 'correct' must have one value for each of the "
                f"{len(row.candidates)} candidates, not {len(row.correct)}"
            )
        return tuple(map(float, row.correct)), 0
    if row.reference is None:
        raise RecordError(f"{where}: no field 'correct' or 'reference'")
    if not final_answer(row.reference):
        raise RecordError(f"{where}: field 'reference' holds no answer: {row.reference!r}")
    right = [is_right(text, row.reference) for text in row.candidates]
    return tuple(float(score or False) for score in right), right.count(None)
