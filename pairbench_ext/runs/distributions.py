"""Distributions over answers beside the words of a run: which of them agree better, and how far."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.benchmark import TIE, Reading
from pairbench_ext.core.decimals import decimal
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.calibration import (
    Bin,
    brier_score,
    calibration_error,
    recalibrated,
    reliability,
    right_by_votes,
)
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.shares import Share
from pairbench_ext.statistics.voting import folds_of

KS = (1, 3, 5, 9)
_MOST_OUTSIDE = 0.5  # of the probability, on no answer


class Beside(NamedTuple):
    """A number over words and over distributions.

    Attributes:
        title: of the number.
        word, soft: over what was written, and over distributions, of the same replies.
        less: the second less the first, with its interval.
        lower: whether lower is better.
    """

    title: str
    word: float
    soft: float
    less: Difference
    lower: bool

    def describe(self, of: str) -> str:
        """In words, with the interval: better, worse, or neither."""
        low, high = sorted(abs(end) for end in self.less.interval)
        sign = math.copysign(1, self.less.value) * (-1 if self.lower else 1)
        values = f"{self.title}: {decimal(self.word, 3)} by the word, {decimal(self.soft, 3)} by"
        if math.isnan(self.less.value) or self.less.interval.low <= 0 <= self.less.interval.high:
            ends = " to ".join(decimal(end, 3) for end in self.less.interval)
            return f"{values} {of}: neither is shown to be better (difference {ends})"
        told = "better" if sign > 0 else "worse"
        by = f"{decimal(abs(self.less.value), 3)} ({decimal(low, 3)} to {decimal(high, 3)})"
        return f"{values} {of}, which is {told} by {by}"


class Likeliest(NamedTuple):
    """The most probable answer of a reply: its share of the answers' probability, and the truth.

    Attributes:
        probability: given that one of the answers is given.
        right: 1 if it is right, or the share of people who say so.
        cluster: of the item.
    """

    probability: float
    right: float
    cluster: Hashable


@dataclass(frozen=True)
class Distributions:
    """The distributions of a run.

    Attributes:
        task: the judge's outcomes.
        none: why replies have none: reason -> count.
        sources: who gave them -> count.
    """

    task: TaskOutcomes
    none: Mapping[str, int]
    sources: Mapping[str, int]

    @cached_property
    def all(self) -> list[Outcome]:
        """The outcomes that have one."""
        return [outcome for outcome in self.task.outcomes if outcome.distribution]

    @cached_property
    def usable(self) -> list[Outcome]:
        """Those with a word and at most half of the probability outside of the answers."""
        return [x for x in self.all if x.usable and outside(x) <= _MOST_OUTSIDE]

    @cached_property
    def beside(self) -> list[Beside]:
        """The benchmark's numbers by the word and by distributions, of the usable replies."""
        benchmark = self.task.benchmark
        others = [x for x in self.task.outcomes if x.kind == "text"]
        word = self.task.saying([*others, *self.usable])
        soft = self.task.saying([*others, *self._softened()])
        made = []
        for name in benchmark.answers.numbers or filter(None, (benchmark.headline,)):
            number = benchmark.number(name)
            try:
                both = [of.resampled(number) for of in (soft, word)]
            except (RecordError, TypeError, KeyError):  # not of what is between two ratings
                continue
            if both[0] is not None and both[1] is not None:
                less = difference([both[0]], [both[1]])
                values = both[1].estimate, both[0].estimate
                made.append(Beside(number.title, *values, less, number.better == "lower"))
        return made

    def _softened(self) -> Iterator[Outcome]:
        """Outcomes that say the mean of the distribution, or of an item's the likeliest option."""
        put = self.task.benchmark.answers.put
        items: dict[Hashable, list[Outcome]] = defaultdict(list)
        for outcome in self.usable:
            if outcome.kind == "rated":
                yield put([outcome], expected(outcome))
            else:
                items[outcome.item_and_variant].append(outcome)
        for asked in items.values():
            shares: dict[Any, float] = defaultdict(float)
            for outcome in asked:
                for answer, share in outcome.distribution.items():
                    shares[_option(outcome, answer)] += share
            best = max(shares, key=shares.__getitem__)
            yield from (put([outcome], outcome.saying(best).said) for outcome in asked)

    @cached_property
    def likeliest(self) -> list[Likeliest]:
        """The most probable answers of usable replies whose truth is known."""
        return [_likeliest(x, [x.truth]) for x in self.usable if x.truth is not None]

    @cached_property
    def error(self) -> Share:
        """The expected calibration error of the most probable answers."""
        return _error(self.likeliest)

    @property
    def brier(self) -> float:
        """Their Brier score."""
        return brier_score(*_columns(self.likeliest))

    @property
    def bins(self) -> list[Bin]:
        """Their reliability diagram."""
        return reliability(*_columns(self.likeliest))

    @cached_property
    def votes(self) -> dict[int | None, float]:
        """The share of choices that K votes would decide rightly, by K; None for many votes.

        Votes are drawn from the distributions, at temperature 1, in the orders that were asked.
        """
        right: dict[Hashable, list[float]] = defaultdict(list)
        for x in self.usable:
            if x.kind == "chosen" and x.truth not in (None, TIE):
                share = x.distribution.get(x.saying(x.truth).said, 0.0) / _total(x)
                right[x.item_and_variant].append(share)
        means = [float(np.mean(shares)) for shares in right.values()]
        return {k: right_by_votes(means, k) for k in (*KS, None)} if means else {}

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "distributions": len(self.all), "usable": len(self.usable),
            "none": dict(self.none), "sources": dict(self.sources),
            "mass_outside": _mean(map(outside, self.all)),
            "numbers": {b.title: b for b in self.beside},
            "brier": self.brier, "ece": self.error, "reliability": self.bins,
            "votes": {"limit" if k is None else k: share for k, share in self.votes.items()},
        }  # fmt: skip

    def describe(self) -> Iterator[str]:
        """What must be said of them, a sentence each."""
        if self.all:
            beyond = len(self.all) - len(self.usable)
            said = ", ".join(self.sources)
            yield (
                f"{counted(len(self.all), 'distribution')} over the answers ({said}): "
                f"{_mean(map(outside, self.all)):.1%} of the probability is on no answer; "
                f"{beyond:,} with more than half of it there, or without a word, are unusable"
            )
        for why, count in self.none.items():
            yield f"{counted(count, 'reply')} without a distribution: {why}"
        rated = any(x.kind == "rated" for x in self.usable)
        of = "the mean of the distribution" if rated else "the likeliest option over all orders"
        yield from (beside.describe(of) for beside in self.beside)
        if self.likeliest:
            mean, right = (_mean(column) for column in _columns(self.likeliest))
            low, high = (decimal(end, 3) for end in self.error.interval)
            yield (
                f"the likeliest answer has {decimal(mean, 2)} of the probability, and is right in "
                f"{decimal(right, 2)}: calibration error (ECE) {decimal(self.error.value, 3)} "
                f"({low} to {high}), Brier score {decimal(self.brier, 3)}. That is no confidence: "
                "`pairbench trust --people` recalibrates it on people's labels"
            )
        if self.votes:
            *some, (_, limit) = self.votes.items()
            told = ", ".join(f"{decimal(share, 3)} for K = {k}" for k, share in some)
            yield (
                f"right by the majority of K votes that are drawn from the distributions: {told}; "
                f"{decimal(limit, 3)} in the limit"
            )


