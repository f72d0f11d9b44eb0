"""One judge's outcomes of a task: numbers, intervals, and what judges must share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.outcomes import each_once
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.resampling import clustered
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Resampled


class Value(NamedTuple):
    """One number of one judge, over all items that it was asked, and its 95% interval."""

    value: float
    ci95: Interval

    def document(self) -> dict[str, float]:
        """For JSON."""
        return {"value": self.value, "ci95_low": self.ci95.low, "ci95_high": self.ci95.high}


class TaskOutcomes:
    """What one judge said on a task, or on some of its items, and what is computed of it once.

    Args:
        judge: its name.
        task: the task; empty for plain rows.
        benchmark: whose it is.
        outcomes: of the judge.
        pool: how unreadable replies are scored; None for the setting of the run.
        options: of the benchmark's table.
        where: what errors name; the task and the judge by default.
    """

    def __init__(
        self,
        judge: str,
        task: str,
        benchmark: Benchmark,
        outcomes: Sequence[Any],
        pool: str | None = None,
        options: Mapping[str, Any] | None = None,
        where: str = "",
    ) -> None:
        self.judge = judge
        self.task = task
        self.benchmark = benchmark
        self.outcomes = outcomes
        self.pool = pool
        self.options = options or {}
        self.where = where or f"{task} of {judge}"
        self._values: dict[str, Mapping[str, float]] = {}
        self._resampled: dict[str, Resampled | None] = {}
        self._parts: dict[frozenset[Hashable], TaskOutcomes] = {}

    @cached_property
    def items(self) -> Counter[Hashable]:
        """How many outcomes each item has, each once."""
        return Counter(outcome.item for outcome in each_once(self.outcomes))

    def on(self, items: frozenset[Hashable]) -> TaskOutcomes:
        """The same judge on some of its items."""
        if len(items) == len(self.items):
            return self
        if items not in self._parts:
            kept = [x for x in self.outcomes if x.item in items]
            self._parts[items] = self.saying(kept)
        return self._parts[items]

    def saying(self, outcomes: Sequence[Any], judge: str = "") -> TaskOutcomes:
        """A judge of this task with other outcomes."""
        judge = judge or self.judge
        return TaskOutcomes(judge, self.task, self.benchmark, outcomes, self.pool, self.options)

    @cached_property
    def table(self) -> Any:
        """The benchmark's table of the outcomes.

        Raises:
            RecordError: if outcomes contradict each other, or there is no such pool.
        """
        with self._errors():
            return self.benchmark.table(self.outcomes, self.pool, **self.options)

    def number(self, number: Number) -> float:
        """A number of the outcomes."""
        return float(number.of(self.table))

    def values(self, number: Number) -> Mapping[str, float]:
        """A number and the ends of its interval, by name, as `pairbench score` gives them."""
        if number.name not in self._values:
            table = self.table
            with self._errors():
                self._values[number.name] = number.values(table)
        return self._values[number.name]

    @property
    def numbers(self) -> dict[str, float]:
        """All numbers of the benchmark, and the ends of their intervals, by name.

        Raises:
            RecordError: if outcomes contradict each other, or no number follows from them.
        """
        made: dict[str, float] = {}
        for number in self.benchmark.numbers:
            made |= self.values(number)
        return made

    def value(self, number: Number) -> Value:
        """A number of the outcomes, and its interval."""
        if number.interval is not None:
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
        """A number by cluster, to be resampled; None where that is not known."""
        if number.name not in self._resampled:
            made = clustered(self.benchmark, self.task, number, self.table, self.outcomes)
            self._resampled[number.name] = None if made is None else Resampled(made)
        return self._resampled[number.name]


def check_same_truths(benchmark: Benchmark, judges: Mapping[str, TaskOutcomes]) -> None:
    """Refuse judges for whom different answers to one question are right.

    Raises:
        RecordError: naming the task, the question, and both answers.
    """
    if benchmark.answers.why_not:  # outcomes answer no questions that all are asked
        return
    known: dict[Hashable, tuple[str, Any]] = {}
    for name, judge in judges.items():
        for outcome in judge.outcomes:
            if outcome.kind == "text":
                continue
            other, truth = known.setdefault(outcome.question, (name, outcome.truth))
            if truth != outcome.truth:
                raise RecordError(
                    f"{judge.task or benchmark.name}: question {item_text(outcome.question)}: the "
                    f"right answer is {truth!r} for {other}, {outcome.truth!r} for {name}; judges "
                    "were asked about different data"
                )


def by_part(outcomes: Iterable[Any]) -> dict[str, dict[Hashable, list[Any]]]:
    """Ratings by condition or aspect, then by item; choices by what is asked, under ""."""
    parts: dict[str, dict[Hashable, list[Any]]] = {}
    for outcome in each_once(outcomes):
        rated = outcome.kind == "rated"
        items = parts.setdefault(outcome.condition if rated else "", {})
        items.setdefault(outcome.item if rated else outcome.item_and_variant, []).append(outcome)
    return parts


def item_text(item: Hashable) -> str:
    """Return an item or a question as a text: its parts, separated by commas."""
    if not isinstance(item, tuple):
        return str(item)
    return ", ".join(item_text(part) for part in item if part != ())


def chosen_numbers(
    benchmark: Benchmark, names: Sequence[str], judges: Sequence[TaskOutcomes]
) -> list[Number]:
    """The numbers to compare: those asked for, else those with an interval, the headline first.

    Only numbers that are measured, of at least one judge.
    """
    if names:
        chosen = [number for number in benchmark.numbers if set(names) & set(number.names)]
    else:
        chosen = [n for n in benchmark.numbers if n.interval is not None and n.better is not None]
        chosen.sort(key=lambda number: number.name != benchmark.headline)
    return [n for n in chosen if any(not math.isnan(judge.number(n)) for judge in judges)]
