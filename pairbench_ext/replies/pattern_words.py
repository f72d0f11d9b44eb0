"""What is known of a pattern's matches before any text is seen, from the parsed pattern.

With what each starts, what stands before it, and which words it has to have.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, TypeAlias

Words: TypeAlias = frozenset[str]
Starts: TypeAlias = frozenset[tuple[str, int]]  # words, and how much of each is before a match

TOP = "\ue000\n"  # before a text: its start, and the line break before its first line
EDGES = {"AT_BEGINNING": "\n", "AT_BEGINNING_STRING": TOP}
_FEW, _MOST = 40, 400  # alternatives of a pattern, characters and texts in it, that are looked at
_PAIRS = 12  # words, with what stands before them, that are looked for in place of either
_LONG = 3  # letters of a word that is rare enough
_SCAN = 60.0  # microseconds in which a pattern is looked for everywhere in 500 characters, roughly
_SPACE = frozenset(filter(str.isspace, map(chr, range(0x3001))))
_STOP = ("STOP", None)


def alternatives(nodes: list[Any]) -> list[list[Any]]:
    """The alternatives with which parsed patterns in a row begin; few, or themselves."""
    for at, (operation, argument) in enumerate(nodes):
        name, before, rest = str(operation), nodes[:at], nodes[at + 1 :]
        if name == "SUBPATTERN":
            return alternatives([*before, *argument[3], *rest])
        if name == "BRANCH":
            ways = [[*before, *branch, *rest] for branch in _possible(argument[1])]
            deeper = [way for branch in ways for way in alternatives(branch)]
            return deeper if len(deeper) <= _FEW else ways if len(ways) <= _FEW else [nodes]
        if name not in ("AT", "ASSERT", "ASSERT_NOT"):
            break
    return [nodes]


def reduced(starts: Starts) -> Starts:
    """Starts without those that others include; nothing, if they are too common to help."""
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


def starts_of(nodes: list[Any], before: Words = frozenset()) -> Starts:
    """With what every match of parsed patterns in a row starts; empty where it may be anything.

    Args:
        nodes: the patterns.
        before: texts of which one stands before them.
    """
    ahead: list[Starts] = []
    for at, (operation, argument) in enumerate(nodes):
        name = str(operation)
        if name == "AT" and str(argument) in EDGES:
            before = frozenset((EDGES[str(argument)],))
        elif name == "ASSERT" and argument[0] == 1:
            ahead.append(starts_of([*argument[1], _STOP], before))
        elif name == "ASSERT":
            before = _texts(argument[1]) or before
        elif name not in ("AT", "ASSERT_NOT"):
            return _cheapest(*ahead, _first(name, argument, nodes[at:], before))
    return _cheapest(*ahead, _pairs(before, frozenset()))


def _first(name: str, argument: Any, nodes: list[Any], before: Words) -> Starts:
    """The same of patterns of which the first matches characters."""
    rest = nodes[1:]
    if name == "SUBPATTERN":
        return starts_of([*argument[3], *rest], before)
    if name == "BRANCH":
        return any_of(starts_of([*way, *rest], before) for way in _possible(argument[1]))
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, body = argument
        after = rest if most == len(body) == 1 else [_STOP]
        taken = starts_of([*list(body) * max(least, 1), *after], before)
        return taken if least else any_of((taken, starts_of(rest, before)))
    return _cheapest(*(_pairs(before, words) for words in _first_words(nodes)))


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
    return min(filter(None, ways), key=cost, default=frozenset())


def any_of(ways: Iterable[frozenset[Any]]) -> frozenset[Any]:
    """Any of the ways, if all are known."""
    known = list(ways)
    return frozenset().union(*known) if all(known) else frozenset()


def _first_words(nodes: list[Any]) -> Iterator[Words]:
    """With what matches start: characters of a class; letters, also with what has to follow."""
    if str(nodes[0][0]) != "LITERAL":
        yield _characters(nodes[0][1]) if str(nodes[0][0]) == "IN" else frozenset()
        return
    run = next(_runs(nodes))
    rest = nodes[len(run) :]
    yield frozenset((run,))
    if rest and len(run) < _LONG:
        after = starts_of([*rest[:2], _STOP])
        yield frozenset(run + word for word, before in after if not before)


def _texts(nodes: list[Any]) -> Words:
    """All texts that patterns of one length match; empty if they are not known, or many."""
    texts: Words = frozenset(("",))
    for operation, argument in nodes:
        name, ends = str(operation), frozenset[str]()
        if name in ("LITERAL", "IN"):
            ends = _characters([(operation, argument)] if name == "LITERAL" else argument)
        elif name == "AT":
            ends = frozenset((EDGES.get(str(argument), ""),))
        elif name == "SUBPATTERN":
            ends = _texts(argument[3])
        elif name == "BRANCH":
            ends = any_of(map(_texts, argument[1]))
        texts = frozenset(text + end for text in texts for end in ends)
    return texts if len(texts) <= _MOST else frozenset()


def needs_of(nodes: list[Any], known: dict[int, list[Words]]) -> list[Words]:
    """Sets of words of each of which every match has one; those of parts are kept in `known`."""
    needs = [frozenset((run,)) for run in _runs(nodes)]
    for operation, argument in nodes:
        name = str(operation)
        if name == "LITERAL":
            continue
        if id(argument) not in known:
            known[id(argument)] = _needs_of(name, argument, known)
        needs += known[id(argument)]
    return needs


def _needs_of(name: str, argument: Any, known: dict[int, list[Words]]) -> list[Words]:
    if name in ("SUBPATTERN", "ASSERT"):
        return needs_of(list(argument[-1]), known)
    if name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0]:
        return needs_of(list(argument[2]), known)
    if name == "BRANCH":
        ways = (needs_of(list(branch), known) for branch in _possible(argument[1]))
        best = (min(way, key=frequency, default=frozenset()) for way in ways)
        return list(filter(None, [any_of(best)]))
    return list(filter(None, [_characters(argument)])) if name == "IN" else []


def _possible(branches: Iterable[Any]) -> list[Any]:
    """Branches without those that have a `(?!)`, for what a grammar leaves out."""
    return [branch for branch in branches if not any(map(_never, branch))]


def _never(node: tuple[Any, Any]) -> bool:
    return str(node[0]) == "FAILURE" or (str(node[0]) == "ASSERT_NOT" and not node[1][1])


def _runs(nodes: list[Any]) -> Iterator[str]:
    """Letters that follow each other in parsed patterns."""
    for is_literal, run in groupby(nodes, key=lambda node: str(node[0]) == "LITERAL"):
        if is_literal:
            yield "".join(chr(code).lower() for _, code in run)


def _characters(members: list[Any]) -> Words:
    """The characters of a class; empty if they are many."""
    characters: set[str] = set()
    for operation, member in members:
        if str(member) == "CATEGORY_SPACE":
            characters |= _SPACE
            continue
        if str(operation) not in ("LITERAL", "RANGE"):
            return frozenset()
        first, last = (member, member) if isinstance(member, int) else member
        if last - first >= _MOST:
            return frozenset()
        characters |= {chr(code).lower() for code in range(first, last + 1)}
    return frozenset(characters)


@functools.cache
def _often(word: str) -> float:
    """How often a text of 500 characters may have a word, roughly."""
    rates = [_RATES.get(character, 0.3) for character in word]
    return rates[0] * math.prod(math.sqrt(rate / 100) for rate in rates[1:])


def frequency(words: Iterable[str]) -> float:
    """How often a text of 500 characters may have one of these words, roughly."""
    return sum(_often(word) for word in words if word)


def cost(starts: Starts) -> float:
    """Microseconds to look for matches that start so, roughly."""
    return sum(0.1 + 0.35 * _often(word) for word, _ in starts)


_RATES = {
    **dict.fromkeys("etaoinsrhld", 25.0), **dict.fromkeys("bcfgkmpuvwyjqxz", 8.0), " ": 85.0,
    **dict.fromkeys("\n.,\u16a0\u16a2", 5.0), **dict.fromkeys("0123456789'\":-()", 2.0),
}  # fmt: skip
