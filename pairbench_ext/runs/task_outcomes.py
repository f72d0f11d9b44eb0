"""One judge's outcomes on a task, and the metrics and intervals that are computed from them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.readers import NOT_OF_REWARDS, rewarded
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.table import by_question
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered, Resampled
from pairbench_ext.statistics.noise import NoiseSplit, noise_split

_SAME = 1e-9  # how near a number its value by cluster must be


class Value(NamedTuple):
    """A judge's value of a metric over all its items, with its 95% interval."""

    value: float
    ci95: Interval


def verdict(outcomes: Sequence[Any]) -> Any:
    """Return a judge's overall verdict on an item: its mean rating, or its most frequent choice.

    Args:
        outcomes: of one item and part: in all orders, all repeats.

    Returns:
        None if nothing is usable, or two options are the most frequent ones.
    """
    options = [outcome.option for outcome in outcomes if outcome.usable]
    if not options:
        return None
    if outcomes[0].kind == "rated":
        return sum(map(float, options)) / len(options)
    (first, most), *rest = Counter(options).most_common(2)
    return None if rest and rest[0][1] == most else first


def is_undecided(outcomes: Sequence[Any]) -> bool:
    """Return whether an item has no verdict because its readable outcomes contradict each other."""
    return verdict(outcomes) is None and any(outcome.usable for outcome in outcomes)


