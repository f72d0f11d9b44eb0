"""Patterns that look only where they may match: fast on what most texts lack.

With what a match starts, or which words it has to have, follows from the parsed pattern. What is
found is what `re` finds.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser
else:
    import sre_parse as _parser


_OTHER = re.compile("[^\\x00-\\x7f\\u16a0-\\u16ff]")  # neither ASCII nor a sign of `mentions`


@functools.lru_cache(maxsize=16)
def _lower(text: str) -> tuple[str, bool]:
    """A text as `re` compares it, and whether it has characters of other languages."""
    lower = text.lower().replace("\u017f", "s")
    return lower, _OTHER.search(lower) is not None


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
        # Starts and words without characters of other languages; None where a match needs such.
        starts, words = map(_without_other, (self.starts, self.words))
        needs_other = (self.starts and not starts) or (self.words and not words)
        self._english = None if needs_other else (starts, words)

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Every match, as `re` finds them."""
        lower, other = _lower(text)
        if len(lower) != len(text):  # a letter whose small one is two
            return self.compiled.finditer(text, start, end)
        looked_for = (self.starts, self.words) if other else self._english
        if looked_for is None:
            return iter(())
        starts, words = looked_for
        for word in words:
            if word in lower:
                break
        else:
            if words:
                return iter(())
        if starts:
            places = _places(lower, starts, start, min(end, len(text)))
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


def _without_other(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words without those that have characters of other languages."""
    return tuple(word for word in words if not _OTHER.search(word))


def _without_longer(words: frozenset[str]) -> tuple[str, ...]:
    """Words without those that begin with another one."""
    kept: list[str] = []
    for word in sorted(words):
        if not kept or word in (LINE, TEXT) or not word.startswith(kept[-1]):
            kept.append(word)
    return tuple(kept)
