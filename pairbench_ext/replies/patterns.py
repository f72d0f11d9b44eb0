"""Regular expressions that are searched for only in texts where they can match.

Which words its matches have, and with what they start, follows from the parsed pattern
(`pattern_words`). It is compiled once a text has the words. What is found is what `re` finds.
"""

import functools
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from pairbench_ext.replies.pattern_words import (
    TOP,
    Starts,
    Words,
    compiled,
    frequency,
    needs_of,
    parsed,
    reduced,
    starts_of,
)

_OTHER = re.compile("[^\\x00-\\x7f\\u16a0-\\u16ff]")  # neither ASCII nor a sign of `mentions`
_SHORT = 100  # characters that are searched as they are
_PLANNED = 4  # texts in which a pattern is looked for everywhere, before starts are worth it
_FEW = 40  # words that are looked for before a pattern is
_NEEDS = 3  # sets of words that are looked for, the rarest


class Known:
    """A text in lower case that remembers the results of earlier searches in it."""

    def __init__(self, text: str) -> None:
        lower = text.lower()
        self.english = text.isascii()
        if not self.english:
            lower = lower.replace("\u017f", "s").replace("\u0131", "i")
            self.english = _OTHER.search(lower) is None
        self.lower = TOP + lower
        self.odd = len(lower) != len(text)  # it has a letter whose small one is two
        self._has: dict[Words, bool] = {}
        self._places: dict[Starts, list[int]] = {}

    def has(self, words: Words) -> bool:
        """Return whether the text contains at least one of the words."""
        found = self._has.get(words)
        if found is None:
            lower = self.lower
            found = False
            for word in words:
                if word in lower:
                    found = True
                    break
            self._has[words] = found
        return found

    def places(self, starts: Starts) -> list[int]:
        """Return the positions in the text where a match with one of these beginnings may start."""
        places = self._places.get(starts)
        if places is None:
            lower, top = self.lower, len(TOP)
            find = lower.find
            places = []
            for word, before in starts:
                if word in lower:
                    place = find(word, top - before if before < top else 0)
                    while place >= 0:
                        places.append(place + before - top)
                        place = find(word, place + 1)
            if len(places) > 1:
                places = sorted({*places})
            self._places[starts] = places
        return places


known_of = functools.lru_cache(maxsize=16)(Known)


class Phrase:
    """A regular expression that is tried only at the places in a text where it can match."""

    #: Returns sets of words of each of which every match has one, without the parsed pattern.
    needs: Callable[[], list[Words]] | None = None

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags
        self._scans = 0

    @cached_property
    def _needs(self) -> Sequence[Sequence[Words] | None]:
        """Sets of words of each of which every match has one: in any text, and in English ones.

        None where it matches no such text.
        """
        needs = self.needs() if self.needs else needs_of(self._tree)
        english = [frozenset(filter(_is_english, words)) for words in needs]
        return _rarest(needs), _rarest(english) if all(english) else None

    @cached_property
    def _starts(self) -> Sequence[Starts]:
        """With what matches start, in any text, and in English ones; nothing where that is too common."""
        starts = starts_of(self._tree)
        if self.compiled:
            del self._tree
        of_english = frozenset(start for start in starts if _is_english(start[0]))
        return reduced(starts), reduced(of_english)

    @cached_property
    def _tree(self) -> Any:
        return parsed(self.pattern, self.flags)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Return the compiled pattern of the module `re`."""
        return compiled(self._tree, self.flags)

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """Return the `match` function of the compiled pattern, called as in `re`."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:  # noqa: D102
        return self.compiled.fullmatch

    @cached_property
    def sub(self) -> Callable[..., str]:  # noqa: D102
        return self.compiled.sub

    @cached_property
    def findall(self) -> Callable[..., list[Any]]:  # noqa: D102
        return self.compiled.findall

    def may_be_in(self, facts: Known) -> bool:
        """Return whether a text contains the words that every match must contain."""
        needs = self._needs[facts.english]
        if needs is None:
            return facts.odd
        for words in needs:
            if not facts.has(words):
                return facts.odd
        return True

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Return all matches in a text, as `re.finditer` finds them."""
        facts = known_of(text)
        return self.found_in(facts, text, start, end) if self.may_be_in(facts) else iter(())

    def found_in(
        self, facts: Known, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Return every match in a text, if the text has the words that a match must contain."""
        self._scans += 1
        starts = self._starts[facts.english] if self._scans > _PLANNED else None
        if facts.odd or not starts:
            return self.compiled.finditer(text, start, end)
        places = facts.places(starts)
        if start:
            places = places[bisect_left(places, start) :]
        return self._at(places, text, end) if places else iter(())

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match in a text, as `re.search` finds it."""
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


def _rarest(needs: Sequence[Words]) -> list[Words]:
    rare = sorted((words for words in needs if len(words) <= _FEW), key=frequency)
    return list(dict.fromkeys(rare))[:_NEEDS]


@functools.cache
def _is_english(word: str) -> bool:
    return word.isascii() or not _OTHER.search(word.strip(TOP))
