r"""Compare a candidate's final answer with the reference answer, as numbers, letters or words.

Best of N and `build preference` share it. A final answer stands in `\boxed{}`, after "Answer:" or
"the answer is", or is a short text. What cannot be compared is neither right nor wrong.
"""

import functools
import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from lmms_eval_tasks.best_of_n.quantities import Quantity, quantity, without_latex
from pairbench_ext.replies import asks, parse
from pairbench_ext.replies.thoughts import strip_thinking

_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_LABEL = re.compile(
    r"answer[\s*_]{0,8}[:\uff1a]|^#+\s*(?:(?:final|my|the)\s+)?answer[\s*:]*$|^####(?=\s)|<answer>",
    re.IGNORECASE | re.MULTILINE,
)
_PHRASE = re.compile(
    r"\b(?:(?:the|my)\s+(?:(?:final|correct|right|best)\s+)?(?:answer|option|choice)"
    r"|(?:final|correct)\s+answer)\s+(?:is|would\s+be)\b[\s*:]*",
    re.IGNORECASE,
)
_OPENING = " \t\"'`*_([{<\u201c\u2018"
_CLOSING = " \t\"'`*_)]}>.,;:!?\u201d\u2019"
_SHORT = 80  # characters
_FEW = 6  # words of a text that is an answer without saying so
_LETTER = re.compile(
    r"(?:option\s+|choice\s+)?[(\[]?([a-z])(?P<after>$|[)\]}.:,;]|\s+(?:because|since)\b)",
    re.IGNORECASE,
)
# Letters of options that stand alone, but for the article "A" and the pronoun "I".
_OPTIONS = re.compile(r"(?<![\w'\u2019-])(?:[B-HJ-Z]|[AI](?!\s+\w))(?![\w'\u2019-])")
_LETTERED = re.compile(r"[(\[]?([A-Z])(?:[)\]]|[.:)](?=\s))\s*(\S.*)", re.DOTALL)
_LEAD = re.compile(
    r"(?:(?:it|that|this|they|there|he|she)(?:\s+(?:is|are|was|were)|['\u2019]s|['\u2019]re)\s+)?"
    r"(?:(?:an?|the)\s+)?",
    re.IGNORECASE,
)
_EXPRESSION = re.compile(r"[=^\\*+]|\w\(|\d\s*/")
# What may stand between two boxes of one answer: "x = \boxed{2} or y = \boxed{3}".
_JOINED = re.compile(r"[^.!?\n]{0,40}")
_CONCLUSION = re.compile(
    r"(?:^|(?<=[.!?\n])\s*)(?:so|therefore|thus|hence|in total|overall|finally)\b[,:]?\s*"
    r"(?P<said>[^\n]{1,80})$",
    re.IGNORECASE,
)
_YES_NO = {"yes": "yes/no", "no": "yes/no", "true": "true/false", "false": "true/false"}


class _Statement(NamedTuple):
    """What a text says as its answer.

    Attributes:
        text: as it is written, on one line where it is announced.
        announced: whether the text says that this is its answer.
        labelled: whether "Answer:" does: the option's own text may follow a letter.
        short: whether it may be an answer without saying so.
    """

    text: str
    announced: bool
    labelled: bool
    short: bool


def is_right(candidate: str, reference: str) -> bool | None:
    r"""Return whether a final answer equals the reference; None if that cannot be decided.

    Numbers are compared with their units, as fractions, percentages and LaTeX; letters of options
    with or without their texts. What is announced as the answer and is another text is wrong.

    >>> is_right("So it is \\boxed{16}.", "16"), is_right("16 or 17", "16")
    (True, None)
    """
    statement, expected = _statement(strip_thinking(candidate)), final_answer(reference)
    if expected and _normalised(statement.text) == expected:
        return True
    return _comparison(reference, expected)(statement) if statement.text.strip() else None


def final_answer(text: str) -> str:
    r"""Return a text's final answer, or the whole text if it announces none, in normalised form.

    Letter case, runs of white space, bold, and brackets, quotation marks and punctuation at both
    ends do not count. A leading minus or currency sign and a trailing per cent sign do.

    >>> final_answer("Answer: 7.\nNo: half of it.\nFinal answer: -3.50 $.")
    '-3.50 $'
    """
    return _normalised(_statement(text).text)


