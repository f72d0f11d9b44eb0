r"""Votes on two images, such as `[[A>B]]`, or a tie of good ones or of bad ones, `[[A=B=Bad]]`.

The value is the vote without its brackets: "A>B", "B>A", "A=B=Good" or "A=B=Bad"; "A=B" where a
reply calls the two equal and does not say whether they are good. The reason of a usable reply is
the whole reply.

Rule `careful`, the default: what the grammar `verdict` reads, and for a tie the last kind of tie
that the reply names.

Rule `strict`: the last label in double brackets, if it is one of the four.

Rule `authors`: as `parse_response` of the authors' `inference.py` does. On the first line with
double brackets, what is from the first to the last of them has to be a vote as a whole. Besides the
four, `[[A>>B]]`, `[[B>>A]]` and `[[A=B]]` are votes, although no prompt asks for them.
"""

from __future__ import annotations

import re
from typing import Any

from pairbench_ext.replies import Parsed, verdict
from pairbench_ext.replies.thoughts import strip_thinking

NO_VOTE = "no vote that was asked for"
VOTES = ("A>B", "B>A", "A=B=Good", "A=B=Bad")
TIE = "A=B"

_LABEL = re.compile(r"\[\[([^\[\]]*)\]\]")
_FROM_FIRST_TO_LAST = re.compile(r"\[\[.*\]\]")
_KIND = re.compile(r"=\W{0,4}(good|bad)\b|\bboth(?: \w+){0,4} (bad)\b", re.IGNORECASE)
_AS_AUTHORS = {**{vote: vote for vote in (*VOTES, TIE)}, "A>>B": "A>B", "B>>A": "B>A"}


def careful(response: str) -> Parsed:
    """Read what a careful person reads.

    >>> careful("A>B").value, careful("Final verdict: Both are bad: [[A = B = Bad]]").value
    ('A>B', 'A=B=Bad')
    """
    parsed = verdict.careful(response, ties=True)
    kinds = [kind for match in _KIND.findall(parsed.reason) for kind in match if kind]
    tie = f"{TIE}={kinds[-1].title()}" if kinds else TIE
    votes: dict[Any, str | None] = {1: "A>B", 2: "B>A", 0: tie, None: None}
    vote = Parsed(votes[parsed.value], parsed.reason)
    return vote.at(parsed.span) if parsed.span else vote


def strict(response: str) -> Parsed:
    """Read a vote in the asked format.

    >>> strict("The second is sharper. [[B>A]]").value, strict("B>A").value
    ('B>A', None)
    """
    labels = _LABEL.findall(strip_thinking(response))
    return Parsed(labels[-1], response) if labels[-1:] and labels[-1] in VOTES else _NOTHING


def authors(response: str) -> Parsed:
    """Read a vote as the authors' code does.

    >>> authors("[[A>>B]]").value, authors("[[A>B]], not [[B>A]]").value
    ('A>B', None)
    """
    match = _FROM_FIRST_TO_LAST.search(response)
    vote = _AS_AUTHORS.get(match[0][2:-2]) if match else None
    return Parsed(vote, response).at(match.span()) if match and vote else _NOTHING


_NOTHING = Parsed(None, NO_VOTE)
RULES = {"careful": careful, "strict": strict, "authors": authors}
