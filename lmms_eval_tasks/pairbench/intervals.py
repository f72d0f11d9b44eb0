"""Intervals of PairBench's metrics, and the metrics by source row, to be resampled."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.metrics import symmetric
from lmms_eval_tasks.pairbench.ratings import Condition, RatingTable
from lmms_eval_tasks.pairbench.variants import Statistic, variant
from pairbench_ext.statistics.bootstrap import ClusterTables, Interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import End
from pairbench_ext.statistics.shares import mean_of_clusters, share_with_interval

FloatArray = npt.NDArray[np.float64]


def coverage_interval(table: RatingTable) -> Interval:
    """The interval of `coverage` by `cluster_interval` over source rows; NaN, NaN without one."""
    return share_with_interval(table.valid, table.codes("row")).interval


def mmscore_of_rows(
    table: RatingTable,
    condition: Condition | None = None,
    *,
    by_template: bool = False,
    statistic: str = Statistic.KENDALL,
) -> Clustered | None:
    """`mmscore` by source row, under one condition or as the mean over them.

    A drawn row brings all its ratings, under every condition. Count tables are resampled, not
    ratings, so the cost hardly depends on the number of ratings. Resamples in which `mmscore` is
    undefined are NaN. The lowest that a row could be has the ratings of the others, but in the
    order opposite to the truth's; for `nmi`, which knows no order, that widens an interval less.

    Args:
        table: the ratings.
        condition: under which; None for all.
        by_template: the mean over the templates' own `mmscore` instead.
        statistic: which MMScore is.

    Returns:
        None for `ndcg`, which changes with the number of ratings.
    """
    of_counts = variant(statistic).of_counts
    if of_counts is None:
        return None
    whole = table if condition is None else table.only(condition)
    names = whole.labels("row")
    place = {row: number for number, row in enumerate(names)}
    templates = whole.labels("template") if by_template else []
    parts = [whole.of_template(template) for template in templates] or [whole]
    counts = [
        ClusterTables(
            one.filled, one.truth, np.array([place[r.row] for r in one.rows]), len(place), of_counts
        )
        for part in parts
        for one in map(part.only, part.conditions)
    ]
    return Clustered(tuple(names), MeanOfTables(counts, len(place)))


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
