r"""The alternative annotator test: may a judge replace one of the people who rate items?

Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge: How to
Statistically Justify Replacing Human Annotators with LLMs" (ACL 2025, arxiv.org/abs/2501.10970),
Section 3. Annotator j is set aside; whoever is nearer to the others' ratings of item i wins it:

    W^f_ij = 1 if S(judge, i, j) >= S(j, i, j), else 0;  W^h_ij likewise, so both win a tie
    H0_j: mean_i W^f_ij <= mean_i W^h_ij - epsilon

S is the share of the others who say the same (labels) or the negative root of the mean squared
difference from them (numbers). With d_ij = W^h_ij - W^f_ij, H0_j is tested by a one-sided t-test of
mean d < epsilon; p-values of all annotators are adjusted by Benjamini and Yekutieli's procedure.

    omega = share of annotators for whom H0_j is rejected (the winning rate); >= 0.5 passes
    rho = mean_j mean_i W^f_ij (the average advantage probability)

epsilon is what a judge may be worse by and still be worth its lower price: the authors advise 0.2
where people are experts, 0.15 where they are trained, 0.1 for crowd workers.

What differs from the paper: items that belong together (images of one prompt, pairs of one source
row) are one observation of the t-test, by the clustered standard error; with each item a cluster of
its own it is the paper's. For fewer than 30 clusters the paper advises Wilcoxon's signed-rank test;
an annotator with fewer is not tested here, as in the authors' code, and said so.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.clusters import variance_of_mean
from pairbench_ext.statistics.kappa import FloatArray, Scale

EPSILON = 0.2
PASSES = 0.5  # of the annotators
LEVEL = 0.05  # of false discoveries
LEAST = 30  # clusters of an annotator, for the t-test


class AgainstAnnotator(NamedTuple):
    """The result of testing the judge against one annotator.

    Attributes:
        advantage: share of items on which the judge is at least as near to the others.
        annotators: the same of the annotator.
        n: how many items.
        p: one-sided, not adjusted; NaN if not tested.
        adjusted: by Benjamini and Yekutieli.
        reason: why it is not tested; empty if it is.
    """

    advantage: float
    annotators: float
    n: int
    p: float
    adjusted: float = math.nan
    reason: str = ""

    @property
    def wins(self) -> bool:
        """Return True if the judge wins this test against the annotator."""
        return self.adjusted <= LEVEL


class AltTest(NamedTuple):
    """The result of the alternative annotator test over all annotators.

    Attributes:
        winning_rate: omega, in [0, 1] over the annotators who are tested; NaN if none is.
        advantage: rho, in [0, 1] over the same.
        epsilon: as given.
        by_annotator: in the order of the rows.
    """

    winning_rate: float
    advantage: float
    epsilon: float
    by_annotator: tuple[AgainstAnnotator, ...]

    @property
    def passes(self) -> bool | None:
        """Return True if the judge may replace an annotator; None if no one could be tested."""
        return None if math.isnan(self.winning_rate) else self.winning_rate >= PASSES


def alternative_annotator_test(
    judge: npt.ArrayLike,
    ratings: npt.ArrayLike,
    scale: Scale = "interval",
    epsilon: float = EPSILON,
    clusters: npt.ArrayLike | None = None,
) -> AltTest:
    """Test whether a judge may replace one of the annotators who rated the items.

    Args:
        judge: shape (items,), NaN where it says nothing: these items are left out.
        ratings: shape (annotators, items), NaN for gaps; of labels, a number for each.
        scale: labels or numbers.
        epsilon: in [0, 1).
        clusters: shape (items,); which belong together, by any number. Each by itself if None.
    """
    judged, matrix = np.asarray(judge, dtype=np.float64), np.asarray(ratings, dtype=np.float64)
    groups = np.arange(len(judged)) if clusters is None else np.asarray(clusters)
    results = [_against(judged, matrix, j, scale, epsilon, groups) for j in range(len(matrix))]
    tested = [place for place, result in enumerate(results) if not result.reason]
    if not tested:
        return AltTest(math.nan, math.nan, epsilon, tuple(results))
    adjusted = scipy.stats.false_discovery_control([results[n].p for n in tested], method="by")
    for place, p in zip(tested, adjusted, strict=True):
        results[place] = results[place]._replace(adjusted=float(p))
    wins = [results[place].wins for place in tested]
    rho = math.fsum(results[place].advantage for place in tested) / len(tested)
    return AltTest(sum(wins) / len(wins), rho, epsilon, tuple(results))


def _against(
    judge: FloatArray,
    ratings: FloatArray,
    annotator: int,
    scale: Scale,
    epsilon: float,
    clusters: npt.NDArray[np.int64],
) -> AgainstAnnotator:
    theirs = ratings[annotator]
    others = np.delete(ratings, annotator, axis=0)
    shared = ~np.isnan(judge) & ~np.isnan(theirs) & (~np.isnan(others)).any(axis=0)
    n_clusters = len(np.unique(clusters[shared]))
    if not shared.any():
        return AgainstAnnotator(math.nan, math.nan, 0, math.nan, reason="shares no item")
    scores = [_score(x[shared], others[:, shared], scale) for x in (judge, theirs)]
    wins = [scores[0] >= scores[1], scores[1] >= scores[0]]
    advantage, annotators = (float(share.mean()) for share in wins)
    result = AgainstAnnotator(advantage, annotators, int(shared.sum()), math.nan)
    if n_clusters < LEAST:
        why = f"shares {n_clusters} clusters of items with other people, but {LEAST} are needed"
        return result._replace(reason=why)
    differences = wins[1].astype(np.float64) - wins[0]
    return result._replace(p=_less_than(differences, epsilon, clusters[shared]))


def _score(values: FloatArray, others: FloatArray, scale: Scale) -> FloatArray:
    """Return the score of a rater, or of the judge, against the others, item by item."""
    if scale == "nominal":
        equal = np.where(np.isnan(others), np.nan, (others == values).astype(np.float64))
        near = np.nanmean(equal, axis=0)
    else:
        near = -np.sqrt(np.nanmean((others - values) ** 2, axis=0))
    return np.asarray(np.round(near, 12))  # what is equal must not win by the last bit


def _less_than(values: FloatArray, bound: float, clusters: npt.NDArray[np.int64]) -> float:
    """The p-value of a one-sided t-test that the mean is below a bound, clusters as wholes."""
    _, codes = np.unique(clusters, return_inverse=True)
    mean, variance = float(values.mean()), variance_of_mean(values, codes)
    if variance <= 0:
        return 0.0 if mean < bound else 1.0
    return float(scipy.stats.t.cdf((mean - bound) / math.sqrt(variance), int(codes.max())))
