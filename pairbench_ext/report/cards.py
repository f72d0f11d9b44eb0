"""The card of each judge: what was found, in a few lines, and where it stands among the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pairbench_ext.card.lines import QUESTIONS, CardLine, card_of
from pairbench_ext.scoring import Run


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
    """

    line: CardLine
    ruler: Ruler | None


@dataclass(frozen=True)
class Card:
    """The card of one judge.

    Attributes:
        judge: its name.
        aspects: title and entries, in the card's order.
        flags: the defects that are raised.
    """

    judge: str
    aspects: tuple[tuple[str, tuple[Entry, ...]], ...]
    flags: tuple[str, ...]


def cards_of(judges: Mapping[str, Sequence[Run]]) -> list[Card]:
    """The cards of several judges, each with where its lines stand among the others."""
    lines = {judge: card_of(runs) for judge, runs in judges.items()}
    return [_card(judge, own, list(lines.values())) for judge, own in lines.items()]


def _card(judge: str, own: Sequence[CardLine], every: Sequence[Sequence[CardLine]]) -> Card:
    by_aspect = {
        aspect: tuple(_entry(one, own, every) for one in own if one.aspect == aspect)
        for aspect in dict.fromkeys(one.aspect for one in own)
    }
    return Card(
        judge,
        tuple((_title(aspect), found) for aspect, found in by_aspect.items() if found),
        tuple(dict.fromkeys(one.flag for one in own if one.flag)),
    )


def _title(aspect: str) -> str:
    question = next(text for name, text in QUESTIONS.items() if name == aspect)
    return f"{question[:1].upper()}{question[1:]}?"


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
    return Entry(line, ruler)


def _position(value: float, kind: str) -> float:
    """A value's place on a scale from 0 to 100: shares are from 0 to 1, correlations from -1."""
    if math.isnan(value):
        return math.nan
    low = -1.0 if kind == "correlation" else 0.0
    return round(100 * min(1.0, max(0.0, (value - low) / (1 - low))), 2)
