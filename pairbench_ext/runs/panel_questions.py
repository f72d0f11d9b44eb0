"""The questions that all judges of a panel were asked, their answers, and how far these agree."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.benchmark import Benchmark, Outcome
from pairbench_ext.core.outcomes import each_once
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.task_outcomes import TaskOutcomes, check_same_truths, item_text
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.kappa import Scale, cohen_kappa
from pairbench_ext.statistics.panel import correlations
from pairbench_ext.statistics.voting import NONE

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

Kind: TypeAlias = Literal["choice", "rating"]
_NAMED = 3  # questions that not all were asked


class LeftOut(NamedTuple):
    """Questions of one judge that not all were asked: how many, and the first few."""

    questions: int
    named: tuple[str, ...]


class PairOfJudges(NamedTuple):
    """How far two judges agree.

    Attributes:
        a, b: the judges.
        questions: to which both have usable answers.
        agreement: share of equal answers; NaN for ratings.
        correlation: Spearman's, of ratings; NaN for choices.
        kappa: agreement beyond each judge's own base rates (Cohen; quadratic weights for ratings).
        alpha: agreement beyond the base rates of both together (Krippendorff).
        error_correlation: of their errors, an unusable answer being wrong; of ratings, of their
            distances from the truth.
        error_consistency: whether they are right and wrong on the same questions, beyond what their
            accuracies imply: Cohen's kappa of right and wrong (Geirhos, Meding and Wichmann,
            "Beyond Accuracy", 2020, Equations 1 to 3); NaN for ratings.
        same_error: of the questions on which both give a wrong answer, the share with the same one;
            NaN for ratings, and 1 where there are two options.
    """

    a: str
    b: str
    questions: int
    agreement: float
    correlation: float
    kappa: float
    alpha: float
    error_correlation: float
    error_consistency: float
    same_error: float


@dataclass(frozen=True)
class Questions:
    """The questions that several judges were asked alike.

    Attributes:
        benchmark: whose questions they are.
        judges: by name.
        outcomes: of each question, one of each judge, in their order.
        others: outcomes of the first judge that answer nothing.
        left_out: by judge, questions that not all were asked.
    """

    benchmark: Benchmark
    judges: Mapping[str, TaskOutcomes]
    outcomes: tuple[tuple[Any, ...], ...]
    others: tuple[Any, ...]
    left_out: Mapping[str, LeftOut]

    @property
    def kind(self) -> Kind:
        """What the answers are."""
        return "choice" if self.benchmark.outcome.kind == "chosen" else "rating"

    @property
    def scale(self) -> Scale:
        """What differences of answers mean."""
        return "nominal" if self.kind == "choice" else "interval"

    @property
    def names(self) -> tuple[str, ...]:
        """The judges' names."""
        return tuple(self.judges)

    @cached_property
    def answered(self) -> list[list[Outcome]]:
        """The outcomes of each judge, question by question."""
        return [list(outcomes) for outcomes in zip(*self.outcomes, strict=True)]

    @cached_property
    def truth(self) -> list[Any]:
        """The right answer to each question; None where there is none."""
        return [answer.truth for answer in self.answered[0]]

    @cached_property
    def said(self) -> list[list[Any]]:
        """The option or number that each judge says to each question; None where unusable."""
        return [[answer.option for answer in answers] for answers in self.answered]

    @cached_property
    def clusters(self) -> list[Hashable]:
        """The cluster of each question."""
        return [first.cluster for first, *_ in self.outcomes]

    @cached_property
    def options(self) -> list[Any]:
        """All answers that a choice can be, by their numbers in `choices`."""
        return sorted({x for row in (*self.said, self.truth) for x in row if x is not None})

    @cached_property
    def choices(self) -> IntArray:
        """Shape (judges, questions): numbers of the options chosen, -1 where unusable."""
        place = {option: number for number, option in enumerate(self.options)}
        rows = [[NONE if x is None else place[x] for x in of_judge] for of_judge in self.said]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def ratings(self) -> FloatArray:
        """Shape (judges, questions): numbers said, or numbers of options; NaN where unusable."""
        if self.kind == "choice":
            return np.where(self.choices == NONE, np.nan, self.choices.astype(np.float64))
        return np.array(self.said, dtype=np.float64)  # None is NaN

    @cached_property
    def right(self) -> FloatArray:
        """Shape (judges, questions): 1 for a right choice, 0 for any other; NaN without a truth."""
        rows = [
            [
                np.nan if t is None else float(x == t)
                for x, t in zip(of_judge, self.truth, strict=True)
            ]
            for of_judge in self.said
        ]
        return np.array(rows, dtype=np.float64)

    @cached_property
    def errors(self) -> FloatArray:
        """Shape (judges, questions): errors; NaN without a truth.

        1 where a choice is wrong or unusable, else 0; of ratings, how far they are above the truth,
        NaN where unusable.
        """
        if self.kind == "choice":
            return np.asarray(1 - self.right)
        return np.asarray(self.ratings - np.array(self.truth, dtype=np.float64))

    @cached_property
    def chance(self) -> float:
        """The accuracy of guesses: the mean of 1 / number of options."""
        ties = self.benchmark.answers.ties
        return float(np.mean([1 / (first.options + ties) for first in self.answered[0]]))

    def panel(self, decided: Sequence[Any]) -> list[Any]:
        """The outcomes of a panel that says this to each question; None where it is undecided."""
        made = [
            self.benchmark.answers.put(outcomes, first.saying(option).said)
            for outcomes, first, option in zip(
                self.outcomes, self.answered[0], decided, strict=True
            )
        ]
        return [*self.others, *made]

    def of(self, judge: int, keep: npt.NDArray[np.bool_] | None = None) -> list[Any]:
        """A judge's outcomes, of some questions."""
        kept = range(len(self.outcomes)) if keep is None else np.flatnonzero(keep)
        return [*self.others, *(self.outcomes[place][judge] for place in kept)]

    def missed(self) -> tuple[str, ...] | None:
        """Items that no judge has right in more than half of its answers; None for ratings."""
        if self.kind == "rating":
            return None
        right: dict[Hashable, list[FloatArray]] = {}
        for (first, *_), column in zip(self.outcomes, self.right.T, strict=True):
            if not np.isnan(column).any():
                right.setdefault(first.item, []).append(column)
        shares = {item: np.mean(columns, axis=0) for item, columns in right.items()}
        return tuple(item_text(item) for item, share in shares.items() if share.max() <= 0.5)

    def pairs(self) -> tuple[PairOfJudges, ...]:
        """The agreement of every two judges, over the questions to which both have usable answers.

        Errors are over all questions with a truth: an unusable choice is wrong.
        """
        together = correlations(self.errors)
        pairs = combinations(range(len(self.judges)), 2)
        return tuple(self._pair(i, j, float(together[i, j])) for i, j in pairs)

    def _pair(self, i: int, j: int, error_correlation: float) -> PairOfJudges:
        scale = self.scale
        both = self.ratings[[i, j]]
        usable = ~np.isnan(both).any(axis=0)
        x, y = both[:, usable]
        agreement = consistency = same_error = spearman = math.nan
        if scale == "nominal":
            wrong = (self.errors[i] == 1) & (self.errors[j] == 1) & usable
            agreement = _share(x == y)
            consistency = cohen_kappa(self.errors[i], self.errors[j]).value
            same_error = _share(both[0, wrong] == both[1, wrong])
        elif len(x) > 1:
            spearman = correlation(x, y)
        return PairOfJudges(
            a=self.names[i],
            b=self.names[j],
            questions=len(x),
            agreement=agreement,
            correlation=spearman,
            kappa=cohen_kappa(x, y, scale).value,
            alpha=krippendorff_alpha(both, scale).value,
            error_correlation=error_correlation,
            error_consistency=consistency,
            same_error=same_error,
        )


