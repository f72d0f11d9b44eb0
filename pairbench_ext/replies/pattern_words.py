"""Find the words that every match of a regular expression must contain.

With what each starts, what stands before it, and which words it has to have.
"""

import functools
import math
import re
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

if sys.version_info >= (3, 11):
    from re import _compiler, _parser
else:
    import sre_compile as _compiler
    import sre_parse as _parser

Words: TypeAlias = frozenset[str]
Starts: TypeAlias = frozenset[tuple[str, int]]  # words, and how much of each is before a match

TOP = "\ue000\n"  # before a text: its start, and the line break before its first line
EDGES = {"AT_BEGINNING": "\n", "AT_BEGINNING_STRING": TOP}
_MOST = 400  # characters and texts in a pattern that are looked at
_PAIRS = 12  # words, with what stands before them, that are looked for in place of either
_LONG = 3  # letters of a word that is rare enough
_SCAN = 60.0  # microseconds in which a pattern is looked for everywhere in 500 characters, roughly
_SPACE = frozenset(filter(str.isspace, map(chr, range(0x3001))))
_LITERAL: Any = _parser.LITERAL
_STOP: Any = _parser.parse(".")[0]  # what may be anything


def parsed(pattern: str, flags: int) -> Any:
    """Return a regular expression as a syntax tree."""
    return _parser.parse(pattern, int(flags))  # operations on an enum of flags are slow


def compiled(tree: Any, flags: int) -> re.Pattern[str]:
    """Return the compiled regular expression of a syntax tree."""
    pattern: re.Pattern[str] = _compiler.compile(tree, int(flags))
    return pattern


def starts_of(tree: Any) -> Starts:
    """Return the texts with which a match of a regular expression can start."""
    return _starts(list(tree))


def needs_of(tree: Any, named: Mapping[int, list[Words]] = MappingProxyType({})) -> list[Words]:
    """Return sets of words; every match of the pattern contains at least one word of each set."""
    return _needs(tree, named)


def reduced(starts: Starts) -> Starts:
    """Drop redundant match beginnings, or all of them if searching for them would save no time."""
    few = frozenset(
        (word, before)
        for word, before in starts
        if not any(
            (word[first:last], before - first) in starts
            for first in range(before + 1)
            for last in range(max(before, 1), len(word) + 1)
            if last - first < len(word)
        )
    )
    return few if cost(few) < _SCAN else frozenset()


def _starts(nodes: list[Any], before: Words = frozenset()) -> Starts:
    """With what every match of parsed patterns in a row starts; empty where it may be anything."""
    ahead: list[Starts] = []
    for at, (operation, argument) in enumerate(nodes):
        name = operation.name
        if name == "AT" and str(argument) in EDGES:
            before = frozenset((EDGES[str(argument)],))
        elif name == "ASSERT" and argument[0] == 1:
            ahead.append(_starts([*argument[1], _STOP], before))
        elif name == "ASSERT":
            before = _texts(argument[1]) or before
        elif name not in ("AT", "ASSERT_NOT"):
            return _cheapest(*ahead, _first(name, argument, nodes[at:], before))
    return _cheapest(*ahead, _pairs(before, frozenset()))


def _first(name: str, argument: Any, nodes: list[Any], before: Words) -> Starts:
    """Return the same of patterns of which the first matches characters."""
    rest = nodes[1:]
    if name == "SUBPATTERN":
        return _starts([*argument[3], *rest], before)
    if name == "BRANCH":
        return _any(_starts([*way, *rest], before) for way in _possible(argument[1]))
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, body = argument
        after = rest if most == len(body) == 1 else [_STOP]
        taken = _starts([*list(body) * max(least, 1), *after], before)
        return taken if least else _any((taken, _starts(rest, before)))
    if name == "LITERAL":
        return _of_letters(nodes, before)
    return _pairs(before, _characters(argument) if name == "IN" else frozenset())


def _of_letters(nodes: list[Any], before: Words) -> Starts:
    """With what patterns start that begin with letters."""
    run = _run(nodes)
    if not before and len(run) >= _LONG:
        return frozenset(((run, 0),))
    words = [frozenset((run,))]
    if len(run) < len(nodes) and len(run) < _LONG:
        followed = _starts([*nodes[len(run) : len(run) + 2], _STOP])
        words.append(frozenset(run + word for word, behind in followed if not behind))
    return _cheapest(*(_pairs(before, word) for word in words))


