r"""Read the statements of a list in a model's reply, whatever prompt asked for the list.

Paper: CAST, Appendix A.1: "find up to five similarities ... Output each similarity in a numbered
list". What models write instead is read as follows:

- Numbers: `1.`, `1)`, `(1)`, `[1]`, `1:`, `1 -`, `#1`, "Similarity 1:", in bold, as a heading, in a
  quotation or full-width. Where no line starts with a number, bullets are the items; where one line
  holds the whole list ("1. ... 2. ... 3. ..."), it is split at the numbers.
- Tables, JSON, tags, letters, Roman and other numerals are numbers too (`list_forms`).
- An item is all that belongs to it: its heading ("**Colours**"), nested bullets and numbers,
  lines that go on. It becomes one line of plain text: "Colours: Both are grey."
- A list whose first number is missing, as where the prompt ends in "1.", starts with the text
  before its 2.
- What comes before the list ("Here are five similarities:") and after it is no statement. A list
  ends where its numbers start again, or under a heading of differences.
- An item without words, or that says "None", is none. How many items a list has is for the caller
  to judge: all are returned, fewer than five or more.
- Thoughts between `<think>` and `</think>` are not read.

A reply without numbers and bullets has no statements: prose is not cut up by guessing.
"""

import html
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lmms_eval_tasks.cast.list_forms import as_numbered
from lmms_eval_tasks.cast.prompts import WORDINGS, Prompts
from pairbench_ext.core.texts import encodable
from pairbench_ext.replies.thoughts import strip_thinking

TAB = 4  # columns
NESTED = 2  # a line that is indented by so many columns more than the list belongs to an item of it
TITLE = 6  # words; a longer line without a full stop is a statement

