"""Findings that are a count of so many: binomial tests and Clopper and Pearson's intervals."""

from __future__ import annotations

from typing import Any, Literal

from scipy.stats import binomtest

from pairbench_ext.core.evidence.model import ALPHA, Finding
from pairbench_ext.statistics.bootstrap import exact_interval


def share_finding(
    hits: int, n: int, chance: float, *, side: Literal["greater", "two-sided"], **said: Any
) -> Finding:
    """A count of n, 1 or more, tested exactly against a chance.

    Args:
        hits: the count.
        n: of how many.
        chance: that each is a hit, if the null is right.
        side: of the test.
        said: the rest of the finding; the value is the share of hits.
    """
    p = float(binomtest(hits, n, chance, side).pvalue)
    able = min(binomtest(most, n, chance, side).pvalue for most in (0, n)) <= ALPHA
    return Finding(p=p, able=able, **share_of(hits, n), **said)


def share_of(hits: int, n: int) -> dict[str, Any]:
    """A share and its exact 95% interval, as a finding has them."""
    low, high = exact_interval(hits, n)
    return {"value": hits / n, "low": low, "high": high}
