"""Texts without halves of surrogate pairs, which no encoding has, and without control characters.

A model's reply, or a text from JSON, may hold half a pair, such as U+D83D alone. UTF-8 cannot
encode it, so one such text would end the writing of a log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_HALF_OF_A_PAIR = re.compile(r"[\ud800-\udfff]")


# What steers a terminal or the direction of a text, and line breaks of any kind.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""A name from outside, such as a file's, with what steers a terminal spelt out.

    Args:
        text: may hold anything; halves of surrogate pairs become U+FFFD.

    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    """
    shown = _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    return _HALF_OF_A_PAIR.sub("\ufffd", shown)


def encodable(value: Any) -> Any:
    r"""A value with U+FFFD in place of every half of a surrogate pair, however deep it is.

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
