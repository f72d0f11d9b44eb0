r"""The sign-flip test of a sum with one term per cluster, and the sum's 95% interval.

If neither side is better, the sign of every cluster's part d_c is a fair coin:

    p = P(|sum_c s_c d_c| >= |sum_c d_c|),  s_c = +1 or -1

For parts of 1, 0 and -1, that is the sign test. Fisher, "The Design of Experiments" (1935), Section
21; Edgington and Onghena, "Randomization Tests" (2007).

The interval holds every x for which the test of d_c - x w_c does not reject, for weights w_c that
sum to 1. With D = sum_c d_c, a = sum_c s_c d_c and b = sum_c s_c w_c, a flip is as large as what
was seen exactly for x between (D - a) / (1 - b) and (D + a) / (1 + b).
"""

import math
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.seeds import generator

FloatArray = npt.NDArray[np.float64]

_FLIPS = 9_999
_EXACT = 12  # clusters of which all flips are tried
_BLOCK = 2_000  # flips that are held as floats at a time
_KEPT = 2_000  # clusters of which the flips are kept for the next sum
_ROUNDING = 1e-9
_LEVEL = 0.05


class SignFlips:
    """The sign-flip test of a sum D, to which each cluster contributes one term.

    Args:
        parts: shape (n,); d_c.
        weights: shape (n,); w_c, which sum to 1; equal ones unless given.

    >>> round(SignFlips([1, 1, 1, 1, 1, -1, 0]).p, 5)
    0.21875
    """

    def __init__(self, parts: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> None:
        self._parts = np.asarray(parts, dtype=np.float64)
        n = len(self._parts)
        given = np.full(n, 1 / max(1, n)) if weights is None else weights
        self._weights = np.asarray(given, dtype=np.float64)
        self._tolerance = _ROUNDING * float(np.abs(self._parts).sum())

    @property
    def sum(self) -> float:
        """Return D, the sum of the clusters' contributions."""
        return float(self._parts.sum())

    @cached_property
    def p(self) -> float:
        """Return the two-sided p-value of "D is 0", in (0, 1]."""
        if abs(self.sum) <= self._tolerance:
            return 1.0
        as_large = np.abs(self._flipped[0]) >= abs(self.sum) - self._tolerance
        drawn = len(self._parts) > _EXACT  # the flip that was seen is one more
        return float((as_large.sum() + drawn) / (len(as_large) + drawn))

    @cached_property
    def interval(self) -> Interval:
        """Return the 95% interval of D; infinite if too few clusters exist to reject anything."""
        a, b = self._flipped
        with np.errstate(divide="ignore", invalid="ignore"):
            roots = np.stack([(self.sum - a) / (1 - b), (self.sum + a) / (1 + b)])
        roots[:, np.abs(b) > 1 - _ROUNDING] = [[-np.inf], [np.inf]]
        roots.sort(axis=0)
        # The test rejects where no more flips than these are as large.
        exact = len(self._parts) <= _EXACT
        rejected = math.floor(_LEVEL * (len(a) + (not exact)) + _ROUNDING) - (not exact)
        if rejected < 0:
            return Interval(-np.inf, np.inf)
        low, high = np.sort(roots[0])[rejected], np.sort(roots[1])[-1 - rejected]
        return Interval(float(low - self._tolerance), float(high + self._tolerance))

    @cached_property
    def _flipped(self) -> tuple[FloatArray, FloatArray]:
        """Return the sum of parts and of weights in each flip, a and b."""
        signs = _signs(len(self._parts)) if len(self._parts) <= _KEPT else _drawn(len(self._parts))
        both = np.stack([self._parts, self._weights], axis=1)
        blocks = range(0, len(signs), _BLOCK)
        sums = [signs[start : start + _BLOCK].astype(np.float64) @ both for start in blocks]
        a, b = np.concatenate(sums).T
        return a, b


@lru_cache(maxsize=4)
def _signs(n: int) -> npt.NDArray[np.int8]:
    """Return shape (flips, n): 1 or -1; all flips of few clusters."""
    if n > _EXACT:
        return _drawn(n)
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return (1 - 2 * bits).astype(np.int8)


def _drawn(n: int) -> npt.NDArray[np.int8]:
    drawn = generator(0, "sign flips", n).integers(0, 2, (_FLIPS, n), dtype=np.int8)
    signs: npt.NDArray[np.int8] = 1 - 2 * drawn
    return signs
