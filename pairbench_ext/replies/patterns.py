"""Regular expressions that skip texts in which they cannot match.

Which words its matches have, and with what they start, follows from the parsed pattern
(`pattern_words`). What is found is what `re` finds.
"""

from __future__ import annotations

import functools
import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from pairbench_ext.replies.pattern_words import (
    TOP,
    Starts,
    Words,
    frequency,
    known_of,
    reduced,
)

_OTHER = re.compile("[^\\x00-\\x7f\\u16a0-\\u16ff]")  # neither ASCII nor a sign of `mentions`
_SHORT = 100  # characters that are searched as they are
_PLANNED = 6  # texts in which a pattern is looked for everywhere, before it is worth a plan
_FEW = 40  # words that are looked for before a pattern is


class _Plan(NamedTuple):
    """Where a pattern may match.

    Attributes:
        starts: with what matches start; nothing where that is not known, or too common to help.
        words: of which every match has one; nothing where none are known, None if it cannot match.
    """

    starts: Starts = frozenset()
    words: Words | None = frozenset()


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
        self._has: dict[Words, bool] = {}
        self._places: dict[Starts, list[int]] = {}

    def has(self, words: Words | None) -> bool:
        """Return whether the text contains one of the needed words."""
        if not words:
            return words is not None
        known = self._has.get(words)
        if known is None:
            lower = self.lower
            known = False
            for word in words:
                if word in lower:
                    known = True
                    break
            self._has[words] = known
        return known

    def places(self, plan: _Plan) -> list[int] | None:
        """Return where matches may begin; None for anywhere."""
        if not self.has(plan.words):
            return []
        if not plan.starts:
            return None
        places = self._places.get(plan.starts)
        if places is None:
            lower, top = self.lower, len(TOP)
            find = lower.find
            places = []
            for word, before in plan.starts:
                if word in lower:
                    place = find(word, top - before if before < top else 0)
                    while place >= 0:
                        places.append(place + before - top)
                        place = find(word, place + 1)
            if len(places) > 1:
                places = sorted({*places})
            self._places[plan.starts] = places
        return places


_known = functools.lru_cache(maxsize=16)(_Known)


class Phrase:
    """A compiled pattern that looks only where it can match.

    Args:
        pattern: what to look for.
        flags: of `re`.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        self.compiled = re.compile(pattern, flags)
        self.match, self.fullmatch = self.compiled.match, self.compiled.fullmatch
        self.sub, self.findall = self.compiled.sub, self.compiled.findall
        self.plans = [_Plan(), _Plan()]  # for texts of any language, and for English ones
        self._scans = [0, 0]

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Return all matches, as `re` finds them."""
        known = _known(text)
        places = None if known.odd else known.places(self.plans[known.english])
        if places is None:
            self._learn(known.english)
            return self.compiled.finditer(text, start, end)
        if start:
            places = places[bisect_left(places, start) :]
        return self._at(places, text, end) if places else iter(())

    def _learn(self, english: bool) -> None:
        """Plan, once texts have been looked through often enough for it to be worth it."""
        self._scans[english] += 1
        if self._scans[english] == _PLANNED:
            known = known_of(self.compiled.pattern, self.compiled.flags)
            self.plans[english] = _plan(*known, english=english)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match, as `re` finds it."""
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


def _plan(starts: Starts, needs: list[Words], *, english: bool) -> _Plan:
    """Where a pattern may match, in English texts or in any, by its starts and what it needs."""
    if english:  # which has no characters of other languages
        needs = [frozenset(filter(_is_english, words)) for words in needs]
        possible = frozenset(start for start in starts if _is_english(start[0]))
        if not all(needs) or (starts and not possible):
            return _Plan(words=None)
        starts = possible
    known = [words for words in needs if len(words) <= _FEW]
    words = min(known, key=frequency, default=frozenset())
    return _Plan(reduced(starts), words)


@functools.cache
def _is_english(word: str) -> bool:
    return word.isascii() or not _OTHER.search(word.strip(TOP))
