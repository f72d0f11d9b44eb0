"""How far the judges of a panel agree, and err together."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from pairbench_ext.panel_questions import Questions
from pairbench_ext.panel_results import PairOfJudges
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.kappa import cohen_kappa
from pairbench_ext.statistics.panel import correlations, error_consistency


def pairs_of(asked: Questions) -> tuple[PairOfJudges, ...]:
    """Every two judges, over the questions to which both have usable answers.

    Errors are over all questions with a truth: an unusable choice is wrong.
    """
    together = correlations(asked.errors)
    return tuple(
        _pair(asked, i, j, float(together[i, j]))
        for i, j in combinations(range(len(asked.judges)), 2)
    )


def _pair(asked: Questions, i: int, j: int, error_correlation: float) -> PairOfJudges:
    scale = asked.answers.scale
    own = asked.ratings[[i, j]]
    x, y = own[:, ~np.isnan(own).any(axis=0)]
    choice = scale == "nominal"
    wrong = (asked.errors[i] == 1) & (asked.errors[j] == 1) & ~np.isnan(own).any(axis=0)
    same = own[0, wrong] == own[1, wrong]
    consistency = error_consistency(asked.errors[i], asked.errors[j]).value
    return PairOfJudges(
        a=asked.judges[i],
        b=asked.judges[j],
        questions=len(x),
        agreement=float((x == y).mean()) if choice and len(x) else math.nan,
        correlation=math.nan if choice or len(x) < 2 else correlation(x, y),
        kappa=cohen_kappa(x, y, scale).value,
        alpha=krippendorff_alpha(own, scale).value,
        error_correlation=error_correlation,
        error_consistency=consistency if choice else math.nan,
        same_error=float(same.mean()) if choice and same.size else math.nan,
    )
