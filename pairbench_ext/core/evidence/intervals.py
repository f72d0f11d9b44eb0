"""Numbers that are 0 for a judge without the ability: tested by their own interval."""

from __future__ import annotations

import math
from typing import Any

from scipy.special import ndtr, ndtri

from pairbench_ext.core.evidence.model import ALPHA, POWER, Aspect, Evidence, Finding

_WIDTH = 2 * float(ndtri(0.975))  # of a 95% interval, in standard errors


def above_zero(
    aspect: Aspect, number: str, title: str, *, says: str, null: str, flag: str, todo: str
) -> Evidence:
    """A number of the benchmark that should be above 0, and at best is 1.

    The standard error is that of a normal distribution with the number's interval. What is not
    above 0 is held against a judge if half of the best would have been shown.

    Args:
        aspect: what it is of.
        number: its name; it has an interval.
        title: in words.
        says: what the number is, before its value.
        null: what it means that it is 0.
        flag: the defect that this is.
        todo: what to do about it.
    """

    def find(run: Any) -> Finding | None:
        value, *ends = (
            run.numbers.get(name, math.nan) for name in (number, *run.benchmark.number(number).ends)
        )
        if math.isnan(value):
            return None
        told = f"{says} {value:.2f}"
        if len(ends) < 2 or not ends[1] > ends[0]:
            return Finding(told)
        error = (ends[1] - ends[0]) / _WIDTH
        p = float(ndtr(-value / error))
        able = error * float(ndtri(1 - ALPHA) + ndtri(POWER)) <= 0.5
        if able and p > ALPHA:
            told += ", no more than chance"
        return Finding(told, null, p, flag, todo, raised="kept", able=able)

    return Evidence(aspect, title, find, number)
