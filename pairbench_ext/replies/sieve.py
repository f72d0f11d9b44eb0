"""Which of many patterns may match a text: those whose necessary words it has.

A grammar knows some hundred phrases, and a reply has a few of them. Each pattern is taken apart
once: what must be in a text for it to match is a list of sets of strings, of each of which one must
be there. A text that lacks one of these cannot match, so that leaving the pattern out changes
nothing. What is not understood of a pattern asks for nothing.
"""

from __future__ import annotations

import functools
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, TypeAlias

if sys.version_info >= (3, 11):
    from re import _constants as ops  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as ops
    import sre_parse as parser

#: Strings of which a text must have one, in small letters.
Need: TypeAlias = "frozenset[str]"

_MOST = 64  # strings that are written out
_GRAM = 3  # characters of a string that are looked for
# To a pattern that ignores case, these are letters that `str.lower` does not make of them.
_ODD = re.compile("[\u0130\u0131\u017f\u1c80-\u1c88]")


class Sieve:
    """Of patterns, those that may match.

    Args:
        patterns: compiled; in the order in which they are named.
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]]) -> None:
        needs = [needed(pattern) for pattern in patterns]
        every = list(dict.fromkeys(need for own in needs for need in own))
        bits: dict[str, int] = {}  # the needs that a string meets
        for bit, need in enumerate(every):
            for one in need:
                bits[one] = bits.get(one, 0) | 1 << bit
        common = Counter(gram for one in bits for gram in set(_grams_of(one)))
        self._met: dict[str, list[tuple[str, int]]] = {}  # by a gram of the string
        for one, met in bits.items():
            gram = min(_grams_of(one), key=lambda gram: (common[gram], gram))
            self._met.setdefault(gram, []).append((one, met))
        place = {need: 1 << bit for bit, need in enumerate(every)}
        self._asked = [
            functools.reduce(int.__or__, map(place.__getitem__, own), 0) for own in needs
        ]

    def passed(self, text: str) -> Sequence[int]:
        """The numbers of the patterns that may match somewhere in a text; all others do not."""
        looked = _look(text)
        if looked is None:
            return range(len(self._asked))
        (low, grams), there = looked, 0
        for gram in self._met.keys() & grams:
            for one, met in self._met[gram]:
                if one in low:
                    there |= met
        return [n for n, asked in enumerate(self._asked) if asked & there == asked]


class Sieved:
    """A pattern of many words, which looks for itself in texts only that have one of them.

    Args:
        pattern: compiled.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    @functools.cached_property
    def _sieve(self) -> Sieve:
        return Sieve([self._pattern])

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As that of a pattern."""
        return self._pattern.finditer(text) if self._sieve.passed(text) else iter(())


@functools.lru_cache(maxsize=4)
def _look(text: str) -> tuple[str, Set[str]] | None:
    """A text in small letters, its characters and all three of them that stand together.

    None where it has letters that a pattern may take for others.
    """
    if _ODD.search(text):
        return None
    low = text.lower()
    return low, {low[at : at + _GRAM] for at in range(len(low) - _GRAM + 1)} | set(low)


def needed(pattern: re.Pattern[str]) -> list[Need]:
    """What a text must have for a pattern to match; nothing where that is not known."""
    parsed: Any = parser.parse(pattern.pattern, pattern.flags)
    _, needs = _sequence(parsed)
    return needs


def _grams_of(text: str) -> list[str]:
    """Each of which is among a text's grams if the text has it."""
    size = _GRAM if len(text) >= _GRAM else 1
    return [text[at : at + size] for at in range(len(text) - size + 1)]


# Of a part of a pattern: all that it matches, if that is little, and what it needs.
_Part: TypeAlias = "tuple[frozenset[str] | None, list[Need]]"
_EMPTY = frozenset({""})
_UNKNOWN: _Part = (None, [])


def _sequence(items: Iterable[tuple[Any, Any]]) -> _Part:
    """Parts one after the other: what they match is put together while it is little."""
    needs: list[Need] = []
    so_far, whole = _EMPTY, True
    for op, argument in items:
        exact, own = _part(op, argument)
        if exact is not None and len(so_far) * len(exact) <= _MOST:
            so_far = frozenset(one + other for one in so_far for other in exact)
            needs += own if op is ops.ASSERT else []
            continue
        needs += [*_as_need(so_far), *own]
        so_far, whole = exact or _EMPTY, False
    return (so_far if whole else None), [*needs, *_as_need(so_far)]


def _as_need(exact: frozenset[str]) -> list[Need]:
    return [] if "" in exact else [exact]


def _part(op: Any, argument: Any) -> _Part:
    if op is ops.LITERAL:
        return _characters([chr(argument)])
    if op is ops.IN:
        return _class(argument)
    if op is ops.BRANCH:
        return _either([_sequence(branch) for branch in argument[1]])
    if op is ops.SUBPATTERN:
        return _sequence(argument[-1])
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        return _repeated(*argument)
    if op is ops.ASSERT:
        return _EMPTY, _sequence(argument[1])[1]
    if op in (ops.ASSERT_NOT, ops.AT):
        return _EMPTY, []
    return _UNKNOWN


def _repeated(least: int, most: int, items: Any) -> _Part:
    exact, needs = _sequence(items)
    if least == 0:
        return (exact | _EMPTY if exact is not None and most == 1 else None), []
    return (exact if least == most == 1 else None), needs


def _either(branches: Sequence[_Part]) -> _Part:
    """One of several: all that they match, or one need of each."""
    if all(exact is not None for exact, _ in branches):
        every = frozenset().union(*(exact for exact, _ in branches if exact is not None))
        return (every, _as_need(every)) if len(every) <= _MOST else (None, _as_need(every))
    if not all(needs for _, needs in branches):
        return _UNKNOWN
    return None, [frozenset().union(*(min(needs, key=_breadth) for _, needs in branches))]


def _breadth(need: Need) -> float:
    """How many texts are likely to have it, roughly: many have any sign or letter of ASCII."""
    return sum(1e-4 if len(one) >= _GRAM else 0.5 if one.isascii() else 1e-2 for one in need)


def _class(argument: Sequence[tuple[Any, Any]]) -> _Part:
    found: list[str] = []
    for op, value in argument:
        if op is ops.LITERAL:
            found.append(chr(value))
        elif op is ops.RANGE and value[1] - value[0] < _MOST:
            found += map(chr, range(value[0], value[1] + 1))
        else:  # not, or a category
            return _UNKNOWN
    return _characters(found) if len(found) <= _MOST else _UNKNOWN


def _characters(found: Sequence[str]) -> _Part:
    """Characters, each of which a text has in one way: in small letters it has the small one."""
    if not all(map(_is_plain, found)):
        return _UNKNOWN
    exact = frozenset(map(str.lower, found))
    return exact, [exact]


def _is_plain(character: str) -> bool:
    """Whether a pattern that ignores case matches it with nothing that `str.lower` does not."""
    if character.isascii():
        return True
    low = character.lower()
    if low == character == character.upper():
        return True
    return "\u00e0" <= low <= "\u00fe" or "\u0430" <= low <= "\u044f" or low == "\u0451"
