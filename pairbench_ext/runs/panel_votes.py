"""Combine several judges' answers: by majority or weighted vote, by mean or median.

`panel` says which is which; `statistics.voting` has the votes. A benchmark's numbers are of one
answer to each question, so a tie needs one too: a coin decides, half right in expectation. It is
the question's own, so that the same answers in other rows give the same panel.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from pairbench_ext.core.benchmark import Number, Outcome
from pairbench_ext.core.table import IntArray
from pairbench_ext.runs.comparisons import Comparison, compared
from pairbench_ext.runs.side_by_side import FloatArray, SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.seeds import stable_hash
from pairbench_ext.statistics.voting import NONE, fitted_votes, folds_of, vote

MAJORITY, WEIGHTED, MEAN, MEDIAN = "majority vote", "weighted vote", "mean", "median"
BEST = "best single judge"


class BestSingle(NamedTuple):
    """The best of a panel's judges by one metric, found by cross-validation and in hindsight.

    Attributes:
        value: the number, if each fold uses the judge that is the best in all other folds.
        picked: in how many folds each judge was the best in all others.
        in_hindsight: the best one on the very questions that it is judged by.
    """

    value: float
    picked: Mapping[str, int]
    in_hindsight: str


class Decision(NamedTuple):
    """A panel's answer to each question; None if no judge gave a readable answer."""

    answers: list[Any]
    weights: Mapping[str, float]
    ties: int = 0


class Bench:
    """Several judges' answers to the questions that all were asked, and panels made of them."""

    def __init__(self, asked: SideBySide) -> None:
        self.asked = asked
        self.folds = folds_of(asked.clusters)
        self._answers: list[tuple[Any, ...]] = asked.answers
        first = next(iter(asked.judges.values()))
        self._texts = [outcome for outcome in first.outcomes if outcome.kind == "text"]

    def judge(self, name: str, outcomes: Sequence[Any]) -> TaskOutcomes:
        """Return a judge that has the given name and outcomes."""
        return next(iter(self.asked.judges.values())).saying(outcomes, name)

    def panel(self, decided: Sequence[Any]) -> list[Any]:
        """Return an outcome of the panel for each question, given the options it decided on."""
        put = self.asked.benchmark.answers.put
        outcomes = [
            put(cast("Sequence[Outcome]", answers), answers[0].place_of(option))
            for answers, option in zip(self._answers, decided, strict=True)
        ]
        return [*self._texts, *outcomes]

    def decisions(self) -> dict[str, Decision]:
        """Return each panel's answers: mean and median of ratings, or votes on choices."""
        asked = self.asked
        if asked.kind == "rating":
            ways: dict[str, Callable[[list[float]], float]] = {MEAN: statistics.fmean}
            if len(asked.judges) > 2:  # of two ratings, the median is the mean
                ways[MEDIAN] = statistics.median
            rated = zip(*asked.said, strict=True)
            usable = [[float(x) for x in ratings if x is not None] for ratings in rated]
            return {
                name: Decision([way(x) if x else None for x in usable], {})
                for name, way in ways.items()
            }
        if len(asked.judges) < 3:
            return {}
        choices = asked.choices
        decisions = {MAJORITY: self._decision(vote(choices), vote(choices, coins=self._coins))}
        if self.folds.max(initial=0) > 0:
            undecided, _ = self._fitted()
            decided, weights = self._fitted(coins=self._coins)
            means = dict(zip(asked.names, weights.mean(axis=0).tolist(), strict=True))
            decisions[WEIGHTED] = self._decision(undecided, decided, means)
        return decisions

    @cached_property
    def _coins(self) -> FloatArray:
        """Return shape (questions,), in [0, 1): what decides a tie, by the question's name."""
        keys = [repr(question) for question in self.asked.questions]
        return np.array([stable_hash(0, "tie of a panel", key) for key in keys]) / 2.0**64

    def _decision(
        self, undecided: IntArray, decided: IntArray, weights: Mapping[str, float] | None = None
    ) -> Decision:
        """Return a decision, from the votes without and with a coin for ties."""
        ties = int(np.count_nonzero(undecided != decided))
        return Decision(self._options(decided), weights or {}, ties)

    def _fitted(self, **options: Any) -> tuple[IntArray, FloatArray]:
        """Return the weighted vote, with options of `fitted_votes`."""
        asked = self.asked
        # Weights are of usable answers; the others are no votes.
        right = np.where(asked.choices == NONE, np.nan, asked.right)
        repeats = len(asked.answers) / len(set(asked.clusters))
        return fitted_votes(asked.choices, right, self.folds, asked.chance, repeats, **options)

    @cached_property
    def _of_earlier(self) -> TaskOutcomes:
        """Return the weighted vote with weights of earlier folds alone."""
        decided, _ = self._fitted(coins=self._coins, earlier=True)
        return self.judge(WEIGHTED, self.panel(self._options(decided)))

    def exact(self, fitted: Comparison, number: Number) -> Comparison:
        """Compare the weighted vote with a judge by two tests; the larger p-value counts."""
        judges = {WEIGHTED: self._of_earlier, fitted.b: self.asked.judges[fitted.b]}
        again = SideBySide(self.asked.task, self.asked.benchmark, judges)
        other = compared(again, number, WEIGHTED, fitted.b)
        opposite = fitted.difference * other.difference < 0
        p = 1.0 if opposite else float(np.fmax(fitted.p, other.p))
        return replace(fitted, result=replace(fitted.result, p=p))

    def _options(self, decided: IntArray) -> list[Any]:
        return [None if x == NONE else self.asked.options[x] for x in decided]

    def best(self, number: Number) -> BestSingle:
        """Find the best judge by one metric: for each fold on the other folds, and on all data."""
        names = self.asked.names
        places = np.zeros(len(self.folds), dtype=np.int64)
        picked: Counter[str] = Counter()
        for fold, tables in enumerate(self._outside):
            place = self._ahead(number, tables)
            places[self.folds == fold] = place
            picked[names[place]] += 1
        rows = zip(self._answers, places, strict=True)
        outcomes = [*self._texts, *(row[place] for row, place in rows)]
        last = self._ahead(number, [judge.table for judge in self.asked.judges.values()])
        return BestSingle(self.judge(BEST, outcomes).number(number), dict(picked), names[last])

    def _ahead(self, number: Number, tables: Sequence[Any]) -> int:
        """Return the place of the table with the best value; the first of several."""
        sign = -1 if number.better == "lower" else 1
        values = [sign * float(number.of(table)) for table in tables]
        return int(np.argmax(np.nan_to_num(values, nan=-math.inf)))

    @cached_property
    def _outside(self) -> list[list[Any]]:
        """By fold, the table of each judge's answers outside of it."""
        tables = []
        for fold in range(int(self.folds.max()) + 1):
            rows = [self._answers[place] for place in np.flatnonzero(self.folds != fold)]
            outcomes = [[*self._texts, *of_judge] for of_judge in zip(*rows, strict=True)]
            tables.append([self.judge("", of_judge).table for of_judge in outcomes])
        return tables
