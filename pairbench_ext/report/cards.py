"""The card of each judge: what was found, in a few lines, and where it stands among the others."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pairbench_ext.judge_runs import JudgeRun

#: What each aspect asks of a judge, in the order of the card.
ASPECTS = {
    "sees": "Does it see?",
    "order": "Is it fair to order?",
    "length": "Is it fair to length?",
    "instructions": "Does it follow instructions?",
    "scale": "Does it use its scale?",
    "condition": "Does it obey the condition?",
    "itself": "Does it agree with itself?",
    "people": "Does it agree with people?",
}


class CardLine(Protocol):
    """A line of a card, as `pairbench_ext.card` gives it."""

    aspect: str
    task: str
    title: str
    value: float
    low: float
    high: float
    kind: str
    flag: str
    verdict: str
    null: str
    p: float


@dataclass(frozen=True)
class Ruler:
    """A line's number, its interval and the other judges' numbers on one scale, 0 to 100.

    Attributes:
        value, low, high: of this judge; NaN where undefined.
        others: of the other judges.
        middle: where the scale's 0 is, if inside; NaN otherwise.
    """

    value: float
    low: float
    high: float
    others: tuple[float, ...]
    middle: float


@dataclass(frozen=True)
class Entry:
    """A line of a card, with where it stands.

    Attributes:
        line: what was found.
        ruler: None for numbers that have no scale, and where nothing was measured.
        place: "2nd of 3" and the like; empty for a judge alone.
    """

    line: Any
    ruler: Ruler | None
    place: str


@dataclass(frozen=True)
class Card:
    """The card of one judge.

    Attributes:
        judge: its name.
        aspects: title and entries, in the order of `ASPECTS`.
        flags: the defects that are raised.
    """

    judge: str
    aspects: tuple[tuple[str, tuple[Entry, ...]], ...]
    flags: tuple[str, ...]


def cards_of(judges: Sequence[JudgeRun]) -> list[Card]:
    """The cards of several judges; none where no module makes them."""
    make = _maker()
    if make is None:
        return []
    lines = [list(make(judge)) for judge in judges]
    return [_card(judge.name, own, lines) for judge, own in zip(judges, lines, strict=True)]


def _maker() -> Callable[[JudgeRun], Sequence[CardLine]] | None:
    try:
        found = importlib.import_module("pairbench_ext.card")
    except ModuleNotFoundError:
        return None
    made: Callable[[JudgeRun], Sequence[CardLine]] = found.card
    return made


def _card(judge: str, own: Sequence[CardLine], every: Sequence[Sequence[CardLine]]) -> Card:
    known = [*ASPECTS, *dict.fromkeys(one.aspect for one in own if one.aspect not in ASPECTS)]
    by_aspect = {
        aspect: tuple(_entry(one, own, every) for one in own if one.aspect == aspect)
        for aspect in known
    }
    return Card(
        judge,
        tuple((ASPECTS.get(aspect, aspect), found) for aspect, found in by_aspect.items() if found),
        tuple(dict.fromkeys(one.flag for one in own if one.flag)),
    )


def _entry(line: CardLine, own: Sequence[CardLine], every: Sequence[Sequence[CardLine]]) -> Entry:
    others = tuple(
        _position(one.value, one.kind)
        for lines in every
        if lines is not own
        for one in lines
        if (one.aspect, one.task, one.title) == (line.aspect, line.task, line.title)
        and not math.isnan(one.value)
    )
    ruler = None
    if line.kind in ("share", "correlation", "mean") and not math.isnan(line.value):
        ruler = Ruler(
            _position(line.value, line.kind),
            _position(line.low, line.kind),
            _position(line.high, line.kind),
            others,
            50.0 if line.kind == "correlation" else math.nan,
        )
    return Entry(line, ruler, "")


def _position(value: float, kind: str) -> float:
    """A value's place on a scale from 0 to 100: shares are from 0 to 1, correlations from -1."""
    if math.isnan(value):
        return math.nan
    low = -1.0 if kind == "correlation" else 0.0
    return round(100 * min(1.0, max(0.0, (value - low) / (1 - low))), 2)


def flags_in_words(flags: Sequence[str]) -> Iterator[str]:
    """Names of defects as they are shown."""
    return (flag.replace("_", " ") for flag in flags)
