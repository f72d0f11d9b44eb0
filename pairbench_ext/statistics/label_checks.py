"""Test people's labels: do they contradict the judge? Were the labelled items random?"""

import math

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.corrected import Mask
from pairbench_ext.statistics.estimate import Codes, FloatArray
from pairbench_ext.statistics.seeds import generator

_LEAST = 8  # clusters, below which a normal distribution is no approximation
_DRAWS = 1_999


def agreement_z(labels: FloatArray, verdicts: FloatArray, clusters: Codes) -> float:
    """Return a z-value: the correlation of labels with verdicts, in standard errors.

    Pearson's correlation of cluster means, by the square root of their number less one: that of a
    permutation test.

    Args:
        labels: shape (n,), of labelled items.
        verdicts: shape (n,).
        clusters: shape (n,), from 0, without gaps.

    Returns:
        NaN for fewer than eight clusters, or where labels or verdicts do not vary.
    """
    counts = np.maximum(np.bincount(clusters), 1)
    y, f = (np.bincount(clusters, weights) / counts for weights in (labels, verdicts))
    if len(y) < _LEAST or np.ptp(y) == 0 or np.ptp(f) == 0:
        return math.nan
    return float(np.corrcoef(y, f)[0, 1]) * math.sqrt(len(y) - 1)


def drawn_p(labelled: Mask, levels: Codes, strata: Codes) -> tuple[float, int]:
    """Test whether labelled units were drawn at random, by a property that all units have.

    For each value (level) of the property, the number of labelled units is compared with its exact
    distribution for draws without replacement within strata (a sum of hypergeometric ones), on
    both sides.

    Args:
        labelled: shape (n,).
        levels: shape (n,): the level of each unit, from 0.
        strata: shape (n,), from 0.

    Returns:
        The smallest p-value times the number of tests, at most 1, and the level that it is of; NaN
        and 0 where nothing can be told apart.

    >>> labelled = np.arange(20) < 8
    >>> p, level = drawn_p(labelled, (np.arange(20) >= 8).astype(int), np.zeros(20, int))
    >>> round(p, 6), level
    (1.6e-05, 0)
    """
    count = int(levels.max(initial=0)) + 1
    found = [
        (p, level)
        for level in range(count if count > 2 else 1)
        if not math.isnan(p := _level_p(labelled, levels == level, strata))
    ]
    if not found:
        return math.nan, 0
    p, level = min(found)
    return min(1.0, p * len(found)), level


def _level_p(labelled: Mask, of_level: Mask, strata: Codes) -> float:
    pmf: npt.NDArray[np.float64] = np.ones(1)
    seen = 0
    for stratum in np.unique(strata):
        among = strata == stratum
        total, drawn = int(among.sum()), int((among & labelled).sum())
        having = int((among & of_level).sum())
        least, most = max(0, drawn + having - total), min(drawn, having)
        if least < most:
            seen += int((among & labelled & of_level).sum()) - least
            pmf = np.convolve(
                pmf, scipy.stats.hypergeom.pmf(np.arange(least, most + 1), total, having, drawn)
            )
    if len(pmf) == 1:
        return math.nan
    return float(min(1.0, 2 * min(pmf[: seen + 1].sum(), pmf[seen:].sum())))


def bunched_p(labelled: Mask, clusters: Codes) -> float:
    """Test whether labelled items are in fewer clusters than chance would explain.

    By the number of pairs of labelled units in one cluster, against random draws of as many units.

    Args:
        labelled: shape (n,).
        clusters: shape (n,), from 0.

    Returns:
        The p-value; 1.0 where every cluster has one unit, or all or none are labelled.
    """
    sizes = np.bincount(clusters)
    n = int(labelled.sum())
    if sizes.max(initial=0) < 2 or n in (0, len(labelled)):
        return 1.0
    rng = generator(0, "bunched labels")
    pairs = [
        _pairs(clusters[rng.choice(len(clusters), n, replace=False, shuffle=False)])
        for _ in range(_DRAWS)
    ]
    observed = _pairs(clusters[labelled])
    return float((1 + sum(drawn >= observed for drawn in pairs)) / (_DRAWS + 1))


def _pairs(clusters: Codes) -> int:
    """Return how many ordered pairs of units are in one cluster."""
    counts = np.bincount(clusters)
    return int((counts * (counts - 1)).sum())
