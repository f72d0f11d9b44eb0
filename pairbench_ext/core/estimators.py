"""How a number follows from a table of outcomes: its value, and the clusters that it is of.

The uncertainty of a number comes from its clusters: intervals, comparisons of judges and means over
tasks resample them. A plain function of the table has only a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.correlation import RESAMPLED, ClusteredCorrelation
from pairbench_ext.statistics.means import Sum, Sums
from pairbench_ext.statistics.shares import mean_of_clusters

Part: TypeAlias = tuple[Hashable, ...]
PerTrial: TypeAlias = Callable[[Outcome], "float | bool | None"]
OfTable: TypeAlias = Callable[[OutcomeTable], float]
OfClusters: TypeAlias = Callable[[OutcomeTable], "Clustered | None"]


class Estimator:
    """A function of a table.

    Args:
        value: of a table; NaN where it is undefined.
        clusters: the same as a statistic of clusters; None where it is none, under some options.
    """

    def __init__(self, value: OfTable, clusters: OfClusters = lambda _: None) -> None:
        self._value = value
        self._clusters = clusters

    def __call__(self, table: OutcomeTable) -> float:
        """Its value."""
        return self._value(table)

    def clusters(self, table: OutcomeTable) -> Clustered | None:
        """It as a statistic of clusters; None where it is none, or there is nothing to count."""
        return self._clusters(table)

    def interval(self, table: OutcomeTable) -> Interval:
        """Its 95% interval; NaN, NaN without clusters."""
        made = self.clusters(table)
        return Interval(math.nan, math.nan) if made is None else clustered_interval(made)


class ByCluster(Estimator):
    """A statistic of clusters, whose value is that of all of them.

    Args:
        clusters: the statistic, from a table.
    """

    def __init__(self, clusters: Callable[[OutcomeTable], Clustered]) -> None:
        super().__init__(lambda table: clusters(table).statistic.estimate(), clusters)


class Mean(Estimator):
    """The mean of a value of each outcome: it is logged, so that the harness gives standard errors.

    Args:
        of: the value of an outcome; None leaves the outcome out. Truth values count as 1 and 0.
        part: which part an outcome is of, where the number is a mean of means: over the first name
            of such paths, of the means over the second, and so on (`statistics.means.NestedMean`).
        rows: the outcomes of a table that the mean is over; all of them by default.
        value: the number of a table, where it is not the plain mean over these.
        clusters: the same as a statistic of clusters, likewise.
    """

    def __init__(
        self,
        of: PerTrial,
        part: Callable[[Outcome], Part] = lambda _: (),
        rows: Callable[[OutcomeTable], OutcomeTable] = lambda table: table,
        value: OfTable | None = None,
        clusters: OfClusters | None = None,
    ) -> None:
        super().__init__(value or self._mean, clusters or self._by_cluster)
        self._of = of
        self._part = part
        self._rows = rows

    def per_trial(self, outcome: Outcome) -> float | None:
        """The value of an outcome; None leaves it out."""
        value = self._of(outcome)
        return None if value is None or math.isnan(value) else float(value)

    def sums(self, outcomes: Iterable[Outcome]) -> Sums:
        """The values summed and counted by part, for `statistics.means.NestedMean`."""
        sums: dict[Part, Sum] = {}
        for outcome, value in self._known(outcomes):
            part = self._part(outcome)
            total, n = sums.get(part, (0.0, 0))
            sums[part] = Sum(total + value, n + 1)
        return sums

    def _known(self, outcomes: Iterable[Outcome]) -> Iterator[tuple[Outcome, float]]:
        pairs = ((outcome, self.per_trial(outcome)) for outcome in outcomes)
        return ((outcome, value) for outcome, value in pairs if value is not None)

    def _mean(self, table: OutcomeTable) -> float:
        values = [value for _, value in self._known(self._rows(table))]
        return float(np.mean(values)) if values else math.nan

    def _by_cluster(self, table: OutcomeTable) -> Clustered | None:
        rows = self._rows(table)
        known = list(self._known(rows))
        if any(self._part(outcome) for outcome, _ in known):
            return None
        labels = rows.labels("cluster")
        place = {label: number for number, label in enumerate(labels)}
        values = np.array([value for _, value in known], dtype=np.float64)
        clusters = np.array([place[outcome.cluster] for outcome, _ in known], dtype=np.int64)
        return mean_of_clusters(
            values,
            clusters,
            labels,
            lowest=min(0.0, float(values.min(initial=0.0))),
            highest=max(1.0, float(values.max(initial=1.0))),
        )


class Correlation(Estimator):
    """A correlation of two values of each outcome; NaN with fewer than two.

    Args:
        statistic: `pearson` or `spearman`, or another one, which has no clusters.
        pair: the two values of an outcome; None leaves it out.
    """

    def __init__(
        self,
        statistic: Callable[[Sequence[float], Sequence[float]], float],
        pair: Callable[[Outcome], tuple[float, float] | None],
    ) -> None:
        super().__init__(self._correlation, self._by_cluster)
        self._statistic = statistic
        self._pair = pair

    def _correlation(self, table: OutcomeTable) -> float:
        pairs = [known for row in table if (known := self._pair(row)) is not None]
        return float(self._statistic(*zip(*pairs, strict=True))) if len(pairs) > 1 else math.nan

    def _by_cluster(self, table: OutcomeTable) -> Clustered | None:
        if self._statistic not in RESAMPLED:
            return None
        places, labels = table.codes("cluster").tolist(), table.labels("cluster")
        pairs = ((self._pair(row), place) for row, place in zip(table, places, strict=True))
        known = [(*values, place) for values, place in pairs if values is not None]
        x, y, clusters = np.array(known, dtype=np.float64).reshape(-1, 3).T
        return Clustered(
            tuple(labels),
            ClusteredCorrelation(self._statistic, x, y, clusters.astype(np.int64), len(labels)),
        )
