"""The final answer of a candidate, in the form of a reference that it is compared with."""

from __future__ import annotations

import re

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
    match = _LETTER.match(text)
    if match is None:
        return None
    own_text = own_text and match["after"] in tuple(")]}.:")
    others = {letter.casefold() for letter in _OPTIONS.findall(text[match.end(1) :])}
    letter = match[1].casefold()
    return letter if own_text or others <= {letter} else None
