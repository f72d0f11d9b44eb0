"""Flatten rows: nested values get dotted column names, and each judgment gets its own row.

Where a field holds a list of objects (games, annotations), or an object has the same in two orders,
each of them is a row; of a debate, which is a list of rounds in both orders, the last round is.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pairbench_ext.stacks.records.cells import NAMES, WORDS, last, name_weight
from pairbench_ext.stacks.records.factors import factors

_ENDS = ("stop", "length", "end_turn", "")  # beside a reply: why it ended
_TURN = ({"role", "content"}, {"from", "value"}, {"type", "text"})  # of conversations
_GAMES = re.compile("(?!.*(?:annotation|vote|review|rating))")  # others are of raters
_RATED = re.compile(r'"\w*(?:rating|score)s?":', re.I)
_REPLIES = "|".join(pattern.pattern for pattern, weight in NAMES["reply"] if weight > 1)
_JUDGED = re.compile(f"{WORDS['value_name'].pattern}|{_REPLIES}")


def flat_rows(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield flat rows: one row for each judgment that is nested in a row."""
    flat, many = dict(row), list[tuple[str, list[Any]]]()
    if any(isinstance(value, dict | list) for value in row.values()):
        flat = {}
        for name, value in row.items():
            flat |= _under(name, value, many)
    if many and _is_labelled(flat):  # then a list is of what was judged
        flat |= {name: _as_text(rows) for name, rows in many if _are_claims(name, rows)}
        many = [(name, rows) for name, rows in many if name not in flat]
    for name, rows in many[1:]:  # of several lists the first one has the rows
        flat |= _in_columns(name, rows)
    if not many:
        yield flat
        return
    name, rows = many[0]
    things = _are_claims(name, rows) or WORDS["two"].fullmatch(last(name)) or _of_raters(rows)
    count = "game" if _GAMES.match(name) and not things else "number"
    for number, inner in enumerate(rows):
        yield {**flat, **_under(name, inner, []), f"{name}.{count}": number}


def _under(name: str, value: Any, many: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    """Return a value by dotted names; what holds several judgments goes to `many`."""
    if isinstance(value, list) and value:
        return _of_list(name, value, many)
    if not isinstance(value, dict):
        return {name: value}
    if two := _in_two_orders(value):
        many.append((name, two))
        return {}
    parts = [_under(f"{name}.{key}", inner, many) for key, inner in value.items()]
    return {key: inner for part in parts for key, inner in part.items()}


def _of_list(name: str, value: list[Any], many: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    """Return a list by dotted names: one value, the last of rounds, two ranks, or two things."""
    objects = [part for part in value if isinstance(part, dict)]
    if objects == value and _are_claims(name, value) and not factors(last(name)).person:
        many.append((name, value))
        return {}
    if _is_alone(name, value):
        return _under(name, value[0], many)
    if objects and (len(objects) < len(value) or all(map(_in_two_orders, objects))):
        return _under(name, objects[-1], many)
    if objects:
        return _of_objects(name, value, many)
    return _of_two(name, value) if len(value) == 2 else {name: value}


def _of_two(name: str, value: list[Any]) -> dict[str, Any]:
    """Return two ranks as what is better, and two things by dotted names."""
    first, second = value
    if "rank" in name.lower() and isinstance(first, int) and isinstance(second, int):
        return {name: value if first == second else "B>A" if first > second else "A>B"}
    if WORDS["two"].fullmatch(last(name)):
        return {f"{name}.1": first, f"{name}.2": second}
    return {name: value}


def _is_alone(name: str, value: list[Any]) -> bool:
    """Return whether a list has one value, or a reply and why it ended."""
    ended = all(part in _ENDS for part in value[1:])
    return ended and not ("" in value and name[-1:] == "s")


def _of_objects(name: str, value: list[Any], many: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    """A list of objects: turns, whose last is what was answered, judgments, or anything else."""
    if any(turn & value[0].keys() == turn for turn in _TURN):
        return _of_turns(name, value)
    if len(value) == 1 and any(map(_JUDGED.fullmatch, map(last, value[0]))):
        return _under(name, value[0], many)
    if factors(last(name)).person:  # a list of several raters' values, by what they rated
        return _in_columns(name, value)
    text = _as_text(value)
    rated = WORDS["two"].fullmatch(last(name)) and _RATED.search(text)
    if not rated and not WORDS["several"].fullmatch(name):
        return {name: text}
    many.append((name, value))
    return {}


def _in_columns(name: str, value: list[Any]) -> dict[str, Any]:
    """Return a list of objects as a list for each of their fields."""
    named = dict.fromkeys(key for inner in value for key in inner if not _names_rater(key))
    return {f"{name}.{key}": [inner.get(key) for inner in value] for key in named}


def _of_raters(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether each of several objects names another rater."""
    names = filter(_names_rater, rows[0])
    return any(len({str(row.get(name)) for row in rows}) == len(rows) > 1 for name in names)


def _names_rater(key: str) -> bool:
    return bool(name_weight(key, "judge"))


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_said(name: str) -> bool:
    """Return whether a field of a row holds what a judge said."""
    of = factors(last(name))
    by_name = WORDS["pair_name"].fullmatch(last(name)) or WORDS["scored"].fullmatch(last(name))
    return not (of.person or of.weak or of.truth) and bool(
        by_name or (of.value and (of.machine or of.model))
    )


def _is_labelled(names: Collection[str]) -> bool:
    """Return whether a row of these fields holds a judgment beside what is right."""
    parts = [factors(last(name)) for name in names]
    return any(map(_is_said, names)) and any(of.person or of.truth for of in parts)


def _are_claims(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    usual = WORDS["several"].fullmatch(name) or WORDS["two"].fullmatch(last(name))
    return not usual and _each_judged(rows[0])


def _each_judged(value: Mapping[str, Any]) -> bool:
    """Return whether an object holds a judgment beside what a person said of the same."""
    people = [key for key in value if factors(key).person]
    others = (key for key in value if key not in people)
    return bool(people) and any(map(_JUDGED.fullmatch, map(last, others)))


def _of_turns(name: str, value: list[Any]) -> dict[str, Any]:
    """Return a conversation: what was answered last, and what came before; or all of it."""
    every = (part.get("content") or part.get("value") or part.get("text") for part in value)
    texts = [_text_of(content) for content in every]
    who = str(value[-1].get("role") or value[-1].get("from"))
    if len(texts) < 2 or not WORDS["answered"].fullmatch(who):
        return {name: "\n\n".join(filter(None, texts))}
    return {f"{name}.prompt": "\n\n".join(filter(None, texts[:-1])), name: texts[-1]}


def _in_two_orders(value: Mapping[str, Any]) -> list[Any]:
    """The same judgment in two orders, if an object holds nothing else; the order of data first."""
    two = list(value.values())
    alike = len(two) == 2 and all(isinstance(part, dict) and part for part in two)
    judged = WORDS["pair_name"] if all(map(WORDS["side"].fullmatch, value)) else _JUDGED
    raters = any(of.model or of.person for of in map(factors, value))
    same = alike and not raters and two[0].keys() == two[1].keys()
    if not same or not any(map(judged.fullmatch, two[0])):
        return []
    in_reverse = WORDS["in_reverse"].search
    return [value[key] for key in sorted(value, key=lambda key: bool(in_reverse(key.lower())))]


def _text_of(content: Any) -> str:
    """Return the text of a turn of a conversation."""
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
