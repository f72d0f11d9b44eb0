r"""Read ratings on a scale from 1 to 10: "Score: <1-10>", "Reason: <reason for score>".

Paper: PairBench, "Are Vision-Language Models Reliable at Comparing What They See?", Section 2.2: a
rating is valid if it "would fall in the set V = [1, 10]"; models may "produce scores not in V or
outputs that do not satisfy the output format, in which case" it is invalid.

Rule `careful`, the default: what a person makes of the reply (`engine`): `Score: 8` in any
wrapping, `{"score": 8}`, `\boxed{8}`, "Rating: 7", "8/10", a bare "8", "I would give it an 8", in
several languages. A score that is revised is read as the last. Two scores that both stand, a
range or a bound ("7-8", "at least 7"), another scale ("4/5", "80%"), a number outside of the scale,
the format repeated, scores of single aspects: unusable.

Rule `strict`: the asked format, `Score:` followed by a number in [1, 10].

- Tolerated: markdown (bold, italics, code, headings, bullets, quotations), `/10` after the number,
  angle brackets around it, a full-width colon, any case of the label, white space after the colon.
- The number stands alone, in ASCII digits, without a sign: `11`, `-3`, `1e1`, `8.5.2`, `8th`,
  `85%`, `8/5`, `8 out of 5`, `7-8` and `8, 9` are invalid, while `8.5` is 8.5.
- Other wrappings and separators (`[8]`, `"8"`, `Score = 8`, `{"score": 8}`) are invalid.
- `Score:` without a number after it says nothing, nor does the prompt's `Score: <1-10>`. Of several
  scores the last one holds, as after a chain of thought; if that is invalid, so is the reply.
- What follows `Reason:` after a score is the reason, whatever scores it mentions, and whatever a
  model that does not stop goes on to write: so the last score is the last one before that.

No rule but `authors` reads thoughts between `<think>` and `</think>`.

Rule `authors`: the authors' code, for comparison. Text such as "\n" is unescaped (as Latin-1,
which garbles other scripts), then the first `Score: N Reason: ...` counts, else the first integer
anywhere, else -1; nothing checks the scale. Where their code raises, the value is -1 here and the
reason names the exception.
"""

from __future__ import annotations

import math
import re

from pairbench_ext.replies import Parsed, phrases, scores
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.thoughts import strip_thinking

_PHRASES = phrases.of("rating")

SCALE = LOWEST, HIGHEST = 1, 10
UNUSABLE = -1  # the notebook's value for a reply that it cannot read

_NOTEBOOK_SCORE = re.compile(r"Score:\s*(\d+)\s*Reason:\s*(.+)", re.IGNORECASE | re.DOTALL)
_INTEGER = re.compile(r"\d+")


def asks(scale: tuple[int, int] = SCALE) -> AnswerFormat:
    """Declare a rating from the lowest to the highest value of a scale."""
    low, high = scale
    return AnswerFormat("rating", scale=(int(low), int(high)), authors=(("scale", (low, high)),))


def prose(response: str, asks: AnswerFormat) -> Parsed:
    """Return the rating that a careful reader finds.

    Returns:
        The number (an int if written without a point) with the text after `Reason:`, empty if there
        is none; else None with what is wrong.

    >>> prose("I would give this pair an 8 out of 10.", asks()).value
    8
    >>> prose("Score: 7. On reflection, the colours differ. Score: 5", asks()).value
    5
    """
    low, high = asks.scale or SCALE
    parsed = scores.read(plain(response), int(low), int(high))
    if parsed.value is None or not parsed.span:
        return parsed
    return Parsed(parsed.value, reason(response, parsed.span)).at(parsed.span)


def reason(response: str, span: tuple[int, int]) -> str:
    """Return the text after `Reason:`, given where the rating stands."""
    return _reason(response, *span)


def strict(response: str, scale: tuple[int, int] = SCALE) -> Parsed:
    r"""Return the number after the last `Score:` before the reason.

    Args:
        response: the reply; any string.
        scale: the lowest and the highest rating.

    Returns:
        The number (an int if written without a point) with the text after `Reason:`, empty if there
        is none; else None with what is wrong.

    >>> strict("**Score:** <8>/10\n**Reason:** much alike")
    Parsed(value=8, reason='much alike')
    >>> strict("Image 1 is better.")
    Parsed(value=None, reason='no "Score:" with a number')
    """
    text = strip_thinking(response)
    stated = [
        m
        for m in _PHRASES["score"].finditer(text)
        if not _PHRASES["format_echo"].match(text, m.start("number"))
    ]
    if not stated:
        return Parsed(None, 'no "Score:" with a number')
    reason = _PHRASES["reason"].search(text, stated[0].end())
    last = [m for m in stated if reason is None or m.start() < reason.start()][-1]
    start, end = last.span("number")
    if last["sign"] or not _stands_alone(text, end):
        return Parsed(None, f"not one plain number: {text[start : start + scores.EXCERPT]!r}")
    number = float(last["number"])
    if not scale[0] <= number <= scale[1]:
        return Parsed(
            None, f"not from {scale[0]} to {scale[1]}: {last['number'][: scores.EXCERPT]}"
        )
    value = number if "." in last["number"] else math.floor(number)
    return Parsed(value, _reason(text, last.start(), end))


def authors(response: str) -> Parsed:
    """Return the authors' reading: `Score: N Reason: ...`, else the first integer, else -1.

    Returns:
        Any integer with the text after `Reason:`, or with the whole text if only an integer or
        nothing was found; -1 with the exception's name and message where their code raises.

    >>> authors("Image 1 is better. Score: 3")
    Parsed(value=1, reason='Image 1 is better. Score: 3')
    """
    try:
        text = response.encode().decode("unicode_escape").strip()  # as Latin-1: a quirk to keep
        match = _NOTEBOOK_SCORE.search(text)
        if match:
            return Parsed(int(match[1]), match[2].strip())
        integer = _INTEGER.search(text)
        return Parsed(int(integer[0]) if integer else UNUSABLE, text)
    except ValueError as error:  # a bad escape, half a surrogate pair, thousands of digits
        return Parsed(UNUSABLE, f"{type(error).__name__}: {error}")


RULES = {"strict": strict, "authors": authors}


def _stands_alone(text: str, end: int) -> bool:
    """Return whether the number that ends there is all of the score."""
    if _PHRASES["attached"].match(text, end):
        return False
    closing = _PHRASES["closing"].match(text, end)
    return not _PHRASES["continued"].match(text, closing.end() if closing else end)


def _reason(text: str, score_start: int, score_end: int) -> str:
    """The text after the first `Reason:` that follows the score, else after the last before it."""
    after = _PHRASES["reason"].search(text, score_end)
    if after:
        return text[after.end() :].strip()
    before = list(_PHRASES["reason"].finditer(text, 0, score_start))
    if not before:
        return ""
    reason, newline, decoration = text[before[-1].end() : score_start].rpartition("\n")
    return (reason if newline else decoration).strip()