def _comparison(reference: str, expected: str) -> Callable[[_Statement], bool | None]:
    """Return the function that compares an answer with this kind of reference."""
    if re.fullmatch("[a-z]", expected):
        return functools.partial(_same_letter, expected=expected)
    if expected in _YES_NO:
        return functools.partial(_same_word, expected=expected)
    if lettered := _LETTERED.fullmatch(_statement(reference).text.strip()):
        return functools.partial(_same_option, letter=lettered[1].casefold(), text=lettered[2])
    if number := quantity(_statement(reference).text, alone=True):
        return functools.partial(_same_number, expected=number)
    return functools.partial(_same_text, expected=expected)


def _same_letter(statement: _Statement, expected: str) -> bool | None:
    if not (statement.announced or statement.short):
        return None
    letter = _letter(statement.text, statement.labelled)
    return None if letter is None else letter == expected


def _same_word(statement: _Statement, expected: str) -> bool | None:
    text = without_latex(statement.text)
    value = parse("yesno", text, None, asks("yesno", labels=_YES_NO[expected])).value
    return None if value is None else value == (expected in ("yes", "true"))


def _same_option(statement: _Statement, letter: str, text: str) -> bool | None:
    found = _same_letter(statement, letter)
    return found if found is not None else _comparison(text, _normalised(text))(statement)


def _same_number(statement: _Statement, expected: Quantity) -> bool | None:
    if not (statement.announced or statement.short):
        return None
    found = quantity(statement.text)
    return None if found is None else found.equals(expected)


def _same_text(statement: _Statement, expected: str) -> bool | None:
    given = _plain(statement.text)
    if given == _plain(expected):
        return True
    if not (statement.announced or (statement.short and len(given.split()) <= _FEW)):
        return None
    if _EXPRESSION.search(expected) and _EXPRESSION.search(given):
        return None  # two forms of one expression may be equal
    return None if re.search(rf"(?<!\w){re.escape(_plain(expected))}(?!\w)", given) else False


def _plain(text: str) -> str:
    """Return a text without LaTeX and without a leading "It is a ..."."""
    plain = _LEAD.sub("", _normalised(without_latex(text)), count=1)
    return re.sub(r"(?<=[,(:])\s+|\s+(?=[,):])", "", plain)


def _statement(text: str) -> _Statement:
    """Return a text's answer, after its last "Answer:", or else after its last "So ..."."""
    labels = list(_LABEL.finditer(text)) or list(_PHRASE.finditer(text))
    labelled = bool(labels) and _LABEL.fullmatch(labels[-1][0]) is not None
    if boxed := _boxed(text, labels[-1].start() if labels else 0):
        return _Statement(boxed, True, True, False)
    if labels:
        rest = text[labels[-1].end() :].replace("**", "").partition("</answer>")[0].strip()
        return _Statement((rest.splitlines() or [""])[0], True, labelled, False)
    whole = text.replace("**", "").strip()
    short = len(whole) <= _SHORT and "\n" not in whole
    if not short and (concluded := _CONCLUSION.search(whole)):
        return _Statement(concluded["said"], False, False, True)
    last = (whole.splitlines() or [""])[-1]
    if not short and quantity(last, alone=True):
        return _Statement(last, False, False, True)
    return _Statement(whole, False, False, short)


def _boxed(text: str, start: int) -> str:
    """Return what the last LaTeX box holds, joined with the boxes beside it; "" without one."""
    boxes = list(_BOXED.finditer(text, start))[::-1]
    contents = [box[1].strip() for box in boxes[:1]]
    for later, earlier in pairwise(boxes):
        if not _JOINED.fullmatch(text, earlier.end(), later.start()):
            break
        contents.append(earlier[1].strip())
    return " and ".join(dict.fromkeys(contents))


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold().lstrip(_OPENING).rstrip(_CLOSING)


def _letter(stated: str, own_text: bool) -> str | None:
    """Return the option letter that an answer begins with; None if it names other options too."""
    text = without_latex(stated).lstrip(_OPENING)
    match = _LETTER.match(text)
    if match is None:
        return None
    own_text = own_text and match["after"] in tuple(")]}.:")
    others = {letter.casefold() for letter in _OPTIONS.findall(text[match.end(1) :])}
    letter = match[1].casefold()
    return letter if own_text or others <= {letter} else None
