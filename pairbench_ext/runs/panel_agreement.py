"""How far the judges of a panel agree, and err together."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from pairbench_ext.runs.panel_questions import Questions
from pairbench_ext.runs.panel_results import PairOfJudges
from pairbench_ext.statistics.agreement import krippendorff_alpha
from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.kappa import cohen_kappa
from pairbench_ext.statistics.panel import correlations, error_consistency


def pairs_of(asked: Questions) -> tuple[PairOfJudges, ...]:
    """Every two judges, over the questions to which both have usable answers.

    Errors are over all questions with a truth: an unusable choice is wrong. Where a part of the
    items was asked about, questions are weighted as its means are, but for Spearman's correlation:
    ranks are not weighted.
    """
    together = correlations(asked.errors, asked.weights)
    return tuple(
        _pair(asked, i, j, float(together[i, j]))
        for i, j in combinations(range(len(asked.judges)), 2)
    )


def _pair(asked: Questions, i: int, j: int, error_correlation: float) -> PairOfJudges:
    scale = asked.answers.scale
    own = asked.ratings[[i, j]]
    usable = ~np.isnan(own).any(axis=0)
    (x, y), weights = own[:, usable], asked.weights[usable]
    choice = scale == "nominal"
    wrong = (asked.errors[i] == 1) & (asked.errors[j] == 1) & usable
    same = own[0, wrong] == own[1, wrong]
    consistency = error_consistency(asked.errors[i], asked.errors[j], asked.weights).value
    return PairOfJudges(
        a=asked.judges[i],
        b=asked.judges[j],
        questions=len(x),
        agreement=float(np.average(x == y, weights=weights)) if choice and len(x) else math.nan,
        correlation=math.nan if choice or len(x) < 2 else correlation(x, y),
        kappa=cohen_kappa(x, y, scale, weights).value,
        alpha=krippendorff_alpha(own, scale, asked.weights).value,
        error_correlation=error_correlation,
        error_consistency=consistency if choice else math.nan,
        same_error=float(np.average(same, weights=asked.weights[wrong]))
        if choice and same.size
        else math.nan,
    )
