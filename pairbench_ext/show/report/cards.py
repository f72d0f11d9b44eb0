"""The card of each judge: a few lines, and its rank among the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pairbench_ext.runs import placing
from pairbench_ext.runs.card.lines import QUESTIONS, CardLine
from pairbench_ext.runs.card.lines import cards_of as lines_of
from pairbench_ext.runs.groups import by_benchmark
from pairbench_ext.runs.scoring import Judge


class Entry(NamedTuple):
    """A line of a card, and its rank among the judges of the page; empty where there is none."""

    line: CardLine
    rank: str = ""


class Card(NamedTuple):
    """The card of one judge.

    Attributes:
        judge: its name.
        lines: all lines, in the order of the aspects.
        aspects: by question, the lines; first the defect least likely to be chance, or else the
            line that was tested.
        unmeasured: the questions of the aspects that were not measured.
        flags: names of the defects.
        sees: whether a test showed that it sees: without that, finding no defect says little.
        published: where its numbers stand among those that papers print.
    """

    judge: str
    lines: Sequence[CardLine]
    aspects: Mapping[str, Sequence[Entry]]
    unmeasured: Sequence[str]
    flags: Sequence[str]
    sees: bool
    published: Sequence[str]


def cards_of(judges: Iterable[Judge]) -> list[Card]:
    """Return the cards of several judges."""
    lines = lines_of(judges)
    cards = []
    for judge, runs, _ in judges:
        of_judge = lines[judge]
        others = [line for name, of_aspect in lines.items() if name != judge for line in of_aspect]
        aspects: dict[str, list[CardLine]] = {}
        for line in of_judge:
            aspects.setdefault(f"{QUESTIONS[line.aspect].capitalize()}?", []).append(line)
        measured = {
            question: [_entry(line, others) for line in _first_in_front(of_aspect)]
            for question, of_aspect in aspects.items()
            if any(line.task for line in of_aspect)
        }
        placed = [placing.of_runs(same) for same in by_benchmark(list(runs.values()))]
        cards.append(
            Card(
                judge,
                of_judge,
                measured,
                unmeasured=[question for question in aspects if question not in measured],
                flags=list(dict.fromkeys(line.flag for line in of_judge if line.flag)),
                sees=any(line.aspect == "sees" and line.shown for line in of_judge),
                published=[line for of_runs in placed for line in placing.describe(of_runs)],
            )
        )
    return cards


def _first_in_front(lines: Sequence[CardLine]) -> list[CardLine]:
    """Return lines in their order, but the most important one first."""
    first = min(lines, key=_importance)
    return sorted(lines, key=lambda line: line is not first)


def _importance(line: CardLine) -> tuple[int, float]:
    """Sort defects first, then what was tested, then numbers alone, then what was not shown."""
    if line.flag:
        return 0, line.p
    if math.isnan(line.value) or not line.measured or line.too_few:
        return 3, 0.0
    return (2 if math.isnan(line.p) else 1), 0.0


def _entry(line: CardLine, others: Sequence[CardLine]) -> Entry:
    if math.isnan(line.value) or line.too_few or not line.measured:
        return Entry(line)
    same = [
        other.value
        for other in others
        if (other.aspect, other.task, other.title) == (line.aspect, line.task, line.title)
        and not math.isnan(other.value)
    ]
    return Entry(line, rank(line.value, same, line.better))


def rank(value: float, others: Iterable[float], better: str | None) -> str:
    """Return the rank of a number; empty where all are the same, or neither is better.

    >>> rank(0.7, [0.8, 0.1], "higher"), rank(0.7, [0.8, 0.7], "lower"), rank(0.7, [1], None)
    ('2 of 3', '1 of 3 (shared)', '')
    """
    rest = list(others)
    if better not in ("higher", "lower") or all(other == value for other in rest):
        return ""
    ahead = sum(other > value if better == "higher" else other < value for other in rest)
    return f"{ahead + 1} of {len(rest) + 1}" + (" (shared)" if value in rest else "")
