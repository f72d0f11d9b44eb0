"""Is a sum of paired differences 0? Exact and near-exact tests by flipping signs.

Two judges are compared on the same clusters (items, source rows). If neither is better, each could
as well have given what the other gave, so the sign of every cluster's difference d_c is a fair
coin. The p-value is the share of all 2^n assignments of signs whose sum is at least as far from 0:

    p = P(|sum_c s_c d_c| >= |sum_c d_c|),  s_c = +1 or -1

For differences of 1, 0 and -1, that is McNemar's exact test. Fisher, "The Design of Experiments"
(1935), Section 21; Edgington and Onghena, "Randomization Tests" (2007).
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import binom

FloatArray: TypeAlias = npt.NDArray[np.float64]
Method: TypeAlias = Literal["none", "McNemar, exact", "signs, exact", "signs, saddlepoint"]

_ROUNDING = 1e-9
_MOST_ENUMERATED = 16  # clusters that differ: 65,536 sums
_FINEST = 12  # parts of the smallest difference in which all others are counted
_MOST_STEPS = 20_000  # between the lowest and the highest sum


class SignTest(NamedTuple):
    """A two-sided p-value, and how it was computed."""

    p: float
    method: Method


def sign_flip_test(differences: npt.ArrayLike) -> SignTest:
    """Test that the differences of clusters are as likely positive as negative.

    Differences that are whole multiples of one step are summed exactly, and so are those of up to
    16 clusters. For more, the distribution is Lugannani and Rice's saddlepoint approximation, whose
    relative error stays below a few percent in the tails: Robinson, "Saddlepoint Approximations for
    Permutation Tests and Confidence Intervals", Journal of the Royal Statistical Society B 44
    (1982). Nothing is drawn at random.

    Args:
        differences: shape (n,); of each cluster, zeros allowed.

    Returns:
        p in (0, 1]: 1 where no cluster differs, at least 2^(1 - n) for n that do.

    Raises:
        ValueError: if a difference is not a finite number.

    >>> sign_flip_test([1, 1, 1, 1, 1, -1, 0])
    SignTest(p=0.21875, method='McNemar, exact')
    """
    given = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(given).all():
        raise ValueError("differences must be finite numbers")
    sizes = np.abs(given)
    largest = sizes.max(initial=0.0)
    sizes = sizes[sizes > largest * _ROUNDING]
    observed = abs(float(given.sum()))
    if not sizes.size:
        return SignTest(1.0, "none")
    steps = _steps(sizes)
    if steps is not None:
        numbers, step = steps
        alike = numbers.min() == numbers.max()
        p = _two_sided_exact(numbers, round(observed / step))
        return SignTest(_bounded(p, len(sizes)), "McNemar, exact" if alike else "signs, exact")
    if len(sizes) <= _MOST_ENUMERATED:
        return SignTest(_enumerated(sizes, observed), "signs, exact")
    return SignTest(_bounded(_saddlepoint(sizes, observed), len(sizes)), "signs, saddlepoint")


def _bounded(p: float, n: int) -> float:
    return float(min(1.0, max(p, math.ldexp(1.0, 1 - n), 5e-324)))


def _steps(sizes: FloatArray) -> tuple[npt.NDArray[np.int64], float] | None:
    """The sizes as whole multiples of a step, and the step; None where there is none such."""
    smallest = float(sizes.min())
    for parts in range(1, _FINEST + 1):
        multiples = sizes / (smallest / parts)
        numbers = np.rint(multiples)
        if np.all(np.abs(multiples - numbers) < 1e-6):
            whole = numbers.astype(np.int64)
            alike = whole.min() == whole.max()
            return (whole, smallest / parts) if alike or whole.sum() <= _MOST_STEPS else None
    return None


def _two_sided_exact(numbers: npt.NDArray[np.int64], observed: int) -> float:
    """P(|sum of +- numbers| >= observed), by convolution of one binomial per size."""
    if numbers.min() == numbers.max():
        n = len(numbers)
        at_least = math.ceil((n + observed / int(numbers[0])) / 2 - _ROUNDING)
        return 1.0 if observed == 0 else 2 * float(binom.sf(at_least - 1, n, 0.5))
    probabilities = np.ones(1)
    for size, count in zip(*np.unique(numbers, return_counts=True), strict=True):
        # k of `count` are positive: the sum is size * (2 k - count)
        spread = np.zeros(2 * size * count + 1)
        spread[:: 2 * size] = binom.pmf(np.arange(count + 1), count, 0.5)
        probabilities = np.convolve(probabilities, spread)
    sums = np.arange(len(probabilities)) - int(numbers.sum())
    return float(probabilities[np.abs(sums) >= observed].sum())


def _enumerated(sizes: FloatArray, observed: float) -> float:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(np.abs(sums) >= observed * (1 - _ROUNDING)))


def _saddlepoint(sizes: FloatArray, observed: float) -> float:
    """2 P(S >= observed) for S = sum of +- sizes, with K(t) = sum log cosh(t d)."""
    scaled = sizes / math.sqrt(float(np.sum(sizes**2)))
    x = observed / math.sqrt(float(np.sum(sizes**2)))
    if x < 1e-4:
        return 1.0
    if x >= scaled.sum() * (1 - 1e-7):
        return 0.0  # all signs are the same: the caller's bound is exact

    t = _tilt(scaled, x)
    product = t * scaled
    log_cosh = product + np.log1p(np.exp(-2 * product)) - math.log(2)
    curvature = float(np.sum((scaled / np.cosh(np.minimum(product, 350))) ** 2))
    w = math.sqrt(max(2 * (t * x - float(log_cosh.sum())), 0.0))
    u = t * math.sqrt(curvature)
    if w < 1e-3 or u <= 0:
        return float(2 * ndtr(-x))
    tail = ndtr(-w) + math.exp(-w * w / 2) / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    return float(2 * tail)


def _tilt(sizes: FloatArray, x: float) -> float:
    """The t at which K'(t) = x, by a search: K' rises."""

    def slope(t: float) -> float:
        return float(np.sum(sizes * np.tanh(t * sizes)))

    high = 1.0
    while slope(high) < x:
        high *= 2
    return float(brentq(lambda t: slope(t) - x, 0, high, xtol=1e-15))