def _pairs(before: Words, words: Words) -> Starts:
    """What stands before a match, what it starts with, or both: what is cheapest to look for."""
    ways: list[Starts] = [
        frozenset((text, len(text)) for text in before),
        frozenset((word, 0) for word in words),
    ]
    if len(before) * len(words) <= _PAIRS:
        ways.append(frozenset((text + word, len(text)) for text in before for word in words))
    return _cheapest(*ways)


def _cheapest(*ways: Starts) -> Starts:
    bounded = list(filter(None, ways))
    return min(bounded, key=cost) if len(bounded) > 1 else bounded[0] if bounded else frozenset()


def _any(ways: Iterable[frozenset[Any]]) -> frozenset[Any]:
    """Return any of the ways, if all are known."""
    sets = list(ways)
    return frozenset().union(*sets) if all(sets) else frozenset()


def _run(nodes: list[Any]) -> str:
    """Return the letters with which parsed patterns begin."""
    run = ""
    for operation, argument in nodes:
        if operation is not _LITERAL:
            break
        run += chr(argument)
    return run.lower()


def _texts(nodes: list[Any]) -> Words:
    """Return all texts that patterns of one length match; empty if they are not known, or many."""
    texts: Words = frozenset(("",))
    for operation, argument in nodes:
        name, ends = operation.name, frozenset[str]()
        if name in ("LITERAL", "IN"):
            ends = _characters([(operation, argument)] if name == "LITERAL" else argument)
        elif name == "AT":
            ends = frozenset((EDGES.get(str(argument), ""),))
        texts = frozenset(text + end for text in texts for end in ends)
    return texts if len(texts) <= _MOST else frozenset()


def _needs(nodes: Iterable[Any], named: Mapping[int, list[Words]]) -> list[Words]:
    """Return sets of words of each of which every match of parsed patterns in a row has one."""
    needs: list[Words] = []
    run = ""
    for operation, argument in (*nodes, _STOP):
        if operation is _LITERAL and argument not in named:
            run += chr(argument)
            continue
        if run:
            needs.append(frozenset((run.lower(),)))
            run = ""
        name = operation.name
        if operation is _LITERAL:
            needs += named[argument]
        elif name in ("SUBPATTERN", "ASSERT"):
            needs += _needs(argument[-1], named)
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0]:
            needs += _needs(argument[2], named)
        elif name == "BRANCH":
            needs.append(any_of(_needs(way, named) for way in _possible(argument[1])))
        elif name == "IN" and not any(member in named for _, member in argument):
            needs.append(_characters(argument))
    return list(filter(None, needs))


def any_of(ways: Iterable[list[Words]]) -> Words:
    """Return words, one of which is in each alternative of a pattern; empty if unknown."""
    return _any(min(way, key=frequency, default=frozenset()) for way in ways)


def _possible(branches: Iterable[Any]) -> list[Any]:
    """Return branches without those that have a `(?!)`, for what a grammar leaves out."""
    return [branch for branch in branches if not any(map(_never, branch))]


def _never(node: tuple[Any, Any]) -> bool:
    name = node[0].name
    return name == "FAILURE" or (name == "ASSERT_NOT" and not node[1][1])


def _characters(members: list[Any]) -> Words:
    """Return the characters of a class; empty if they are many."""
    characters: set[str] = set()
    for operation, member in members:
        if str(member) == "CATEGORY_SPACE":
            characters |= _SPACE
            continue
        if operation.name not in ("LITERAL", "RANGE"):
            return frozenset()
        first, last = (member, member) if isinstance(member, int) else member
        if last - first >= _MOST:
            return frozenset()
        characters |= {chr(code).lower() for code in range(first, last + 1)}
    return frozenset(characters)


@functools.cache
def _often(word: str) -> float:
    """Return how often a text of 500 characters may have a word, roughly."""
    rates = [_RATES.get(character, 0.3) for character in word]
    return rates[0] * math.prod(math.sqrt(rate / 100) for rate in rates[1:])


def frequency(words: Iterable[str]) -> float:
    """Return roughly how often a text of 500 characters contains one of these words."""
    return sum(_often(word) for word in words if word)


def cost(starts: Starts) -> float:
    """Return roughly how many microseconds it takes to search a text for these beginnings."""
    return sum(0.1 + 0.35 * _often(word) for word, _ in starts)


_RATES = {
    **dict.fromkeys("etaoinsrhld", 25.0), **dict.fromkeys("bcfgkmpuvwyjqxz", 8.0), " ": 85.0,
    **dict.fromkeys("\n.,\u16a0\u16a2", 5.0), **dict.fromkeys("0123456789'\":-()", 2.0),
}  # fmt: skip
