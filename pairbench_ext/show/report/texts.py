"""Long texts of the page, cut, with the place of a verdict in them."""

from __future__ import annotations

LONGEST = 50_000  # characters of a text; of longer ones, the beginning and the end


def cut(text: str) -> str:
    """A text; of a very long one, the beginning and the end, and how much is left out between."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n[... {left:,} characters are left out here ...]\n{text[-half:]}"


def marked(text: str, span: tuple[int, int] | None) -> tuple[str, int, int]:
    """A reply as the page has it, and where its verdict was read: -1, -1 where unknown."""
    shown = cut(text)
    if span is None:
        return shown, -1, -1
    start, end = span
    if len(text) > LONGEST:
        half = LONGEST // 2
        if start >= len(text) - half:
            moved = len(shown) - len(text)
            start, end = start + moved, end + moved
        elif end > half:
            return shown, -1, -1
    return shown, utf16(shown, start), utf16(shown, end)


def utf16(text: str, place: int) -> int:
    """A place in a text as JavaScript counts: characters beyond U+FFFF are two.

    >>> utf16("a\U0001f600b", 2)
    3
    """
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
