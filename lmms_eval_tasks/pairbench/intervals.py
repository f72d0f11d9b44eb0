"""PairBench's metrics with source rows as clusters, for confidence intervals and comparisons."""

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.pairbench.metrics import symmetric
from lmms_eval_tasks.pairbench.ratings import (
    AUTHORS,
    CONDITIONS,
    HIGHEST,
    LOWEST,
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
from pairbench_ext.statistics.bootstrap import ClusterTables, Interval, OfCounts
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.intervals import (
    ClusterStatistic,
    FloatArray,
    SumStatistic,
    jackknife_interval,
)
from pairbench_ext.statistics.shares import mean_of_clusters

_LEAST = 30  # rows for intervals of entropies and of ratios: with fewer none was simulated
_MOST_TIMES = 27_720  # the least number that 1 to 12 divide: ratings of an item are rarely more


def _of_rows(
    table: OutcomeTable, rows: Sequence[Hashable], statistic: ClusterStatistic
) -> Clustered:
    """Return a statistic by source row; the authors' definitions have no interval."""
    if definitions(table) == AUTHORS:
        return Clustered(tuple(rows), statistic, lambda: Interval(math.nan, math.nan))
    return Clustered(tuple(rows), statistic)


def mmscore_of_rows(
    table: OutcomeTable, condition: Condition | None = None, of_counts: OfCounts | None = None
) -> Clustered | None:
    """Return MMScore with source rows as clusters, for one condition or averaged over conditions.

    It is the mean over the templates' own where every pair was asked with every template.
    A drawn row brings all its ratings, under every condition. Count tables are resampled, not
    ratings, so the cost hardly depends on the number of ratings. Resamples in which MMScore is
    undefined are NaN. The lowest that a row could be has the ratings of the others, but in the
    order opposite to the truth's; for `nmi`, which ignores order, that widens an interval less.
    Where items count once, each has the same weight, however many ratings it has.

    Returns:
        None for `ndcg`, which changes with the number of ratings, and for an empty table.
    """
    of_counts = of_counts or definition(table.options["metric"]).of_counts
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
            _times(ratings),
        )
        for part in [of_template(whole, template) for template in templates] or [whole]
        for ratings in (under(part, name) for name in conditions(part))
    ]
    if not counts:
        return None
    names = tuple(rows)
    mean = Combination([Resampled(Clustered(names, of_part)) for of_part in counts])
    return _of_rows(table, names, mean)


def _times(table: OutcomeTable) -> npt.NDArray[np.int64] | None:
    """Return the weight of each rating so that all items weigh the same; None for equal weights."""
    if not table.by_item:
        return None
    shares = table.weights(table.rows)
    scale = min(_MOST_TIMES, math.lcm(*{round(1 / share) for share in shares}))
    return np.rint(scale * shares).astype(np.int64)


def relaxsym_of_rows(table: OutcomeTable, eps: float) -> Clustered:
    """Return RelaxSym with source rows as clusters, over the ratings of all prompt templates."""
    first, _ = both_orders(table)
    means = mean_of_clusters(
        symmetric(table, eps).astype(np.float64),
        table.codes("cluster")[first],
        table.labels("cluster"),
        weights=table.weights([table.rows[place] for place in first]),
    )
    return _of_rows(table, means.names, means.statistic)


def smoothness_of_rows(table: OutcomeTable) -> Clustered | None:
    """Return smoothness with source rows as clusters; None for fewer than 30 rows."""
    most = math.log(max(HIGHEST - LOWEST + 1, len(table.labels("said"))))
    return _of_parts(table, _entropies, (0.0, most), corrected=True)


def controllability_of_rows(table: OutcomeTable) -> Clustered | None:
    """Return controllability with source rows as clusters; None unless both MMScores exceed 0.

    Returns:
        None for fewer than 30 rows, if MMScore is no function of counts, or a condition was not
        asked.
    """
    of_counts = definition(table.options["metric"]).of_counts
    if of_counts is None:
        return None
    return _of_parts(table, partial(_control, of_counts), (-math.inf, 1.0), corrected=False)


