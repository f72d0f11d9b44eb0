"""Pairs of candidate answers of alike length (VL-RewardBench, Section 2.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.candidates import Candidates, query_field
from lmms_eval_tasks.preference.selection import pair_by_length
from lmms_eval_tasks.preference.votes import pair_name, word_count


class Paired(NamedTuple):
    """The pairs of a file's candidates, and what became of the rest.

    Attributes:
        rows: a pair each, in VL-RewardBench's fields.
        questions, candidates: how many there were.
        unpaired: questions without a pair.
        wordless: candidates without words, which are in no pair.
        identical: pairs of the same text twice.
    """

    rows: list[dict[str, Any]]
    questions: int
    candidates: int
    unpaired: int
    wordless: int
    identical: int


def pair_candidates(questions: Sequence[Candidates], tau: float = 0.1) -> Paired:
    """The pairs of each question's candidates whose word counts differ by less than tau.

    Raises:
        ValueError: if tau is not positive.
    """
    pairs = [pair_by_length(question.texts, tau) for question in questions]
    rows = [
        _pair_row(question, i, j)
        for question, found in zip(questions, pairs, strict=True)
        for i, j in found
    ]
    texts = [text for question in questions for text in question.texts]
    return Paired(
        rows=rows,
        questions=len(questions),
        candidates=len(texts),
        unpaired=sum(not found for found in pairs),
        wordless=sum(word_count(text) == 0 for text in texts),
        identical=sum(row["response"][0] == row["response"][1] for row in rows),
    )


def _pair_row(question: Candidates, i: int, j: int) -> dict[str, Any]:
    pair = {
        "id": pair_name(question.id, i, j),
        "query": question.query,
        "response": [question.texts[i], question.texts[j]],
        "candidate_indices": [i, j],
    }
    left = {*pair, query_field(question.record), "candidates"}
    others = {key: value for key, value in question.record.fields.items() if key not in left}
    return {**pair, **others}
