"""PairBench's metrics by source row, to be resampled for intervals and comparisons."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

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
)
from lmms_eval_tasks.pairbench.statistic import definition
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.statistics.bootstrap import ClusterTables, Interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import ClusterStatistic, End
from pairbench_ext.statistics.shares import mean_of_clusters


def _of_rows(
    table: OutcomeTable, rows: Sequence[Hashable], statistic: ClusterStatistic
) -> Clustered:
    """A statistic by source row; the authors' definitions have no interval."""
    if definitions(table) == AUTHORS:
        return Clustered(tuple(rows), statistic, lambda: Interval(math.nan, math.nan))
    return Clustered(tuple(rows), statistic)


def mmscore_of_rows(table: OutcomeTable, condition: Condition | None = None) -> Clustered | None:
    """MMScore by source row, under one condition or as the mean over them.

    It is the mean over the templates' own where every pair was asked with every template.
    A drawn row brings all its ratings, under every condition. Count tables are resampled, not
    ratings, so the cost hardly depends on the number of ratings. Resamples in which MMScore is
    undefined are NaN. The lowest that a row could be has the ratings of the others, but in the
    order opposite to the truth's; for `nmi`, which ignores order, that widens an interval less.

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
    return _of_rows(table, rows, MeanOfTables(counts, len(rows)))


def relaxsym_of_rows(table: OutcomeTable, eps: float) -> Clustered:
    """RelaxSym by source row, of all templates together."""
    first, _ = both_orders(table)
    alike = symmetric(table, eps).astype(np.float64)
    made = mean_of_clusters(alike, table.codes("cluster")[first], table.labels("cluster"))
    return _of_rows(table, made.names, made.statistic)


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

    def resampled(self, weights: npt.NDArray[np.int16]) -> FloatArray:
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