_DASH = r"[-\u2010-\u2015\u2212]"
_DIGITS = r"[0-9\uff10-\uff19\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]{1,2}"
_NAME = (
    r"(?:similarity|statement|point|item|ähnlichkeit|gemeinsamkeit|similarité|similitude|similitud|semejanza"
    r"|相似[点處处]|相似之[处處]|共同[点點])"
)
_NUMBER = re.compile(
    rf"""
    [\#*_`~\s]{{0,12}} (?:
        {_NAME} \s{{0,2}} \#? (?P<named> {_DIGITS} )
        [*_`]{{0,3}} \s? (?: [.:)\uff1a\uff0e] | \s {_DASH} (?= \s ) | \Z )
      | [(\[\uff08] \s? (?P<enclosed> {_DIGITS} ) \s? [)\]\uff09] [.:]?
      | \# (?P<hashed> {_DIGITS} ) (?! [\w%] ) [.:)]?
      | (?P<plain> {_DIGITS} ) (?:
            [*_`]{{0,3}} \\? [.):\uff0e\u3001\uff09\uff1a] (?! [0-9] ) | \s {_DASH} (?= \s )
          | \ufe0f?\u20e3 )
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Not "in image 1. ..."
_INLINE = re.compile(
    r"(?<!\S)(?<!scene\s)(?<!image\s)(?<!picture\s)[(*_]{0,3}([0-9]{1,2})[.):](?=[\s*_])",
    re.IGNORECASE,
)
_BULLET = re.compile(
    rf"""(?: [*+\u2022\u25cf\u25e6\u25aa\u2023\u00b7] | {_DASH}
          | [\u2192\u27a4\u2713\u2714\u2705]\ufe0f? ) \s+ | [\u30fb\uff65]""",
    re.VERBOSE,
)
_CHECKBOX = re.compile(r"\A\s?\[[ xX]\]\s")
_NONE = re.compile(r"(?:none|nothing|n/?a|no similarities(?: found)?)\W*", re.IGNORECASE)
_QUOTATION = re.compile(r"(?:>[ \t]?)+")
_HASHES = re.compile(r"#{1,6}(?=\s)")
_FENCE = re.compile(r"(?:```|~~~)\w*\s*\Z")
_BOLD = re.compile(r"(?:\*\*|__)(?:(?!\*\*|__).){1,200}(?:\*\*|__)\s?[:\uff1a]?\Z")
_DIFFERENCES = re.compile(
    r"[\W_]{0,12}(?:(?:key|main|notable|some)\s)?(?:differences?|dissimilarities)\b.{0,40}\Z",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[\W_]{0,4}(?:overall|in\s(?:summary|conclusion|short)|to\ssum|these\s(?:are|similarities)"
    r"|(?:note|please|however|while|despite)\b|let\sme\b|i\shope\b)",
    re.IGNORECASE,
)
_ATTRIBUTES = r"(?:\s[^<>\n]{0,200})?"
_BREAK = re.compile(rf"</?(?:ol|ul|p|br|div){_ATTRIBUTES}/?>|</li>", re.IGNORECASE)
_LIST_ITEM = re.compile(rf"<li{_ATTRIBUTES}>", re.IGNORECASE)
_MARKUP = re.compile(
    r"[*`] | </? (?: b | strong | i | em | u | span ) > | (?<![^\W_])_+ | _+(?![^\W_])",
    re.IGNORECASE | re.VERBOSE,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff]+")


def statements(reply: str) -> list[str]:
    r"""Return all items of the list in a reply, in their order, each as one line of plain text.

    >>> statements("Here are five similarities:\n\n1. **Place:** both indoors.\n2) Both grey.")
    ['Place: both indoors.', 'Both grey.']
    """
    text = _LIST_ITEM.sub("\n- ", _BREAK.sub("\n", as_numbered(strip_thinking(reply))))
    lines = [_read(line) for line in text.splitlines()]
    if sum(line.number is not None for line in lines) < 2:
        lines = [_read(line) for line in _one_item_a_line(text).splitlines()]
    lines = _with_first_number(lines)
    starts, end_of_list = _starts(lines)
    margin = _margin(lines, starts)
    items: list[_Item] = []
    for start, end in itertools.pairwise([*starts, end_of_list]):
        items.append(_Item(lines[start], margin))
        for line in lines[start + 1 : end]:
            items[-1].add(line)
        if items[-1].is_last:
            break
    texts = [item.text() for item in items]
    return [text for text in texts if any(map(str.isalnum, text)) and not _NONE.fullmatch(text)]


class _Line(NamedTuple):
    """A line of a reply.

    Attributes:
        indent: columns before it.
        number: the number that it starts with; None without one.
        bullet: whether it starts with a bullet.
        marked: whether it is a heading: with #, or bold from end to end.
        raw: the line without number and bullet.
    """

    indent: int
    number: int | None
    bullet: bool
    marked: bool
    raw: str


_BLANK = _Line(indent=0, number=None, bullet=False, marked=False, raw="")


def _read(line: str) -> _Line:
    if not line or line.isspace():
        return _BLANK
    line = _CONTROL.sub(" ", line.expandtabs(TAB)).rstrip()
    quoted = _QUOTATION.match(line.lstrip())
    line = line.lstrip()[quoted.end() :] if quoted else line
    text = line.lstrip()
    indent = len(line) - len(text)
    if _FENCE.match(text):
        text = ""
    bullet = _BULLET.match(text)
    body = text[bullet.end() :] if bullet else text
    number = _NUMBER.match(body)
    rest = _CHECKBOX.sub("", body[number.end() :] if number else body)
    return _Line(
        indent,
        int(next(filter(None, number.groups()))) if number else None,
        bullet is not None,
        any((_HASHES.match(text), _BOLD.match(body), _BOLD.match(rest.strip()))),
        _HASHES.sub("", rest, count=1).strip(),
    )


def _with_first_number(lines: list[_Line]) -> list[_Line]:
    """Return the lines; if numbering starts at 2, the text before becomes number 1."""
    second = next((i for i, line in enumerate(lines) if line.number is not None), None)
    if second is None or (lines[second].number, lines[second].indent) != (2, 0):
        return lines
    at = _unnumbered(lines[:second])
    if at is None or _CLOSING.match(lines[at].raw):
        return lines
    return [*lines[:at], lines[at]._replace(number=1, indent=0), *lines[at + 1 :]]


def _unnumbered(lines: Sequence[_Line]) -> int | None:
    """Return where the text below the last heading begins; None without a heading."""
    written = [i for i, line in enumerate(lines) if line.raw]
    heading = max((i for i in written if _is_heading(lines[i])), default=-1)
    return next((i for i in written if i > heading), None)


def _one_item_a_line(text: str) -> str:
    """Return the text; a list that stands on one line gets a line break before each number."""
    numbers = [(int(match[1]), match.start()) for match in _INLINE.finditer(text)]
    first = 2 if numbers and numbers[0][0] == 2 else 1
    cuts: list[int] = []
    for number, start in numbers:
        if number == len(cuts) + first:
            cuts.append(start)
    if len(cuts) < 2:
        return text
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return "\n".join(parts)


def _starts(lines: Sequence[_Line]) -> tuple[list[int], int]:
    """Return where each list item starts (at numbers, or else bullets), and where the list ends."""
    numbered = [i for i, line in enumerate(lines) if line.number is not None]
    marked = numbered or [i for i, line in enumerate(lines) if line.bullet]
    margin = _margin(lines, marked)
    starts = [i for i in marked if lines[i].indent < margin + NESTED]
    numbers = [lines[i].number for i in starts]
    if len(set(numbers)) > 1:  # else there are bullets, or every item is numbered 1
        again = [k for k, number in enumerate(numbers) if number == numbers[0] and k > 0]
        if again:
            return starts[: again[0]], starts[again[0]]
    return starts, len(lines)


def _margin(lines: Sequence[_Line], marked: Sequence[int]) -> int:
    """Return the indentation of the list: its first item's, unless only that item has none."""
    if not marked:
        return 0
    first, *others = (lines[i] for i in marked)
    indents = [line.indent for line in others]
    numbers = [line.number for line in (first, *others)]
    counted = numbers == list(range(1, len(numbers) + 1))
    if indents and counted and min(indents) >= first.indent + NESTED:
        return min(indents)
    return first.indent


@dataclass
class _Item:
    """An item that is read line by line.

    Attributes:
        first: the line that it starts with.
        margin: the indentation of its list.
        parts: its lines that say something, and whether each is nested.
        after_blank: whether the line before was blank.
        is_closed: whether what follows is no longer about it.
        is_last: whether what follows is no longer the list.
    """

    first: _Line
    margin: int
    parts: list[tuple[str, bool]] = field(default_factory=list)
    after_blank: bool = False
    is_closed: bool = False
    is_last: bool = False

    def __post_init__(self) -> None:
        self.add_part(self.first, nested=False)

    def add_part(self, line: _Line, *, nested: bool) -> None:
        """Add a line's text, if it has any."""
        text = _plain(line.raw)
        if text:
            self.parts.append((text, nested))

    def add(self, line: _Line) -> None:
        """Take the next line of the reply, if it belongs to this item."""
        if not line.raw:
            self.after_blank = True
            return
        if line.indent < self.margin + NESTED and not line.bullet and line.number is None:
            self.is_last |= _is_heading(line) and bool(_DIFFERENCES.match(line.raw))
            self.is_closed |= self._is_over(line)
        if not (self.is_closed or self.is_last):
            self.add_part(line, nested=line.bullet or line.number is not None)
        self.after_blank = False

    def _is_over(self, line: _Line) -> bool:
        """Return whether an unindented line of prose is no longer about this item."""
        if not self.parts:
            return False
        if line.marked or _CLOSING.match(line.raw):
            return True
        return self.after_blank and not (len(self.parts) == 1 and _is_heading(self.first))

    def text(self) -> str:
        """Return the item on one line."""
        if not self.parts:
            return ""
        text = self.parts[0][0]
        for index, (part, nested) in enumerate(self.parts[1:]):
            is_title = index == 0 and (nested or _is_heading(self.first) or _is_title(text, part))
            text += _joint(text, is_title=is_title, nested=nested) + part
        return text


def _is_heading(line: _Line) -> bool:
    return line.marked or line.raw.rstrip("*_ ").endswith((":", "\uff1a"))


def _is_title(text: str, following: str) -> bool:
    return len(text.split()) <= TITLE and following[:1].isupper()


def _joint(text: str, *, is_title: bool, nested: bool) -> str:
    if text.endswith((".", "!", "?", ":", ";", ",", "\u2026", "\u3002", "\uff1a")):
        return " "
    if is_title:
        return ": "
    return "; " if nested else " "


def _plain(raw: str) -> str:
    """Return text without markup, control characters and runs of white space."""
    text: str = encodable(html.unescape(_MARKUP.sub("", raw)))
    return " ".join(text.split())


_NUMBERED = re.compile(r"(\d+)\.\s*")
# One sentence on one line that says what both have in common.
_BARE = re.compile(
    r"(?!.*\b(?:differ|unrelated|nothing|no similarit|cannot|can't|unable|too\b))"
    r"(?:(?:in|on|at|they)\s)?(?:both|each)\s(?:\S*[^\s.!?:]\s){1,40}[^\s.!?:]+\.?",
    re.IGNORECASE,
)
_HEADING = WORDINGS["authors"].list_begins.partition("1.")[0]


def as_the_authors(reply: str) -> list[str]:
    r"""Return the statements as the authors' code does: lines that begin with "1.", "2." and so on.

    Their prompt ends in "1.", so a reply that goes on with "2." has its first statement before
    that. They read a line without words as a statement, too; here it is none. A list in another
    form, of which they read nothing ("1) ...", bullets), is read as by `statements`. One sentence
    that says what both have in common goes on with "1."; other prose is no statement.

    >>> as_the_authors(" Both are **grey**.\n2. Both are round.")
    ['Both are **grey**.', 'Both are round.']
    """
    listed = numbered_lines(strip_thinking(reply))
    if listed is not None:
        return listed
    bare = strip_thinking(reply).strip()
    return [bare] if _BARE.fullmatch(bare) else statements(reply)


def numbered_lines(text: str) -> list[str] | None:
    """Return a reply's numbered lines after its reasoning; None if it has no numbered lines."""
    lines = text.split(_HEADING)[-1].split("\n")
    numbered = [index for index, line in enumerate(lines) if _NUMBERED.match(line)]
    if not numbered:
        return None
    items = [_NUMBERED.sub("", lines[index], count=1) for index in numbered]
    begun = [line.strip() for line in lines[: numbered[0]] if line.strip()]
    first = _NUMBERED.match(lines[numbered[0]])
    if begun and first and first[1] == "2":
        items.insert(0, begun[-1])
    return [item for item in items if item.strip()]


def reader(prompts: Prompts, examples: int = 0) -> Callable[[str], list[str]]:
    """Return the function that reads the lists in replies to a task's prompts.

    Args:
        prompts: whose prompts ask.
        examples: how many examples stand before them: then a list ends where differences begin.
    """
    read = READERS[prompts]
    if not examples:
        return read
    return lambda reply: read(strip_thinking(reply).split("Differences")[0])


#: By whose prompts asked for it.
READERS: Mapping[Prompts, Callable[[str], list[str]]] = {
    "authors": as_the_authors,
    "paper": statements,
}
