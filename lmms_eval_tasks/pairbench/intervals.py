"""Intervals of PairBench's metrics, and the metrics by source row, to be resampled."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.metrics import symmetric
from lmms_eval_tasks.pairbench.ratings import Condition, RatingTable
from lmms_eval_tasks.pairbench.variants import Statistic, variant
from pairbench_ext.statistics.bootstrap import ClusterTables, Interval, cluster_weights
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import End, cluster_interval
from pairbench_ext.statistics.shares import mean_of_clusters, share_with_interval

FloatArray = npt.NDArray[np.float64]


def relaxsym_interval(table: RatingTable, eps: float = 1.0) -> Interval:
    """The interval of `relaxsym` by `cluster_interval` over source rows; NaN, NaN without one."""
    first, _ = table.both_orders
    return share_with_interval(symmetric(table, eps), table.codes("row")[first]).interval


def coverage_interval(table: RatingTable) -> Interval:
    """The interval of `coverage` by `cluster_interval` over source rows; NaN, NaN without one."""
    return share_with_interval(table.valid, table.codes("row")).interval


def mmscore_resamples(
    table: RatingTable, n_resamples: int = 1000, seed: int = 0, *, by_template: bool = False
) -> FloatArray:
    """`mmscore` in each resample of the source rows.

    A drawn row brings all its ratings, under every condition. Count tables are resampled, not
    ratings, so the cost hardly depends on the number of ratings.

    Args:
        table: the ratings.
        n_resamples: how many resamples.
        seed: of the resamples.
        by_template: resample the mean over the templates' own `mmscore` instead.

    Returns:
        Shape (n_resamples,); NaN where a resample leaves a condition undefined.

    Raises:
        ValueError: if there is no resample.
    """
    weights = cluster_weights(len(table.labels("row")), n_resamples, seed)
    rows = _mmscore_of_rows(table, by_template)
    assert rows is not None  # tau-b is a function of count tables
    return rows.resampled(weights)


def mmscore_interval(
    table: RatingTable,
    n_resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    *,
    by_template: bool = False,
    statistic: str = Statistic.KENDALL,
) -> Interval:
    """The interval of `mmscore` by `cluster_interval` over source rows.

    The lowest that a row could be has the ratings of the others, but in the order opposite to the
    truth's; for `nmi`, which knows no order, that widens the interval less. Resamples in which
    `mmscore` is undefined are left out (see `mmscore_resamples`).
    `by_template` gives the interval of the mean over the templates' own `mmscore`.

    Returns:
        The interval; NaN, NaN with fewer than two rows, if `mmscore` is undefined, or for `ndcg`,
        which changes with the number of ratings.

    Raises:
        ValueError: if there is no resample or the level is not between 0 and 1.
    """
    rows = _mmscore_of_rows(table, by_template, statistic)
    if rows is None:
        return Interval(math.nan, math.nan)
    return cluster_interval(rows, n_resamples, seed, level)


def _mmscore_of_rows(
    table: RatingTable, by_template: bool, statistic: str = Statistic.KENDALL
) -> MeanOfTables | None:
    """`mmscore` as a statistic of source rows, or the mean over the templates' own `mmscore`."""
    of_counts = variant(statistic).of_counts
    if of_counts is None:
        return None
    place = {row: number for number, row in enumerate(table.labels("row"))}
    templates = table.labels("template") if by_template else []
    parts = [table.of_template(template) for template in templates] or [table]
    counts = [
        ClusterTables(
            one.filled, one.truth, np.array([place[r.row] for r in one.rows]), len(place), of_counts
        )
        for part in parts
        for one in map(part.only, part.conditions)
    ]
    return MeanOfTables(counts, len(place))


def mmscore_of_rows(
    table: RatingTable,
    condition: Condition | None = None,
    *,
    by_template: bool = False,
    statistic: str = Statistic.KENDALL,
) -> Clustered | None:
    """`mmscore` by source row, under one condition or as the mean over them; None for `ndcg`."""
    part = table if condition is None else table.only(condition)
    rows = _mmscore_of_rows(part, by_template, statistic)
    return None if rows is None else Clustered(tuple(part.labels("row")), rows)


def relaxsym_of_rows(table: RatingTable, eps: float = 1.0) -> Clustered:
    """`relaxsym` by source row, of all templates together."""
    first, _ = table.both_orders
    alike = symmetric(table, eps).astype(np.float64)
    return mean_of_clusters(alike, table.codes("row")[first], table.labels("row"))


class MeanOfTables:
    """The mean of several statistics of count tables, for `statistics.intervals`.

    Args:
        counts: of each, over the same clusters.
        n_clusters: how many clusters there are.
    """

    def __init__(self, counts: Sequence[ClusterTables], n_clusters: int) -> None:
        self.n_clusters = n_clusters
        self._counts = counts

    def estimate(self) -> float:
        """The mean."""
        values = [one.estimate() for one in self._counts]
        return float(np.mean(values)) if values else math.nan

    def resampled(self, weights: npt.NDArray[np.int32]) -> FloatArray:
        """The mean in each resample of the clusters."""
        values = [one.resampled(weights) for one in self._counts]
        return np.mean(values, axis=0) if values else np.full(len(weights), np.nan)

    def left_out(self) -> FloatArray:
        """The mean without each cluster in turn."""
        return np.asarray(np.mean([one.left_out() for one in self._counts], axis=0))

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:
        """The mean with more clusters than were seen."""
        lowest = end == "low"
        return float(
            np.mean([o.with_unseen(cluster, again, extreme, lowest=lowest) for o in self._counts])
        )