def _share(hits: npt.NDArray[np.bool_]) -> float:
    return float(hits.mean()) if hits.size else math.nan


class NothingInCommonError(RecordError):
    """There is no question that all judges were asked."""


def questions_of(benchmark: Benchmark, judges: Mapping[str, TaskOutcomes]) -> Questions:
    """The questions that all judges were asked.

    Raises:
        NothingInCommonError: if there is none.
        RecordError: if a judge's answers contradict each other, or judges were asked different
            things under the name of one question.
    """
    asked: dict[str, dict[Hashable, Any]] = {}
    others: tuple[Any, ...] = ()
    for name, judge in judges.items():
        _ = judge.table  # raises, naming answers that contradict each other
        outcomes = each_once(judge.outcomes)
        asked[name] = {x.question: x for x in outcomes if x.kind != "text"}
        others = others or tuple(x for x in outcomes if x.kind == "text")
    first, *more = asked.values()
    common = [question for question in first if all(question in other for other in more)]
    if not common:
        raise NothingInCommonError(f"no question that all of {', '.join(judges)} were asked")
    check_same_truths(benchmark, judges)
    shared = set(common)
    left_out = {
        name: [question for question in outcomes if question not in shared]
        for name, outcomes in asked.items()
    }
    return Questions(
        benchmark,
        judges,
        tuple(tuple(outcomes[question] for outcomes in asked.values()) for question in common),
        others,
        {
            name: LeftOut(len(questions), tuple(map(item_text, questions[:_NAMED])))
            for name, questions in left_out.items()
            if questions
        },
    )
