"""The statistics that MMScore may be: Kendall's tau-b (Section 2.2.1) and those of Appendix C.2.

Each takes ratings and truths, shape (n,), unusable ratings as -1, and gives a number that grows
with agreement. The paper names them and no more; what it leaves open is settled so:

    kendall   [-1, 1]  tau-b, ties as Kendall has them; as the authors' code (scipy's `kendalltau`)
    spearman  [-1, 1]  Pearson's correlation of the ranks, ties at their mean rank
    nmi       [0, 1]   2 I(S; GT) / (H(S) + H(GT)); every distinct rating is a class, -1 too.
                       Ratings have no order: a judge that says 1 for 10 and 10 for 1 is perfect
    ndcg      [0, 1]   relevance is the truth, equal ratings share the mean gain of their places. It
                       depends on how many ratings there are, and a random judge is far above 0

The authors' code has Kendall's alone.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.information import (
    normalized_mutual_information,
    normalized_mutual_information_from_counts,
)
from pairbench_ext.statistics.bootstrap import OfCounts
from pairbench_ext.statistics.kendall import tau_b, tau_b_from_counts
from pairbench_ext.statistics.ranking import ndcg, spearman, spearman_from_counts

FloatArray = npt.NDArray[np.float64]


class Statistic(str, Enum):
    """The name of a statistic."""

    KENDALL = "kendall"
    SPEARMAN = "spearman"
    NMI = "nmi"
    NDCG = "ndcg"


class Variant(NamedTuple):
    """A statistic of ratings and truths.

    Attributes:
        title: what it is called.
        of: computes it; NaN where it is undefined.
        of_counts: the same from count tables, for resampling; None where it is no function of the
            shares of ratings and truths, so that resamples of another size say nothing.
    """

    title: str
    of: Callable[[FloatArray, FloatArray], float]
    of_counts: OfCounts | None


VARIANTS = {
    Statistic.KENDALL: Variant("Kendall's tau-b", tau_b, tau_b_from_counts),
    Statistic.SPEARMAN: Variant("Spearman's rank correlation", spearman, spearman_from_counts),
    Statistic.NMI: Variant(
        "normalised mutual information",
        normalized_mutual_information,
        normalized_mutual_information_from_counts,
    ),
    Statistic.NDCG: Variant(
        "normalised discounted cumulative gain",
        lambda ratings, truths: ndcg(truths, ratings),
        None,
    ),
}


def variant(name: str) -> Variant:
    """The statistic of a name.

    Raises:
        ValueError: if there is none, naming those that there are.
    """
    known = [one.value for one in Statistic]
    if name not in known:
        raise ValueError(f"unknown statistic {name!r}; known: {', '.join(known)}")
    return VARIANTS[Statistic(name)]
