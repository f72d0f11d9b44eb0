"""Patterns that look only where they may match: fast on what most texts lack.

Of a pattern it is known which words its matches have and with what they start (`pattern_words`); of
a text which of these words it has. What is found is what `re` finds.
"""

from __future__ import annotations

import functools
import re
import sys
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pairbench_ext.replies.pattern_words import (
    TOP,
    Starts,
    Words,
    alternatives,
    any_of,
    frequency,
    needs_of,
    reduced,
    starts_of,
)

if sys.version_info >= (3, 11):
    from re import _parser
else:
    import sre_parse as _parser


_OTHER = re.compile("[^\\x00-\\x7f\\u16a0-\\u16ff]")  # neither ASCII nor a sign of `mentions`
_PIECE = re.compile("[a-z]+|[^a-z\\s]")
_SHORT = 100  # characters that are searched as they are
_PLANNED = 16  # texts in which a pattern is looked for everywhere, before it is worth a plan
_CALLS = 10  # patterns that are looked for in a text, before its words are worth knowing
_WORDS, _PIECES = 4_000, 50_000  # that are known: words of patterns, pieces of texts
_CLASS = 4  # characters that are looked for together
_TELL = 4  # sets of words of which a text has to have one


class _Lexicon:
    """The words that patterns ask for, each a bit of a number."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._longest = 0
        self._masks: dict[str, int] = {}  # of the pieces of texts
        self._lock = threading.Lock()

    def bits(self, words: Words) -> int:
        """The sum of the numbers of words; -1, as of all, where one is new and there are many."""
        with self._lock:
            new = words - self._bits.keys()
            if new and len(self._bits) > _WORDS:
                return -1
            for word in new:
                self._bits[word] = 1 << len(self._bits)
                self._longest = max(self._longest, len(word))
                self._masks.clear()
            return sum(self._bits[word] for word in words)

    def mask(self, lower: str) -> int:
        """The sum of the numbers of the words in a text, and of all that have none yet."""
        with self._lock:
            mask, masks = -1 << len(self._bits), self._masks
            for piece in set(_PIECE.findall(lower)):
                known = masks.get(piece)
                mask |= self._add(piece) if known is None else known
        return mask

    def _add(self, piece: str) -> int:
        mask = 0
        for start in range(len(piece)):
            for end in range(start + 1, min(start + self._longest, len(piece)) + 1):
                mask |= self._bits.get(piece[start:end], 0)
        if len(self._masks) > _PIECES:
            self._masks.clear()
        self._masks[piece] = mask
        return mask


_LEXICON = _Lexicon()


class _Plan(NamedTuple):
    """Where a pattern may match.

    Attributes:
        needs, needs_too: numbers of words of `_LEXICON`: every match has one of either; -1 where
            none are known.
        ways: in which it may match: with what such matches start, nothing if that is not known or
            too common to help; and numbers of words, of each of which they have one.
        starts: those of all ways; nothing where one has none.
    """

    needs: int = -1
    needs_too: int = -1
    ways: tuple[tuple[Starts, tuple[int, ...]], ...] = ((frozenset(), ()),)
    starts: Starts = frozenset()


class _Known:
    """A text as `re` compares it, and what has been found in it."""

    def __init__(self, text: str) -> None:
        lower = text.lower()
        self.english = text.isascii()
        if not self.english:
            lower = lower.replace("\u017f", "s")
            self.english = _OTHER.search(lower) is None
        self.lower = TOP + lower
        self.odd = len(lower) != len(text)  # it has a letter whose small one is two
        self.mask = -1  # the words that it may have
        self._calls = 0
        self._places: dict[Starts, list[int]] = {}

    def look_through(self) -> int:
        """Find out which words it has."""
        if self.mask == -1:
            self.mask = _LEXICON.mask(self.lower)
        return self.mask

    def places(self, plan: _Plan) -> list[int] | None:
        """Where matches may start; None for anywhere."""
        self._calls += 1
        mask = self.mask if self._calls < _CALLS else self.look_through()
        if not (mask & plan.needs and mask & plan.needs_too):
            return []
        if mask == -1 or len(plan.ways) == 1:
            return self._starting(plan.starts) if plan.starts or not plan.ways else None
        possible = [starts for starts, needs in plan.ways if all(map(mask.__and__, needs))]
        if not all(possible):
            return None
        if len(possible) == 1:
            return self._starting(possible[0])
        return sorted({place for starts in possible for place in self._starting(starts)})

    def _starting(self, starts: Starts) -> list[int]:
        places = self._places.get(starts)
        if places is None:
            find, top = self.lower.find, len(TOP)
            signs, words = _sought(starts)
            places = (
                [sign.start() - top for sign in signs.finditer(self.lower, top)] if signs else []
            )
            mask = self.mask
            for word, before, bit in words:
                place = find(word, top - before if before < top else 0) if mask & bit else -1
                while place >= 0:
                    places.append(place + before - top)
                    place = find(word, place + 1)
            if len(starts) > 1:
                places = sorted(set(places))
            self._places[starts] = places
        return places


_known = functools.lru_cache(maxsize=16)(_Known)


@functools.cache
def _sought(starts: Starts) -> tuple[re.Pattern[str] | None, list[tuple[str, int, int]]]:
    """A class of the single characters among starts, if they are many; the others, with numbers."""
    single = frozenset(start for start in starts if len(start[0]) == 1 and not start[1])
    signs = f"[{re.escape(''.join(word for word, _ in single))}]" if len(single) >= _CLASS else ""
    words = [
        (word, before, _LEXICON.bits(frozenset(filter(None, [_piece(word)]))) or -1)
        for word, before in (starts - single if signs else starts)
    ]
    return re.compile(signs) if signs else None, words


class Phrase:
    """A compiled pattern that looks only where it may match: fast on what most texts lack.

    Args:
        pattern: what to look for.
        flags: of `re`.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        self.compiled = re.compile(pattern, flags)
        self.match, self.fullmatch = self.compiled.match, self.compiled.fullmatch
        self.sub, self.findall = self.compiled.sub, self.compiled.findall
        self.plans = [_Plan(), _Plan()]  # for texts of any language, and for English ones
        self._calls = [0, 0]

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Every match, as `re` finds them."""
        known = _known(text)
        if self._calls[known.english] <= _PLANNED:
            self._prepare(known.english)
        places = None if known.odd else known.places(self.plans[known.english])
        if places is None:
            return self.compiled.finditer(text, start, end)
        if start:
            places = places[bisect_left(places, start) :]
        return self._at(places, text, end) if places else iter(())

    def _prepare(self, english: bool) -> None:
        """Make a plan, once the pattern has been looked for often enough to be worth it."""
        self._calls[english] += 1
        if self._calls[english] > _PLANNED:
            ways = self._ways
            self.plans[english] = _plan(_in_english(ways) if english else ways)

    @functools.cached_property
    def _ways(self) -> list[tuple[Starts, list[Words]]]:
        tree: Any = _parser.parse(self.compiled.pattern, self.compiled.flags)
        known: dict[int, list[Words]] = {}
        return [(starts_of(way), needs_of(way, known)) for way in alternatives(list(tree))]

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first match, as `re` finds it."""
        if min(end, len(text)) - start < _SHORT:
            return self.compiled.search(text, start, end)
        return next(self.finditer(text, start, end), None)

    def _at(self, places: list[int], text: str, end: int) -> Iterator[re.Match[str]]:
        after, match = 0, self.match
        for place in places:
            found = match(text, place, end) if after <= place <= end else None
            if found:
                yield found
                after = found.end()


