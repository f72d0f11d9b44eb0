r"""Lower bounds of the share of N items on which judge and people agree, from sampled labels.

N items have a verdict, n of them were drawn without replacement and labelled. That at least a share
`agree` of all N agrees with people is promised if fewer would seldom give as many labels that do:

    p = P(Hypergeometric(N, ceil(agree N) - 1, n) >= floor(sum of agreement)) <= delta

This is exact, and needs no assumption about images or prompts that items share: the draw alone is
random. Labels of a tie agree half, and the sum is rounded down.

Labels drawn within strata: with two, p is the largest probability, over all splits of the items
that agree into the strata, that the estimated total is as large as it is; with more it is Fisher's
product of the strata's p-values, the largest over all splits (log p is concave in the number of
items that agree, so that the largest sum takes the largest increments first).

Levels of confidence are tested from the strictest on, each at `delta`, until one is not promised
(fixed-sequence testing). Several tasks share `delta` by Holm's procedure: a task of which all
levels are promised passes its part on. The first level to be tested follows from numbers of items
and labels alone: with up to three levels it is the first at which labels that are all right would
do, with more the first at which a share half-way between `agree` and 1 would do.

Sampling without replacement: Wright, "Exact Confidence Bounds when Sampling from Small Finite
Universes" (1991). Fixed sequences: Bauer, "Multiple Testing in Clinical Trials", Statistics in
Medicine 10 (1991).
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.intervals import FloatArray

Counts = npt.NDArray[np.int64]

_SLACK, _LEAST_P = 1e-9, 1e-300
_FEW_LEVELS = 3
_SPLITS, _NEAREST = 300, 5  # of many splits, how many are looked at first, and which then


def below_p(items: Counts, labelled: Counts, right: FloatArray, agree: float) -> float:
    """Return the p-value of "judge and people agree on less than a given share of these items".

    Args:
        items: shape (strata,): how many items there are in each.
        labelled: shape (strata,): how many of them were drawn and labelled.
        right: shape (strata,): the sum of agreement of these.
        agree: the share, in (0, 1).

    Returns:
        The p-value: small where at least `agree` of the items agree.
    """
    kept = items > 0
    items, labelled, seen = items[kept], labelled[kept], np.floor(right[kept] + _SLACK).astype(int)
    if not labelled.sum():
        return 1.0
    most = math.ceil(agree * int(items.sum()) - _SLACK) - 1  # that agree, if the promise is wrong
    if len(items) == 1:
        return float(scipy.stats.hypergeom.sf(seen[0] - 1, items[0], most, labelled[0]))
    if len(items) == 2 and labelled.all():
        return _two_strata(items, labelled, seen, most)
    return _fisher(items, labelled, seen, most)


def _two_strata(items: Counts, labelled: Counts, seen: Counts, most: int) -> float:
    """Return the largest probability, over all splits, of an estimated total as large as it is."""
    ratio = items / labelled
    total = float(ratio @ seen)
    first = np.arange(int(labelled[0]) + 1)
    second = np.ceil((total - ratio[0] * first) / ratio[1] - _SLACK)  # at least, beside so many
    low, high = max(0, most - int(items[1])), min(int(items[0]), most)

    def of(splits: Counts) -> FloatArray:
        among = _pmf(int(items[0]), splits, int(labelled[0]))[:, :-1]
        beside = _at_least(int(items[1]), most - splits, int(labelled[1]))
        needed = second.clip(0, labelled[1] + 1).astype(np.int64)
        return np.asarray((among * beside[:, needed]).sum(axis=1))

    step = max(1, (high - low) // _SPLITS)
    coarse = np.append(np.arange(low, high + 1, step), high)
    p = of(coarse)
    if step > 1:  # all splits beside those that come near the largest: p is smooth
        near = coarse[np.argsort(p)[-_NEAREST:]]
        p = of(np.unique((near[:, None] + np.arange(-step, step + 1)).clip(low, high)))
    return min(1.0, float(p.max()))


def _fisher(items: Counts, labelled: Counts, seen: Counts, most: int) -> float:
    """Return Fisher's product of the strata's p-values, the largest over all splits."""
    if seen.sum() > most:
        return 0.0
    logs, increments = 0.0, []
    for total, n, k in zip(items, labelled, seen, strict=True):
        agreeing = np.arange(k, total - n + k + 1)
        log_p = np.log(np.maximum(_at_least(int(total), agreeing, int(n))[:, k], _LEAST_P))
        logs += float(log_p[0])
        increments.append(np.diff(log_p))
    rises = np.sort(np.concatenate(increments))[::-1]
    logs += float(rises[: max(0, most - int(seen.sum()))].sum())
    return float(scipy.stats.chi2.sf(-2 * min(logs, 0.0), 2 * len(items)))


def _at_least(items: int, agreeing: Counts, labelled: int) -> FloatArray:
    """Shape (splits, labelled + 2): how likely at least 0, 1, ... of the labelled items agree."""
    return np.asarray(np.cumsum(_pmf(items, agreeing, labelled)[:, ::-1], axis=1)[:, ::-1])


def _pmf(items: int, agreeing: Counts, labelled: int) -> FloatArray:
    """Return shape (splits, labelled + 2): how likely 0, 1, ... of the labelled items agree.

    As `scipy.stats.hypergeom.pmf`, which takes a hundred times as long for so many.
    """
    seen, k = np.arange(labelled + 2), agreeing[:, None]

    def choose(total: Any, some: Any) -> Any:  # its logarithm, minus infinity where impossible
        log = scipy.special.gammaln
        return log(total + 1) - log(some + 1) - log(total - some + 1)

    total = choose(items, labelled)
    return np.asarray(np.exp(choose(k, seen) + choose(items - k, labelled - seen) - total))


def least_share(items: Counts, labelled: Counts, right: FloatArray, delta: float) -> float:
    """Return a lower bound, to 0.1%, of the share of items on which judge and people agree."""
    shown = bisect_left(
        range(1, 1000),
        True,
        key=lambda share: below_p(items, labelled, right, share / 1000) > delta,
    )
    return shown / 1000


def first_level(items: Counts, labelled: Counts, agree: float, delta: float) -> int:
    """Return which confidence threshold to test first, from counts of items and labels.

    Args:
        items: shape (levels, strata): items at each level or a stricter one.
        labelled: shape (levels, strata).
        agree: the share to promise.
        delta: how often the promise may be wrong.
    """
    hoped = 1.0 if len(items) <= _FEW_LEVELS else (1 + agree) / 2
    enough = (
        level
        for level in range(len(items))
        if below_p(items[level], labelled[level], hoped * labelled[level], agree) <= delta
    )
    return next(enough, len(items) - 1)


def in_sequence(
    first: Sequence[int], p_values: Sequence[Sequence[float]], delta: float
) -> list[int | None]:
    """Return each task's lowest confidence threshold that passes the test; None if none passes.

    Args:
        first: of each task, the first level to be tested.
        p_values: of each task, of its levels, the strictest first.
        delta: how often the promises of all tasks together may be wrong.

    >>> in_sequence([0, 0], [[0.01, 0.02], [0.06, 0.5]], 0.1)
    [1, 0]
    """
    following = list(first)
    unfinished = set(range(len(first)))
    while True:
        done = set()
        for task in unfinished:
            levels = p_values[task]
            while following[task] < len(levels) and (
                levels[following[task]] <= delta / len(unfinished)
            ):
                following[task] += 1
            if following[task] == len(levels):
                done.add(task)
        unfinished -= done
        if not done or not unfinished:
            break
    return [n - 1 if n > start else None for n, start in zip(following, first, strict=True)]


def labels_to_decide(items: int, share: float, agree: float, delta: float, power: float) -> float:
    """Return how many labels the test needs so that it passes with probability `power`.

    Returns:
        The number, to 2%; infinite if `share` is below `agree`.

    >>> labels_to_decide(300, 0.9, 0.8, 0.1, 0.8) < labels_to_decide(3000, 0.9, 0.8, 0.1, 0.8)
    True
    """
    agreeing, most = round(share * items), math.ceil(agree * items - _SLACK) - 1
    if agreeing <= most:
        return math.inf
    for n in np.unique(np.geomspace(1, items, 200).astype(int)).tolist():
        least = scipy.stats.hypergeom.isf(delta, items, most, n) + 1
        if scipy.stats.hypergeom.sf(least - 1, items, agreeing, n) >= power:
            return float(n)
    return float(items)