def _of_parts(
    table: OutcomeTable,
    statistic: Callable[[OutcomeTable, dict[Hashable, int]], Any],
    scale: tuple[float, float],
    *,
    corrected: bool,
) -> Clustered | None:
    """Return the mean over templates of a statistic, with source rows as clusters."""
    rows = table.labels("cluster")
    place = {row: number for number, row in enumerate(rows)}
    templates = table.labels("template") if by_template(table) else []
    parts = [of_template(table, template) for template in templates] or [table]
    statistics = [statistic(part, place) for part in parts]
    if len(rows) < _LEAST or None in statistics:
        return None
    intervals = (partial(jackknife_interval, x, scale, corrected=corrected) for x in statistics)
    together = Combination(
        [
            Resampled(Clustered(tuple(rows), x, interval, by_ends=True))
            for x, interval in zip(statistics, intervals, strict=True)
        ]
    )
    of_rows = _of_rows(table, rows, together)
    return of_rows._replace(interval=of_rows.interval or together.interval, by_ends=True)


def _entropies(table: OutcomeTable, place: dict[Hashable, int]) -> SumStatistic | None:
    used = table.where(lambda rating: rating.usable)
    kinds, levels = conditions(table), used.labels("said")
    if not levels:
        return None
    sums = np.zeros((len(place), len(kinds), len(levels)))
    for rating in used:
        kind, level = kinds.index(rating["condition"]), levels.index(rating.said)
        sums[place[rating.cluster], kind, level] += 1
    total = sums.sum(axis=0)
    concentrated = np.zeros_like(total)
    concentrated[np.arange(len(kinds)), total.argmax(axis=1)] = total.sum(axis=1)  # as often as any
    even = np.repeat(total.sum(axis=1, keepdims=True) / len(levels), len(levels), axis=1)
    return SumStatistic(sums, _mean_entropy, concentrated, even)


def _mean_entropy(counts: FloatArray) -> FloatArray:
    """Return the mean entropy, shape (k,), of counts of shape (k, conditions, ratings)."""
    n = counts.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counts / n
        parts = np.where(counts > 0, -shares * np.log(shares), 0.0)
    return np.asarray(np.where(n[..., 0] > 0, parts.sum(axis=2), np.nan).mean(axis=1))


def _control(
    of_counts: OfCounts, table: OutcomeTable, place: dict[Hashable, int]
) -> SumStatistic | None:
    if len(conditions(table)) < len(CONDITIONS):
        return None
    parts = [under(table, condition) for condition in CONDITIONS]
    ratings, truths = sorted({*filled(table)}), table.labels("truth")
    sums = np.zeros((len(place), len(CONDITIONS), len(ratings), len(truths)), dtype=np.int64)
    for number, part in enumerate(parts):
        for value, rating in zip(filled(part), part, strict=True):
            level, truth = ratings.index(value), truths.index(rating.truth)
            sums[place[rating.cluster], number, level, truth] += 1
    total = sums.sum(axis=0)
    low, high = total.copy(), total.copy()
    weaker = int(np.argmin([float(of_counts(x)) for x in total]))
    low[weaker] = total[weaker][::-1]  # its ratings in the opposite order
    high[weaker] = total[1 - weaker]  # as the other condition
    return SumStatistic(sums, partial(_controlled, of_counts), low, high)


def _controlled(of_counts: OfCounts, counts: npt.NDArray[Any]) -> FloatArray:
    """Return controllability, shape (k,), of counts of shape (k, 2, ratings, truths)."""
    whole = np.rint(counts).astype(np.int64)
    sens, inv = (np.asarray(of_counts(whole[:, n]), dtype=np.float64) for n in (0, 1))
    with np.errstate(invalid="ignore"):
        control = 1 - np.abs(sens - inv) / np.sqrt(sens * inv)
    return np.where((sens > 0) & (inv > 0), control, np.nan)
