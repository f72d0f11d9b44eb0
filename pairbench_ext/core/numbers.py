"""Numbers of a benchmark: each is declared once, with all that tables, logs and pictures need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from pairbench_ext.core.estimators import Estimator, Mean
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.core.task_trials import TaskTrials
from pairbench_ext.statistics.means import Sums

Kind: TypeAlias = Literal["share", "mean", "correlation", "count", "score"]


@dataclass(frozen=True)
class Number:
    """One number of a benchmark, declared once.

    Attributes:
        name: in results, logs, JSON and code.
        title: at the head of a table's column.
        of: computes it from the benchmark's table; NaN where it is undefined. An estimator
            (`core.estimators`) also says what intervals and comparisons resample.
        kind: what it is. A count is summed over the tasks of a group, all else is averaged.
        better: "higher", "lower", or None if neither is.
        section: the table that it stands in; None where a breakdown shows it.
        interval: whether its 95% interval is printed beside it; a text is the stem of the names of
            the interval's ends, which is else `<name>_ci95`.
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
    interval: bool | str = False
    digits: int = 3
    when: Callable[[TaskTrials[Any]], bool] | None = None
    over: Callable[[Sequence[float]], float] | None = None

    @property
    def estimator(self) -> Estimator:
        """How it follows from a table."""
        return self.of if isinstance(self.of, Estimator) else Estimator(self.of)

    @property
    def mean(self) -> Mean | None:
        """The number as a mean over trials; None if it is not one."""
        return self.of if isinstance(self.of, Mean) else None

    @property
    def stem(self) -> str:
        """What the names of the interval's ends begin with."""
        return self.interval if isinstance(self.interval, str) else f"{self.name}_ci95"

    @property
    def ends(self) -> tuple[str, ...]:
        """The names of the interval's ends; none without an interval."""
        return (f"{self.stem}_low", f"{self.stem}_high") if self.interval else ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and those of its interval's ends."""
        return (self.name, *self.ends)

    def sums(self, outcomes: Iterable[Outcome]) -> Sums:
        """Its values per trial, summed and counted by part; empty where it is no such mean."""
        return {} if self.mean is None else self.mean.sums(outcomes)

    def values(self, table: OutcomeTable) -> dict[str, float]:
        """The number, and the ends of its interval, by name."""
        value = float(self.of(table))
        counted = self.kind == "count" and not math.isnan(value)
        values = {self.name: int(value) if counted else value}
        if self.interval:
            values |= zip(self.ends, self.estimator.interval(table), strict=True)
        return values


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
        across: whether it is of several runs together: `of` takes the list of `scoring.Run`.
    """

    name: str
    title: str
    of: Callable[[Any], Mapping[Any, Any]]
    apart: bool = False
    shown: Callable[[Any], bool] | None = None
    across: bool = False


def by_field(field: str, number: Number, title: str) -> Breakdown:
    """A number for each value of a field or facet of the outcomes."""

    def of(table: OutcomeTable) -> dict[object, float]:
        labels = table.labels(field)
        parts = [table.where(lambda row, x=label: row[field] == x) for label in labels]  # type: ignore[misc]
        return {label: number.of(part) for label, part in zip(labels, parts, strict=True)}

    return Breakdown(f"by_{field}", title, of)
