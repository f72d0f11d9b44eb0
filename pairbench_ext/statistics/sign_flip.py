"""Is a sum of paired differences 0? The test of flipped signs.

If neither side is better, the sign of every cluster's difference d_c is a fair coin:

    p = P(|sum_c s_c d_c| >= |sum_c d_c|),  s_c = +1 or -1

For differences of 1, 0 and -1, that is the sign test. Fisher, "The Design of Experiments" (1935),
Section 21; Edgington and Onghena, "Randomization Tests" (2007).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.seeds import generator

_FLIPS = 2**13  # all of them for up to 13 clusters that differ; else as many are drawn


def sign_flip_test(differences: npt.ArrayLike) -> float:
    """Return the two-sided p-value that differences of clusters are as likely positive as negative.

    Args:
        differences: shape (n,); of each cluster, zeros allowed.

    Returns:
        In (0, 1]: 1 where no cluster differs, at least 2^(1 - n) for n that do.

    >>> sign_flip_test([1, 1, 1, 1, 1, -1, 0])
    0.21875
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    if len(values) < 2 or abs(values.sum()) <= 1e-9 * np.abs(values).sum():  # 0 but for rounding
        return 1.0
    flipped = scipy.stats.permutation_test(
        (values,),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=_FLIPS,
        batch=1000,
        random_state=generator(0, "sign flips", len(values)),
    )
    return float(flipped.pvalue)
