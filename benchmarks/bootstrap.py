"""The bootstrap of MMScore: resampled count tables, against scipy on resampled ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from benchmarks.common import Line, as_time, best_seconds, compared, require, say
from benchmarks.coverage import TRUTHS, ratings, statistic
from pairbench_ext.statistics.bootstrap import cluster_weights
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.seeds import generator

_TOLERANCE = 1e-12
_RESAMPLES = 1_000
_LOOPED = 10  # resamples that the loop really does; the rest is extrapolated

Array = npt.NDArray[Any]


def run(_: Path, rows: int = 5_834, rounds: int = 5) -> list[Line]:
    """Lines for the bootstrap of so many source rows against a loop; the best round counts."""
    n = 12 * rows
    say(f"bootstrap: {n:,} ratings")
    sample = ratings(generator(0, "benchmark ratings"), rows, 0.3, error="random", whole=False)
    drawn = cluster_weights(rows, _RESAMPLES)
    weights = drawn[:_LOOPED]
    resampled = statistic(sample).resampled(drawn)[:_LOOPED]
    error = np.max(np.abs(by_loop(sample, weights) - resampled))
    require(bool(error <= _TOLERANCE), f"the resamples, by {error}")
    best = best_seconds(
        "bootstrap",
        {
            "ours": lambda: statistic(sample).resampled(cluster_weights(rows, _RESAMPLES)),
            "interval": lambda: cluster_interval(statistic(sample), _RESAMPLES),
            "loop": lambda: by_loop(sample, weights),
        },
        rounds,
    )
    loop = best["loop"] * _RESAMPLES / _LOOPED
    how = f"scipy after np.repeat (from {_LOOPED})"
    what = f"MMScore of {n:,} ratings"
    return [
        compared(f"{what}, {_RESAMPLES:,} resamples", best["ours"], loop, as_time, how),
        compared(f"{what}, the whole interval", best["interval"], loop, as_time, how),
    ]


def by_loop(sample: Array, weights: Array) -> Array:
    """MMScore of each resample by scipy: each row as often as it was drawn."""
    scores = []
    for drawn in weights:
        pairs = zip(np.repeat(sample, drawn, axis=0).swapaxes(0, 1), TRUTHS, strict=True)
        taus = [kendalltau(x.ravel(), np.tile(truth, len(x))).statistic for x, truth in pairs]
        scores.append(np.mean(taus))
    return np.array(scores)
