"""How often a judge gave each rating."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pairbench_ext.core.benchmark import Outcome
from pairbench_ext.runs.scoring import Run

_MOST_BARS = 20


@dataclass(frozen=True)
class Bar:
    """A rating, or all from one to another, and how often it was given.

    Attributes:
        label: which.
        count: how often.
        height: of the highest bar, 0 to 100.
    """

    label: str
    count: int
    height: float


@dataclass(frozen=True)
class Histogram:
    """The ratings that one judge gave in one benchmark.

    Attributes:
        title: of the benchmark.
        bars: from the lowest rating that any judge gave there to the highest.
        count: of all ratings.
    """

    title: str
    bars: tuple[Bar, ...]
    count: int


def histograms(judges: Mapping[str, Sequence[Run]]) -> dict[str, tuple[Histogram, ...]]:
    """Of each judge's ratings, one histogram a benchmark; those of a benchmark share their bars."""
    given: dict[str, dict[str, list[float]]] = {
        judge: _ratings(own) for judge, own in judges.items()
    }
    titles = dict.fromkeys(title for own in given.values() for title in own)
    scales = {
        title: _scale([value for own in given.values() for value in own.get(title, ())])
        for title in titles
    }
    return {
        judge: tuple(_histogram(title, values, *scales[title]) for title, values in own.items())
        for judge, own in given.items()
    }


def _ratings(runs: Sequence[Run]) -> dict[str, list[float]]:
    """All ratings that could be read, by benchmark."""
    given: dict[str, list[float]] = {}
    for run in runs:
        ratings = [
            float(outcome.said)
            for outcome in run.outcomes
            if isinstance(outcome, Outcome) and outcome.kind == "rated" and outcome.usable
        ]
        if ratings and not isinstance(run.benchmark.answers, str):
            given.setdefault(run.benchmark.title, []).extend(ratings)
    return given


def _scale(values: Sequence[float]) -> tuple[np.ndarray, list[str]]:
    """Where bars begin and end, and their labels.

    Whole numbers have a bar each, or as many to a bar as there must be.
    """
    low, high = min(values), max(values)
    if all(one.is_integer() for one in values):
        width = math.ceil((high - low + 1) / _MOST_BARS)
        edges = np.arange(low - 0.5, high + width, width)
        return edges, [_label(a + 0.5, b - 0.5, "g") for a, b in pairwise(edges)]
    edges = np.linspace(low, high if high > low else low + 1, _MOST_BARS + 1)
    return edges, [_label(a, b, ".3g") for a, b in pairwise(edges)]


def _histogram(
    title: str, values: Sequence[float], edges: np.ndarray, labels: Sequence[str]
) -> Histogram:
    counts, _ = np.histogram(values, edges)
    bars = tuple(
        Bar(label, int(count), round(100 * float(count) / int(counts.max()), 1))
        for label, count in zip(labels, counts, strict=True)
    )
    return Histogram(title, bars, len(values))


def _label(low: float, high: float, form: str) -> str:
    """The ratings of a bar.

    >>> _label(7.0, 7.0, "g"), _label(20.0, 23.0, "g"), _label(0.05, 0.1, ".3g")
    ('7', '20 to 23', '0.05 to 0.1')
    """
    return f"{low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"
