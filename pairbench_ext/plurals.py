"""Counts with their nouns."""

from __future__ import annotations

_PLURALS = {"reply": "replies", "query": "queries", "person": "people", "is": "are", "has": "have"}


def plural(noun: str, count: float) -> str:
    """A noun, or "is" and "has", as it stands after a count.

    >>> plural("rater", 1), plural("pair", 0), plural("reply", 2), plural("is", 2)
    ('rater', 'pairs', 'replies', 'are')
    """
    if count == 1:
        return noun
    *before, last = noun.split(" ")
    return " ".join([*before, _PLURALS.get(last, f"{last}s")])


def counted(count: int, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "split"), counted(1250, "source row")
    ('1 split', '1250 source rows')
    """
    return f"{count} {plural(noun, count)}"
