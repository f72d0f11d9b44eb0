"""Declare a benchmark's metrics, such as accuracy: how each is computed, named and shown.

An estimator says how a number follows from a table of outcomes: its value, and the clusters that it
is of. The uncertainty of a number comes from its clusters: intervals, comparisons of judges and
means over tasks resample them. A plain function of the table has only a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.core.trials import TaskTrials
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.correlation import RESAMPLED, ClusteredCorrelation, pearson
from pairbench_ext.statistics.means import Sum, Sums, mean_of
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.statistics.shares import mean_of_clusters

Part: TypeAlias = tuple[Hashable, ...]
PerTrial: TypeAlias = Callable[[Outcome], "float | bool | None"]
OfTable: TypeAlias = Callable[[OutcomeTable], float]
OfClusters: TypeAlias = Callable[[OutcomeTable], "Clustered | None"]


class Estimator:
    """A metric that a function computes from a table of outcomes.

    Args:
        value: of a table; NaN where it is undefined.
        clusters: the same as a statistic of clusters; None where it is none, under some options.
    """

    def __init__(self, value: OfTable, clusters: OfClusters = lambda _: None) -> None:
        self._value = value
        self._clusters = clusters

    def __call__(self, table: OutcomeTable) -> float:
        """Return the metric's value, computed from a table of outcomes."""
        return self._value(table)

    def clusters(self, table: OutcomeTable) -> Clustered | None:
        """Return the metric in a form whose clusters can be resampled; None if it has none."""
        return table.once(self._clusters)

    def interval(self, table: OutcomeTable) -> Interval:
        """Return the metric's 95% interval; (NaN, NaN) if it cannot be resampled by cluster."""
        clustered = self.clusters(table)
        return Interval(math.nan, math.nan) if clustered is None else clustered_interval(clustered)


class ByCluster(Estimator):
    """A metric computed from clusters of outcomes; its interval comes from resampled clusters."""

    def __init__(self, clusters: Callable[[OutcomeTable], Clustered]) -> None:
        super().__init__(lambda table: table.once(clusters).statistic.estimate(), clusters)


class Mean(Estimator):
    """The mean of a value that each outcome logs; lmms-eval computes its standard error.

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
        """Return the value that an outcome adds to the mean; None if the outcome is left out."""
        value = self._of(outcome)
        return None if value is None or math.isnan(value) else float(value)

    def sums(self, outcomes: Iterable[Outcome]) -> Sums:
        """Return the sum and the count of the values in each part of the data."""
        sums: dict[Part, Sum] = {}
        for outcome, value in self._known(outcomes):
            part = self._part(outcome)
            total, n = sums.get(part, (0.0, 0))
            sums[part] = Sum(total + value, n + 1)
        return sums

    def _known(self, outcomes: Iterable[Outcome]) -> Iterator[tuple[Outcome, float]]:
        of = self._of
        for outcome in outcomes:
            value = of(outcome)
            if value is not None and not math.isnan(value):
                yield outcome, float(value)

    def _mean(self, table: OutcomeTable) -> float:
        measured = list(self._known(self._rows(table)))
        if not (table.by_item and measured):
            return mean_of([value for _, value in measured])
        weights = table.weights([outcome for outcome, _ in measured])
        return float(np.average([value for _, value in measured], weights=weights))

    def _by_cluster(self, table: OutcomeTable) -> Clustered | None:
        rows = self._rows(table)
        measured = list(self._known(rows))
        if any(self._part(outcome) for outcome, _ in measured):
            return None
        labels = rows.labels("cluster")
        place = {label: number for number, label in enumerate(labels)}
        values = np.array([value for _, value in measured], dtype=np.float64)
        return mean_of_clusters(
            values,
            np.array([place[outcome.cluster] for outcome, _ in measured], dtype=np.int64),
            labels,
            weights=rows.weights([outcome for outcome, _ in measured]),
            lowest=min(0.0, float(values.min(initial=0.0))),
            highest=max(1.0, float(values.max(initial=1.0))),
        )


def closeness(span: float) -> Mean:
    """Return the mean of 1 - |rating - truth| / (scale length); an unreadable rating counts as 0.

    Ours, no paper's: a value of each trial lets two runs be compared trial by trial, which no
    correlation allows. It rewards a judge on the truth's scale, where a rank correlation asks for
    the truth's order alone.
    """

    def of(rating: Outcome) -> float | None:
        if rating.truth is None:
            return None
        return 1 - abs(rating.said - rating.truth) / span if rating.usable else 0.0

    return Mean(of)


class Correlation(Estimator):
    """The correlation of two values of each outcome; NaN for fewer than two outcomes.

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

    def _known(self, table: OutcomeTable) -> tuple[list[Outcome], npt.NDArray[np.float64]]:
        """Return the outcomes with a pair of values, and these, shape (2, n)."""
        pairs = [(row, pair) for row in table if (pair := self._pair(row)) is not None]
        values = np.array([pair for _, pair in pairs], dtype=np.float64).reshape(-1, 2).T
        return [row for row, _ in pairs], values

    def _correlation(self, table: OutcomeTable) -> float:
        rows, (x, y) = self._known(table)
        if len(rows) < 2:
            return math.nan
        weighted = RESAMPLED.get(self._statistic) if table.by_item else None
        if weighted is not None:
            return float(weighted(x, y, table.weights(rows)[None])[0])
        return float(self._statistic(x.tolist(), y.tolist()))

    def _by_cluster(self, table: OutcomeTable) -> Clustered | None:
        if self._statistic not in (pearson, spearman):  # others are too slow to resample
            return None
        rows, (x, y) = self._known(table)
        labels = table.labels("cluster")
        place = {label: number for number, label in enumerate(labels)}
        clusters = np.array([place[row.cluster] for row in rows], dtype=np.int64)
        weights = table.weights(rows)
        sizes = np.bincount(clusters, weights, len(labels)).tolist()
        return Clustered(
            tuple(labels),
            ClusteredCorrelation(self._statistic, x, y, clusters, len(labels), weights),
            sizes=tuple(sizes) if table.by_item else None,
        )


