"""Compute metrics from answer probabilities, and compare them with metrics from replies' texts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.benchmark import TIE
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import ClusterTables
from pairbench_ext.statistics.calibration import (
    Bin,
    calibration_error,
    recalibrated,
    reliability,
    right_by_votes,
)
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.intervals import FloatArray
from pairbench_ext.statistics.kendall import somers_d_from_counts
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.shares import Share
from pairbench_ext.statistics.voting import folds_of

KS = (1, 3, 5, 9)
_MOST_OUTSIDE = 0.5  # of the probability, on no answer
_FEW_LEVELS = 3  # of the truth: a rank correlation then punishes all that tells equal ones apart
_SOMERS = "Somers' D given the truth"


class Beside(NamedTuple):
    """One metric, computed from the texts of replies and again from answer probabilities.

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

    @property
    def values(self) -> str:
        """Return as text the metric's values from replies' texts and from answer probabilities."""
        return f"{self.title} {decimal(self.word, 3)} and {decimal(self.soft, 3)}"

    def describe(self, source: str) -> str:
        """Return in words how the metric's two values differ, with the difference's interval."""
        word, soft = decimal(self.word, 3), decimal(self.soft, 3)
        values = f"{self.title}: {word} from the texts of replies, {soft} from {source}"
        value, (low, high) = self.less.value, self.less.interval
        if math.isnan(value) or low <= 0 <= high:
            return f"{values}: neither is shown to be better (difference {_ends(low, high)})"
        told = "better" if (value > 0) != self.lower else "worse"
        ends = _ends(*sorted((abs(low), abs(high))))
        return f"{values}, which is {told} by {decimal(abs(value), 3)} ({ends})"


@dataclass(frozen=True, eq=False)
class Likeliest:
    """The probability of each reply's most probable answer, and whether that answer is right.

    Attributes:
        probability: shape (n,): given that one of the answers is given.
        right: shape (n,): 1 if it is right, or the share of people who say so.
        clusters: of the items.
    """

    probability: FloatArray
    right: FloatArray
    clusters: Sequence[Hashable]

    @classmethod
    def of(
        cls, outcomes: Iterable[Outcome], truths: Callable[[Outcome], Sequence[Any]]
    ) -> Likeliest:
        """Find the most probable answer of each outcome whose right answer is known."""
        rows = []
        for outcome in outcomes:
            shares, rated = _shares(outcome), outcome.kind == "rated"
            best = max(shares, key=shares.__getitem__)
            right = [
                best == (min(shares, key=lambda x, t=t: abs(x - t)) if rated else t)  # type: ignore[misc]
                for t in truths(outcome)
            ]
            if right:
                rows.append((shares[best], sum(right) / len(right), outcome.cluster))
        probability, right_share, clusters = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(np.array(probability), np.array(right_share), clusters)

    def __len__(self) -> int:
        return len(self.clusters)

    @cached_property
    def error(self) -> Share:
        """Return the expected calibration error of the answers' probabilities."""
        return calibration_error(self.probability, self.right, codes_of(self.clusters)[1])

    @property
    def brier(self) -> float:
        """Return the Brier score: the mean squared error of the probability of being right."""
        return float(((self.probability - self.right) ** 2).mean()) if len(self) else math.nan

    def describe(self) -> str:
        """Return in words how well the probabilities are calibrated."""
        mean, right = (decimal(float(part.mean()), 2) for part in (self.probability, self.right))
        return (
            f"on average, the most probable answer has {mean} of the probability, and is right "
            f"in {right}: calibration error (ECE) {decimal(self.error.value, 3)} "
            f"({_ends(*self.error.interval)}), Brier score {decimal(self.brier, 3)}"
        )

    @property
    def bins(self) -> list[Bin]:
        """Return the bins of the reliability diagram, which compares probability with accuracy."""
        return reliability(self.probability, self.right)

    @property
    def recalibrated(self) -> Likeliest:
        """Return the answers with probabilities recalibrated on the answers of other clusters."""
        probability = recalibrated(self.probability, self.right, folds_of(self.clusters))
        return replace(self, probability=probability)


