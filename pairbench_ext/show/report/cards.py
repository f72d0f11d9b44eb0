"""The card of each judge: what was found, in a few lines, and where it stands among the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pairbench_ext.core.plurals import counted
from pairbench_ext.runs import placing
from pairbench_ext.runs.card.lines import QUESTIONS, CardLine, card_of
from pairbench_ext.runs.card.model import ALPHA
from pairbench_ext.runs.groups import by_benchmark
from pairbench_ext.runs.placing import describe
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.report.histograms import Histogram, histograms


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
        stands: among the judges of the page, in words; empty where there is no better and worse.
    """

    line: CardLine
    ruler: Ruler | None
    stands: str

    @property
    def is_number(self) -> bool:
        """Whether there is a number alone, and no verdict that says more than it."""
        return self.line.verdict.startswith(f"{self.line.title}: ")


@dataclass(frozen=True)
class CardAspect:
    """An aspect on a card: one line to be seen, the others behind it.

    Attributes:
        title: the question.
        first: a defect if there is one, the least likely to be chance; else what was tested; None
            where there is nothing but histograms.
        others: in their order.
        more: what these are, in words.
        histograms: of the ratings that were given, for what asks whether it uses its scale.
    """

    title: str
    first: Entry | None
    others: tuple[Entry, ...]
    more: str
    histograms: tuple[Histogram, ...] = ()


@dataclass(frozen=True)
class Card:
    """The card of one judge.

    Attributes:
        judge: its name.
        aspects: those that were measured, in the card's order.
        unmeasured: the questions of the others.
        flags: the defects that are raised.
        sees: whether it was shown to see: without that, finding no defect says little.
        published: where its numbers stand among those that papers print.
    """

    judge: str
    aspects: tuple[CardAspect, ...]
    unmeasured: tuple[str, ...]
    flags: tuple[str, ...]
    sees: bool
    published: tuple[str, ...]


def cards_of(
    judges: Mapping[str, Sequence[Run]], rule: str | None = None, *, placed: bool = True
) -> list[Card]:
    """The cards of several judges, each with where its lines stand among the others.

    Args:
        judges: runs by judge.
        rule: how replies were read; None as the runs said.
        placed: whether to say where numbers stand among published ones.
    """
    lines = {judge: card_of(runs) for judge, runs in judges.items()}
    drawn = histograms(judges)
    return [
        _card(
            judge,
            own,
            list(lines.values()),
            drawn[judge],
            _published(judges[judge], rule) if placed else (),
        )
        for judge, own in lines.items()
    ]


def _published(runs: Sequence[Run], rule: str | None) -> tuple[str, ...]:
    placed = (placing.of_runs(own, rule) for own in by_benchmark(runs))
    return tuple(line for one in placed for line in describe(one))


def _card(
    judge: str,
    own: Sequence[CardLine],
    every: Sequence[Sequence[CardLine]],
    drawn: tuple[Histogram, ...],
    published: tuple[str, ...],
) -> Card:
    aspects, unmeasured = [], []
    for aspect in dict.fromkeys(one.aspect for one in own):
        lines = [one for one in own if one.aspect == aspect]
        shown = drawn if aspect == "scale" else ()
        if any(one.task for one in lines) or shown:
            aspects.append(_aspect(lines, own, every, shown))
        else:
            unmeasured.append(_title(aspect))
    flags = tuple(dict.fromkeys(one.flag for one in own if one.flag))
    sees = any(one.aspect == "sees" and one.p <= ALPHA for one in own)
    return Card(judge, tuple(aspects), tuple(unmeasured), flags, sees, published)


def _aspect(
    lines: Sequence[CardLine],
    own: Sequence[CardLine],
    every: Sequence[Sequence[CardLine]],
    drawn: tuple[Histogram, ...],
) -> CardAspect:
    if not any(one.task for one in lines):
        return CardAspect(_title(lines[0].aspect), None, (), "", drawn)
    first = min(lines, key=_is_behind)
    others = [one for one in lines if one is not first]
    return CardAspect(
        _title(first.aspect),
        _entry(first, own, every),
        tuple(_entry(one, own, every) for one in others),
        _more(first, others),
        drawn,
    )


def _is_behind(line: CardLine) -> tuple[int, float]:
    """Defects are before what was tested, that before numbers alone and what could not be shown."""
    if line.flag:
        return 0, line.p
    if math.isnan(line.value) or line.verdict.startswith("not "):
        return 3, 0.0
    return (2 if math.isnan(line.p) else 1), 0.0


def _more(first: CardLine, others: Sequence[CardLine]) -> str:
    """What is behind a line: how many more, how many of them defects, and in which range."""
    if not others:
        return ""
    said = [f"{len(others)} more"]
    flagged = sum(bool(one.flag) for one in others)
    if flagged:
        said.append(counted(flagged, "defect"))
    alike = [one.value for one in (first, *others) if one.title == first.title]
    known = [value for value in alike if not math.isnan(value)]
    if len(known) > 1:
        low, high = (f"{end:.2f}" for end in (min(known), max(known)))
        said.append(f"{first.title}: {low}" + (f" to {high}" if high != low else " in all"))
    return "; ".join(said)


def _title(aspect: str) -> str:
    question = next(text for name, text in QUESTIONS.items() if name == aspect)
    return f"{question[:1].upper()}{question[1:]}?"


def _entry(line: CardLine, own: Sequence[CardLine], every: Sequence[Sequence[CardLine]]) -> Entry:
    others = [
        one
        for lines in every
        if lines is not own
        for one in lines
        if (one.aspect, one.task, one.title) == (line.aspect, line.task, line.title)
        and not math.isnan(one.value)
    ]
    if math.isnan(line.value):
        return Entry(line, None, "")
    ruler = None
    if line.kind in ("share", "correlation"):
        # A difference of shares may be below 0, as a correlation may.
        below = any(end < 0 for one in (line, *others) for end in (one.value, one.low))
        low = -1.0 if below or line.kind == "correlation" else 0.0
        ruler = Ruler(
            _position(line.value, low),
            _position(line.low, low),
            _position(line.high, low),
            tuple(_position(one.value, low) for one in others),
            50.0 if low < 0 else math.nan,
        )
    shown = "" if line.verdict.startswith("not ") else line.better
    return Entry(line, ruler, stands(line.value, (one.value for one in others), shown))


def stands(value: float, others: Iterable[float], better: str | None) -> str:
    """Where a number stands among others; empty where all are the same, or none is better.

    >>> stands(0.7, [0.8, 0.1], "higher"), stands(0.7, [0.8, 0.7], "lower"), stands(0.7, [1], None)
    ('2nd of 3', '1st of 3, as 1 other', '')
    >>> stands(0.0, [0.0, 0.0], "higher")
    ''
    """
    rest = list(others)
    if all(one == value for one in rest) or better not in ("higher", "lower"):
        return ""
    ahead = sum(one > value if better == "higher" else one < value for one in rest)
    same = sum(one == value for one in rest)
    place = f"{_ordinal(ahead + 1)} of {len(rest) + 1}"
    return place + (f", as {counted(same, 'other')}" if same else "")


def _ordinal(number: int) -> str:
    """A place in words.

    >>> [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"


def _position(value: float, low: float) -> float:
    """A value's place on a scale from 0 to 100, whose ends are `low` and 1."""
    if math.isnan(value):
        return math.nan
    return round(100 * min(1.0, max(0.0, (value - low) / (1 - low))), 2)
