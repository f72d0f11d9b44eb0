"""Verdicts in the asked format, at the end of a reply that is plain before that: no search."""

from __future__ import annotations

import re

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.thoughts import spoken
from pairbench_ext.replies.verdict_scores import TIE

_VERDICT, _ENGINE, _PLAIN = phrases.of("verdict"), phrases.of("engine"), phrases.of("plain")

_LONGEST = 400  # characters of a last line
_LABEL = re.compile(
    r"\[\[ ?(?P<label>[ABC])(?: ?(?P<sign>>{1,2}|<{1,2}) ?(?P<other>[AB]))? ?\]\]"
    r"(?=(?:(?:(?<=C\]\])|(?<=C \]\])) for a tie)?[.\s]{0,3}\Z)"
)
_FINAL = re.compile(
    r"\A\W{0,8}(?:\d[.)] ?)?(?:overall|final) (?:judge?ment|verdict) ?: ?"
    r"answer (?P<answer>[12]) is (?:the )?(?:\w{1,12}ly |much )?better[.\s]{0,3}\Z",
    re.IGNORECASE,
)
_NOT_PLAIN = re.compile(r"[<>{}|\\`]|\[\[|\[[xX ]\]|[^\x00-\xff\u2013-\u2026]")


def as_asked(response: str, reply: str, *, ties: bool) -> Parsed | None:
    """The verdict of a reply that ends in the asked format, and is plain before that.

    So most replies need no search: no other statement of theirs is firmer.
    """
    begin = response.rstrip().rfind("\n") + 1
    if len(response) - begin > _LONGEST or (begin and _PLAIN["goes_on"].match(response, begin - 1)):
        return None
    line = plain(response[begin:])
    ending = _LABEL.search(line.text) or _FINAL.search(line.text)
    if not ending:
        return None
    first, last = (begin + place for place in line.span(*ending.span()))
    rest = response[:first]
    if (
        _NOT_PLAIN.search(rest)
        or spoken(response) != [(0, len(response))]
        or _ENGINE["next_question"].search(rest)
        or (ending.re is _LABEL and not Context(line.text).stands(*ending.span()))
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
