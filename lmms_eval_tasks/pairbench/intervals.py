"""PairBench's metrics by source row, to be resampled for intervals and comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.metrics import symmetric
from lmms_eval_tasks.pairbench.ratings import (
    AUTHORS,
    Condition,
    FloatArray,
    both_orders,
    by_template,
    conditions,
    definitions,
    filled,
    of_template,
    truths,
    under,
    usable,
)
from lmms_eval_tasks.pairbench.statistic import definition
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.statistics.bootstrap import ClusterTables, Interval
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.intervals import End
from pairbench_ext.statistics.shares import mean_of_clusters, share_with_interval


def coverage_interval(table: OutcomeTable) -> Interval:
    """The interval of `coverage` by `cluster_interval` over source rows; NaN, NaN without one."""
    return share_with_interval(usable(table), table.codes("cluster")).interval


def interval_unless_authors(table: OutcomeTable, clustered: Clustered | None) -> Interval:
    """The 95% interval of a number; NaN, NaN for the authors' definitions, which have none."""
    if clustered is None or definitions(table) == AUTHORS:
        return Interval(math.nan, math.nan)
    return clustered_interval(clustered)


def mmscore_of_rows(table: OutcomeTable, condition: Condition | None = None) -> Clustered | None:
    """MMScore by source row, under one condition or as the mean over them.

    It is the mean over the templates' own where every pair was asked with every template.
    A drawn row brings all its ratings, under every condition. Count tables are resampled, not
    ratings, so the cost hardly depends on the number of ratings. Resamples in which MMScore is
    undefined are NaN. The lowest that a row could be has the ratings of the others, but in the
    order opposite to the truth's; for `nmi`, which knows no order, that widens an interval less.

    Returns:
        None for `ndcg`, which changes with the number of ratings.
    """
    of_counts = definition(table.options["metric"]).of_counts
    if of_counts is None:
        return None
    whole = table if condition is None else under(table, condition)
    rows = whole.labels("cluster")
    place = {row: number for number, row in enumerate(rows)}
    templates = whole.labels("template") if by_template(table) else []
    counts = [
        ClusterTables(
            filled(ratings),
            truths(ratings),
            np.array([place[rating.cluster] for rating in ratings]),
            len(rows),
            of_counts,
        )
        for part in [of_template(whole, template) for template in templates] or [whole]
        for ratings in (under(part, name) for name in conditions(part))
    ]
    return Clustered(tuple(rows), MeanOfTables(counts, len(rows)))


def relaxsym_of_rows(table: OutcomeTable, eps: float) -> Clustered:
    """RelaxSym by source row, of all templates together."""
    first, _ = both_orders(table)
    alike = symmetric(table, eps).astype(np.float64)
    return mean_of_clusters(alike, table.codes("cluster")[first], table.labels("cluster"))


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
        values = [table.estimate() for table in self._counts]
        return float(np.mean(values)) if values else math.nan

    def resampled(self, weights: npt.NDArray[np.int32]) -> FloatArray:
        """The mean in each resample of the clusters."""
        values = [table.resampled(weights) for table in self._counts]
        return np.mean(values, axis=0) if values else np.full(len(weights), np.nan)

    def left_out(self) -> FloatArray:
        """The mean without each cluster in turn."""
        return np.asarray(np.mean([table.left_out() for table in self._counts], axis=0))

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:
        """The mean with more clusters than were seen."""
        lowest = end == "low"
        return float(
            np.mean([t.with_unseen(cluster, again, extreme, lowest=lowest) for t in self._counts])
        )
