"""The phrases that grammars look for: regular expressions in the files of `words/`.

A line `## better (words, lines)` starts the section `better`; the lines below it are its phrases,
with two blanks between those of a line; a line that starts with four blanks goes on with the one
before. In a phrase, `{better}` stands for any phrase of that section, `{mentions.any}` for any of a section of
another file, and `{word labels}` for any of them as a whole word, longer ones first. Lines that
start with `# ` are comments. Case does not matter, but for these remarks after a section's name:

- `words`: its phrases are whole words, longer ones first.
- `lines`: `^` and `$` match at line breaks.
- `case`: case matters.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    from re import _parser
else:
    import sre_parse as _parser

FOLDER = Path(__file__).parent / "words"
_HEAD = re.compile(r"## (?P<name>\w+)(?: \((?P<remarks>[\w, ]+)\))?")
# Never a quantifier, such as {2,}: those have digits.
_REFERENCE = re.compile(r"\{(?P<word>word )?(?:(?P<file>[a-z_]+)\.)?(?P<name>[a-z]\w*)\}")
_GAP, _GOES_ON = "  ", "    "
_REMARKS = ("words", "lines", "case")


class _Section(NamedTuple):
    phrases: tuple[str, ...]
    remarks: tuple[str, ...]


@functools.lru_cache(maxsize=16)
def _lower(text: str) -> str:
    return text.lower().replace("\u017f", "s")  # as `re` compares them


LINE, TEXT = "line starts", "text starts"  # in place of a word: where anything may stand


@functools.lru_cache(maxsize=512)
def _places(lower: str, words: tuple[str, ...], start: int, end: int) -> list[int]:
    """Where a text has a word with which matches start."""
    places = []
    for word in words:
        if word is TEXT:
            places += [0] * (start == 0)
            continue
        step = 0
        if word is LINE:
            word, step = "\n", 1
            places += [0] * (start == 0)
        place = lower.find(word, start - step if start else 0, end)
        while place >= 0:
            places.append(place + step)
            place = lower.find(word, place + 1, end)
    return sorted(places)


class Phrase:
    """A compiled pattern that looks only where it may match: fast on what most texts lack.

    Args:
        pattern: what to look for.
        flags: of `re`.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        parsed: Any = _parser.parse(pattern, flags)
        tree = list(parsed)
        self.compiled = re.compile(pattern, flags)
        self.match, self.fullmatch = self.compiled.match, self.compiled.fullmatch
        self.sub, self.findall = self.compiled.sub, self.compiled.findall
        starts = _without_longer(_starts(tree))
        common = sum(len(word) == 1 and (word == " " or word.isalnum()) for word in starts)
        self.starts = starts if common <= _COMMON else ()
        words = _without_longer(_words(tree))
        self.words = words if len(words) <= _FEW and words != self.starts else ()

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Every match, as `re` finds them."""
        lower = _lower(text)
        if len(lower) != len(text):  # a letter whose small one is two
            return self.compiled.finditer(text, start, end)
        for word in self.words:
            if word in lower:
                break
        else:
            if self.words:
                return iter(())
        if self.starts:
            places = _places(lower, self.starts, start, min(end, len(text)))
            return self._at(places, text, end) if places else iter(())
        return self.compiled.finditer(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first match, as `re` finds it."""
        if min(end, len(text)) - start < _SHORT:
            return self.compiled.search(text, start, end)
        return next(self.finditer(text, start, end), None)

    def _at(self, places: list[int], text: str, end: int) -> Iterator[re.Match[str]]:
        after = 0
        for place in places:
            match = self.match(text, place, end) if place >= after else None
            if match:
                yield match
                after = match.end()


_SHORT = 100  # characters that are searched as they are
_FEW, _MOST = 40, 400  # words that are looked for before a pattern is
_LONG = 3  # letters of a word that is rare enough
_COMMON = 4  # single letters among them, which are nearly everywhere
_STOP = ("STOP", None)
_ANCHORS = {"AT_BEGINNING": LINE, "AT_BEGINNING_STRING": TEXT}


def _starts(nodes: list[Any]) -> frozenset[str]:
    """With what every match of parsed patterns in a row starts; empty where it may be anything."""
    run = next(_runs(nodes), ("",))[0] if str((*nodes, _STOP)[0][0]) == "LITERAL" else ""
    if run:
        return _followed(run, nodes[len(run) :])
    for at, (operation, argument) in enumerate(nodes):
        name, rest = str(operation), nodes[at + 1 :]
        if name == "LITERAL":
            return _starts(nodes[at:])
        if name == "IN":
            return _characters(argument)
        if name == "SUBPATTERN":
            return _starts([*argument[3], *rest])
        if name == "BRANCH":
            possible = [branch for branch in argument[1] if not any(map(_never, branch))]
            return _any([_starts([*branch, *rest]) for branch in possible])
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, _, body = argument
            repeated = _starts([*list(body) * max(least, 1), _STOP])
            return repeated if least else _any([repeated, _starts(rest)])
        if name == "AT" and str(argument) in _ANCHORS:
            return frozenset((_ANCHORS[str(argument)],))
        if name not in ("AT", "ASSERT", "ASSERT_NOT"):
            return frozenset()
    return frozenset()


def _never(node: tuple[Any, Any]) -> bool:
    """Whether it is `(?!)`, for what a grammar leaves out."""
    return str(node[0]) == "FAILURE" or (str(node[0]) == "ASSERT_NOT" and not node[1][1])


