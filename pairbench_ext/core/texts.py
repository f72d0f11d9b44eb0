"""Write counts with nouns, numbers, and names of unknown origin as text to print or log.

A model's reply, or a text from JSON, may hold half a surrogate pair, such as U+D83D alone. UTF-8
cannot encode it, so one such text would end the writing of a log.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

_PLURALS = {
    "reply": "replies",
    "person": "people",
    "it": "they",
    "is": "are",
    "was": "were",
    "has": "have",
    "says": "say",
    "it counts": "they count",
    "it leaves": "they leave",
}

_HALF_OF_A_PAIR = re.compile(r"[\ud800-\udfff]")
# What steers a terminal or the direction of a text, and line breaks of any kind.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def plural(noun: str, count: float) -> str:
    """Return a noun or verb in the form that fits a count.

    >>> plural("rater", 1), plural("pair", 0), plural("reply", 2), plural("is", 2)
    ('rater', 'pairs', 'replies', 'are')
    """
    if count == 1:
        return noun
    if noun in _PLURALS:
        return _PLURALS[noun]
    *before, last = noun.split(" ")
    return " ".join([*before, _PLURALS.get(last, f"{last}s")])


def capitalised(text: str) -> str:
    """Return a text with a capital first letter.

    >>> capitalised("a mug on a table"), capitalised("")
    ('A mug on a table', '')
    """
    return f"{text[:1].upper()}{text[1:]}"


def counted(count: int, noun: str, verb: str = "") -> str:
    """Return a count with its noun, and a verb that agrees with it.

    >>> counted(1, "split"), counted(1250, "source row"), counted(1, "item", "is")
    ('1 split', '1,250 source rows', '1 item is')
    """
    words = (noun, verb) if verb else (noun,)
    return " ".join([f"{count:,}", *(plural(word, count) for word in words)])


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return "did you mean ...?" with similar names, to end an error message.

    >>> did_you_mean("autors", ["authors", "careful"]), did_you_mean("zzz", ["authors"])
    ("; did you mean 'authors'?", '')
    """
    near = [repr(other) for other in get_close_matches(name, list(names), 3)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def listed(names: Sequence[str], most: int, total: int | None = None, between: str = ", ") -> str:
    """Return a text with the first few names, and how many more names there are.

    >>> listed(["a", "b", "c"], 2), listed(["a"], 2)
    ('a, b and 1 more', 'a')
    """
    more = (len(names) if total is None else total) - min(most, len(names))
    return between.join(names[:most]) + (f" and {more} more" if more else "")


def decimal(value: float, digits: int, sign: str = "") -> str:
    """Return a number with this many decimals; NaN becomes a dash, and -0 becomes 0.

    >>> decimal(-0.001, 2), decimal(-0.001, 2, "+"), decimal(-0.5, 3), decimal(12, 0)
    ('0.00', '+0.00', '-0.500', '12')
    >>> decimal(math.nan, 2)
    '-'
    """
    return "-" if math.isnan(value) else f"{round(value, digits) + 0.0:{sign}.{digits}f}"


def printable(text: str) -> str:
    r"""Return a name of unknown origin with control characters spelt out.

    Args:
        text: may hold anything; halves of surrogate pairs become U+FFFD.

    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    """
    shown = _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    return _HALF_OF_A_PAIR.sub("\ufffd", shown)


def encodable(value: Any) -> Any:
    r"""Return a value in which U+FFFD replaces every broken character (lone surrogate).

    Args:
        value: made of texts, lists, tuples and mappings; all else stays as it is.

    >>> encodable({"a": ["b\ud83d"]}) == {"a": ["b\ufffd"]}
    True
    """
    if isinstance(value, str):
        return _HALF_OF_A_PAIR.sub("\ufffd", value) if _HALF_OF_A_PAIR.search(value) else value
    if isinstance(value, Mapping):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(encodable(item) for item in value)
    return value
