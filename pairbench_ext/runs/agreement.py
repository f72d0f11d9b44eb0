"""How far judges of one task agree: pair by pair, and on which items all of them fail."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.runs.answer_arrays import FloatArray
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import item_text
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.kappa import cohen_kappa
from pairbench_ext.statistics.panel import correlations


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


def pairs_of_judges(side: SideBySide) -> tuple[PairOfJudges, ...]:
    """The agreement of every two judges, over the questions to which both have usable answers.

    Errors are over all questions with a truth: an unusable choice is wrong.
    """
    together = correlations(side.arrays.errors)
    pairs = combinations(range(len(side.names)), 2)
    return tuple(_pair(side, i, j, float(together[i, j])) for i, j in pairs)


def _pair(side: SideBySide, i: int, j: int, error_correlation: float) -> PairOfJudges:
    both, errors = side.arrays.ratings[[i, j]], side.arrays.errors
    usable = ~np.isnan(both).any(axis=0)
    x, y = both[:, usable]
    agreement = consistency = same_error = spearman = math.nan
    if side.kind == "choice":
        wrong = (errors[i] == 1) & (errors[j] == 1) & usable
        agreement = _share(x == y)
        consistency = cohen_kappa(errors[i], errors[j]).value
        same_error = _share(both[0, wrong] == both[1, wrong])
    elif len(x) > 1:
        spearman = correlation(x, y)
    return PairOfJudges(
        a=side.names[i],
        b=side.names[j],
        questions=len(x),
        agreement=agreement,
        correlation=spearman,
        kappa=cohen_kappa(x, y, side.arrays.scale).value,
        alpha=krippendorff_alpha(both, side.arrays.scale).value,
        error_correlation=error_correlation,
        error_consistency=consistency,
        same_error=same_error,
    )


def _share(hits: npt.NDArray[np.bool_]) -> float:
    return float(hits.mean()) if hits.size else math.nan


def missed_by_all(side: SideBySide) -> tuple[str, ...] | None:
    """Items that no judge has right in more than half of its answers; None for ratings."""
    if side.kind == "rating":
        return None
    right: dict[Hashable, list[FloatArray]] = {}
    for first, column in zip(side.arrays.first, side.arrays.right.T, strict=True):
        if not np.isnan(column).any():
            right.setdefault(first.item, []).append(column)
    shares = {item: np.mean(columns, axis=0) for item, columns in right.items()}
    return tuple(item_text(item) for item, share in shares.items() if share.max() <= 0.5)
