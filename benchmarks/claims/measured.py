"""What a claim yields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import Interval

Array: TypeAlias = npt.NDArray[Any]
Generator: TypeAlias = np.random.Generator
ALPHA = 0.05


class Measured(NamedTuple):
    """A share of simulated cases.

    Attributes:
        case: what was simulated.
        what: what the share is of.
        share: of the repetitions.
        least: the goal: no less.
        most: the goal: no more.
    """

    case: str
    what: str
    share: np.floating[Any]
    least: float = 0.0
    most: float = 1.0


def rejected(case: str, p: Iterable[float], most: float = 0.07) -> Measured:
    """How often a test finds a difference."""
    return Measured(case, "p <= .05", np.mean(np.array([*p]) <= ALPHA), most=most)


def holds(
    case: str, intervals: Iterable[Interval], truth: float, what: str = "interval holds"
) -> Measured:
    """How often intervals contain the true value."""
    held = [low - 1e-9 <= truth <= high + 1e-9 for low, high in intervals]
    return Measured(case, what, np.mean(held), least=0.93)
