"""What speaks against labels: that they contradict the judge, or were not drawn at random."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import norm

from pairbench_ext.statistics.corrected import Mask
from pairbench_ext.statistics.estimate import Codes, FloatArray

_LEAST = 8  # clusters, below which a normal distribution is no approximation


def agreement_z(labels: FloatArray, verdicts: FloatArray, clusters: Codes) -> float:
    """How far labels and verdicts rise together, in standard errors; below 0 if one falls.

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


def drawn_p(labelled: Mask, verdicts: FloatArray, clusters: Codes, strata: Codes) -> float:
    """Whether verdicts on labelled items differ from those on items drawn at random.

    Two-sided, by the normal distribution of the sum over strata of labelled verdicts, if any items
    (clusters, where these are alike) may have been drawn in each.

    Args:
        labelled: shape (n,).
        verdicts: shape (n,).
        clusters: shape (n,), from 0.
        strata: shape (n,), from 0.

    Returns:
        The p-value; NaN where verdicts do not vary, or all or no items of a stratum are labelled.
    """
    difference = variance = 0.0
    for stratum in np.unique(strata):
        known, among = labelled & (strata == stratum), strata == stratum
        n, total = int(known.sum()), int(among.sum())
        if 0 < n < total:
            sums = np.bincount(clusters[among], verdicts[among] - verdicts[among].mean())
            count = len(np.unique(clusters[among]))
            spread = float((sums**2).sum()) / total * count / max(count - 1, 1)
            difference += float(verdicts[known].sum() - n * verdicts[among].mean())
            variance += n * (1 - n / total) * spread
    return float(2 * norm.sf(abs(difference) / math.sqrt(variance))) if variance > 0 else math.nan
