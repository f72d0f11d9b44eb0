"""Agreement between raters: Krippendorff's alpha and the noise ceiling.

PairBench ("Are Vision-Language Models Reliable at Comparing What They See?", Appendix D.2) reports
both of its human study, and mean and spread of the ratings (Table 10). Ratings are a matrix of
shape (raters, items), NaN where a rater did not rate an item.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.kappa import FloatArray, Scale
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.shares import share


class Coefficient(NamedTuple):
    """A coefficient of agreement, or the reason why it is undefined.

    Attributes:
        value: NaN where it is undefined.
        reason: why it is undefined; empty where it is not.
    """

    value: float
    reason: str = ""


class Ceiling(NamedTuple):
    """The noise ceiling: how well each rater is predicted by the mean of the other raters.

    Attributes:
        value: mean over the raters for whom it is defined; NaN if there is none.
        by_rater: of each rater, in the order of the rows.
    """

    value: float
    by_rater: tuple[Coefficient, ...]


class Spread(NamedTuple):
    """The mean of ratings, their standard deviation, and how many there are.

    Attributes:
        mean: NaN without ratings.
        std: standard deviation of the sample (divided by n - 1); NaN for fewer than two ratings.
        n: number of ratings.
    """

    mean: float
    std: float
    n: int


def krippendorff_alpha(
    ratings: npt.ArrayLike, scale: Scale | Literal["ordinal"] = "interval"
) -> Coefficient:
    r"""Return Krippendorff's alpha: agreement beyond chance; raters may have skipped items.

        alpha = 1 - D_o / D_e
        D_o = sum_vw o_vw d(v, w),  D_e = sum_vw n_v n_w d(v, w) / (n - 1)

    o counts the ordered pairs of ratings of one item, each by 1 / (m - 1) for m ratings of that
    item; n_v is its sum over w, n that of n_v. d is 0 or 1 (nominal), the squared difference of
    values (interval), or that of their mean ranks, n_v / 2 + n_v' + ... + n_w / 2 (ordinal). Items
    with one rating are in no pair and leave the sums (Hayes and Krippendorff, 2007).

    Args:
        ratings: shape (raters, items), NaN for gaps.
        scale: what differences of ratings mean.

    Returns:
        At most 1; 0 is chance, negative is systematic disagreement. NaN if no item has two ratings,
        or if all ratings that are in pairs are equal, for then chance agrees as well.

    Raises:
        ValueError: if the ratings are no matrix, one is infinite, or there is no such scale.

    >>> krippendorff_alpha([[1, 2, 3], [1, 2, 3]]).value
    1.0
    >>> krippendorff_alpha([[1, 2], [float("nan")] * 2]).reason
    'no item has two ratings'
    """
    matrix = _matrix(ratings)
    matrix = matrix[:, np.sum(~np.isnan(matrix), axis=0) > 1]
    if not matrix.size:
        return Coefficient(math.nan, "no item has two ratings")
    values = np.unique(matrix[~np.isnan(matrix)])
    if len(values) == 1:
        return Coefficient(math.nan, f"all ratings are {values[0]:g}")
    counts = np.sum(matrix.T[:, :, None] == values, axis=1).astype(np.float64)  # (items, values)
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    totals = coincidences.sum(axis=1)
    distances = _distances(values, totals, scale)
    expected = totals @ distances @ totals / (totals.sum() - 1)
    return Coefficient(float(1 - np.sum(coincidences * distances) / expected))


def _distances(values: FloatArray, totals: FloatArray, scale: str) -> FloatArray:
    """Return the distance d of each pair of values, shape (k, k)."""
    if scale not in ("nominal", "interval", "ordinal"):
        raise ValueError(f"scale must be 'nominal', 'ordinal' or 'interval', not {scale!r}")
    places = np.cumsum(totals) - totals / 2 if scale == "ordinal" else values
    differences = places[:, None] - places
    return np.asarray((differences != 0) if scale == "nominal" else differences**2, np.float64)


def leave_one_out(ratings: npt.ArrayLike) -> Ceiling:
    """Return the noise ceiling: each rater's Spearman correlation with the other raters' mean.

    No judge can be expected to predict a person better than the other people do. A rater's
    correlation is over the items that somebody else rated, too.

    Args:
        ratings: shape (raters, items), NaN for gaps.

    Returns:
        The mean over the raters and each rater's own, in [-1, 1]; NaN for a rater who shares fewer
        than two items with others, or whose ratings of these (or their means) are all equal.

    Raises:
        ValueError: if the ratings are no matrix, or one is infinite.

    >>> leave_one_out([[1, 6, 10], [2, 5, 9], [1, 10, 9]]).value.__round__(3)
    0.833
    """
    matrix = _matrix(ratings)
    by_rater = tuple(_against_others(matrix, rater) for rater in range(len(matrix)))
    return Ceiling(mean_of_defined([coefficient.value for coefficient in by_rater]), by_rater)


def _against_others(matrix: FloatArray, rater: int) -> Coefficient:
    others = mean_of_raters(np.delete(matrix, rater, axis=0))
    shared = ~np.isnan(others) & ~np.isnan(matrix[rater])
    if np.sum(shared) < 2:
        return Coefficient(
            math.nan, f"this rater and others rated {np.sum(shared)} items in common, 2 are needed"
        )
    mine, theirs = matrix[rater, shared], others[shared]
    value = correlation(mine, theirs)
    if math.isnan(value):
        whose = "all ratings" if np.ptp(mine) == 0 else "all means of the other raters"
        return Coefficient(value, f"{whose} on the {np.sum(shared)} shared items are equal")
    return Coefficient(value)


def mean_of_raters(ratings: FloatArray) -> FloatArray:
    """Return each item's mean rating over the raters who rated it; NaN where nobody did."""
    counts = (~np.isnan(ratings)).sum(axis=0)
    return np.where(counts > 0, np.nansum(ratings, axis=0) / np.maximum(counts, 1), np.nan)


def spread(values: npt.ArrayLike) -> Spread:
    """Return the mean and standard deviation of ratings, as in Table 10 of the PairBench paper.

    >>> spread([9, 10, 10, 10])
    Spread(mean=9.75, std=0.5, n=4)
    """
    numbers = np.asarray(values, dtype=np.float64).ravel()
    mean = share(numbers)
    std = float(numbers.std(ddof=1)) if numbers.size > 1 else math.nan
    return Spread(mean, std, numbers.size)


def _matrix(ratings: npt.ArrayLike) -> FloatArray:
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"ratings must be a matrix (raters, items), got shape {matrix.shape}")
    if np.any(np.isinf(matrix)):
        raise ValueError("ratings must be finite, or NaN for gaps")
    return matrix
