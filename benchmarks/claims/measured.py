"""What a claim yields, and what several claims draw."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.combination import Resampled
from pairbench_ext.statistics.shares import mean_of_clusters

Array: TypeAlias = npt.NDArray[Any]
Generator: TypeAlias = np.random.Generator
ALPHA, NORMAL = 0.05, 1.96


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


def votes(rng: Generator, items: int, accuracy: float, *, whole: bool, votes: int = 10) -> Array:
    """Share of right votes of each item: all of them alike, or each by itself."""
    right: Array = (rng.random((items, 1 if whole else votes)) < accuracy).mean(axis=1)
    return right


def share(values: Array) -> Resampled:
    """A judge's share of right votes."""
    return Resampled(mean_of_clusters(values.astype(float), np.arange(len(values))))
