"""Numbers that many benchmarks have: means of a value over outcomes, correlations of two values.

They are of an `OutcomeTable`. A value of None leaves the outcome out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from pairbench_ext.core.benchmark import Breakdown, Number
from pairbench_ext.core.outcome_table import OutcomeTable
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.correlation import RESAMPLED, ClusteredCorrelation
from pairbench_ext.statistics.shares import mean_of_clusters

Value: TypeAlias = Callable[[Any], "float | bool | None"]
Pair: TypeAlias = Callable[[Any], "tuple[float, float] | None"]
Statistic: TypeAlias = Callable[[Sequence[float], Sequence[float]], float]


def mean_number(
    name: str,
    title: str,
    value: Value,
    *,
    cluster: str = "",
    better: Literal["higher", "lower"] | None = "higher",
    section: str = "",
) -> Number:
    """The mean of a value over outcomes; each outcome's value is logged, for standard errors.

    Args:
        name: of the number.
        title: of its column.
        value: of an outcome, in [0, 1]; truth values count as 1 and 0.
        cluster: field by which outcomes belong together: then there is a 95% interval by cluster
            bootstrap (`statistics.intervals`).
        better: which way is better.
        section: the table that it stands in.
    """

    def clustered(table: OutcomeTable[Any]) -> Clustered:
        return _mean(table, value, cluster or table.key[0])

    def of(table: OutcomeTable[Any]) -> float:
        known = [float(one) for row in table.rows if (one := value(row)) is not None]
        return float(np.mean(known)) if known else math.nan

    def per_trial(outcome: Any) -> float | None:
        known = value(outcome)
        return None if known is None else float(known)

    return Number(
        name,
        title,
        of,
        better=better,
        section=section,
        per_trial=per_trial,
        clustered=clustered if cluster else None,
        interval=True if cluster else None,
    )


def correlation_number(
    name: str,
    title: str,
    statistic: Callable[[Sequence[float], Sequence[float]], float],
    pair: Pair,
    *,
    cluster: str = "",
) -> Number:
    """A correlation of two values of each outcome; NaN with fewer than two.

    Args:
        name: of the number.
        title: of its column.
        statistic: `pearson` or `spearman`, or another that two runs are compared by without an
            interval.
        pair: of an outcome.
        cluster: field by which outcomes belong together: then `pearson` and `spearman` have a 95%
            interval by cluster bootstrap.
    """

    def of(table: OutcomeTable[Any]) -> float:
        pairs = [found for row in table.rows if (found := pair(row)) is not None]
        return float(statistic(*zip(*pairs, strict=True))) if len(pairs) > 1 else math.nan

    def clustered(table: OutcomeTable[Any]) -> Clustered:
        known = [(row, found) for row in table.rows if (found := pair(row)) is not None]
        labels = table.labels(cluster)
        place = {label: n for n, label in enumerate(labels)}
        clusters = np.array([place[getattr(row, cluster)] for row, _ in known], dtype=np.int64)
        x, y = np.array([found for _, found in known], dtype=np.float64).reshape(-1, 2).T
        made = ClusteredCorrelation(statistic, x, y, clusters, len(labels))
        return Clustered(tuple(labels), made)

    if not (cluster and statistic in RESAMPLED):
        return Number(name, title, of, "correlation")
    return Number(name, title, of, "correlation", clustered=clustered, interval=True)


def count_number(name: str, title: str) -> Number:
    """How many outcomes there are."""
    return Number(name, title, len, "count", None)


def by_field(field: str, number: Number, title: str) -> Breakdown:
    """A number for each value of a field of the outcomes."""

    def of(table: OutcomeTable[Any]) -> dict[Any, float]:
        parts = {label: table.where(_has(field, label)) for label in table.labels(field)}
        return {label: float(number.of(part)) for label, part in parts.items()}

    return Breakdown(f"by_{field}", title, of)


def _has(field: str, label: Any) -> Callable[[Any], bool]:
    return lambda row: getattr(row, field) == label


def _mean(table: OutcomeTable[Any], value: Value, cluster: str) -> Clustered:
    known = [(row, found) for row in table.rows if (found := value(row)) is not None]
    labels = table.labels(cluster)
    names = {label: n for n, label in enumerate(labels)}
    clusters = np.array([names[getattr(row, cluster)] for row, _ in known], dtype=np.int64)
    values = np.array([float(found) for _, found in known], dtype=np.float64)
    return mean_of_clusters(values, clusters, labels)
