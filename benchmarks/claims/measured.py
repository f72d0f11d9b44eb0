"""What a claim yields."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import Interval

Array: TypeAlias = npt.NDArray[Any]
Generator: TypeAlias = np.random.Generator
ALPHA = 0.05


class Measured(NamedTuple):
    """What was simulated, a share of it, and the least and the most that are the goal."""

    case: str
    what: str
    share: np.floating[Any]
    least: float = 0.0
    most: float = 1.0


def of_level(cases: int) -> float:
    """Return how often a test of 5% may reject in so many cases: two standard errors more."""
    return ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / cases)


def rejected(case: str, p: Iterable[float], most: float | None = None) -> Measured:
    """How often a test finds a difference; where there is none, as often as `of_level` at most."""
    found = np.array([*p]) <= ALPHA
    goal = of_level(len(found)) if most is None else most
    return Measured(case, "p <= .05", np.mean(found), most=goal)


def holds(
    case: str, intervals: Iterable[Interval], truth: float, what: str = "interval holds"
) -> Measured:
    """How often intervals contain the true value."""
    held = [low - 1e-9 <= truth <= high + 1e-9 for low, high in intervals]
    return Measured(case, what, np.mean(held), least=0.93)
