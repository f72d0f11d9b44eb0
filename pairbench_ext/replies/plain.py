r"""Turn a reply into plain text: without reasoning and markup, and with uniform punctuation.

Bold, italics, code and HTML tags are gone, line breaks are "\n", full-width letters, digits and
signs are as they are typed in English, curly quotes are straight, runs of blanks are one blank.
Where each character was written is known (`Plain.span`).
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from pairbench_ext.replies import phrases
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.thoughts import spoken

# Of a very long reply, its beginning and its end are read, as a person would.
HEAD, TAIL = 8_000, 16_000

# Signs as they are typed in English, for `str.translate`.
SIGNS = {
    **{0xFF01 + n: chr(0x21 + n) for n in range(94)},
    **{zero + n: chr(0x30 + n) for zero in (0x0660, 0x06F0, 0x0966) for n in range(10)},
    **dict.fromkeys(map(ord, "\u3000\u00a0\u202f\u2009\t\x0b\x0c"), " "),
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f"), '"'),
    **dict.fromkeys(map(ord, "\u3010\u3014\u3016"), "["),
    **dict.fromkeys(map(ord, "\u3011\u3015\u3017"), "]"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-"),
    **dict.fromkeys(map(ord, "\x85\u2028\u2029"), "\n"),
    **dict.fromkeys(map(ord, "\u226b\u22d9\u227b"), ">"),
    **dict.fromkeys(map(ord, "\u226a\u22d8\u227a"), "<"),
    **{
        start + n: chr(0x41 + n) for start in (0x24B6, 0x1F170) for n in range(26)
    },  # circled, boxed
    **{n: unicodedata.normalize("NFKC", chr(n)) for n in range(0x1D400, 0x1D800)},  # of formulas
}
_PHRASES = phrases.of("plain")
_WRITTEN = {"line": "\n", "dash": " - ", "blank": " ", "box": r"\boxed{", "boxed": "} "}


@dataclass(frozen=True)
class Plain:
    """A plain text that stores the position in the reply of each of its characters.

    Attributes:
        text: the text.
        source: what it was written of; None for a reply itself.
        edits: where it differs: from which character, to which, and the same of the source.
    """

    text: str
    source: Plain | None = None
    edits: Sequence[tuple[int, int, int, int]] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return which part of the reply a nonempty passage of the text comes from."""
        if self.source is None:
            return start, end
        return self.source.span(self._written(start)[0], self._written(end - 1)[1])

    def _written(self, place: int) -> tuple[int, int]:
        """Return where in the source a character was written."""
        before = bisect_right(self.edits, place, key=itemgetter(0))
        _, last, start, end = self.edits[before - 1] if before else (0, 0, 0, 0)
        return (start, end) if place < last else (place - last + end, place - last + end + 1)

    def part(self, start: int) -> Plain:
        """Return the rest of the text from a position on."""
        return self.of([(start, len(self.text))])

    def of(self, parts: Iterable[tuple[int, int]]) -> Plain:
        """Return the text of the given passages only, in their order."""
        pieces, edits, at, length = [], [], 0, 0
        for start, end in parts:
            edits.append((length, length, at, start))
            pieces.append(self.text[start:end])
            at, length = end, length + end - start
        return Plain("".join(pieces), self, edits)

    def rewritten(self, pattern: Phrase, write: Callable[[re.Match[str]], str]) -> Plain:
        """Return the text with every nonempty match of a pattern replaced."""
        pieces: list[str] = []
        edits: list[tuple[int, int, int, int]] = []
        at, length = 0, 0
        for match in pattern.finditer(self.text):
            new, (start, end) = write(match), match.span()
            length += start - at
            edits.append((length, length + len(new), start, end))
            pieces += (self.text[at:start], new)
            at, length = end, length + len(new)
        return Plain("".join((*pieces, self.text[at:])), self, edits) if edits else self


def shortened(text: str) -> str:
    """Return the beginning and the end of a very long text; return other texts unchanged."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n\n{text[-TAIL:]}"


def plain(reply: str) -> Plain:
    """Return a reply as plain text."""
    raw = Plain(reply)
    parts = spoken(reply)
    if parts != [(0, len(reply))]:
        raw = raw.of(parts)
    if len(raw.text) > HEAD + TAIL:
        raw = raw.of([(0, HEAD), (len(raw.text) - TAIL, len(raw.text))])
    raw = replace(raw, text=raw.text.translate(SIGNS)).rewritten(_PHRASES["entity"], _character)
    raw = raw.rewritten(_PHRASES["code"], lambda _: "\n").rewritten(_PHRASES["formula"], _inside)
    read = raw.rewritten(_PHRASES["markup"], _unmarked)
    if "\n" in read.text or "  " in read.text:
        read = read.rewritten(_PHRASES["blanks"], _blank)
    return read.rewritten(_PHRASES["record"], as_lines).rewritten(
        _PHRASES["repeated"], lambda match: match["word"]
    )


def records(text: str) -> str:
    """Return the text with each one-row table rewritten as lines, such as "Score: 8"."""
    return _PHRASES["record"].sub(as_lines, text)


def as_lines(table: re.Match[str]) -> str:
    """Return a one-row table as lines, each with a column's header and its cell."""
    head, row = (table[part].strip("| ").split("|") for part in ("head", "row"))
    if len(head) != len(row) or any(re.match(r"\s*\d", cell) for cell in head):
        return table[0]
    return "\n".join(f"{x.strip()}: {cell.strip()}" for x, cell in zip(head, row, strict=True))


def _blank(run: re.Match[str]) -> str:
    if run["lines"]:
        return "\n\n"
    if run["wrapped"]:
        return " "
    return "\n" if run[0][0] == "\n" else "" if run.string[run.end() :][:1] == "\n" else " "


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity[0]).translate(SIGNS)


def _inside(formula: re.Match[str]) -> str:
    inside: str | None = formula["inside"]
    return f"{formula['of']}/{formula['all']}" if inside is None else inside


def _unmarked(markup: re.Match[str]) -> str:
    kind = "gone" if markup["gone"] is not None else str(markup.lastgroup)
    return _WRITTEN.get(kind, "")
