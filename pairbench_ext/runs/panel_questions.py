"""The questions that all judges of a panel were asked, and what each of them said."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.answers import Answers
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.limit_items import Sampled, weights_of
from pairbench_ext.core.outcome_table import each_once
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.panel_results import LeftOut
from pairbench_ext.runs.task_comparison import Judge, check_same_truths, item_text
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.voting import NONE

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

_NAMED = 3  # questions that not all were asked


@dataclass(frozen=True)
class Questions:
    """What several judges were asked alike.

    Attributes:
        benchmark: whose questions they are.
        answers: what outcomes say.
        judges: names.
        outcomes: of each question, one of each judge, in their order.
        others: outcomes of the first judge that answer nothing.
        left_out: by judge, questions that not all were asked.
        strata: what clusters were drawn from, where a part of the items was asked about.
    """

    benchmark: Benchmark
    answers: Answers
    judges: tuple[str, ...]
    outcomes: tuple[tuple[Any, ...], ...]
    others: tuple[Any, ...]
    left_out: Mapping[str, LeftOut]
    strata: Mapping[Hashable, Sampled]

    @cached_property
    def truth(self) -> list[Any]:
        """The right answer to each question; None where there is none."""
        return [self.answers.truth(first) for first, *_ in self.outcomes]

    @cached_property
    def said(self) -> list[list[Any]]:
        """By judge, the answer to each question; None where it is unusable."""
        return [list(map(self.answers.said, own)) for own in zip(*self.outcomes, strict=True)]

    @cached_property
    def clusters(self) -> list[Hashable]:
        """Which cluster each question is in."""
        return [self.benchmark.cluster(first) for first, *_ in self.outcomes]

    @cached_property
    def cluster_codes(self) -> IntArray:
        """Shape (questions,): the same by number."""
        return codes_of(self.clusters)[1]

    @cached_property
    def weights(self) -> FloatArray:
        """Shape (questions,): what each weighs, where a part of the items was asked about; else 1.

        As `limit_items.weights_of`: the strata then have the shares that they have of all items.
        """
        known = weights_of(self.clusters, self.strata)
        return np.array([known.get(cluster, 1.0) for cluster in self.clusters], dtype=np.float64)

    @cached_property
    def options(self) -> list[Any]:
        """All answers that a choice can be, by their numbers in `choices`."""
        known = {one for said in (*self.said, self.truth) for one in said if one is not None}
        return sorted(known, key=repr)

    @cached_property
    def choices(self) -> IntArray:
        """Shape (judges, questions): numbers of the options chosen, -1 where unusable."""
        place = {option: number for number, option in enumerate(self.options)}
        rows = [[NONE if one is None else place[one] for one in said] for said in self.said]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def ratings(self) -> FloatArray:
        """Shape (judges, questions): numbers said, or numbers of options; NaN where unusable."""
        if self.answers.kind == "choice":
            return np.where(self.choices == NONE, np.nan, self.choices.astype(np.float64))
        rows = [[np.nan if one is None else float(one) for one in said] for said in self.said]
        return np.array(rows, dtype=np.float64)

    @cached_property
    def right(self) -> FloatArray:
        """Shape (judges, questions): 1 for a right choice, 0 for any other; NaN without a truth."""
        rows = [
            [np.nan if t is None else float(x == t) for x, t in zip(said, self.truth, strict=True)]
            for said in self.said
        ]
        return np.array(rows, dtype=np.float64)

    @cached_property
    def errors(self) -> FloatArray:
        """Shape (judges, questions): errors; NaN without a truth.

        1 where a choice is wrong or unusable, else 0; of ratings, how far they are above the truth,
        NaN where unusable.
        """
        if self.answers.kind == "choice":
            return np.asarray(1 - self.right)
        truth = np.array([np.nan if t is None else float(t) for t in self.truth])
        return np.asarray(self.ratings - truth)

    @cached_property
    def chance(self) -> float:
        """The accuracy of guesses: the mean of 1 / number of options."""
        shares = [1 / self.answers.choices(first) for first, *_ in self.outcomes]
        return float(np.mean(shares))

    def panel(self, decided: Sequence[Any]) -> list[Any]:
        """The outcomes of a panel that says this to each question; None where it says nothing."""
        made = [self.answers.saying(own, x) for own, x in zip(self.outcomes, decided, strict=True)]
        return [*self.others, *made]

    def of(self, judge: int, keep: npt.NDArray[np.bool_] | None = None) -> list[Any]:
        """A judge's outcomes, of some questions."""
        kept = range(len(self.outcomes)) if keep is None else np.flatnonzero(keep)
        return [*self.others, *(self.outcomes[place][judge] for place in kept)]

    def missed(self) -> tuple[str, ...] | None:
        """Items that no judge has right in more than half of its answers; None for ratings."""
        if self.answers.kind == "rating":
            return None
        right: dict[Hashable, list[npt.NDArray[np.float64]]] = {}
        for (first, *_), column in zip(self.outcomes, self.right.T, strict=True):
            if not np.isnan(column).any():
                right.setdefault(self.benchmark.item(first), []).append(column)
        shares = {item: np.mean(columns, axis=0) for item, columns in right.items()}
        return tuple(item_text(item) for item, share in shares.items() if share.max() <= 0.5)


class NothingInCommonError(RecordError):
    """No question that all judges were asked."""


def questions_of(benchmark: Benchmark, answers: Answers, judges: Mapping[str, Judge]) -> Questions:
    """The questions that all judges were asked.

    Raises:
        NothingInCommonError: if there is none.
        RecordError: if a judge's answers contradict each other, or judges were asked different
            things under the name of one question.
    """
    asked: dict[str, dict[Hashable, Any]] = {}
    others: tuple[Any, ...] = ()
    for name, judge in judges.items():
        _ = judge.whole.table  # it names answers that contradict each other
        named = [(answers.question(one), one) for one in each_once(judge.outcomes)]
        asked[name] = {question: one for question, one in named if question is not None}
        others = others or tuple(one for question, one in named if question is None)
    first, *more = asked.values()
    common = [question for question in first if all(question in own for own in more)]
    if not common:
        raise NothingInCommonError(f"no question that all of {', '.join(judges)} were asked")
    check_same_truths(benchmark, judges)
    shared = set(common)
    left = {name: [q for q in own if q not in shared] for name, own in asked.items()}
    return Questions(
        benchmark,
        answers,
        tuple(judges),
        tuple(tuple(own[question] for own in asked.values()) for question in common),
        others,
        {
            name: LeftOut(len(own), tuple(map(item_text, own[:_NAMED])))
            for name, own in left.items()
            if own
        },
        {cluster: one for judge in judges.values() for cluster, one in judge.strata.items()},
    )
