"""What a candidate answer is worth: given by number, or by comparison with a reference."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.candidates import Candidates
from pairbench_ext.core.records import Record, RecordError

_LABEL = re.compile(r"answer[\s*_]{0,8}[:\uff1a]", re.IGNORECASE)
_PHRASE = re.compile(
    r"\b(?:the|my)\s+(?:(?:final|correct|right|best)\s+)?(?:answer|option|choice)\s+is\b[\s*:]*",
    re.IGNORECASE,
)
_OPENING = " \t\"'`*_([{<\u201c\u2018"
_CLOSING = " \t\"'`*_)]}>.,;:!?\u201d\u2019"
_SHORT = 80  # characters
_LETTER = re.compile(
    r"(?:option\s+|choice\s+)?[(\[]?([a-z])(?P<after>$|[)\]}.:,;]|\s+(?:because|since)\b)",
    re.IGNORECASE,
)
# Letters of options that stand alone, but for the article "A" and the pronoun "I".
_OPTIONS = re.compile(r"(?<![\w'\u2019-])(?:[B-HJ-Z]|[AI](?!\s+\w))(?![\w'\u2019-])")


class Worth(NamedTuple):
    """What a question's candidates are worth.

    Attributes:
        values: one for each candidate, from 0 to 1.
        unread: how many of them have no final answer that could be read.
    """

    values: tuple[float, ...]
    unread: int


def worth_of(candidates: Candidates) -> Worth:
    """The worth of each candidate, from the line's `correct`, or else its `reference`.

    Raises:
        RecordError: naming line and field of what is missing or not as described.
    """
    record = candidates.record
    if "correct" in record.fields:
        return Worth(_given(record, len(candidates.texts)), unread=0)
    if "reference" not in record.fields:
        raise RecordError(
            f"{record.where}: no field 'correct' or 'reference', only {sorted(record.fields)}"
        )
    reference = record.get("reference", str)
    expected = final_answer(reference)
    if not expected:
        raise RecordError(f"{record.where}: field 'reference' has no answer in it: {reference!r}")
    answers = [read_answer(text, reference) for text in candidates.texts]
    values = tuple(float(answer == expected) for answer in answers)
    return Worth(values, unread=answers.count(None))


def read_answer(candidate: str, reference: str) -> str | None:
    """A candidate's final answer in the form of the reference; None if it cannot be read.

    Without "Answer:" or "the answer is", only one short line is an answer; what is longer can only
    equal the reference. If the reference is a single letter, so is the answer: the one that it
    begins with ("B", "(B)", "B. A mug", not "A mug"), unless it names another option beside it.

    >>> read_answer("The answer is B.", "A"), read_answer("A: wrong. B: right.", "A")
    ('b', None)
    """
    stated, mark = _statement(candidate)
    given, expected = _normalised(stated), final_answer(reference)
    if given == expected:
        return given
    short = len(stated) <= _SHORT and len(stated.splitlines()) == 1
    if not given or not (mark or short):
        return None
    if re.fullmatch("[a-z]", expected):
        # After "Answer: B." there is the option's own text, which may name a "vitamin C".
        return _letter(stated, own_text=mark is _LABEL)
    return given


def final_answer(text: str) -> str:
    r"""The line after the last "Answer:" or "the answer is", or else the whole text, normalised.

    "Answer:" goes first. Letter case, runs of white space, bold, and brackets, quotation marks and
    punctuation at both ends do not count. A leading minus or currency sign and a trailing per cent
    sign do.

    >>> final_answer("Answer: 7.\nNo: half of it.\nFinal answer: -3.50 $.")
    '-3.50 $'
    """
    return _normalised(_statement(text)[0])


def _statement(text: str) -> tuple[str, re.Pattern[str] | None]:
    """The final answer as it is written, and which mark the text puts before it, if any."""
    for pattern in (_LABEL, _PHRASE):
        marks = list(pattern.finditer(text))
        if marks:
            lines = text[marks[-1].end() :].replace("**", "").strip().splitlines()
            return (lines[0] if lines else ""), pattern
    return text.replace("**", "").strip(), None


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold().lstrip(_OPENING).rstrip(_CLOSING)


def _letter(stated: str, own_text: bool) -> str | None:
    """The option that an answer begins with, if it names no other, but in its own text."""
    text = stated.lstrip(_OPENING)
    found = _LETTER.match(text)
    if found is None:
        return None
    own_text = own_text and found["after"] in tuple(")]}.:")
    others = {letter.casefold() for letter in _OPTIONS.findall(text[found.end(1) :])}
    letter = found[1].casefold()
    return letter if own_text or others <= {letter} else None


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
