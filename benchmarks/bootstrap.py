"""The bootstrap of MMScore: resampled count tables, against scipy on resampled ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from benchmarks.common import Line, as_time, best_seconds, compared, require, say
from lmms_eval_tasks.pairbench.intervals import MeanOfTables
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from pairbench_ext.statistics.bootstrap import ClusterTables, cluster_weights
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.seeds import generator

_TOLERANCE = 1e-12

Array = npt.NDArray[Any]


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        rows: source rows; 12 ratings each.
        resamples: of the bootstrap.
        looped: resamples that the loop really does; the rest is extrapolated.
        rounds: of which the best counts.
    """

    rows: int = 5_834
    resamples: int = 1_000
    looped: int = 10
    rounds: int = 5


FULL = Size()


class Ratings(NamedTuple):
    """The ratings under one condition: rating, truth and row of each."""

    rating: Array
    truth: Array
    row: Array

    def tau(self, drawn: Array) -> float:
        """Kendall's tau-b of a resample: each rating as often as its row was drawn."""
        chosen = np.repeat(np.arange(len(self.row)), drawn[self.row])
        return float(kendalltau(self.rating[chosen], self.truth[chosen]).statistic)


def run(folder: Path, size: Size = FULL) -> list[Line]:
    """Rows for the bootstrap against a loop."""
    del folder
    n = 12 * size.rows
    say(f"bootstrap: {n:,} ratings")
    parts = [ratings(size.rows, condition) for condition in CONDITIONS]
    drawn = cluster_weights(size.rows, size.resamples)
    weights = drawn[: size.looped]
    resampled = statistic(parts, size.rows).resampled(drawn)[: size.looped]
    error = np.max(np.abs(by_loop(parts, weights) - resampled))
    require(bool(error <= _TOLERANCE), f"the resamples, by {error}")
    best = best_seconds(
        "bootstrap",
        {
            "ours": lambda: statistic(parts, size.rows).resampled(
                cluster_weights(size.rows, size.resamples)
            ),
            "interval": lambda: cluster_interval(statistic(parts, size.rows), size.resamples),
            "loop": lambda: by_loop(parts, weights),
        },
        size.rounds,
    )
    loop = best["loop"] * size.resamples / size.looped
    how = f"scipy after np.repeat (from {size.looped})"
    what = f"MMScore of {n:,} ratings"
    return [
        compared(f"{what}, {size.resamples:,} resamples", best["ours"], loop, as_time, how),
        compared(f"{what}, the whole interval", best["interval"], loop, as_time, how),
    ]


def ratings(rows: int, condition: Any) -> Ratings:
    """Ratings of a fair judge: truth plus noise, rounded, one in fifty unusable (-1)."""
    rng = generator(0, "benchmark ratings", condition)
    truth = np.tile([TRUTH[kind][condition] for kind in TRUTH for _ in ORDERS], rows)
    noisy = np.clip(np.rint(truth + rng.normal(0, 2, len(truth))), 1, 10)
    rating = np.where(rng.random(len(truth)) < 0.02, -1, noisy)
    return Ratings(rating, truth, np.repeat(np.arange(rows), len(truth) // rows))


def statistic(parts: list[Ratings], rows: int) -> MeanOfTables:
    """MMScore as a function of the rows' count tables."""
    return MeanOfTables([ClusterTables(p.rating, p.truth, p.row, rows) for p in parts], rows)


def by_loop(parts: list[Ratings], weights: Array) -> Array:
    """MMScore of each resample by scipy."""
    return np.array([np.mean([part.tau(drawn) for part in parts]) for drawn in weights])