class Recalibration(NamedTuple):
    """The calibration error of a judge's likeliest answers by people's labels.

    Attributes:
        task, judge: whose.
        ece: as the probabilities are.
        recalibrated: of each item by the labels of others.
    """

    task: str
    judge: str
    ece: Share
    recalibrated: Share

    def describe(self) -> str:
        """In words."""
        value, (low, high), _ = self.recalibrated
        return (
            f"{self.task}, {self.judge}: the likeliest answer's probability is "
            f"{decimal(self.ece.value, 3)} away from people's agreement (ECE, "
            f"{counted(self.ece.n, 'label')}); recalibrated on the labels of other items "
            f"{decimal(value, 3)} ({decimal(low, 3)} to {decimal(high, 3)})"
        )


def recalibrations(tasks: Iterable[TaskOutcomes], people: PeopleLabels) -> Iterator[Recalibration]:
    """Those of judges on tasks, where they have distributions and items have labels."""
    for task in tasks:
        usable = Distributions(task, {}, {}).usable
        labels = people.of(task.benchmark, task.outcomes) if usable else None
        answers = ((x, list(labels(x)[0])) for x in usable) if labels else ()
        known = [_likeliest(x, said) for x, said in answers if said]
        if known:
            made = recalibrated(*_columns(known), folds_of([x.cluster for x in known]))
            own = [x._replace(probability=p) for x, p in zip(known, made, strict=True) if p == p]
            name = task.task or task.benchmark.name
            yield Recalibration(name, task.judge, _error(known), _error(own))


def distributions_of(readings: Iterable[Reading], task: TaskOutcomes) -> Distributions | None:
    """The distributions of a run; None where nobody asked for any."""
    read = list(readings)
    none = Counter(reading.no_distribution for reading in read if reading.no_distribution)
    sources = Counter(reading.source for reading in read if reading.source)
    return Distributions(task, none, sources) if none or sources else None


def outside(outcome: Outcome) -> float:
    """The probability that is on no answer."""
    return max(0.0, 1 - _total(outcome))


def expected(outcome: Outcome) -> float:
    """The mean of a distribution over ratings, given that one of them is given."""
    weighted = (float(rating) * share for rating, share in outcome.distribution.items())
    return sum(weighted) / _total(outcome)


def _total(outcome: Outcome) -> float:
    return sum(outcome.distribution.values())


def _option(outcome: Outcome, place: Any) -> Any:
    return place if place == TIE else outcome.shown[place]


def _likeliest(outcome: Outcome, truths: Sequence[Any]) -> Likeliest:
    """The most probable answer, and how many of the truths it is, of ratings to the nearest one."""
    answer, share = max(outcome.distribution.items(), key=lambda each: each[1])
    if outcome.kind == "rated":
        right = [min(outcome.distribution, key=lambda x: abs(x - t)) == answer for t in truths]
    else:
        right = [_option(outcome, answer) == truth for truth in truths]
    return Likeliest(share / _total(outcome), sum(right) / len(right), outcome.cluster)


def _columns(known: Sequence[Likeliest]) -> tuple[list[float], list[float]]:
    return [x.probability for x in known], [x.right for x in known]


def _error(known: Sequence[Likeliest]) -> Share:
    return calibration_error(*_columns(known), codes_of(x.cluster for x in known)[1])


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else math.nan
