r"""Split the variance of a mean into two parts: the choice of items, and random answers.

A number is a mean of values x_qk: the k-th answer (repeat) to question q, K_q of them. Its variance
over samples of questions and answers is split as in a design with two stages:

    Var = Var(items) + Var(answers)
    Var(answers) = sum_q (n_q / N)^2 s_q^2 / K_q

for the variance s_q^2 (with K_q - 1) of the answers to q, and n_q of N values. `Var` is that of the
clusters' totals, as for clustered standard errors, so Var(items) is the difference, at least 0.
Twice the answers halve Var(answers); twice the items halve both.

Reference: Cochran, "Sampling Techniques" (1977), Section 10.3; for language models, Miller, "Adding
Error Bars to Evals" (2024), Section 3.2.
"""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.clusters import codes_of, variance_of_mean


class NoiseSplit(NamedTuple):
    """The variance of a mean in two parts: from the choice of items, and from random answers.

    Attributes:
        items: the part that other items would change.
        answers: the part that other answers to the same items would change ("prediction noise").
        repeats: mean number of answers to a question.
    """

    items: float
    answers: float
    repeats: float

    @property
    def total(self) -> float:
        """Return the whole variance of the mean: the sum of its two parts."""
        return self.items + self.answers

    @property
    def share_of_answers(self) -> float:
        """Return the share of the variance that comes from random answers; NaN if undefined."""
        return self.answers / self.total if self.total > 0 else math.nan

    def standard_error(self, *, items: float = 1, answers: float = 1) -> float:
        """Return the mean's standard error after multiplying the numbers of items and answers.

        >>> split = NoiseSplit(items=0.0009, answers=0.0007, repeats=5)
        >>> round(split.standard_error(), 3), round(split.standard_error(answers=math.inf), 3)
        (0.04, 0.03)
        """
        return math.sqrt((self.items + self.answers / answers) / items)

    def to_dict(self) -> dict[str, float]:
        """Return standard errors of the mean for JSON: now, and with more answers or items."""
        return {
            "standard_error": self.standard_error(),
            "share_of_answers": self.share_of_answers,
            "answers_per_item": self.repeats,
            "with_twice_the_answers": self.standard_error(answers=2),
            "with_any_number_of_answers": self.standard_error(answers=math.inf),
            "with_twice_the_items": self.standard_error(items=2),
        }

    def describe(self, what: str) -> list[str]:
        """Return two lines: how noisy the mean is, and how more answers or items would change that.

        Empty without noise.
        """
        if not self.total > 0:
            return []
        share = self.share_of_answers
        return [
            f"noise of {what}: standard error {self.standard_error():.4f}; {share:.0%} of the "
            f"variance comes from repeated answers ({self.repeats:.3g} to each item), "
            f"{1 - share:.0%} from the choice of items",
            "the standard error would be: with twice as many answers to each item "
            f"{self.standard_error(answers=2):.4f}, with unlimited answers "
            f"{self.standard_error(answers=math.inf):.4f}, with twice the items "
            f"{self.standard_error(items=2):.4f}",
        ]


def noise_split(
    values: npt.ArrayLike,
    questions: Sequence[Hashable],
    repeats: Sequence[Hashable],
    clusters: Sequence[Hashable],
) -> NoiseSplit | None:
    """Split a mean's variance into two parts: from the choice of items, and from random answers.

    Args:
        values: shape (n,).
        questions: of each value, what was asked.
        repeats: of each value, which time it was asked. Values of one repeat (its two orders) are
            one answer: their mean.
        clusters: of each value, which belong together; questions are within clusters.

    Returns:
        None where no question was asked twice, or there are fewer than two clusters.
    """
    x = np.asarray(values, dtype=np.float64)
    asked, of_answer = codes_of(zip(questions, repeats, strict=True))
    if not len(x):
        return None
    sizes = np.bincount(of_answer)
    answers = np.bincount(of_answer, x) / sizes
    _, question = codes_of(name for name, _ in asked)
    times = np.bincount(question)
    mean = np.bincount(question, answers) / times
    squares = np.bincount(question, (answers - mean[question]) ** 2)
    repeated = times > 1
    _, cluster = codes_of(clusters)
    if not repeated.any() or cluster.max() < 1:
        return None
    # Where a question was asked once, its answers vary as those of the others do.
    variance = np.full(len(times), squares[repeated].sum() / (times[repeated] - 1).sum())
    variance[repeated] = squares[repeated] / (times[repeated] - 1)
    share = np.bincount(question, sizes) / len(x)
    from_answers = float(np.sum(share**2 * variance / times))
    total = variance_of_mean(x, cluster)
    return NoiseSplit(max(0.0, total - from_answers), from_answers, float(times.mean()))
