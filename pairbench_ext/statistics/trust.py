r"""Find the verdicts that agree with people often enough, with a bounded error probability.

Verdicts have levels of confidence, the strictest first; to keep a level means to keep all stricter
ones too. Among the verdicts kept, the share that agrees with people is promised to be at least
`agree`, and the promise is wrong with probability at most `delta`:

-   One level. Each cluster c of labelled items (an image, a prompt) with n_c items kept, r_c of
    which agree, adds x_c = r_c - agree n_c. Under the hypothesis that the share is below `agree`,
    the mean of x_c over all clusters that there could be is at most 0. Its p-value is Gaffke's,

        p = P(sum_c w_c x_c + w_0 x_0 <= 0),   (w_0, w_1, ...) uniform on the simplex,

    with one cluster more than were seen: as large as the largest, and wrong throughout,
    x_0 = -agree max_c n_c. With one item in each cluster this is the test of Clopper and Pearson.
    Clusters that are wrong as one count as one; those whose items are independent count more.
    Gaffke, "Three Test Statistics for a Nonparametric One-Sided Hypothesis on the Mean of a
    Nonnegative Variable", Mathematical Methods of Statistics 14 (2005).
-   Several levels. They are tested from the strictest on, each at `delta`, until one is not
    promised (fixed-sequence testing), so that all promises together are wrong with probability at
    most `delta`: Bauer, "Multiple Testing in Clinical Trials", Statistics in Medicine 10 (1991);
    Angelopoulos et al., "Learn then Test" (2021); for judges Jung, Brahman and Choi, "Trust or
    Escalate" (ICLR 2025). The first level to be tested is the strictest one with enough labels: at
    which a share half-way between `agree` and 1 would be promised; if there is none, the loosest.
    Which one that is follows from the number of labels alone, not from what they say.

`python -m benchmarks.trust` measures how often promises are broken.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.difference import below_zero
from pairbench_ext.statistics.intervals import FloatArray
from pairbench_ext.statistics.seeds import generator

POWER = 0.8
_RESAMPLES = 200
_MOST_TIMES = 64  # as many labels as there are; further is no advice


class Level(NamedTuple):
    """The labelled verdicts that reach a confidence threshold, and whether they may be trusted.

    Attributes:
        labelled: how many there are.
        clusters: of how many clusters.
        agreement: the share that agrees with people; NaN without labels.
        bound: the share is at least this, with confidence 1 - delta, for this level alone.
        p: of the test that it is below what is to be promised.
        promised: whether this level, all levels together, is promised.
        testable: whether it has enough labels to be the first level that is tested.
    """

    labelled: int
    clusters: int
    agreement: float
    bound: float
    p: float
    promised: bool
    testable: bool = True


def promises(
    levels: npt.ArrayLike,
    agreement: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    agree: float,
    delta: float,
    largest: Sequence[float] = (),
    bounds: bool = True,
    weights: npt.ArrayLike | None = None,
) -> list[Level]:
    """Return for each confidence threshold whether the verdicts that reach it may be trusted.

    Args:
        levels: shape (n,); of each labelled verdict, 0 the strictest.
        agreement: shape (n,), in [0, 1]; whether it agrees with people.
        clusters: shape (n,); codes of the clusters, from 0 on.
        agree: the share to promise, in (0, 1).
        delta: how often all promises together may be wrong, in (0, 1).
        largest: of each level, how many labels a cluster could have, where there may be larger
            clusters than those that are labelled.
        bounds: whether to compute the bound of each level, which takes most of the time.
        weights: shape (n,): how many items a label stands for, of all labels 1 on average, where
            items were drawn with unequal probabilities.

    Returns:
        One for each level from 0 to the highest, each with the verdicts of all stricter ones.
    """
    codes = np.asarray(levels, dtype=np.int64)
    right, at = np.asarray(agreement, dtype=np.float64), np.asarray(clusters)
    w = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = [codes <= level for level in range(int(codes.max(initial=-1)) + 1)]
    sums = [_by_cluster(right[k], at[k], w[k]) for k in kept]
    found: list[Level] = []
    is_open, is_testable = True, False
    for level, (hits, n) in enumerate(sums):
        most = max([*n, *largest[level : level + 1], 0.0])
        p = _p_value(hits, n, agree, most)
        is_testable |= level == len(sums) - 1 or _is_enough(n, agree, delta, most)
        is_open &= not is_testable or p <= delta
        share = float(hits.sum() / n.sum()) if n.size else math.nan
        bound = _bound(hits, n, delta, most) if bounds else math.nan
        promised, labelled = bool(is_open and is_testable), int(kept[level].sum())
        found.append(Level(labelled, n.size, share, bound, p, promised, bool(is_testable)))
    return found


def more_labels(
    levels: npt.ArrayLike,
    agreement: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    agree: float,
    delta: float,
    weights: npt.ArrayLike,
) -> float:
    """Return how many more labels the test needs to pass, if they agree as often as these.

    Clusters of labelled verdicts are drawn again, more of them, until some level is promised in a
    share of 80% of the draws. Arguments are those of `promises`.

    Returns:
        The number, at least 1; infinite if 64 times as many would not do, NaN without labels.
    """
    at, right = np.asarray(levels, dtype=np.int64), np.asarray(agreement, dtype=np.float64)
    codes, w = np.asarray(clusters, dtype=np.int64), np.asarray(weights, dtype=np.float64)
    n_clusters = len(np.unique(codes))
    sums = [  # of each level, by cluster: verdicts that agree, and all that are kept
        np.array([np.bincount(codes, (at <= level) * values) for values in (w * right, w)])
        for level in range(int(at.max(initial=-1)) + 1)
    ]
    if not sums:
        return math.nan

    def is_promised(drawn: npt.NDArray[np.int64]) -> bool:
        for level, (hits, n) in enumerate(level_sums[:, drawn] for level_sums in sums):
            if level == len(sums) - 1 or _is_enough(n, agree, delta, n.max()):
                return _p_value(hits, n, agree, n.max()) <= delta
        return False

    def suffices(n: int) -> bool:
        draws = generator(0, "more labels", n).integers(0, n_clusters, (_RESAMPLES, n))
        return sum(map(is_promised, draws)) >= POWER * _RESAMPLES

    low, high = n_clusters, n_clusters + 1
    while not suffices(high):
        low, high = high, 2 * high
        if high > _MOST_TIMES * n_clusters:
            return math.inf
    while high - low > max(1, low // 20):  # to 5%: the draws tell no more
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return math.ceil((high - n_clusters) * len(at) / n_clusters)


def labels_needed(share: float, agree: float, delta: float, power: float = POWER) -> float:
    """Return the number of labels with which the test of one confidence threshold can pass.

    Args:
        share: of the verdicts of that level that agree with people.
        agree: the share to promise.
        delta: how often the promise may be wrong.
        power: how often it can be made.

    Returns:
        The smallest number from which on it is so; infinite if `share` is not above `agree`.

    >>> labels_needed(0.9, 0.8, 0.1), labels_needed(1.0, 0.8, 0.1)
    (75, 11)
    """
    if share <= agree:
        return math.inf
    n = np.arange(1, 100_001)
    least = scipy.stats.binom.isf(delta, n, agree) + 1  # right verdicts with p <= delta
    enough = scipy.stats.binom.sf(least - 1, n, share) >= power
    return math.inf if not enough[-1] else int(n[len(n) - np.argmin(enough[::-1])])


def _by_cluster(
    right: FloatArray, clusters: npt.NDArray[np.int64], weights: FloatArray
) -> tuple[FloatArray, ...]:
    """Return the weights of verdicts that agree, and of all, of each cluster that has any."""
    codes = np.unique(clusters, return_inverse=True)[1]
    return tuple(np.bincount(codes, w).astype(np.float64) for w in (right * weights, weights))


def _p_value(right: FloatArray, n: FloatArray, agree: float, largest: float) -> float:
    return below_zero(np.append(right - agree * n, -agree * largest)) if n.size else 1.0


def _is_enough(n: FloatArray, agree: float, delta: float, largest: float) -> bool:
    """Return whether a share half-way between `agree` and 1 would be promised."""
    return _p_value(n * (1 + agree) / 2, n, agree, largest) <= delta


def _bound(right: FloatArray, n: FloatArray, delta: float, largest: float) -> float:
    if not right.sum() > 0:
        return 0.0 if n.size else math.nan
    return float(
        scipy.optimize.brentq(lambda x: _p_value(right, n, x, largest) - delta, 1e-9, 1 - 1e-9)
    )
