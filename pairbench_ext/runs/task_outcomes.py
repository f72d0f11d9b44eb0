"""Judges on one task: their outcomes, and what is computed of them once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.outcomes import each_once
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.completeness import UNKNOWN, Completeness
from pairbench_ext.runs.resampling import clustered
from pairbench_ext.runs.scoring import FileReadings, read_file
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Resampled


class Value(NamedTuple):
    """One number of one judge, over all items that it was asked, and its 95% interval."""

    value: float
    ci95: Interval

    def document(self) -> dict[str, float]:
        """For JSON."""
        return {"value": self.value, "ci95_low": self.ci95.low, "ci95_high": self.ci95.high}


class Judge:
    """One judge's outcomes of one task, or of some of its items.

    Args:
        name: of the judge.
        task: the task.
        benchmark: whose it is.
        outcomes: of the judge.
        pool: how unreadable replies are scored; None for the setting of the run.
        asked: how much of the task its file holds.
    """

    def __init__(
        self,
        name: str,
        task: str,
        benchmark: Benchmark,
        outcomes: Sequence[Any],
        pool: str | None = None,
        asked: Completeness = UNKNOWN,
    ) -> None:
        self.name = name
        self.task = task
        self.benchmark = benchmark
        self.outcomes = outcomes
        self.pool = pool
        self.asked = asked
        self._resampled: dict[str, Resampled | None] = {}
        self._parts: dict[frozenset[Hashable], Judge] = {}

    @cached_property
    def items(self) -> Counter[Hashable]:
        """How many outcomes each item has, each once."""
        return Counter(outcome.item for outcome in each_once(self.outcomes))

    def on(self, items: frozenset[Hashable]) -> Judge:
        """The same judge on some of its items."""
        if len(items) == len(self.items):
            return self
        if items not in self._parts:
            kept = [x for x in self.outcomes if x.item in items]
            self._parts[items] = self.saying(kept)
        return self._parts[items]

    def saying(self, outcomes: Sequence[Any], name: str = "") -> Judge:
        """A judge of this task with other outcomes."""
        return Judge(name or self.name, self.task, self.benchmark, outcomes, self.pool)

    @cached_property
    def table(self) -> Any:
        """The benchmark's table of the outcomes.

        Raises:
            RecordError: if outcomes contradict each other.
        """
        try:
            return self.benchmark.table(self.outcomes, self.pool)
        except (ValueError, OverflowError) as error:
            raise RecordError(f"{self.task} of {self.name}: {error}") from error

    def number(self, number: Number) -> float:
        """A number of the outcomes."""
        return float(number.of(self.table))

    def value(self, number: Number) -> Value:
        """A number of the outcomes, and its interval, as `pairbench score` gives them."""
        if number.interval is not None:
            values = number.values(self.table)
            return Value(values[number.name], Interval(*(values[end] for end in number.ends)))
        resampled = self.resampled(number)
        nothing = Interval(math.nan, math.nan)
        return Value(self.number(number), nothing if resampled is None else resampled.interval)

    def resampled(self, number: Number) -> Resampled | None:
        """A number by cluster, to be resampled; None where that is not known."""
        if number.name not in self._resampled:
            made = clustered(self.benchmark, self.task, number, self.table, self.outcomes)
            self._resampled[number.name] = None if made is None else Resampled(made)
        return self._resampled[number.name]


def read_judges(
    task: str,
    files: Mapping[str, Path],
    rule: str | None = None,
    pool: str | None = None,
    already: Mapping[Path, FileReadings] | None = None,
) -> tuple[Benchmark, dict[str, Judge]]:
    """Read what the judges of a task said.

    Args:
        task: its name; empty for plain rows.
        files: of the judges, by their names.
        rule: how replies are read; None for the rule of each run, or else the default.
        pool: how unreadable replies are scored; None for the setting of each run.
        already: the readings of files that were read before.

    Returns:
        The benchmark of the task, and the judges by name.

    Raises:
        RecordError: if a file cannot be scored, or the files are of several benchmarks.
    """
    every = registry.every_benchmark()
    read = {
        name: (already or {}).get(file) or read_file(every, file, rule=rule)
        for name, file in files.items()
    }
    (first, (benchmark, *_)), *others = read.items()
    for name, (other, *_) in others:
        if other.name != benchmark.name:
            raise RecordError(
                f"{task or 'the files'}: samples of {benchmark.name!r} for {first}, of "
                f"{other.name!r} for {name}"
            )
    return benchmark, {
        name: Judge(
            name,
            task,
            benchmark,
            [outcome for reading in readings for outcome in reading.outcomes],
            pool,
            asked,
        )
        for name, (_, readings, asked) in read.items()
    }


def measured(judges: Mapping[str, Judge]) -> dict[str, Judge]:
    """The judges that have an outcome: a task that could not be asked has none."""
    return {name: judge for name, judge in judges.items() if judge.outcomes}


def check_same_truths(benchmark: Benchmark, judges: Mapping[str, Judge]) -> None:
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
    benchmark: Benchmark, names: Sequence[str], judges: Sequence[Judge]
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