Kind: TypeAlias = Literal["share", "mean", "correlation", "count", "score"]


@dataclass(frozen=True)
class Number:
    """The declaration of one metric of a benchmark, such as its accuracy.

    Attributes:
        name: in results, logs, JSON and code.
        title: at the head of a table's column.
        of: computes it from the benchmark's table; NaN where it is undefined. An estimator
            (`Estimator`) also says what intervals and comparisons resample.
        kind: what it is. A count is summed over the tasks of a group, all else is averaged.
        better: "higher", "lower", or None if neither is.
        section: the table that it stands in; None where a breakdown shows it.
        interval: whether its 95% interval is printed beside it; a text is the stem of the names of
            the interval's ends, which is else `<name>_ci95`.
        resampled: whether `pairbench score` prints its 95% interval though no log has the ends.
        digits: decimals in tables.
        when: whether a task has it; None for all tasks.
        over: its value for a group, from those of the group's tasks; by kind unless said.
        if_some_tie: the number by which judges are compared instead, where ratings of some tie and
            those of others never do: this one punishes ratings for telling apart what the truth
            ties.
    """

    name: str
    title: str
    of: Callable[[Any], float]
    kind: Kind = "share"
    better: Literal["higher", "lower"] | None = "higher"
    section: str | None = ""
    interval: bool | str = False
    resampled: bool = False
    digits: int = 3
    when: Callable[[TaskTrials[Any]], bool] | None = None
    over: Callable[[Sequence[float]], float] | None = None
    if_some_tie: Number | None = None

    @cached_property
    def estimator(self) -> Estimator:
        """Return the estimator, which computes the metric and its interval."""
        return self.of if isinstance(self.of, Estimator) else Estimator(self.of)

    @property
    def mean(self) -> Mean | None:
        """Return the metric as a mean over trials; None if the metric is not a mean."""
        return self.of if isinstance(self.of, Mean) else None

    @cached_property
    def stem(self) -> str:
        """Return the prefix of the names of both interval bounds, such as "accuracy_ci95"."""
        return self.interval if isinstance(self.interval, str) else f"{self.name}_ci95"

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """Return the names of the lower and the upper interval bound; empty without an interval."""
        return (f"{self.stem}_low", f"{self.stem}_high") if self.interval else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the metric and of its interval bounds."""
        return (self.name, *self.ends)

    def found_in(self, numbers: Mapping[str, float]) -> tuple[float, float, float]:
        """Return the metric and its interval bounds from values keyed by name; NaN if missing."""
        names = (self.name, *(self.ends or ("", "")))
        value, low, high = (float(numbers.get(name, math.nan)) for name in names)
        return value, low, high

    def sums(self, outcomes: Iterable[Outcome]) -> Sums:
        """Return sum and count of the values by part of the data; nothing if this is no mean."""
        return {} if self.mean is None else self.mean.sums(outcomes)

    def values(self, table: OutcomeTable) -> dict[str, float]:
        """Return the metric and its interval bounds, keyed by name."""
        value = float(self.of(table))
        counted = self.kind == "count" and not math.isnan(value)
        values = {self.name: int(value) if counted else value}
        if self.interval:
            values |= zip(self.ends, self.estimator.interval(table), strict=True)
        return values


class Breakdown(NamedTuple):
    """A table with metrics for each subset of the data, such as the accuracy for each source.

    Attributes:
        name: in JSON, such as "by_source".
        title: of its table.
        of: from the benchmark's table to numbers by part: a value, a `Share`, or several numbers
            by name. Empty where there is nothing to show.
        apart: whether every run has a table of its own; across runs, every judge.
        shown: whether there is a table of it, from what `of` takes; None for always. JSON has it in
            any case.
        across: whether it is of several runs together: `of` takes the list of `scoring.Run`.
    """

    name: str
    title: str
    of: Callable[[Any], Mapping[Any, Any]]
    apart: bool = False
    shown: Callable[[Any], bool] | None = None
    across: bool = False


def by_field(field: str, number: Number, title: str) -> Breakdown:
    """Return a breakdown: the metric for each value of a field or facet, such as each source."""

    def of(table: OutcomeTable) -> dict[object, float]:
        labels = table.labels(field)
        parts = [table.where(lambda row, x=label: row[field] == x) for label in labels]  # type: ignore[misc]
        return {label: number.of(part) for label, part in zip(labels, parts, strict=True)}

    return Breakdown(f"by_{field}", title, of)
