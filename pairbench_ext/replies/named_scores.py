"""Sub-scores that a reply gives in sentences: "The naturalness score is 8, the artifacts score 7"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pairbench_ext.replies import phrases, scores
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.plain import Plain, plain

_PHRASES = phrases.of("subscores")


def sub_scores(reply: str, n: int, highest: int) -> tuple[float, ...] | None:
    """As many scores from 0 on as were asked for, if the reply gives so many, each with a name.

    Args:
        reply: any string; thoughts in it are not read.
        n: how many sub-scores were asked for. One needs no name.
        highest: the end of the scale that was asked for.
    """
    text = plain(reply)
    if n == 1:
        read = scores.read(text, 0, highest).value
        return (read,) if isinstance(read, (int, float)) else None
    for form in _PHRASES.each("forms"):
        by_name = dict(_named(text, form))
        if len(by_name) == n:
            on_scale = all(0 <= score <= highest for score in by_name.values())
            return tuple(by_name.values()) if on_scale else None
    return None


def _named(text: Plain, form: re.Pattern[str]) -> Iterator[tuple[str, float]]:
    context = Context(text.text)
    for match in form.finditer(text.text):
        name = match["name"].lower().split()[-1]
        if name not in _PHRASES.all("no_names") and context.stands(*match.span()):
            number = match["number"]
            yield match["name"].lower(), float(number) if "." in number else int(number)
