"""Questions with several candidate answers each, one JSON object a line.

    {"id": "q1", "query": "What is on the desk?", "image": "q1.png", "candidates": ["...", "..."]}

`id` is a text or a number and occurs once; the question is `query` or `question`; `candidates` are
texts. Whatever else a line has is for those who know it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.records import Record, RecordError, read_jsonl


class Candidates(NamedTuple):
    """One question and its candidate answers.

    Attributes:
        id: the question's name.
        query: the question.
        texts: the candidate answers.
        record: the line that they are from.
    """

    id: str
    query: str
    texts: tuple[str, ...]
    record: Record


def read_candidates(file: Path) -> list[Candidates]:
    """The questions of a file, in its order.

    Raises:
        RecordError: naming file, line and field of what is missing or not as described.
    """
    questions: dict[str, Candidates] = {}
    for record in read_jsonl(file):
        name = str(record.get("id", str, int))
        if name in questions:
            raise RecordError(
                f"{record.where}: field 'id' is {name!r} again, as in "
                f"{questions[name].record.where}; every question needs an id of its own"
            )
        query = record.get(query_field(record), str)
        questions[name] = Candidates(name, query, _texts(record), record)
    return list(questions.values())


def query_field(record: Record) -> str:
    """The field that holds a line's question: `query`, or else `question`.

    Raises:
        RecordError: if there is neither.
    """
    for field in ("query", "question"):
        if field in record.fields:
            return field
    raise RecordError(
        f"{record.where}: no field 'query' or 'question', only {sorted(record.fields)}"
    )


def _texts(record: Record) -> tuple[str, ...]:
    texts: list[Any] = record.get("candidates", list)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise RecordError(
                f"{record.where}: field 'candidates' must be texts, but number {number} (from 0) "
                f"is {text!r:.60}"
            )
    return tuple(texts)
