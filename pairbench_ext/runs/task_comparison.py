"""Several judges on one task: its numbers, and each two judges on the items of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pairbench_ext.core import registry
from pairbench_ext.core.answers import Answers
from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.limit_items import Sampled, strata_of, weights_of
from pairbench_ext.core.outcome_table import each_once
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.comparisons import Comparison, Value
from pairbench_ext.runs.completeness import UNKNOWN, Completeness
from pairbench_ext.runs.resampling import clustered, noise_of, weighted_table
from pairbench_ext.runs.scoring import FileReadings, pooled, read_file
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Resampled
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.noise import NoiseSplit
from pairbench_ext.statistics.sign_flip import SignTest

_NAMED = 3  # items that only one judge has


@dataclass
class TaskResult:
    """What one task says of the judges.

    Attributes:
        task: its name.
        benchmark: whose it is.
        comparisons: by number and pair.
        values: by number, by judge.
        resampled: by number, by pair of judges: both on the items of both.
        alone: by number, by judge, on all of its items.
        noise: by judge, of the headline number.
        asked: by judge, how much of the task its file holds.
        unmeasured: judges of whom no sample has an outcome; they are left out.
    """

    task: str
    benchmark: str
    comparisons: list[Comparison] = field(default_factory=list)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    resampled: dict[str, dict[tuple[str, str], tuple[Resampled, Resampled]]] = field(
        default_factory=dict
    )
    alone: dict[str, dict[str, Resampled]] = field(default_factory=dict)
    noise: dict[str, NoiseSplit] = field(default_factory=dict)
    asked: dict[str, Completeness] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()


def compare_task(
    task: str,
    files: Mapping[str, Path],
    pairs: Sequence[tuple[str, str]],
    rule: str | None = None,
    pool: str | None = None,
    numbers: Sequence[str] = (),
    each: Callable[..., Iterable[Any]] = map,
    already: Mapping[Path, FileReadings] | None = None,
) -> TaskResult:
    """Compare judges on one task.

    Args:
        task: its name; empty for plain rows.
        files: of the judges, by their names.
        pairs: of judges.
        rule: how replies are read; None for the rule of each run, or else the default.
        pool: what an unusable one counts as; None as each run says.
        numbers: which to compare; by default those with an interval of which one end is better.
        each: how files are read: `map`, or that of a pool of processes.
        already: what is in some of the files, which are then not read.

    Raises:
        RecordError: if a file cannot be scored, the files are of several benchmarks, or judges were
            asked about different data.
    """
    benchmark, every = read_judges(task, files, rule, pool, each, already)
    judges = measured(every)
    check_same_truths(benchmark, judges)
    known = [(a, b) for a, b in pairs if a in judges and b in judges]
    result = TaskResult(task or benchmark.name, benchmark.name)
    result.asked |= {name: judge.asked for name, judge in every.items()}
    result.unmeasured = tuple(name for name in every if name not in judges)
    for number in chosen_numbers(benchmark, numbers, list(judges.values())):
        result.values[number.name] = {name: judge.value(number) for name, judge in judges.items()}
        result.alone[number.name] = {
            name: one
            for name, judge in judges.items()
            if (one := judge.resampled(number)) is not None
        }
        for a, b in known:
            compare_number(result, number, judges[a], judges[b])
    for name, judge in judges.items():
        split = noise_of(benchmark, judge.outcomes)
        if split is not None:
            result.noise[name] = split
    return result


def read_judges(
    task: str,
    files: Mapping[str, Path],
    rule: str | None = None,
    pool: str | None = None,
    each: Callable[..., Iterable[Any]] = map,
    already: Mapping[Path, FileReadings] | None = None,
) -> tuple[Benchmark, dict[str, Judge]]:
    """The benchmark of a task, and what its judges said, by their names.

    Args:
        task: its name; empty for plain rows.
        files: of the judges, by their names.
        rule: how replies are read; None for the rule of each run, or else the default.
        pool: what an unusable one counts as; None as each run says.
        each: how files are read: `map`, or that of a pool of processes.
        already: what is in some of the files, which are then not read.

    Raises:
        RecordError: if a file cannot be scored, or the files are of several benchmarks.
    """
    read = list(each(partial(_outcomes, rule=rule, already=already or {}), files.values()))
    strata = {cluster: one for *_, own, _ in read for cluster, one in own.items()}
    judges = {
        name: Judge(name, task, registry.benchmark_of(benchmark), outcomes, pool, strata, asked)
        for name, (benchmark, outcomes, _, asked) in zip(files, read, strict=True)
    }
    return _one_benchmark(list(judges.values())), judges


def _outcomes(
    file: Path, rule: str | None, already: Mapping[Path, FileReadings]
) -> tuple[str, list[Any], dict[Hashable, Sampled], Completeness]:
    """Whose samples a file holds, what they say, what they were drawn from, how much is there."""
    benchmark, readings, asked = already.get(file) or read_file(
        registry.every_benchmark(), file, rule=rule
    )
    outcomes = [one for reading in readings for one in reading.outcomes]
    return benchmark.name, outcomes, strata_of(readings, benchmark.cluster), asked


def check_same_truths(benchmark: Benchmark, judges: Mapping[str, Judge]) -> None:
    """Refuse judges for whom different answers to one question are right.

    Raises:
        RecordError: naming the task, the question, and what is right for whom.
    """
    answers = benchmark.answers
    if not isinstance(answers, Answers):  # outcomes answer no questions that all are asked
        return
    known: dict[Hashable, tuple[str, Any]] = {}
    for name, judge in judges.items():
        for outcome in judge.outcomes:
            question = answers.question(outcome)
            if question is None:
                continue
            truth = answers.truth(outcome)
            other, before = known.setdefault(question, (name, truth))
            if before != truth:
                raise RecordError(
                    f"{judge.task or benchmark.name}: question {item_text(question)}: the right "
                    f"answer is {before!r} for {other}, {truth!r} for {name}; judges were asked "
                    "about different data"
                )


def measured(judges: Mapping[str, Judge]) -> dict[str, Judge]:
    """The judges that have an outcome: a task that could not be asked has none."""
    return {name: judge for name, judge in judges.items() if judge.outcomes}


class Judge:
    """One judge's outcomes of one task."""

    def __init__(
        self,
        name: str,
        task: str,
        benchmark: Benchmark,
        outcomes: list[Any],
        pool: str | None,
        strata: Mapping[Hashable, Sampled],
        asked: Completeness = UNKNOWN,
    ) -> None:
        self.name = name
        self.pool = pool
        self.task = task
        self.benchmark = benchmark
        self.outcomes = outcomes
        self.strata = strata
        self.asked = asked
        self._parts: dict[frozenset[Hashable], Part] = {}

    @cached_property
    def items(self) -> dict[Hashable, int]:
        """How many outcomes each item has, each once."""
        counts: dict[Hashable, int] = {}
        for outcome in each_once(self.outcomes):
            item = self.benchmark.item(outcome)
            counts[item] = counts.get(item, 0) + 1
        return counts

    def part(self, items: frozenset[Hashable]) -> Part:
        """The outcomes of some items."""
        if items not in self._parts:
            kept = self.outcomes
            if len(items) < len(self.items):
                kept = [one for one in kept if self.benchmark.item(one) in items]
            self._parts[items] = Part(self, kept)
        return self._parts[items]

    @cached_property
    def whole(self) -> Part:
        """All outcomes."""
        return self.part(frozenset(self.items))

    def value(self, number: Number) -> Value:
        """A number of all outcomes, and its interval."""
        if number.interval is not None:  # as `pairbench score` gives it
            found = {**number.values(self.whole.table), **self.whole.weighted}
            return Value(found[number.name], Interval(*(found[end] for end in number.ends)))
        resampled = self.resampled(number)
        nothing = Interval(math.nan, math.nan)
        return Value(self.whole.value(number), nothing if resampled is None else resampled.interval)

    def resampled(self, number: Number) -> Resampled | None:
        """A number of all outcomes, to be resampled."""
        return self.whole.resampled(number)


