"""Counts with their nouns, and lists of which the first are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_PLURALS = {
    "reply": "replies",
    "it": "they",
    "is": "are",
    "was": "were",
    "has": "have",
    "says": "say",
    "it counts": "they count",
    "it leaves": "they leave",
}


def plural(noun: str, count: float) -> str:
    """A noun or a verb as it stands after, or with, a count.

    >>> plural("rater", 1), plural("pair", 0), plural("reply", 2), plural("is", 2)
    ('rater', 'pairs', 'replies', 'are')
    """
    if count == 1:
        return noun
    if noun in _PLURALS:
        return _PLURALS[noun]
    *before, last = noun.split(" ")
    return " ".join([*before, _PLURALS.get(last, f"{last}s")])


def counted(count: int, noun: str, verb: str = "") -> str:
    """A count with its noun, and a verb that agrees with it.

    >>> counted(1, "split"), counted(1250, "source row"), counted(1, "item", "is")
    ('1 split', '1,250 source rows', '1 item is')
    """
    words = (noun, verb) if verb else (noun,)
    return " ".join([f"{count:,}", *(plural(word, count) for word in words)])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What ends the sentence that a name is not known: those that are like it.

    >>> did_you_mean("autors", ["authors", "careful"]), did_you_mean("zzz", ["authors"])
    ("; did you mean 'authors'?", '')
    """
    near = [repr(other) for other in get_close_matches(name, list(known), 3)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def listed(names: Sequence[str], most: int, total: int | None = None, between: str = ", ") -> str:
    """The first few names, and how many more there are.

    >>> listed(["a", "b", "c"], 2), listed(["a"], 2)
    ('a, b and 1 more', 'a')
    """
    more = (len(names) if total is None else total) - min(most, len(names))
    return between.join(names[:most]) + (f" and {more} more" if more else "")