def _followed(run: str, rest: list[Any]) -> frozenset[str]:
    """Letters, with what has to follow them where they are few."""
    after: frozenset[str] = frozenset()
    if rest and len(run) < _LONG:
        operation, argument = rest[0]
        ahead = str(operation) == "ASSERT" and argument[0] == 1
        after = _starts([*argument[1], _STOP] if ahead else [rest[0], _STOP]) - {LINE, TEXT}
    return frozenset(run + word for word in after) or frozenset((run,))


def _words(nodes: list[Any]) -> frozenset[str]:
    """Words of which every match has one: of those that are known the longest; empty if none is."""
    known = [frozenset(run) for run in _runs(nodes)]
    for operation, argument in nodes:
        name = str(operation)
        if name in ("SUBPATTERN", "ASSERT"):
            known.append(_words(list(argument[-1])))
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0]:
            known.append(_words(list(argument[2])))
        elif name == "BRANCH":
            known.append(_any([_words(list(branch)) for branch in argument[1]]))
        elif name == "IN":
            known.append(_characters(argument))
    return max(known, key=lambda words: min(map(len, words), default=0), default=frozenset())


def _runs(nodes: list[Any]) -> Iterator[tuple[str, ...]]:
    """Letters that follow each other in parsed patterns."""
    for is_literal, run in groupby(nodes, key=lambda node: str(node[0]) == "LITERAL"):
        if is_literal:
            yield ("".join(chr(code).lower() for _, code in run),)


def _characters(members: list[Any]) -> frozenset[str]:
    """The characters of a class, if they are few."""
    characters: set[str] = set()
    for kind, member in members:
        if str(kind) not in ("LITERAL", "RANGE"):
            return frozenset()
        first, last = (member, member) if isinstance(member, int) else member
        if last - first >= _FEW:
            return frozenset()
        characters |= {chr(code).lower() for code in range(first, last + 1)}
    return frozenset(characters)


def _any(choices: list[frozenset[str]]) -> frozenset[str]:
    """Any of the words, if all choices have some."""
    words = frozenset().union(*choices)
    return words if all(choices) and len(words) <= _MOST else frozenset()


def _without_longer(words: frozenset[str]) -> tuple[str, ...]:
    """Words without those that begin with another one."""
    kept: list[str] = []
    for word in sorted(words):
        if not kept or word in (LINE, TEXT) or not word.startswith(kept[-1]):
            kept.append(word)
    return tuple(kept)


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str, flags: int) -> Phrase:
    return Phrase(pattern, flags)


class Phrases(dict[str, Phrase]):
    """The phrases of a file: `Phrases("letter")["announced"]` is a pattern of that section's.

    Args:
        file: its name, without `.txt`.
        given: patterns that are not in the file, by the names that it has for them.
    """

    def __init__(self, file: str, given: Mapping[str, str]) -> None:
        super().__init__()
        self._sections = sections(file)
        self._given = given
        self._each: dict[str, tuple[Phrase, ...]] = {}

    def __missing__(self, name: str) -> Phrase:
        whole = "words" in self._sections[name].remarks
        pattern = self.word(name) if whole else "|".join(self.all(name))
        self[name] = _compiled(pattern, self._flags(name))
        return self[name]

    def all(self, name: str) -> tuple[str, ...]:
        """Each phrase of a section, as a pattern."""
        return tuple(_REFERENCE.sub(self._resolved, p) for p in self._sections[name].phrases)

    def each(self, name: str) -> tuple[Phrase, ...]:
        """Each phrase of a section, compiled."""
        if name not in self._each:
            flags = self._flags(name)
            self._each[name] = tuple(_compiled(phrase, flags) for phrase in self.all(name))
        return self._each[name]

    def matches(self, name: str, text: str) -> Iterator[re.Match[str]]:
        """Every place where a text has a phrase of a section, phrase by phrase."""
        for phrase in self.each(name):
            yield from phrase.finditer(text)

    def pattern(self, name: str) -> str:
        """A pattern of any phrase of a section; where it has one, that."""
        if name in self._given:
            return self._given[name]
        phrases = self.all(name)
        return phrases[0] if len(phrases) == 1 else f"(?:{'|'.join(phrases)})"

    def word(self, name: str) -> str:
        """A pattern of any phrase of a section as a whole word, longer ones first."""
        longest_first = sorted(self.all(name), key=len, reverse=True)
        return rf"(?<![a-z\u00e0-\u00ff])(?:{'|'.join(longest_first)})(?![a-z\u00e0-\u00ff])"

    def _flags(self, name: str) -> int:
        remarks = self._sections[name].remarks
        lines = re.MULTILINE if "lines" in remarks else 0
        return lines | (0 if "case" in remarks else re.IGNORECASE)

    def _resolved(self, reference: re.Match[str]) -> str:
        phrases = of(reference["file"]) if reference["file"] else self
        return (phrases.word if reference["word"] else phrases.pattern)(reference["name"])


@functools.cache
def of(file: str, **given: str) -> Phrases:
    """The phrases of a file, read once."""
    return Phrases(file, given)


@functools.cache
def sections(file: str) -> Mapping[str, _Section]:
    """The sections of a file by name."""
    named: dict[str, _Section] = {}
    name = ""
    for line in (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        head = _HEAD.fullmatch(line)
        if head:
            name = head["name"]
            remarks = tuple((head["remarks"] or "").replace(",", "").split())
            if not {*remarks} <= {*_REMARKS}:
                raise ValueError(f"{file}.txt: unknown remark in {line!r}")
            named[name] = _Section((), remarks)
        elif line.startswith(_GOES_ON):
            known, remarks = named[name]
            named[name] = _Section((*known[:-1], known[-1] + line[len(_GOES_ON) :]), remarks)
        elif line and not line.startswith("# "):
            known, remarks = named[name]
            named[name] = _Section((*known, *line.split(_GAP)), remarks)
    return named
