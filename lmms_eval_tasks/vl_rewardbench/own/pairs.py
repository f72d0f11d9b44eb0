"""Pair answers of similar length to a user's questions (Section 2.2.2).

    {"question": "How many birds?", "image": "pond.jpg", "reference": "3"}    a question
    {"id": "0", "model": "qwen", "answer": "I count three."}                  an answer to it

A question is called by its `id`, or by its place in the file, from 0. Answers may also be samples
that the harness logged of a task whose documents are the lines of the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from lmms_eval_tasks.best_of_n.correctness import is_right
from lmms_eval_tasks.best_of_n.logged import read_logged
from lmms_eval_tasks.people.study import digest_of, of_text
from lmms_eval_tasks.preference.trials import Name, Text
from lmms_eval_tasks.preference.votes import word_count
from pairbench_ext.core.records import RecordError, file_in, from_record, read_jsonl
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.runs.files import in_folder, newest
from pairbench_ext.statistics.seeds import draw

QUESTIONS = "questions.jsonl"
# In version 0.3 a seed gave the order of the answers: votes on its pairs must not be read by ours.
_BY_TEXT = b"in an order by the texts"


@dataclass(frozen=True)
class QuestionRow:
    """The fields of a question in a user's file, which has one question per line.

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


class Candidate(NamedTuple):
    """Two models' answers to a question.

    Attributes:
        name: of the question and, as a digest, of all that is shown: another pair is called
            otherwise.
        asked: the question; its image is the path of the file.
        answers: texts of both, in an order that follows from them alone: a vote for the first is
            a vote for this text in every log.
        models: whose they are.
        drawn: the label that stands in the data until somebody gives one.
    """

    name: str
    asked: QuestionRow
    answers: tuple[str, ...]
    models: tuple[str, ...]
    drawn: int

    @property
    def right(self) -> list[bool | None]:
        """Return, for each answer, whether it matches the reference; None if that is unclear."""
        reference = self.asked.reference
        return [is_right(answer, reference) if reference else None for answer in self.answers]

    def alike_in_length(self, most: float) -> bool:
        """Return whether the answers' lengths differ by less than `most` times the shorter one."""
        short, long = sorted(map(word_count, self.answers))
        return short > 0 and (long - short) / short < most


def read_questions(path: Path) -> dict[str, QuestionRow]:
    """Return the questions of a file or folder, keyed by the question's id or line number.

    Raises:
        RecordError: naming the line and field of what is not as described, or there twice.
    """
    file = path / QUESTIONS if path.is_dir() else path
    asked: dict[str, QuestionRow] = {}
    for number, record in enumerate(read_jsonl(file)):
        row = from_record(QuestionRow, record)
        name = str(number) if row.id is None else row.id
        if name in asked:
            raise RecordError(f"{record.where}: an earlier row has the same id, {name!r}")
        image = file_in(file.parent, row.image, "image", record.where)
        asked[name] = replace(row, image=str(image))
    return asked


def read_answers(
    paths: Sequence[Path], asked: Mapping[str, QuestionRow]
) -> dict[str, list[tuple[str, str]]]:
    """Return, for each question, the models that answered it and their answers.

    Raises:
        RecordError: naming the line of an answer to no question of these.
    """
    logs = [file for path in paths for file in (in_folder(path) if path.is_dir() else [path])]
    given: dict[str, list[tuple[str, str]]] = {name: [] for name in asked}
    for file in newest(logs)[0]:
        first = next(read_jsonl(file), None)
        read = _logged if first is not None and "doc_id" in first.fields else _plain
        for name, model, text in read(file, asked):
            given[name].append((model, "" if request_failed(text) else text.strip()))
    return given


def _plain(file: Path, asked: Mapping[str, QuestionRow]) -> Iterator[tuple[str, str, str]]:
    for record in read_jsonl(file):
        row = from_record(_AnswerRow, record)
        if row.id not in asked:
            raise RecordError(f"{record.where}: no question has the id {row.id!r}")
        yield row.id, row.model, row.answer


def _logged(file: Path, asked: Mapping[str, QuestionRow]) -> Iterator[tuple[str, str, str]]:
    names = {str(place): name for place, name in enumerate(asked)}
    for logged in read_logged([file]):
        name = names.get(logged.id, "")
        if not name or asked[name].question not in logged.query:
            raise RecordError(
                f"{file}: document {logged.id} does not ask question {logged.id} of the file "
                f"(counted from 0): its prompt is {logged.query!r:.80}"
            )
        for text in [*(candidate.text for candidate in logged.candidates), *[""] * logged.failed]:
            yield name, file.parent.name, text


def pairs_of(
    asked: Mapping[str, QuestionRow], given: Mapping[str, Sequence[tuple[str, str]]], seed: int
) -> Iterator[Candidate]:
    """Yield every pair of two different answers to the same question."""
    for key, question in asked.items():
        models = {text: model for model, text in reversed(given[key]) if text}
        image, asks = Path(question.image).read_bytes(), of_text(question.question)
        for pair in combinations(reversed(models), 2):
            texts = sorted(pair)
            name = f"{key}#{digest_of([_BY_TEXT, image, asks, *map(of_text, texts)])[:8]}"
            shown = tuple(texts[::-1] if draw(2, 0, "answers", name) else texts)
            names = tuple(models[text] for text in shown)
            yield Candidate(name, question, shown, names, draw(2, seed, "label", name))
