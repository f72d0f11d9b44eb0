"""Verdicts in the asked format, at the end of a reply that is plain before that: no search."""

from __future__ import annotations

import re

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.thoughts import spoken
from pairbench_ext.replies.verdict_scores import TIE

_VERDICT, _ENGINE = phrases.of("verdict"), phrases.of("engine")

_LAST_LINE = 160
_ENDING = re.compile(
    r"(?:\A|(?<=\n))[^\w\n\[]{0,8}(?:\d[.)] ?)?"
    r"(?:(?:overall|final) (?:judge?ment|verdict)[*_ ]{0,4}:[*_ ]{0,4}answer[*_ ]{1,3}(?P<answer>[12])"
    r"[*_ ]{0,3} ?is (?:the )?(?:\w{1,12}ly |much )?better"
    r"|(?:(?:my |the )?(?:final |overall )?(?:verdict|judge?ment|decision)(?: is)?[*_ ]{0,4}:?[*_ ]{0,4})?"
    r"\[\[ ?(?P<label>(?-i:[ABC]))(?: ?(?P<sign>>{1,2}|<{1,2}) ?(?P<other>(?-i:[AB])))? ?\]\])"
    r"[*_.\s]{0,5}\Z",
    re.IGNORECASE,
)
_NOT_PLAIN = re.compile(r"[<>{}|\\`]|\[\[|\[[xX ]\]")


def as_asked(response: str, reply: str, *, ties: bool) -> Parsed | None:
    """The verdict of a reply that ends in the asked format, and is plain before that.

    So most replies need no search: no other statement is firmer than the last line.
    """
    ending = _ENDING.search(response, max(0, len(response) - _LAST_LINE))
    rest = response[: ending.start()] if ending else ""
    if (
        not ending
        or not rest.isascii()
        or _NOT_PLAIN.search(rest)
        or spoken(response) != [(0, len(response))]
        or _VERDICT["finals"].search(rest)
        or _ENGINE["next_question"].search(rest)
    ):
        return None
    if ending["answer"]:
        value = int(ending["answer"])
    else:
        first, sign, second = ending.group("label", "sign", "other")
        if sign and first in (second, "C"):
            return None
        value = "CAB".index("C" if sign == "=" else second if sign and "<" in sign else first)
    if not value and not ties:
        return Parsed(None, TIE).at(ending.span())
    return Parsed(value, reply).at(ending.span())
