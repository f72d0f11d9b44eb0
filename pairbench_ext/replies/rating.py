r"""Read ratings on a scale from 1 to 10: "Score: <1-10>", "Reason: <reason for score>".

Paper: PairBench, "Are Vision-Language Models Reliable at Comparing What They See?", Section 2.2: a
rating is valid if it "would fall in the set V = [1, 10]"; models may "produce scores not in V or
outputs that do not satisfy the output format, in which case" it is invalid.

Rule `careful`, the default: what a person makes of the reply (`engine`): `Score: 8` in any
wrapping, `{"score": 8}`, `\boxed{8}`, "Rating: 7", "8/10", a bare "8", "I would give it an 8", in
several languages. A score that is revised is read as the last. Two scores that both stand, a
range or a bound ("7-8", "at least 7"), another scale ("4/5", "80%"), a number outside of the scale,
the format repeated, scores of single aspects: unusable. Out of 100, a score may be in per cent, and
a share of one ("0.85") is unusable. Where labels are declared ("1" to "5"), the score is one of them.

Rule `strict`: the declared answer where it stands as asked.

No rule but `authors` reads thoughts between `<think>` and `</think>`.

Rule `authors`: the authors' code, for comparison. Text such as "\n" is unescaped (as Latin-1,
which garbles other scripts), then the first `Score: N Reason: ...` counts, else the first integer
anywhere, else -1; nothing checks the scale. Where their code raises, the value is -1 here and the
reason names the exception.
"""

import re

from pairbench_ext.replies import Parsed, phrases, scores
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.plain import plain

_PHRASES = phrases.of("rating")

SCALE = LOWEST, HIGHEST = 1, 10
OF_HUNDRED = 100  # the end of a scale on which a score may be in per cent
NO_LABEL = "none of the labels that were asked for"
UNUSABLE = -1  # the notebook's value for a reply that it cannot read

_NOTEBOOK_SCORE = re.compile(r"Score:\s*(\d+)\s*Reason:\s*(.+)", re.IGNORECASE | re.DOTALL)
_INTEGER = re.compile(r"\d+")


def asks(scale: tuple[int, int] = SCALE) -> AnswerFormat:
    """Declare that a prompt asks for a rating on a scale, from its lowest to its highest value."""
    low, high = scale
    return AnswerFormat("rating", scale=(int(low), int(high)), authors=(("scale", (low, high)),))


def prose(response: str, asks: AnswerFormat) -> Parsed:
    """Return the rating that a reply states, in any wording.

    Returns:
        The number (an int if written without a point) with the text after `Reason:`, empty if there
        is none; else None with what is wrong.

    >>> prose("I would give this pair an 8 out of 10.", asks()).value
    8
    >>> prose("Score: 7. On reflection, the colours differ. Score: 5", asks()).value
    5
    """
    low, high = asks.scale or SCALE
    text = plain(response)
    if high == OF_HUNDRED:
        for section in ("asked", "told", "percent", "full"):
            text = text.rewritten(_PHRASES[section], _without_signs)
    if asks.texts:
        text = text.rewritten(phrases.of("labels")["format"], lambda _: " ")
    parsed = scores.read(text, int(low), int(high))
    if not isinstance(parsed.value, (int, float)) or not parsed.span:
        return parsed
    value = dict(asks.texts).get(f"{parsed.value:g}") if asks.texts else parsed.value
    if value is None:
        return Parsed(None, NO_LABEL)
    if high == OF_HUNDRED and 0 < parsed.value < 1:
        return Parsed(None, f"a score from 0 to 1, but the prompt asks for 0 to 100: {value:g}")
    return Parsed(value, reason(response, parsed.span)).at(parsed.span)


def _without_signs(match: re.Match[str]) -> str:
    """Return a score without what says that it is one of 100; nothing where there is no score."""
    return "".join(filter(None, match.groups()))


def reason(response: str, span: tuple[int, int]) -> str:
    """Return the text after `Reason:` that belongs to the rating at a position in the reply."""
    return _reason(response, *span)


def authors(response: str) -> Parsed:
    """Return the rating as the authors read it: N of `Score: N Reason:`, else first integer, or -1.

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


RULES = {"authors": authors}


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
