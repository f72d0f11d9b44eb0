"""Verdicts in the asked format, at the end of a reply that is plain before that: no search."""

from __future__ import annotations

import re

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.thoughts import spoken
from pairbench_ext.replies.verdict_scores import TIE

_VERDICT, _ENGINE = phrases.of("verdict"), phrases.of("engine")

_END = 300  # characters in which the verdict, and what its sentence says of it, are looked for
_LABEL = re.compile(
    r"\[\[ ?(?P<label>[ABC])(?: ?(?P<sign>>{1,2}|<{1,2}) ?(?P<other>[AB]))? ?\]\]"
    r"(?= ?(?:for a tie)?[.\s]{0,3}\Z)"
)
_FINAL = re.compile(
    r"(?<![^\n])(?:\d[.)] ?)?(?:overall|final) (?:judge?ment|verdict) ?: ?"
    r"answer (?P<answer>[12]) is (?:the )?(?:\w{1,12}ly |much )?better[.\s]{0,3}\Z",
    re.IGNORECASE,
)
_NOT_PLAIN = re.compile(r"[<>{}|\\`]|\[\[|\[[xX ]\]|[^\x00-\xff\u2013-\u2026]")


def as_asked(response: str, reply: str, *, ties: bool) -> Parsed | None:
    """The verdict of a reply that ends in the asked format, and is plain before that.

    So most replies need no search: no other statement of theirs is firmer.
    """
    if "[[" not in response[-_END:] and "etter" not in response[-_END:]:
        return None
    begin = max(0, len(response) - _END)
    end = plain(response[begin:])
    ending = _LABEL.search(end.text) or _FINAL.search(end.text)
    if not ending:
        return None
    first, last = (begin + place for place in end.span(*ending.span()))
    rest = response[:first]
    if (
        _NOT_PLAIN.search(rest)
        or spoken(response) != [(0, len(response))]
        or _ENGINE["next_question"].search(rest)
        or not Context(end.text).stands(*ending.span())
        or (ending.re is _FINAL and _VERDICT["finals"].search(rest))
    ):
        return None
    if ending.re is _FINAL:
        value = int(ending["answer"])
    else:
        label, sign, other = ending.group("label", "sign", "other")
        if sign and label in (other, "C"):
            return None
        value = "CAB".index(other if sign and "<" in sign else label)
    if not value and not ties:
        return Parsed(None, TIE).at((first, last))
    return Parsed(value, reply).at((first, last))