def possible(phrases: Sequence[Phrase], text: str) -> Sequence[Phrase]:
    """Those of many phrases that a text may have, by the words that it has."""
    known = _known(text)
    if known.odd:
        return phrases
    mask, english = known.look_through(), known.english
    return [
        phrase
        for phrase in phrases
        if mask & (plan := phrase.plans[english]).needs and mask & plan.needs_too
    ]


def _plan(ways: Iterable[tuple[Starts, Iterable[Words]]]) -> _Plan:
    """Where a pattern may match, by the starts of its ways and the words that they need."""
    made: list[tuple[Starts, tuple[int, ...]]] = []
    for starts, needs in ways:
        pieces = {frozenset(map(_piece, words)) for words in needs}
        rare = sorted((words for words in pieces if "" not in words), key=frequency)[:_TELL]
        few = reduced(starts)
        _sought(few)
        made.append((few, tuple(map(_LEXICON.bits, rare))))
    first = [needs[0] if needs else -1 for _, needs in made]
    second = [needs[1] if len(needs) > 1 else -1 for _, needs in made]
    return _Plan(
        functools.reduce(int.__or__, first, 0),
        functools.reduce(int.__or__, second, 0),
        tuple(dict.fromkeys(made)),
        reduced(any_of(starts for starts, _ in made)),
    )


def _in_english(
    ways: Iterable[tuple[Starts, list[Words]]],
) -> Iterator[tuple[Starts, list[Words]]]:
    """The ways in which English texts match, which have no characters of other languages."""
    for starts, needs in ways:
        words = [frozenset(filter(_is_english, each)) for each in needs]
        known = frozenset(start for start in starts if _is_english(start[0]))
        if all(words) and (known or not starts):
            yield known, words


@functools.cache
def _is_english(word: str) -> bool:
    return word.isascii() or not _OTHER.search(word.strip(TOP))


@functools.cache
def _piece(word: str) -> str:
    """The longest piece of a word that texts are looked through for; "" if it is white space."""
    return max(_PIECE.findall(word), key=len, default="")
