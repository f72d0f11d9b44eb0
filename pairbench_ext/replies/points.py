"""Read scores out of 100 from replies, such as "Score: 85".

Rule `careful`, the default: what a person makes of the reply, as for ratings from 1 to 10
(`replies.rating`). A score in per cent is one out of 100; a score that is revised is read as the
last. Another scale ("8/10"), a range or a bound, two scores that both stand, a number above 100, a
share of one ("0.85"): unusable.

Rule `strict`: the declared answer where it stands as asked.

There is no rule `authors`: neither the card nor VL-RewardBench's paper (Section 4.3) says how scores
were extracted, and no code of theirs that does is public.
"""

from collections.abc import Callable

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.scores import read

_PHRASES = phrases.of("points")

LOWEST, HIGHEST = 0, 100


def asks() -> AnswerFormat:
    """Declare that a prompt asks for a score out of 100."""
    return AnswerFormat("points", scale=(LOWEST, HIGHEST))


def reason(*_: object) -> str:
    """Return an empty text, because this grammar finds no reason in replies."""
    return ""


def prose(response: str, asks: AnswerFormat) -> Parsed:  # noqa: ARG001  (always out of 100)
    """Return the score from 0 to 100 that a reply states, in any wording.

    >>> prose("I would give this response a score of 85 out of 100.", asks()).value
    85
    >>> prose("Score: 8/10", asks()).value is None
    True
    """
    text = (
        plain(response)
        .rewritten(_PHRASES["asked"], lambda _: "")
        .rewritten(_PHRASES["told"], lambda _: "")
    )
    text = text.rewritten(_PHRASES["percent"], lambda parsed: parsed["score"] or parsed["rated"])
    parsed = read(text.rewritten(_PHRASES["full"], lambda parsed: parsed["given"]), LOWEST, HIGHEST)
    if isinstance(parsed.value, float) and 0 < parsed.value < 1:
        return Parsed(
            None, f"a score from 0 to 1, but the prompt asks for 0 to 100: {parsed.value:g}"
        )
    return parsed


RULES: dict[str, Callable[..., Parsed]] = {}
