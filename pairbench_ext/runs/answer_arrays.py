"""What judges say side by side, as arrays: a row for each judge, a column for each question."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.benchmark import Outcome
from pairbench_ext.core.table import IntArray
from pairbench_ext.statistics.kappa import Scale
from pairbench_ext.statistics.voting import NONE

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Kind: TypeAlias = Literal["choice", "rating"]
Answer = TypeVar("Answer")


def aligned(
    judges: Sequence[Mapping[Hashable, Answer]],
) -> dict[Hashable, tuple[Answer | None, ...]]:
    """The answers of several judges by question, in the order in which they were first asked.

    Args:
        judges: of each judge, its answers by question.

    Returns:
        By question, an answer of each judge; None of those that were not asked.
    """
    questions = dict.fromkeys(question for answers in judges for question in answers)
    return {q: tuple(answers.get(q) for answers in judges) for q in questions}


@dataclass(eq=False)
class AnswerArrays:
    """What judges say to some questions.

    Attributes:
        answers: of all judges, question by question; None of those that were not asked.
        kind: what the answers are.
        ties: whether "none is better" is an answer besides the options.
    """

    answers: Sequence[tuple[Outcome | None, ...]]
    kind: Kind
    ties: bool = False

    @property
    def scale(self) -> Scale:
        """What differences of answers mean."""
        return "nominal" if self.kind == "choice" else "interval"

    @cached_property
    def first(self) -> list[Outcome]:
        """For each question, an answer of the first judge that was asked it: it has its fields."""
        return [next(filter(None, answers)) for answers in self.answers]

    @cached_property
    def by_judge(self) -> list[tuple[Outcome | None, ...]]:
        """The answers to all questions, judge by judge."""
        return list(zip(*self.answers, strict=True))

    @cached_property
    def truth(self) -> list[Any]:
        """The right answer to each question; None where there is none."""
        return [answer.truth for answer in self.first]

    @cached_property
    def clusters(self) -> list[Hashable]:
        """The cluster of each question."""
        return [answer.cluster for answer in self.first]

    @cached_property
    def said(self) -> list[list[Any]]:
        """By judge, the option or number that it says to each question; None where unusable."""
        return [[answer and answer.option for answer in answers] for answers in self.by_judge]

    @cached_property
    def unread(self) -> BoolArray:
        """Whether an answer cannot be used; False where a judge was not asked."""
        rows = [[a is not None and not a.usable for a in answers] for answers in self.by_judge]
        return np.array(rows, dtype=np.bool_)

    @cached_property
    def options(self) -> list[Any]:
        """All answers that a choice can be, by their numbers in `choices`."""
        return sorted({x for row in (*self.said, self.truth) for x in row if x is not None})

    @cached_property
    def choices(self) -> IntArray:
        """Numbers of the options chosen; -1 where there is none."""
        place = {option: number for number, option in enumerate(self.options)}
        rows = [[NONE if x is None else place[x] for x in of_judge] for of_judge in self.said]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def ratings(self) -> FloatArray:
        """Numbers said, or numbers of options; NaN where there is none."""
        if self.kind == "choice":
            return np.where(self.choices == NONE, np.nan, self.choices.astype(np.float64))
        return np.array(self.said, dtype=np.float64)  # None is NaN

    @cached_property
    def right(self) -> FloatArray:
        """1 for a right choice, 0 for any other; NaN without a truth."""
        rows = [
            [np.nan if a is None or a.truth is None else a.right for a in answers]
            for answers in self.by_judge
        ]
        return np.array(rows, dtype=np.float64)

    @cached_property
    def errors(self) -> FloatArray:
        """Errors; NaN without a truth.

        1 where a choice is wrong or unusable, else 0; of ratings, how far they are above the truth,
        NaN where unusable.
        """
        if self.kind == "choice":
            return np.asarray(1 - self.right)
        return np.asarray(self.ratings - np.array(self.truth, dtype=np.float64))

    @cached_property
    def chance(self) -> float:
        """The accuracy of guesses: the mean of 1 / number of options."""
        return float(np.mean([1 / (answer.options + self.ties) for answer in self.first]))