@dataclass(eq=False)
class TaskOutcomes:
    """A judge's outcomes on a task, or on some of its items.

    Attributes:
        judge: its name.
        task: the task; empty for plain rows.
        benchmark: whose it is.
        logged: outcomes of the judge.
        pool: how unreadable replies are scored; None for the setting of the run.
        options: of the benchmark's table.
        where: what errors name; the task and the judge by default.
        by_item: whether each item counts once, however often it was answered.
        measured: whether there is anything to compute numbers from.
    """

    judge: str
    task: str
    benchmark: Benchmark = field(repr=False)
    logged: Sequence[Any] = field(repr=False)
    pool: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    by_item: bool = False
    measured: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self.where = self.where or f"{self.task} of {self.judge}"
        self._alone: dict[str, float] = {}
        self._values: dict[str, Mapping[str, float]] = {}
        self._resampled: dict[str, Resampled | None] = {}
        self._parts: dict[tuple[frozenset[Hashable], bool], TaskOutcomes] = {}

    @cached_property
    def outcomes(self) -> list[Any]:
        """Return one outcome per question, sorted by question.

        Raises:
            RecordError: if outcomes contradict each other.
        """
        with self._errors():
            return by_question(self.logged)

    @property
    def task_name(self) -> str:
        """Return the task's name, or the benchmark's name if the rows are plain."""
        return self.task or self.benchmark.name

    @cached_property
    def items(self) -> Counter[Hashable]:
        """Return the number of outcomes of each item."""
        return Counter(outcome.item for outcome in self.outcomes)

    @cached_property
    def parts(self) -> dict[str, dict[Hashable, list[Any]]]:
        """Return the outcomes, keyed by part (a rating's condition or aspect), then by item."""
        parts: dict[str, dict[Hashable, list[Any]]] = {}
        for outcome in self.outcomes:
            if outcome.kind == "text":
                continue
            rated = outcome.kind == "rated"
            items = parts.setdefault(outcome.condition if rated else "", {})
            asked = outcome.item if rated else outcome.item_and_variant
            items.setdefault(asked, []).append(outcome)
        return parts

    def on(self, items: frozenset[Hashable], *, by_item: bool = False) -> TaskOutcomes:
        """Return the judge's outcomes on some of its items; `by_item` lets each item count once."""
        if len(items) == len(self.items) and by_item == self.by_item:
            return self
        if (items, by_item) not in self._parts:
            kept = [x for x in self.outcomes if x.item in items]
            self._parts[items, by_item] = self.saying(kept, by_item=by_item)
        return self._parts[items, by_item]

    def saying(
        self, outcomes: Sequence[Any], judge: str = "", *, by_item: bool = False
    ) -> TaskOutcomes:
        """Return a copy that holds other outcomes, and another judge's name if one is given."""
        return TaskOutcomes(
            judge or self.judge,
            self.task,
            self.benchmark,
            outcomes,
            self.pool,
            self.options,
            by_item=by_item,
        )

    @cached_property
    def table(self) -> Any:
        """Return the table of outcomes from which the benchmark computes its metrics.

        Raises:
            RecordError: if outcomes contradict each other, or there is no such pool.
        """
        with self._errors():
            return self.benchmark.table(
                self.outcomes, self.pool, by_item=self.by_item, **self.options
            )

    @cached_property
    def rewarded(self) -> bool:
        """Return whether the judge is a reward model."""
        return rewarded(self.logged)

    def applies(self, number: Number) -> bool:
        """Return whether a metric applies to this judge; some do not apply to reward models."""
        return not (self.rewarded and number.name in NOT_OF_REWARDS)

    def number(self, number: Number) -> float:
        """Return the value of a metric for this judge; NaN if the metric does not apply."""
        if number.name not in self._alone:
            applies = self.applies(number)
            self._alone[number.name] = float(number.of(self.table)) if applies else math.nan
        return self._alone[number.name]

    def values(self, number: Number) -> Mapping[str, float]:
        """Return a metric's value and the bounds of its confidence interval, keyed by name."""
        if not self.applies(number):
            return dict.fromkeys(number.names, math.nan)
        if number.name not in self._values:
            table = self.table
            with self._errors():
                self._values[number.name] = number.values(table)
        return self._values[number.name]

    @cached_property
    def numbers(self) -> dict[str, float]:
        """Return the values and interval bounds of all metrics of the benchmark, keyed by name.

        Raises:
            RecordError: if outcomes contradict each other, or no number follows from them.
        """
        numbers: dict[str, float] = {}
        for number in self.benchmark.numbers:
            numbers |= self.values(number)
        return numbers

    def value(self, number: Number) -> Value:
        """Return the value of a metric for this judge, with its interval."""
        if number.interval:
            values = self.values(number)
            return Value(values[number.name], Interval(*(values[end] for end in number.ends)))
        resampled = self.resampled(number)
        nothing = Interval(math.nan, math.nan)
        return Value(self.number(number), nothing if resampled is None else resampled.interval)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Name the file, or the task and judge, in what is wrong with the outcomes."""
        try:
            yield
        except RecordError:
            raise
        except (ValueError, OverflowError) as error:
            raise RecordError(f"{self.where}: {error}") from error

    def resampled(self, number: Number) -> Resampled | None:
        """Return each cluster's part of a metric, so that clusters can be resampled.

        None if the metric cannot be split by cluster.
        """
        if number.name not in self._resampled:
            clustered = self._clustered(number) if self.applies(number) else None
            self._resampled[number.name] = None if clustered is None else Resampled(clustered)
        return self._resampled[number.name]

    def _clustered(self, number: Number) -> Clustered | None:
        """A number by cluster, with names that are alike in all tasks that share their sources.

        None where its estimator has no clusters, or it differs from its value by cluster under the
        options used.
        """
        value = self.number(number)
        if math.isnan(value):
            return None
        clustered = number.estimator.clusters(self.table)
        if clustered is None or not abs(clustered.statistic.estimate() - value) <= _SAME:
            return None
        source, sizes = self.benchmark.source_of(self.task), clustered.sizes
        if sizes is None:
            counts = Counter(outcome.cluster for outcome in self.table)
            sizes = tuple(counts.get(name, 1) for name in clustered.names)
        names = tuple((source, name) for name in clustered.names)
        return Clustered(names, clustered.statistic, sizes=sizes)

    @cached_property
    def noise(self) -> NoiseSplit | None:
        """Return the sources of noise in the main number; None if no question was asked twice."""
        if self.benchmark.headline is None or self.benchmark.outcome.kind != "chosen":
            return None
        headline = self.benchmark.number(self.benchmark.headline).mean
        assert headline is not None
        trials = [
            (x, outcome.item_and_variant, outcome.repeat, outcome.cluster)
            for outcome in self.outcomes
            if outcome.kind == "chosen" and (x := headline.per_trial(outcome)) is not None
        ]
        return noise_split(*zip(*trials, strict=True)) if trials else None


def item_text(item: Hashable) -> str:
    """Return an item or a question as text, its parts joined by commas.

    >>> item_text((3, "identical")), item_text(("T-1000", "")), item_text("q1")
    ('3, identical', 'T-1000', 'q1')
    """
    if not isinstance(item, tuple):
        return str(item)
    return ", ".join(filter(None, map(item_text, item)))
