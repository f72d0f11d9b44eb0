"""Find the JSON object around a position in a reply, and repair the object if it is broken.

Models quote with single or curly quotes, forget commas and brackets, or add some at the end:
`json-repair` mends that. It takes time quadratic in what it is given, so that is limited; valid
JSON may have any length.
"""

import json
import re
from typing import Any, NamedTuple

import json_repair

LONGEST = 4_000  # characters that are mended
_MOST_BRACKETS = 200
_TRIES = 8  # braces before the position from which valid JSON is tried

_BRACE = re.compile(r"[{}]")
_BRACKET = re.compile(r"[][(){}]")
_DECODER = json.JSONDecoder(strict=False)  # control characters in strings do no harm


class Object(NamedTuple):
    """A JSON object found in a reply.

    Attributes:
        content: its keys and values; empty if it cannot be mended.
        is_closed: whether it has its closing brace. If not, the reply was cut, or the model forgot.
    """

    content: dict[str, Any]
    is_closed: bool


def object_around(text: str, position: int) -> Object | None:
    """Return the innermost JSON object around a position in a text.

    Returns:
        None if no brace is open there. Of an object that is broken and too long to be mended whole,
        only what follows the position.

    >>> object_around("Sure: {'why': 'it is', 'n': [8, 7,]} Bye.", 24)
    Object(content={'why': 'it is', 'n': [8, 7]}, is_closed=True)
    """
    valid = _valid_object(text, position)
    if valid is not None:
        return Object(valid, is_closed=True)
    start, end = _span_around(text, position)
    if start < 0:
        return None
    is_closed = text[end - 1] == "}"
    start = start + 1 if end - start <= LONGEST else position
    return Object(_mended("{" + text[start : min(end, start + LONGEST)]), is_closed)


def as_text(value: Any) -> str:
    """Return a JSON value as text; null becomes an empty text."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _valid_object(text: str, position: int) -> dict[str, Any] | None:
    start = position + 1
    for _ in range(_TRIES):
        start = text.rfind("{", 0, start)
        if start < 0:
            return None
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):  # also a number of thousands of digits
            continue
        if end > position:
            return dict(value)
    return None


def _span_around(text: str, position: int) -> tuple[int, int]:
    """Return where the innermost braces around a position begin and end; -1, -1 if there are none.

    Braces within strings are not told apart: most are paired.
    """
    opened: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            start = opened.pop()
            if start <= position < brace.end():
                return start, brace.end()
    before = [start for start in opened if start <= position]
    return (before[-1], len(text)) if before else (-1, -1)


def _mended(text: str) -> dict[str, Any]:
    if len(_BRACKET.findall(text)) > _MOST_BRACKETS:
        return {}
    try:
        read = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return {}
    values = read if isinstance(read, list) else [read]
    return next((value for value in values if isinstance(value, dict)), {})
