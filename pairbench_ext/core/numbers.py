"""Numbers of a benchmark: each is declared once, with all that tables, logs and pictures need."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.task_trials import TaskTrials
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.means import Sum, Sums
from pairbench_ext.statistics.shares import mean_of_clusters

Kind: TypeAlias = Literal["share", "mean", "correlation", "count", "score"]


@dataclass(frozen=True)
class Number:
    """One number of a benchmark, declared once.

    Attributes:
        name: in results, logs, JSON and code.
        title: at the head of a table's column.
        of: computes it from the benchmark's table; NaN where it is undefined.
        kind: what it is. A count is summed over the tasks of a group, all else is averaged.
        better: "higher", "lower", or None if neither is.
        section: the table that it stands in; None where a breakdown shows it.
        per_trial: the value of one outcome, where the number is the mean of such values over
            trials: it is logged, so that the harness can give standard errors and compare runs.
        part: which part an outcome is of, where the number is not the mean over all of them at
            once but a mean of means: over the first name of such paths, of the means over the
            second, and so on (`statistics.means.NestedMean`).
        clustered: what it is of each cluster, from the benchmark's table: whatever compares two
            runs, or averages several tasks, resamples it. None where the values of `per_trial` say
            so, or nothing does; it returns None where an option makes it what nothing does.
        interval: its 95% interval, from the benchmark's table; True for that of `clustered`.
        ci95: stem of the names of the interval's ends; `<name>_ci95` unless said.
        digits: decimals in tables.
        when: whether a task has it; None for all tasks.
        over: its value for a group, from those of the group's tasks; by kind unless said.
    """

    name: str
    title: str
    of: Callable[[Any], float]
    kind: Kind = "share"
    better: Literal["higher", "lower"] | None = "higher"
    section: str | None = ""
    per_trial: Callable[[Any], float | None] | None = None
    part: Callable[[Any], tuple[Hashable, ...]] = lambda _: ()
    clustered: Callable[[Any], Clustered | None] | None = None
    interval: Callable[[Any], Interval] | Literal[True] | None = None
    ci95: str = ""
    digits: int = 3
    when: Callable[[TaskTrials[Any]], bool] | None = None
    over: Callable[[Sequence[float]], float] | None = None

    @property
    def stem(self) -> str:
        """What the names of the interval's ends begin with."""
        return self.ci95 or f"{self.name}_ci95"

    @property
    def ends(self) -> tuple[str, ...]:
        """The names of the interval's ends; none without an interval."""
        return (f"{self.stem}_low", f"{self.stem}_high") if self.interval else ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and those of its interval's ends."""
        return (self.name, *self.ends)

    def sums(self, outcomes: Iterable[Any]) -> Sums:
        """Its values per trial, summed and counted by part; empty where it is no such mean.

        Outcomes without a value are left out.
        """
        sums: dict[tuple[Hashable, ...], Sum] = {}
        for outcome in outcomes if self.per_trial is not None else ():
            value = self.per_trial(outcome)  # type: ignore[misc]
            if value is not None and not math.isnan(value):
                part = self.part(outcome)
                total, n = sums.get(part, (0.0, 0))
                sums[part] = Sum(total + value, n + 1)
        return sums

    def clustered_outcomes(self, outcomes: Iterable[Outcome]) -> Clustered | None:
        """The mean of its values per trial, by cluster; None where it is no plain mean of such."""
        if self.per_trial is None:
            return None
        known = [
            (outcome.cluster, value, self.part(outcome))
            for outcome in outcomes
            if (value := self.per_trial(outcome)) is not None and not math.isnan(value)
        ]
        if not known or any(part for *_, part in known):
            return None
        names = list(dict.fromkeys(name for name, *_ in known))
        place = {name: number for number, name in enumerate(names)}
        values = np.array([float(value) for _, value, _ in known])
        return mean_of_clusters(
            values,
            np.array([place[name] for name, *_ in known]),
            names,
            lowest=min(0.0, float(values.min())),
            highest=max(1.0, float(values.max())),
        )

    def values(self, table: Any) -> dict[str, float]:
        """The number, and the ends of its interval, by name."""
        value = float(self.of(table))
        counted = self.kind == "count" and not math.isnan(value)
        values = {self.name: int(value) if counted else value}
        if self.interval is not None:
            values |= zip(self.ends, self.interval_of(table), strict=True)
        return values

    def interval_of(self, table: Any) -> Interval:
        """Its 95% interval; it must have one."""
        if self.interval is not True:
            assert self.interval is not None
            return self.interval(table)
        assert self.clustered is not None
        by_cluster = self.clustered(table)
        return (
            Interval(math.nan, math.nan) if by_cluster is None else clustered_interval(by_cluster)
        )


class Breakdown(NamedTuple):
    """Numbers by a property of the trials: accuracy by source, by K, by cell.

    Attributes:
        name: in JSON, such as "by_source".
        title: of its table.
        of: from the benchmark's table to numbers by part: a value, a `Share`, or several numbers
            by name. Empty where there is nothing to show.
        apart: whether every run has a table of its own; across runs, every judge.
        shown: whether there is a table of it, from what `of` takes; None for always. JSON has it in
            any case.
    """

    name: str
    title: str
    of: Callable[[Any], Mapping[Any, Any]]
    apart: bool = False
    shown: Callable[[Any], bool] | None = None
