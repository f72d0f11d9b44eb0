"""PairBench's metrics by source row, to be resampled for intervals and comparisons."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from lmms_eval_tasks.pairbench.metrics import symmetric
from lmms_eval_tasks.pairbench.ratings import (
    AUTHORS,
    Condition,
    both_orders,
    by_template,
    conditions,
    definitions,
    filled,
    of_template,
    under,
)
from lmms_eval_tasks.pairbench.statistic import definition
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.statistics.bootstrap import ClusterTables, Interval
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.intervals import ClusterStatistic
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
        None for `ndcg`, which changes with the number of ratings, and for an empty table.
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
            ratings.column("truth"),
            np.array([place[rating.cluster] for rating in ratings]),
            len(rows),
            of_counts,
        )
        for part in [of_template(whole, template) for template in templates] or [whole]
        for ratings in (under(part, name) for name in conditions(part))
    ]
    if not counts:
        return None
    names = tuple(rows)
    mean = Combination([Resampled(Clustered(names, of_part)) for of_part in counts])
    return _of_rows(table, names, mean)


def relaxsym_of_rows(table: OutcomeTable, eps: float) -> Clustered:
    """RelaxSym by source row, of all templates together."""
    first, _ = both_orders(table)
    alike = symmetric(table, eps).astype(np.float64)
    made = mean_of_clusters(alike, table.codes("cluster")[first], table.labels("cluster"))
    return _of_rows(table, made.names, made.statistic)
