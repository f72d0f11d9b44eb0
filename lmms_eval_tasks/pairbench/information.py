"""Entropy and normalised mutual information of discrete samples.

PairBench ("Are Vision-Language Models Reliable at Comparing What They See?") measures Smoothness by
entropy (Section 2.2.3), and normalised mutual information is a variant of MMScore (Appendix C.2).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import entr, rel_entr

from pairbench_ext.statistics.kendall import count_table


def entropy(counts: npt.ArrayLike, base: float = math.e) -> float:
    """Shannon entropy of the distribution that the counts describe.

        H = -sum_k p_k log_base(p_k),  p_k = counts_k / sum(counts)

    Args:
        counts: how often each outcome occurred; zeros do not matter.
        base: of the logarithm; e gives nats, 2 gives bits.

    Returns:
        A number in [0, log_base(K)] for K outcomes; 0 if only one outcome occurred, NaN if none.

    Raises:
        ValueError: if a count is negative or not finite, or the base is not above 1.

    >>> entropy([5, 5], base=2)
    1.0
    """
    if not base > 1:
        raise ValueError(f"the base of a logarithm must be above 1 here, got {base}")
    values = np.asarray(counts, dtype=np.float64)
    if not np.all(np.isfinite(values) & (values >= 0)):
        raise ValueError(f"counts must be finite and not negative, got {values.tolist()}")
    total = values.sum()
    if total == 0:
        return math.nan
    return float(entr(values / total).sum() / math.log(base))


def normalized_mutual_information(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Mutual information of two samples over the arithmetic mean of their entropies.

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
    return float(normalized_mutual_information_from_counts(counts))


def normalized_mutual_information_from_counts(
    counts: npt.ArrayLike,
) -> float | npt.NDArray[np.float64]:
    """The same of one table of joint counts, or of a batch of them.

    Args:
        counts: shape (..., R, T). Empty rows and columns are allowed.

    Returns:
        In [0, 1], a float for one table, else an array of shape (...). NaN where at most one cell
        is not empty.

    >>> round(normalized_mutual_information_from_counts([[2, 0], [0, 3]]), 12)
    1.0
    """
    table = np.asarray(counts, dtype=np.float64)
    n = table.sum(axis=(-2, -1), keepdims=True)
    cells = np.divide(table, n, out=np.zeros_like(table), where=n > 0)
    rows, columns = cells.sum(axis=-1), cells.sum(axis=-2)
    information = rel_entr(cells, rows[..., :, None] * columns[..., None, :]).sum(axis=(-2, -1))
    entropies = entr(rows).sum(axis=-1) + entr(columns).sum(axis=-1)
    defined = (table > 0).sum(axis=(-2, -1)) > 1
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(defined, np.clip(2 * information / entropies, 0, 1), np.nan)
    return float(found) if found.ndim == 0 else found
