"""Pairs of answers of like length to one's own questions (VL-RewardBench, Section 2.2.2).

    {"question": "How many birds?", "image": "pond.jpg", "reference": "3"}    a question
    {"id": "0", "model": "qwen", "answer": "I count three."}                  an answer to it

A question is called by its `id`, or by its place in the file, from 0. Answers may also be samples
that the harness logged of a task whose documents are the lines of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from lmms_eval_tasks.best_of_n.correctness import final_answer, read_answer
from lmms_eval_tasks.best_of_n.logged import read_logged
from lmms_eval_tasks.people.study import digest_of, of_text
from lmms_eval_tasks.preference.trials import Name, Text
from lmms_eval_tasks.preference.votes import word_count
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.records import RecordError, file_in, read_jsonl
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.runs.files import in_folder, newest
from pairbench_ext.statistics.seeds import draw

QUESTIONS = "questions.jsonl"


@dataclass(frozen=True)
class QuestionRow:
    """A line of questions.

    Attributes:
        question: about the image.
        image: its path from the file's folder.
        id: occurs once.
        reference: the right answer, where there is one.
        source: by which results are told apart.
    """

    question: Text
    image: Text
    id: Name | None = None
    reference: Text | None = None
    source: Text = "own"


@dataclass(frozen=True)
class _AnswerRow:
    id: Name
    model: Text
    answer: str


class Asked(NamedTuple):
    """A question, its image's file, and the rest of its line."""

    name: str
    image: Path
    row: QuestionRow


class Given(NamedTuple):
    """An answer, and whose it is."""

    model: str
    text: str


class Candidate(NamedTuple):
    """A pair of answers.

    Attributes:
        name: of the question and, as a digest, of all that is shown: another pair is called
            otherwise.
        asked: the question.
        answers: both, in a drawn order.
        truth: the right one by the reference, if one alone is right; None if that is not known.
    """

    name: str
    asked: Asked
    answers: tuple[Given, Given]
    truth: int | None


def read_questions(path: Path) -> dict[str, Asked]:
    """The questions of a file, or of `questions.jsonl` in a folder, by name.

    Raises:
        RecordError: naming the line and field of what is not as described, or there twice.
    """
    file = path / QUESTIONS if path.is_dir() else path
    asked: dict[str, Asked] = {}
    seen: dict[tuple[str, Path], str] = {}
    for number, record in enumerate(read_jsonl(file)):
        row = from_record(QuestionRow, record)
        image = file_in(file.parent, row.image, "image", record.where)
        name = str(number) if row.id is None else row.id
        twice = seen.setdefault((row.question, image), record.where)
        if name in asked or twice != record.where:
            raise RecordError(f"{record.where}: the same id, or question about this image, again")
        asked[name] = Asked(name, image, row)
    return asked


def read_answers(
    paths: Sequence[Path], asked: Mapping[str, Asked]
) -> tuple[dict[str, list[Given]], int]:
    """The answers to each question, and how many requests failed: those are none.

    Args:
        paths: files of plain rows or of logged samples, or folders of the latter.
        asked: the questions.

    Raises:
        RecordError: naming the line of an answer to no question of these.
    """
    found = [file for path in paths for file in (in_folder(path) if path.is_dir() else [path])]
    given: dict[str, list[Given]] = {name: [] for name in asked}
    logs, failed = [], 0
    for file in newest(found)[0]:
        for record in read_jsonl(file):
            if "doc_id" in record.fields:
                logs.append(file)
                break
            row = from_record(_AnswerRow, record)
            if row.id not in asked:
                raise RecordError(f"{record.where}: 'id' {row.id!r} is that of no question")
            failed += request_failed(row.answer)
            if not request_failed(row.answer):
                given[row.id].append(Given(row.model, row.answer))
    names = list(asked)
    for logged in read_logged(logs) if logs else ():
        place = int(logged.id) if logged.id.isdecimal() else len(names)
        name = names[place] if place < len(names) else ""
        if not name or asked[name].row.question not in logged.query:
            raise RecordError(
                f"{logs[0]}: document {logged.id} is not question {logged.id} of the file (from "
                f"0): its prompt is {logged.query!r:.80}"
            )
        failed += logged.failed
        given[name] += [Given(each.file.parent.name, each.text) for each in logged.candidates]
    return given, failed


def different_answers(
    asked: Iterable[Asked], given: Mapping[str, Sequence[Given]], seed: int
) -> Iterator[Candidate]:
    """Every pair of different answers to a question; of equal ones the first is taken."""
    for question in asked:
        texts = {" ".join(answer.text.split()): answer for answer in reversed(given[question.name])}
        image = question.image.read_bytes()
        for pair in combinations(reversed(texts.values()), 2):
            parts = map(of_text, (question.row.question, *sorted(answer.text for answer in pair)))
            name = f"{question.name}#{digest_of([image, *parts])[:8]}"
            ordered = pair[::-1] if draw(2, seed, "answers", name) else pair
            yield Candidate(name, question, ordered, _truth(question, ordered))


def alike_in_length(pair: Candidate, most: float) -> bool:
    """Whether |l1 - l2| / min(l1, l2) of their words is below `most`."""
    short, long = sorted(word_count(answer.text) for answer in pair.answers)
    return short > 0 and (long - short) / short < most


def both_wrong(pair: Candidate) -> bool:
    """Whether both answers are wrong by the reference."""
    return _right(pair.asked, pair.answers) == [False, False]


def _truth(asked: Asked, answers: Sequence[Given]) -> int | None:
    right = _right(asked, answers)
    return right.index(True) if sorted(map(str, right)) == ["False", "True"] else None


def _right(asked: Asked, answers: Sequence[Given]) -> list[bool | None]:
    """Whether each answer is the reference; None where there is none, or no final answer."""
    reference = asked.row.reference
    if reference is None:
        return [None] * len(answers)
    finals = [read_answer(answer.text, reference) for answer in answers]
    return [None if final is None else final == final_answer(reference) for final in finals]