class Part:
    """A judge's outcomes of some items, and what is computed of them once."""

    def __init__(self, judge: Judge, outcomes: list[Any]) -> None:
        self.benchmark = judge.benchmark
        self.task = judge.task
        self.outcomes = outcomes
        try:
            self.table = pooled(judge.benchmark, outcomes, judge.pool)
        except (ValueError, OverflowError) as error:
            raise RecordError(f"{judge.task} of {judge.name}: {error}") from error
        self._resampled: dict[str, Resampled | None] = {}
        clusters = map(judge.benchmark.cluster, outcomes) if judge.strata else ()
        self.weights = weights_of(clusters, judge.strata)

    @cached_property
    def weighted(self) -> dict[str, float]:
        """The numbers that weights of the clusters count for."""
        return weighted_table(self.benchmark, self.table, self.outcomes, self.weights)

    def value(self, number: Number) -> float:
        """The number."""
        return float(self.weighted.get(number.name, number.of(self.table)))

    def resampled(self, number: Number) -> Resampled | None:
        """The number to be resampled; None where nothing says how."""
        if number.name not in self._resampled:
            self._resampled[number.name] = self._make(number)
        return self._resampled[number.name]

    def _make(self, number: Number) -> Resampled | None:
        found = clustered(
            self.benchmark, self.task, number, self.table, self.outcomes, self.weights
        )
        return None if found is None else Resampled(found)


