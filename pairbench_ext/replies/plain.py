r"""A reply as plain text in which patterns look: no thoughts, no markup, one kind of each sign.

Bold, italics, code and HTML tags are gone, line breaks are "\n", full-width letters, digits and
signs are as they are typed in English, curly quotes are straight, runs of blanks are one blank.
Where each character was written is known (`Plain.span`).
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    **{
        start + n: chr(0x41 + n) for start in (0x24B6, 0x1F170) for n in range(26)
    },  # circled, boxed
    **{n: unicodedata.normalize("NFKC", chr(n)) for n in range(0x1D400, 0x1D800)},  # of formulas
}
_PHRASES = phrases.of("plain")
_WRITTEN = {"line": "\n", "dash": " - ", "blank": " ", "box": r"\boxed{", "boxed": "} "}


@dataclass(frozen=True)
class Plain:
    """Text, and where in the reply each character of it was written."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the reply a stretch of the text, which is not empty, was written."""
        return self.starts[start], self.ends[end - 1]

    def part(self, start: int) -> Plain:
        """The text from a place on."""
        return Plain(self.text[start:], self.starts[start:], self.ends[start:])

    def rewritten(self, pattern: Phrase, write: Callable[[re.Match[str]], str]) -> Plain:
        """The text with matches, none of which is empty, replaced."""
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for match in pattern.finditer(self.text):
            new = write(match)
            pieces += (self.text[at : match.start()], new)
            first, last = self.starts[match.start()], self.ends[match.end() - 1]
            starts += [*self.starts[at : match.start()], *[first] * len(new)]
            ends += [*self.ends[at : match.start()], *[last] * len(new)]
            at = match.end()
        if not at:
            return self
        pieces.append(self.text[at:])
        return Plain("".join(pieces), [*starts, *self.starts[at:]], [*ends, *self.ends[at:]])


def shortened(text: str) -> str:
    """The beginning and the end of a very long text, else all of it."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n\n{text[-TAIL:]}"


def plain(reply: str) -> Plain:
    """What a reply says, as plain text."""
    parts = spoken(reply)
    text = "".join(reply[start:end] for start, end in parts)
    places: Sequence[int] = range(*parts[0])
    if len(parts) > 1:
        places = [place for start, end in parts for place in range(start, end)]
    if len(text) > HEAD + TAIL:
        text, places = text[:HEAD] + text[-TAIL:], [*places[:HEAD], *places[-TAIL:]]
    raw = Plain(text.translate(SIGNS), places, [place + 1 for place in places])
    raw = raw.rewritten(_PHRASES["entity"], _character)
    raw = raw.rewritten(_PHRASES["code"], lambda _: "\n").rewritten(_PHRASES["formula"], _inside)
    read = raw.rewritten(_PHRASES["markup"], _unmarked)
    if "\n" in read.text or "  " in read.text:
        read = read.rewritten(_PHRASES["blanks"], _blank)
    return read.rewritten(_PHRASES["record"], as_lines).rewritten(
        _PHRASES["repeated"], lambda match: match["word"]
    )


def records(text: str) -> str:
    """The text with every table of one row as lines, such as "Score: 8"."""
    return _PHRASES["record"].sub(as_lines, text)


def as_lines(table: re.Match[str]) -> str:
    """A table of one row, as lines of a head and its cell."""
    head, row = (table[part].strip("| ").split("|") for part in ("head", "row"))
    if len(head) != len(row) or any(re.match(r"\s*\d", cell) for cell in head):
        return table[0]
    return "\n".join(
        f"{name.strip()}: {cell.strip()}" for name, cell in zip(head, row, strict=True)
    )


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
