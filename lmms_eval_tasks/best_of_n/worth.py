"""What a candidate answer is worth: given by number, or by comparison with a reference."""

from __future__ import annotations

import re
from typing import Any

from lmms_eval_tasks.vl_rewardbench.candidates import Candidates
from pairbench_ext.records import Record, RecordError

_LABEL = re.compile(r"answer[\s*_]{0,8}[:\uff1a]", re.IGNORECASE)
_OPENING = " \t\"'`*_([{<\u201c\u2018"
_CLOSING = " \t\"'`*_)]}>.,;:!?\u201d\u2019"
_LETTER = re.compile(r"([a-z])(?:$|[)\].:,])")


def worth_of(candidates: Candidates) -> tuple[float, ...]:
    """The worth of each candidate, from the line's `correct`, or else its `reference`.

    Raises:
        RecordError: naming line and field of what is missing or not as described.
    """
    record = candidates.record
    if "correct" in record.fields:
        return _given(record, len(candidates.texts))
    if "reference" not in record.fields:
        raise RecordError(
            f"{record.where}: no field 'correct' or 'reference', only {sorted(record.fields)}"
        )
    reference = record.get("reference", str)
    if not final_answer(reference):
        raise RecordError(f"{record.where}: field 'reference' has no answer in it: {reference!r}")
    return tuple(float(is_correct(text, reference)) for text in candidates.texts)


def is_correct(candidate: str, reference: str) -> bool:
    r"""Whether the final answers of a candidate and of the reference are the same.

    If the reference is a single letter, the letter counts that the candidate's answer begins with
    ("B", "(B)", "B. A mug", not "A mug").

    >>> is_correct("A mug is round.\n**Answer:** (B) a mug", "B")
    True
    """
    given, expected = final_answer(candidate), final_answer(reference)
    if re.fullmatch("[a-z]", expected):
        letter = _LETTER.match(given)
        return letter is not None and letter[1] == expected
    return given == expected


def final_answer(text: str) -> str:
    r"""The line after the last "Answer:", or else the whole text, normalised.

    Letter case, runs of white space, bold, and brackets, quotation marks and punctuation at both
    ends do not count. A leading minus or currency sign and a trailing per cent sign do.

    >>> final_answer("Answer: 7.\nNo: half of it.\nFinal answer: -3.50 $.")
    '-3.50 $'
    """
    labels = list(_LABEL.finditer(text))
    if labels:
        lines = text[labels[-1].end() :].replace("**", "").strip().splitlines()
        text = lines[0] if lines else ""
    words = " ".join(text.replace("**", "").split())
    return words.casefold().lstrip(_OPENING).rstrip(_CLOSING)


def _given(record: Record, n: int) -> tuple[float, ...]:
    values: list[Any] = record.get("correct", list)
    if len(values) != n:
        raise RecordError(
            f"{record.where}: field 'correct' must have one value for each of the {n} candidates, "
            f"not {len(values)}"
        )
    for number, value in enumerate(values):
        if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
            raise RecordError(
                f"{record.where}: field 'correct' must be true, false or numbers from 0 to 1, but "
                f"number {number} (from 0) is {value!r:.60}"
            )
    return tuple(map(float, values))
