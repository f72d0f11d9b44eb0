"""The statistics behind MMScore: Kendall's tau-b and the variants of Appendix C.2.

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

import math
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.bootstrap import OfCounts
from pairbench_ext.statistics.kendall import count_table, tau_b, tau_b_from_counts
from pairbench_ext.statistics.ranking import ndcg, spearman, spearman_from_counts

FloatArray = npt.NDArray[np.float64]


class Statistic(str, Enum):
    """The name of a statistic that MMScore can use."""

    KENDALL = "kendall"
    SPEARMAN = "spearman"
    NMI = "nmi"
    NDCG = "ndcg"


class Definition(NamedTuple):
    """How to compute a statistic from ratings and ground truths, or from a table of their counts.

    Attributes:
        title: what it is called.
        of: computes it; NaN where it is undefined.
        of_counts: the same from count tables, for resampling; None where it is no function of the
            shares of ratings and truths, so that resamples of another size say nothing.
    """

    title: str
    of: Callable[[FloatArray, FloatArray], float]
    of_counts: OfCounts | None


def entropy(counts: npt.ArrayLike, base: float = math.e) -> float:
    """Return the Shannon entropy of a distribution, given how often each outcome occurred.

        H = -sum_k p_k log_base(p_k),  p_k = counts_k / sum(counts)

    Args:
        counts: how often each outcome occurred; zeros do not matter.
        base: of the logarithm; e gives nats, 2 gives bits.

    Returns:
        A number in [0, log_base(K)] for K outcomes; 0 if only one outcome occurred, NaN if none.

    >>> entropy([5, 5], base=2)
    1.0
    """
    n = np.asarray(counts, dtype=np.float64)
    return float(scipy.special.entr(n / n.sum()).sum() / math.log(base)) if n.sum() else math.nan


def normalized_mutual_information(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return the mutual information of two samples, divided by their mean entropy.

        NMI = 2 I(x; y) / (H(x) + H(y))

    This is the default normalisation of scikit-learn's `normalized_mutual_info_score`. Values are
    labels: their order does not matter.

    Returns:
        A number in [0, 1]; 0 if exactly one sample is constant. NaN if both are or there is no
        observation (0 / 0; scikit-learn says 1).

    Raises:
        ValueError: if the samples are not of one length, not one-dimensional, or contain NaN.
        TypeError: if they are not numbers.

    >>> normalized_mutual_information([1, 1, 10, 10], [6, 6, 1, 1])
    1.0
    """
    counts, _, _ = count_table(x, y)
    return float(nmi_from_counts(counts))


def nmi_from_counts(counts: npt.ArrayLike) -> float | FloatArray:
    """Return the normalised mutual information of count tables, one number per table.

    Args:
        counts: shape (..., R, T). Empty rows and columns are allowed.

    Returns:
        In [0, 1], a float for one table, else an array of shape (...). NaN where at most one cell
        is not empty.

    >>> round(nmi_from_counts([[2, 0], [0, 3]]), 12)
    1.0
    """
    table = np.asarray(counts, dtype=np.float64)
    n = table.sum(axis=(-2, -1), keepdims=True)
    cells = np.divide(table, n, out=np.zeros_like(table), where=n > 0)
    rows, columns = cells.sum(axis=-1), cells.sum(axis=-2)
    information = scipy.special.rel_entr(cells, rows[..., :, None] * columns[..., None, :]).sum(
        axis=(-2, -1)
    )
    entropies = scipy.special.entr(rows).sum(axis=-1) + scipy.special.entr(columns).sum(axis=-1)
    defined = (table > 0).sum(axis=(-2, -1)) > 1
    with np.errstate(invalid="ignore", divide="ignore"):
        nmi = np.where(defined, np.clip(2 * information / entropies, 0, 1), np.nan)
    return float(nmi) if nmi.ndim == 0 else nmi


DEFINITIONS = {
    Statistic.KENDALL: Definition("Kendall's tau-b", tau_b, tau_b_from_counts),
    Statistic.SPEARMAN: Definition("Spearman's rank correlation", spearman, spearman_from_counts),
    Statistic.NMI: Definition(
        "normalised mutual information", normalized_mutual_information, nmi_from_counts
    ),
    Statistic.NDCG: Definition(
        "normalised discounted cumulative gain", lambda ratings, truths: ndcg(truths, ratings), None
    ),
}


def definition(name: str) -> Definition:
    """Return how to compute the statistic with this name.

    Raises:
        ValueError: if there is none.
    """
    return DEFINITIONS[Statistic(name)]