@dataclass(frozen=True)
class Distributions:
    """The probabilities that a run's replies give to each possible answer."""

    task: TaskOutcomes
    none: Mapping[str, int]
    sources: Mapping[str, int]

    @cached_property
    def outside(self) -> list[float]:
        """Return each outcome's total probability of all answers that the task does not allow."""
        return [_outside(outcome) for outcome in self.task.outcomes if outcome.distribution]

    @cached_property
    def usable(self) -> list[Outcome]:
        """Return readable outcomes whose allowed answers have at least half of the probability."""
        return _usable(self.task)

    @cached_property
    def beside(self) -> list[Beside]:
        """Return the benchmark's metrics, each computed from replies' texts and from probabilities.

        The main one comes first: of ratings Somers' D where the truth ties, else Spearman's
        correlation where the benchmark has it.
        """
        benchmark = self.task.benchmark
        others = [x for x in self.task.outcomes if x.kind == "text"]
        word = self.task.saying([*others, *self.usable])
        soft = self.task.saying([*others, *self._softened()])
        numbers = []
        tied = _truth_ties(self.usable)
        if tied:
            pair = [_somers_d(outcomes) for outcomes in (soft.outcomes, word.outcomes)]
            less = difference([pair[0]], [pair[1]])
            numbers.append(Beside(_SOMERS, pair[1].estimate, pair[0].estimate, less, lower=False))
        for name in benchmark.answers.numbers or filter(None, (benchmark.headline,)):
            number = benchmark.number(name)
            if tied and number.kind == "correlation" and "pearson" not in number.name:
                continue  # it punishes a mean for telling apart what the truth ties
            try:
                both = [task.resampled(number) for task in (soft, word)]
            except (RecordError, TypeError, KeyError):  # not of what is between two ratings
                continue
            if both[0] is not None and both[1] is not None:
                less = difference([both[0]], [both[1]])
                values = both[1].estimate, both[0].estimate
                numbers.append(Beside(number.title, *values, less, number.better == "lower"))
        return sorted(numbers, key=lambda row: not row.title.startswith((_SOMERS, "Spearman")))

    def _softened(self) -> Iterator[Outcome]:
        """Outcomes that say the mean of the distribution, or of an item's the likeliest option.

        Where two options are the likeliest, the word stays.
        """
        put = self.task.benchmark.answers.put
        items: dict[Hashable, list[Outcome]] = defaultdict(list)
        for outcome in self.usable:
            if outcome.kind == "rated":
                mean = sum(float(x) * share for x, share in _shares(outcome).items())
                yield put([outcome], round(mean, 12))  # equal means tie
            else:
                items[outcome.item_and_variant].append(outcome)
        for asked in items.values():
            shares: dict[Any, float] = defaultdict(float)
            for outcome in asked:
                for option, share in _shares(outcome).items():
                    shares[option] += share
            most = max(round(share, 12) for share in shares.values())
            best, *equal = (option for option in shares if round(shares[option], 12) == most)
            yield from (x if equal else put([x], x.place_of(best)) for x in asked)

    @cached_property
    def likeliest(self) -> Likeliest:
        """Return the most probable answer of each readable reply whose right answer is known."""
        return Likeliest.of(self.usable, lambda x: [] if x.truth is None else [x.truth])

    @cached_property
    def votes(self) -> dict[int | None, float]:
        """Return the accuracy of the majority of K votes drawn from the probabilities, keyed by K.

        K is None for very many votes.

        Votes are drawn from the distributions, at temperature 1, in the orders that were asked.
        """
        right: dict[Hashable, list[float]] = defaultdict(list)
        for x in self.usable:
            if x.kind == "chosen" and x.truth not in (None, TIE):
                right[x.item_and_variant].append(_shares(x).get(x.truth, 0.0))
        means = [float(np.mean(shares)) for shares in right.values()]
        return {k: right_by_votes(means, k) for k in (*KS, None)} if means else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the metrics computed from answer probabilities and their calibration, for JSON."""
        return {
            "distributions": len(self.outside), "usable": len(self.usable),
            "none": dict(self.none), "sources": dict(self.sources),
            "mass_outside": mean_of_defined(self.outside),
            "main": self.beside[0].title if self.beside else None,
            "numbers": {b.title: b for b in self.beside},
            "brier": self.likeliest.brier, "ece": self.likeliest.error,
            "reliability": self.likeliest.bins,
            "votes": {"limit" if k is None else k: share for k, share in self.votes.items()},
        }  # fmt: skip

    def describe(self) -> Iterator[str]:
        """Yield remarks on the probabilities, one sentence each."""
        if self.outside:
            yield (
                f"{counted(len(self.outside), 'reply')} with answer probabilities "
                f"({', '.join(self.sources)}): on average, {mean_of_defined(self.outside):.1%} of "
                "the probability falls outside the allowed answers. "
                f"{len(self.outside) - len(self.usable):,} are unreadable: over half of the "
                "probability falls outside, or the reply has no text"
            )
        for why, count in self.none.items():
            yield f"{counted(count, 'reply')} without a distribution: {why}"
        source = (
            "the probability-weighted mean rating"
            if any(x.kind == "rated" for x in self.usable)
            else "the most probable option over all orders"
        )
        yield from (main.describe(source) for main in self.beside[:1])
        if others := "; ".join(row.values for row in self.beside[1:]):
            yield f"further numbers, untested (first from texts, then from {source}): {others}"
        if len(self.likeliest):
            yield (
                f"{self.likeliest.describe()}. These probabilities are not calibrated: "
                "`pairbench trust --people` "
                "and `pairbench report --people` recalibrate them on people's labels"
            )
        if self.votes:
            *some, (_, limit) = self.votes.items()
            told = ", ".join(f"{decimal(share, 3)} for K = {k}" for k, share in some)
            yield (
                f"accuracy of the majority of K votes drawn from the probabilities: {told}; "
                f"{decimal(limit, 3)} with very many votes"
            )


def _truth_ties(outcomes: Sequence[Outcome]) -> bool:
    """Return whether ratings have truths of two or three levels, under each condition."""
    levels: dict[str, set[Any]] = defaultdict(set)
    for x in outcomes:
        if x.kind == "rated" and x.truth is not None:
            levels[x.condition].add(x.truth)
    counts = [len(of_condition) for of_condition in levels.values()]
    return bool(counts) and 1 < max(counts) <= _FEW_LEVELS


def _somers_d(outcomes: Iterable[Outcome]) -> Resampled:
    """Return Somers' D of ratings given the truth, by cluster; the mean over conditions."""
    rated = [x for x in outcomes if x.kind == "rated" and x.usable and x.truth is not None]
    names, codes = codes_of(x.cluster for x in rated)
    parts = []
    for condition in sorted({x.condition for x in rated}):
        rows = [place for place, x in enumerate(rated) if x.condition == condition]
        ratings = np.round([float(rated[place].said) for place in rows], 12)
        truth = np.array([float(rated[place].truth) for place in rows])
        if np.ptp(truth) > 0:
            tables = ClusterTables(ratings, truth, codes[rows], len(names), somers_d_from_counts)
            parts.append(Resampled(Clustered(tuple(names), tables)))
    return Resampled(Clustered(tuple(names), Combination(parts)))


