"""The bootstrap of MMScore: resampled count tables, against scipy on resampled ratings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from benchmarks.common import Row, as_time, best_seconds, require, say
from lmms_eval_tasks.pairbench.intervals import mmscore_of_rows
from lmms_eval_tasks.pairbench.metrics import mmscore
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS, Rating, RatingTable
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.bootstrap import cluster_weights
from pairbench_ext.statistics.intervals import ClusterStatistic, cluster_interval

_TARGET = 100.0
_TOLERANCE = 1e-12

FloatArray = npt.NDArray[np.float64]


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


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for the bootstrap against two loops, and for a single score."""
    del folder
    say(f"bootstrap: {12 * size.rows:,} ratings")
    table = ratings(size.rows)
    drawn = cluster_weights(size.rows, size.resamples)
    weights = drawn[: size.looped]
    say(f"bootstrap: comparing {size.looped} resamples")
    resampled = _by_row(table).resampled(drawn)[: size.looped]
    for way in (by_index, by_concatenation):
        error = np.max(np.abs(way(table, weights) - resampled))
        require(bool(error <= _TOLERANCE), f"the resamples, by {error}")
    require(abs(_scipy_mmscore(table) - mmscore(table)) <= _TOLERANCE, "MMScore")
    best = best_seconds(
        "bootstrap",
        {
            "ours": lambda: _by_row(table).resampled(cluster_weights(size.rows, size.resamples)),
            "interval": lambda: cluster_interval(_by_row(table), size.resamples),
            "index": lambda: by_index(table, weights),
            "concatenation": lambda: by_concatenation(table, weights),
            "score": lambda: mmscore(table),
            "scipy score": lambda: _scipy_mmscore(table),
        },
        size.rounds,
    )
    return _rows(best, size, len(table))


def ratings(rows: int) -> RatingTable:
    """Ratings of a fair judge: truth plus noise, rounded, one in fifty unusable."""
    rng = seeds.generator(0, "benchmark ratings")
    rated = []
    for row in range(rows):
        for kind, truth in TRUTH.items():
            for condition in CONDITIONS:
                for order in ORDERS:
                    noisy = float(np.clip(np.rint(truth[condition] + rng.normal(0, 2)), 1, 10))
                    value = None if rng.random() < 0.02 else noisy
                    rated.append(Rating(row, kind, condition, order, 0, truth[condition], value))
    return RatingTable(rated)


def _by_row(table: RatingTable) -> ClusterStatistic:
    found = mmscore_of_rows(table)
    assert found is not None  # tau-b is a function of count tables
    return found.statistic


def by_index(table: RatingTable, weights: npt.NDArray[np.int32]) -> FloatArray:
    """The fastest loop that we can write: repeat each rating as often as its row was drawn."""
    parts = [_Part.of(table, condition) for condition in CONDITIONS]
    return np.array(
        [
            np.mean([part.tau(np.repeat(part.positions, drawn[part.row])) for part in parts])
            for drawn in weights
        ]
    )


def by_concatenation(table: RatingTable, weights: npt.NDArray[np.int32]) -> FloatArray:
    """The loop as one writes it first: draw rows, put their ratings one after the other."""
    parts = [_Part.of(table, condition) for condition in CONDITIONS]
    members = [np.split(part.positions, np.flatnonzero(np.diff(part.row)) + 1) for part in parts]
    taus = []
    for drawn in weights:
        rows = np.repeat(np.arange(len(drawn)), drawn)
        taus.append(
            np.mean(
                [
                    part.tau(np.concatenate([of_row[row] for row in rows]))
                    for part, of_row in zip(parts, members, strict=True)
                ]
            )
        )
    return np.array(taus)


class _Part(NamedTuple):
    """The ratings under one condition."""

    positions: npt.NDArray[np.intp]
    row: npt.NDArray[np.int64]
    rating: FloatArray
    truth: FloatArray

    @classmethod
    def of(cls, table: RatingTable, condition: Any) -> _Part:
        part = table.only(condition)
        return cls(np.arange(len(part)), part.codes("row"), part.filled, part.truth)

    def tau(self, chosen: npt.NDArray[np.intp]) -> float:
        return float(kendalltau(self.rating[chosen], self.truth[chosen]).statistic)


def _scipy_mmscore(table: RatingTable) -> float:
    parts = [_Part.of(table, condition) for condition in CONDITIONS]
    return float(np.mean([part.tau(part.positions) for part in parts]))


def _rows(best: dict[str, float], size: Size, n: int) -> list[Row]:
    per_resample = size.resamples / size.looped
    loops = {way: best[way] * per_resample for way in ("index", "concatenation")}
    what = f"MMScore of {n:,} ratings"
    named: Callable[[str], str] = partial(_loop_text, loops, size.looped)
    rows = []
    for way in ("concatenation", "index"):
        ratio = loops[way] / best["ours"]
        # The target is set against the loop as one writes it first.
        goal = way == "concatenation"
        target, met = (f"at least {_TARGET:.0f}x", ratio >= _TARGET) if goal else ("", None)
        resamples = f"{what}, {size.resamples:,} resamples"
        rows.append(Row(resamples, as_time(best["ours"]), named(way), ratio, target, met))
    ratio = loops["index"] / best["interval"]
    interval = f"{what}, the whole interval"
    rows.append(
        Row(interval, as_time(best["interval"]), f"{named('index')}, resampling only", ratio)
    )
    scores = best["score"], best["scipy score"]
    once = Row(
        f"{what}, once", as_time(scores[0]), f"{as_time(scores[1])}, scipy", scores[1] / scores[0]
    )
    return [*rows, once]


def _loop_text(loops: dict[str, float], looped: int, way: str) -> str:
    how = {"index": "np.repeat", "concatenation": "np.concatenate"}[way]
    return f"{as_time(loops[way])}, scipy after {how} (from {looped})"
