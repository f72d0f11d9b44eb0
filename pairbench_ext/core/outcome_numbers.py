"""Numbers that many benchmarks have: means of a value over outcomes, correlations of two values.

A value of None leaves the outcome out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from pairbench_ext.core.numbers import Breakdown, Number
from pairbench_ext.core.outcomes import Outcome, OutcomeTable
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.correlation import RESAMPLED, ClusteredCorrelation
from pairbench_ext.statistics.shares import mean_of_clusters

Value: TypeAlias = Callable[[Outcome], "float | bool | None"]
Pair: TypeAlias = Callable[[Outcome], "tuple[float, float] | None"]
Statistic: TypeAlias = Callable[[Sequence[float], Sequence[float]], float]


def mean_number(
    name: str,
    title: str,
    value: Value,
    *,
    interval: bool = False,
    better: Literal["higher", "lower"] | None = "higher",
    section: str = "",
) -> Number:
    """The mean of a value over outcomes; each outcome's value is logged, for standard errors.

    Args:
        name: of the number.
        title: of its column.
        value: of an outcome, in [0, 1]; truth values count as 1 and 0.
        interval: whether there is a 95% interval by bootstrap over the outcomes' clusters.
        better: which way is better.
        section: the table that it stands in.
    """

    def per_trial(outcome: Outcome) -> float | None:
        known = value(outcome)
        return None if known is None else float(known)

    def of(table: OutcomeTable) -> float:
        known = [x for row in table if (x := per_trial(row)) is not None]
        return float(np.mean(known)) if known else math.nan

    def clustered(table: OutcomeTable) -> Clustered:
        places = table.codes("cluster").tolist()
        pairs = ((per_trial(row), place) for row, place in zip(table, places, strict=True))
        known = [(value, place) for value, place in pairs if value is not None]
        values, clusters = np.array(known, dtype=np.float64).reshape(-1, 2).T
        return mean_of_clusters(values, clusters.astype(np.int64), table.labels("cluster"))

    return Number(
        name,
        title,
        of,
        better=better,
        section=section,
        per_trial=per_trial,
        clustered=clustered if interval else None,
        interval=True if interval else None,
    )


def correlation_number(
    name: str, title: str, statistic: Statistic, pair: Pair, *, interval: bool = False
) -> Number:
    """A correlation of two values of each outcome; NaN with fewer than two.

    Args:
        name: of the number.
        title: of its column.
        statistic: `pearson` or `spearman`, or another one, which has no interval.
        pair: of an outcome.
        interval: whether there is a 95% interval by bootstrap over the outcomes' clusters.
    """

    def of(table: OutcomeTable) -> float:
        pairs = [known for row in table if (known := pair(row)) is not None]
        return float(statistic(*zip(*pairs, strict=True))) if len(pairs) > 1 else math.nan

    def clustered(table: OutcomeTable) -> Clustered:
        places = table.codes("cluster").tolist()
        pairs = ((pair(row), place) for row, place in zip(table, places, strict=True))
        known = [(*values, place) for values, place in pairs if values is not None]
        x, y, clusters = np.array(known, dtype=np.float64).reshape(-1, 3).T
        labels = table.labels("cluster")
        made = ClusteredCorrelation(statistic, x, y, clusters.astype(np.int64), len(labels))
        return Clustered(tuple(labels), made)

    if not (interval and statistic in RESAMPLED):
        return Number(name, title, of, "correlation")
    return Number(name, title, of, "correlation", clustered=clustered, interval=True)


def count_number(name: str, title: str) -> Number:
    """The number of outcomes."""
    return Number(name, title, len, "count", None)


def by_field(field: str, number: Number, title: str) -> Breakdown:
    """A number for each value of a field or facet of the outcomes."""

    def of(table: OutcomeTable) -> dict[object, float]:
        labels = table.labels(field)
        parts = [table.where(lambda row, x=label: row[field] == x) for label in labels]  # type: ignore[misc]
        return {label: number.of(part) for label, part in zip(labels, parts, strict=True)}

    return Breakdown(f"by_{field}", title, of)