def compare_number(result: TaskResult, number: Number, one: Judge, other: Judge) -> None:
    """Add to a result how two judges compare by a number, on the items of both."""
    common = frozenset(one.items.keys() & other.items.keys())
    only = [[item for item in x.items if item not in common] for x in (one, other)]
    first, second = one.part(common), other.part(common)
    value = first.value(number) - second.value(number) if common else math.nan
    found = Difference(value, Interval(math.nan, math.nan), SignTest(math.nan, "none"), 0)
    a, b = (first.resampled(number), second.resampled(number)) if common else (None, None)
    if a is not None and b is not None:
        found = difference([a], [b])
        result.resampled.setdefault(number.name, {})[one.name, other.name] = a, b
    result.comparisons.append(
        Comparison(
            task=result.task,
            number=number.name,
            better=number.better,
            a=one.name,
            b=other.name,
            difference=value,
            ci95=found.interval,
            p=found.test.p,
            test=found.test.method,
            items=len(common),
            clusters=found.clusters,
            only_a=len(only[0]),
            only_b=len(only[1]),
            named_a=tuple(map(item_text, only[0][:_NAMED])),
            named_b=tuple(map(item_text, only[1][:_NAMED])),
            uneven=sum(one.items[item] != other.items[item] for item in common),
        )
    )


def item_text(item: Hashable) -> str:
    """An item as it is named to people."""
    return ", ".join(map(str, item)) if isinstance(item, tuple) else str(item)


def _one_benchmark(judges: Sequence[Judge]) -> Benchmark:
    benchmark = judges[0].benchmark
    for judge in judges[1:]:
        if judge.benchmark.name != benchmark.name:
            raise RecordError(
                f"{judges[0].task or 'the files'}: samples of {benchmark.name!r} for "
                f"{judges[0].name}, of {judge.benchmark.name!r} for {judge.name}"
            )
    return benchmark


def chosen_numbers(
    benchmark: Benchmark, names: Sequence[str], judges: Sequence[Judge]
) -> list[Number]:
    """The numbers to compare: those asked for, or else those with an interval; if measured.

    The headline is the first of the latter.
    """
    if names:
        chosen = [number for number in benchmark.numbers if set(names) & set(number.names)]
    else:
        chosen = [
            number
            for number in benchmark.numbers
            if number.interval is not None and number.better is not None
        ]
        chosen.sort(key=lambda number: number.name != benchmark.headline)
    return [n for n in chosen if any(not math.isnan(one.whole.value(n)) for one in judges)]