class Recalibration(NamedTuple):
    """The calibration of a judge's answer probabilities, measured with people's labels.

    Attributes:
        task, judge: the task and the judge that gave the probabilities.
        before: the calibration of the probabilities as given.
        after: the calibration after each item was recalibrated on the labels of other items.
    """

    task: str
    judge: str
    before: Likeliest
    after: Likeliest

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration before and after recalibration, for JSON."""
        named = {"task": self.task, "judge": self.judge}
        return {**named, "ece": self.before.error, "recalibrated": self.after.error}

    def describe(self) -> str:
        """Return in words the calibration before and after recalibration."""
        before, after = (decimal(part.error.value, 3) for part in (self.before, self.after))
        return (
            f"{self.task}, {self.judge}: on average, the probability of the chosen answer differs "
            f"by {before} from the share of labels that agree with it (ECE, "
            f"{counted(len(self.before), 'label')}). After recalibration on the labels of other "
            f"items: ECE {after} ({_ends(*self.after.error.interval)})"
        )


def recalibrations(tasks: Iterable[TaskOutcomes], people: PeopleLabels) -> Iterator[Recalibration]:
    """Yield each judge's calibration on each task that has probabilities and people's labels."""
    for task in tasks:
        usable = _usable(task)
        labels = people.of(task) if usable else None
        if labels is None:
            continue
        likeliest = Likeliest.of(usable, lambda outcome, labels=labels: labels(outcome).answers)  # type: ignore[misc]
        if len(set(likeliest.clusters)) > 1:
            name = task.task or task.benchmark.name
            yield Recalibration(name, task.judge, likeliest, likeliest.recalibrated)


def _ends(low: float, high: float) -> str:
    return f"{decimal(low, 3)} to {decimal(high, 3)}"


def _usable(task: TaskOutcomes) -> list[Outcome]:
    usable = (x for x in task.outcomes if x.distribution and x.usable)
    return [outcome for outcome in usable if _outside(outcome) <= _MOST_OUTSIDE]


def _outside(outcome: Outcome) -> float:
    return max(0.0, 1 - sum(outcome.distribution.values()))


def _shares(outcome: Outcome) -> dict[Any, float]:
    """The probability of each rating or option of the data, given that one of them is given."""
    total = sum(outcome.distribution.values())
    if outcome.kind == "rated":
        return {answer: share / total for answer, share in outcome.distribution.items()}
    places = {TIE: TIE, **dict(enumerate(outcome.shown))}
    return {places[answer]: share / total for answer, share in outcome.distribution.items()}
