"""Rewrite lists in notations such as tables and JSON as numbered lists.

Tables, JSON, tags, circled digits, letters, Roman and Chinese numerals, "First, ...": each is a
list only where its numbers count up from one, on lines of their own.
"""

import json
import re
from typing import Any

_END = re.compile(
    r"(?:</s>|<\|[^|<>\n]{1,40}\|>|<(?:eos|pad|bos|end_of_turn|eot)>|\[EOS\])", re.IGNORECASE
)
_TAG_OF_ITEM = re.compile(
    r"<(?:item|similarity|statement|point)(?:_?\d{1,2})?(?:\s[^<>\n]{0,60})?>", re.IGNORECASE
)
_TAG = re.compile(
    r"</?(?:answer|output|response|result|reply|list|items?|similarit(?:y|ies)|statements?|points?"
    r"|final(?:_answer)?)(?:_?\d{1,2})?>",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"^[ \t]{0,8}\|[ \t*]{0,8}#?(\d{1,2})[.)]?[ \t*]{0,8}\|([^\n]*?)\|?[ \t]*$", re.MULTILINE
)
_CIRCLED = re.compile(r"[\u2460-\u2469\u2776-\u277f]\ufe0f?")
_LEAD = r"^(?P<lead>[ \t>#*_-]{0,8})"
_CHINESE = "\u4e00二三四五六七八九十"
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT = tuple(map(str, range(1, 11)))
# How a line starts that has a number, and the numbers in their order.
_SCHEMES = tuple(
    (re.compile(_LEAD + pattern, re.IGNORECASE | re.MULTILINE), numbers)
    for pattern, numbers in (
        (r"`(?P<n>\d{1,2})`[.:)]?(?=\s)", _COUNT),
        (r"\(?(?P<n>[ivx]{1,4})[*_]{0,2}[.):](?=[\s*_])", _ROMAN),
        (r"\(?(?P<n>[a-j])[*_]{0,2}[.):](?=[\s*_])", tuple("abcdefghij")),
        (r"(?P<n>" + "|".join(_ORDINALS) + r")(?:ly)?[*_]{0,2}[,:.)](?=[\s*_])", _ORDINALS),
        (r"(?P<n>" + "|".join(_WORDS) + r")[*_]{0,2}[:.)](?=[\s*_])", _WORDS),
        (rf"第?(?P<n>[{_CHINESE}])[点點个項]?[*_]{{0,2}}[\u3001\uff0c,.:\uff1a]", tuple(_CHINESE)),
        (r"(?:no|nr|№|n\u00b0|step|s|fact|reason)[. ]{0,2}(?P<n>\d{1,2})[*_]{0,2}[.:)]?(?=[\s*_])",
         _COUNT),
        (r"(?P<n>\d{1,2})(?:st|nd|rd|th)?[*_]{0,2}[,/]?(?=[ ][*_]{0,2}[A-Z])", _COUNT),
    )
)  # fmt: skip
_DIGITS = re.compile(r"^[ \t>#*_(\[-]{0,8}\d{1,2}[*_]{0,3}[.):\]]", re.MULTILINE)
_FENCED = re.compile(r"\A\s*```\w*\s*\n(?P<inside>.*?)\n?\s*```\s*\Z", re.DOTALL)
_MOST = 10_000  # characters of JSON that are read
# A list of strings as Python writes one.
_QUOTED = re.compile(r"'([^'\n]+)'(?=\s*[,\]])|\"([^\"\n]+)\"(?=\s*[,\]])")
_PYTHON = re.compile(
    r"\[\s*(?:'[^'\n]+'|\"[^\"\n]+\")(?:\s*,\s*(?:'[^'\n]+'|\"[^\"\n]+\"))*,?\s*\]"
)


def as_numbered(text: str) -> str:
    """Return a reply with every item of its list rewritten as a numbered line."""
    items = _in_json(text)
    if items:
        return "\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))
    text = _TAG.sub("\n", _TAG_OF_ITEM.sub("\n- ", _END.sub("", text)))
    text = _ROW.sub(lambda row: f"{row[1]}. {_cells(row[2])}", text)
    marks = _CIRCLED.findall(text)
    if len(marks) > 1 and [_circled(mark) for mark in marks] == list(range(1, len(marks) + 1)):
        text = _CIRCLED.sub(lambda mark: f"\n{_circled(mark[0])}. ", text)
    if len(_DIGITS.findall(text)) > 1:
        return text
    for pattern, numbers in _SCHEMES:
        marks = [match["n"].lower() for match in pattern.finditer(text)]
        if len(marks) > 1 and tuple(marks) == numbers[: len(marks)]:
            order = {number: n for n, number in enumerate(numbers, start=1)}
            return pattern.sub(lambda at: f"{order[at['n'].lower()]}. ", text)  # noqa: B023
    return text


def _circled(mark: str) -> int:
    code = ord(mark[0])
    return code - (0x2460 if code < 0x2776 else 0x2776) + 1


def _cells(row: str) -> str:
    return ": ".join(cell.strip() for cell in row.split("|") if cell.strip())


def _in_json(text: str) -> list[str]:
    """Return the items of a reply in JSON: a list, an object with a list, or one item per key."""
    fenced = _FENCED.match(text[:_MOST])
    written = (fenced["inside"] if fenced else text).strip()
    if not written.startswith(("[", "{")) or len(written) > _MOST:
        return []
    try:
        read = json.loads(written, strict=False)
    except (ValueError, RecursionError):
        return (
            [single or double for single, double in _QUOTED.findall(written)]
            if _PYTHON.fullmatch(written)
            else []
        )
    return _items(read)


def _items(value: Any) -> list[str]:
    if isinstance(value, dict):
        lists = [part for part in value.values() if isinstance(part, list)]
        if len(lists) == 1:
            return _items(lists[0])
        if len(value) == 1:
            (value,) = value.values()
            return _items(value) if isinstance(value, dict) else []
        value = list(value.values())
    if not isinstance(value, list):
        return []
    items = [_only(item) for item in value]
    return [" ".join(item.split()) for item in items if item] if all(items) else []


def _only(value: Any) -> str:
    """Return a text, or the only text in an object."""
    if isinstance(value, dict):
        texts = [part for part in value.values() if isinstance(part, str)]
        return texts[0] if len(texts) == 1 else ""
    return value if isinstance(value, str) else ""
