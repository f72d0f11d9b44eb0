"""Data inside the page: texts, cut where they are very long, and compressed JSON."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from pairbench_ext.core.characters import encodable

LONGEST = 50_000  # characters of a text; of longer ones, the page has the beginning and the end
_LEVEL = 6


def packed(value: Any) -> str:
    """Return compressed JSON (zlib) in base64: nothing in it can end the block that holds it."""
    text = json.dumps(encodable(value), ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), _LEVEL)).decode("ascii")


def block(name: str, content: str) -> str:
    """Return a block of data with an id, which no browser runs; `content` is in base64."""
    return f'<script type="text/plain" id="{name}">{content}</script>\n'


def cut(text: str) -> str:
    """Return a text; of a very long one, the beginning and the end."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n[... {left:,} characters are left out here ...]\n{text[-half:]}"


def marked(text: str, span: tuple[int, int] | None) -> dict[str, Any]:
    """Return a reply as the page has it, and from where to where its verdict was read.

    Places count UTF-16 units, as JavaScript does; they are -1 where the verdict's place is unknown
    or left out.
    """
    shown = cut(text)
    start, end = span or (-1, -1)
    if len(text) > LONGEST and end > LONGEST // 2:
        moved = len(shown) - len(text)
        inside = start >= len(text) - LONGEST // 2
        start, end = (start + moved, end + moved) if inside else (-1, -1)
    places = [place if place < 0 else utf16(shown, place) for place in (start, end)]
    return {"text": shown, "start": places[0], "end": places[1]}


def utf16(text: str, place: int) -> int:
    """Return a place in a text as JavaScript counts: characters beyond U+FFFF are two.

    >>> utf16("a\U0001f600b", 2)
    3
    """
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
