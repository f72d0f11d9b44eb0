"""Sub-scores that a reply gives in sentences: "The naturalness score is 8, the artifacts score 7"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pairbench_ext.replies import scores
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.plain import Plain, plain

_WORDS = r"(?P<name>(?!(?:a|an|the|it|this|that|i|is|are|would)\b)[^\W\d_][^\W\d_-]{1,20}(?: (?!scores?\b|rating\b|is\b|are\b)[^\W\d_-]{2,20}){0,3}?)"
_N = r"(?P<number>(?<![\d./,])-?[0-9]{1,3}(?:\.[0-9]{1,2})?)(?: ?(?:/ ?|out of |von |sur |de |sobre )10(?!\d)|[分点點](?!\d))?"
_ENDS = r"(?!,? ?(?:- )?(?:no|wait|actually|rather|nein|non)\b)(?=[\"'\])]{0,2} ?(?:$|[.,;:!)\u3002\uff0c\uff1b](?!\d)|- |\(|(?:and|as|because|since|due|for|given|while|but|with|on|in|und|et|y|e|weil|car|porque)(?![a-z])))"
_VERBS = (
    r"(?:(?:is|are|was|were|gets?|receives?|earns?|deserves?|would be|should be|would get|of|at|as|with|mit|ist|sind|est|es|é|son|là)(?: (?:also|about|around|approximately|roughly|an?|at|rated|given|scored|assigned|as|of|likely|therefore|still|una?|eine?|bewertet|mit|a score of|a rating of))*"
    r"|bewerte ich mit|dürfte bei|liegt bei)"
)
_NOUN = r"(?: (?:scores?|ratings?|grades?|bewertung|punktzahl)| ?(?:得分|评分|評分|分数|分數))?"
_FLAGS = re.IGNORECASE | re.MULTILINE
_FORMS = (
    # "the naturalness score is around 8"
    re.compile(
        rf"(?<![^\W_]){_WORDS}{_NOUN}(?:,? {_VERBS}| ?(?:为|為|是|:|=)| (?=\d)) ?{_N}{_ENDS}",
        _FLAGS,
    ),
    # "an 8 for naturalness"
    re.compile(
        rf"(?<![^\W_])(?:an? |eine? |un |una )?(?:score of )?{_N} (?:for|in|on|für|pour|en|para) (?:the |its |die |la |le |los )?{_WORDS}(?=[\s.,;!)]|$)",
        _FLAGS,
    ),
    # "For naturalness, I would give a score of 8"
    re.compile(
        rf"(?<![^\W_])(?:for|on|in terms of|regarding|as for) (?:the |its )?{_WORDS},? (?:[a-z' ]{{2,40}} )?{_N}{_ENDS}",
        _FLAGS,
    ),
)
# What has a number that is no sub-score.
_NO_NAMES = frozenset(
    {"image", "picture", "scene", "figure", "scale", "version", "step", "output", "overall"}
    | {
        "least",
        "most",
        "than",
        "over",
        "under",
        "below",
        "above",
        "mindestens",
        "höchstens",
        "gesamt",
    }
    | {"final", "total", "average", "minimum", "lowest", "combined"}
)


def sub_scores(reply: str, n: int) -> tuple[float, ...] | None:
    """As many scores from 0 to 10 as were asked for, if the reply gives so many, each with a name.

    Args:
        reply: any string; thoughts in it are not read.
        n: how many sub-scores were asked for. One needs no name.
    """
    text = plain(reply)
    if n == 1:
        read = scores.read(text, 0, 10).value
        return (read,) if isinstance(read, (int, float)) else None
    for form in _FORMS:
        found = dict(_named(text, form))
        if len(found) == n:
            on_scale = all(0 <= score <= 10 for score in found.values())
            return tuple(found.values()) if on_scale else None
    return None


def _named(text: Plain, form: re.Pattern[str]) -> Iterator[tuple[str, float]]:
    context = Context(text.text)
    for match in form.finditer(text.text):
        name = match["name"].lower().split()[-1]
        if name not in _NO_NAMES and context.stands(*match.span()):
            number = match["number"]
            yield match["name"].lower(), float(number) if "." in number else int(number)
