"""From files of logged samples, or plain rows in their place, to numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Reading
from pairbench_ext.core.characters import printable
from pairbench_ext.core.left_out import named
from pairbench_ext.core.limit_items import Sampled, sample_remarks
from pairbench_ext.core.plurals import counted, plural
from pairbench_ext.core.records import RecordError, read_up_to_cut
from pairbench_ext.runs.completeness import UNKNOWN, Completeness, completeness
from pairbench_ext.runs.files import owner, task_name
from pairbench_ext.runs.resampling import noise_of
from pairbench_ext.runs.samples import LEFT_OUT, read_record, without_repeats
from pairbench_ext.statistics.noise import NoiseSplit


@dataclass(frozen=True)
class Run:
    """One file and its numbers.

    Attributes:
        benchmark: whose samples it holds.
        file: where they are.
        name: the task, after the judge where there are several.
        readings: of the samples, in the order of the file.
        table: what the numbers are computed from; None where no sample has an outcome.
        numbers: by name; `left_out` counts what could not be asked about.
        pool: how they were pooled, if it was given.
        asked: how much of its task the file holds.
        judge: its name, where there may be several.
    """

    benchmark: Benchmark
    file: Path
    name: str
    readings: tuple[Reading, ...]
    table: Any
    numbers: Mapping[str, float]
    pool: str | None = None
    asked: Completeness = UNKNOWN
    judge: str = ""

    @property
    def failed(self) -> int:
        """How many requests failed."""
        return sum(reading.failed for reading in self.readings)

    @property
    def unusable(self) -> Counter[str]:
        """Why replies could not be used: reason -> count."""
        return unusable_replies(self.readings)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Why rows of the data could not be asked about."""
        return left_out_of(self.readings)

    @property
    def measured(self) -> bool:
        """Whether there is anything to compute numbers from."""
        return has_outcomes(self.readings)

    @property
    def outcomes(self) -> Iterator[Any]:
        """The outcomes of all samples, in the order of the file."""
        return (outcome for reading in self.readings for outcome in reading.outcomes)

    @cached_property
    def noise(self) -> NoiseSplit | None:
        """Where the noise of the headline number is from; None where nothing was asked twice."""
        return noise_of(self.benchmark, self.outcomes)

    @property
    def sampled(self) -> Sampled | None:
        """What its first item was drawn from; None where all items were asked about."""
        drawn = (reading.sampled for reading in self.readings if reading.sampled is not None)
        return next(drawn, None)

    def breakdowns(self) -> dict[str, Mapping[Any, Any]]:
        """Numbers by part, by the name of the breakdown; those without parts are left out."""
        if not self.measured:
            return {}
        made = {part.name: part.of(self.table) for part in self.benchmark.breakdowns}
        return {name: parts for name, parts in made.items() if parts}

    def remarks(self) -> list[str]:
        """Remarks to print beside the numbers."""
        pooled = [self.benchmark.pool(self.pool)] if self.pool else []
        noise = self.noise
        return [
            *self.asked.describe(),
            *unread_remarks(self.numbers.get("coverage", math.nan), self.readings),
            *(f"pooled as {pool.name}; unusable replies: {pool.about}" for pool in pooled),
            *(self.benchmark.remarks(self.table) if self.measured else ()),
            *sample_remarks(self.readings),
            *failed_remarks(self.readings),
            *left_out_remarks(self.readings),
            *(noise.describe(str(self.benchmark.headline)) if noise else ()),
        ]


class FileReadings(NamedTuple):
    """The readings of a file's samples, their benchmark, and how much of their task they are."""

    benchmark: Benchmark
    readings: tuple[Reading, ...]
    asked: Completeness


def read_file(
    benchmarks: Sequence[Benchmark], path: Path, *, rule: str | None = None
) -> FileReadings:
    """Read one file, by its benchmark's grammar, without scoring it.

    Args:
        benchmarks: one of which its samples are of.
        path: JSON lines.
        rule: how replies are read; None for the rule of the run, or else the default.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    benchmark = owner(benchmarks, path)
    logged, cut = read_up_to_cut(path)
    records = benchmark.convert(logged)
    if not records:
        raise RecordError(f"{path}: no samples in it")
    every = [read_record(benchmark, record, rule) for record in records]
    once, readings = without_repeats(records, every)
    asked = completeness(path, once, readings, cut)._replace(
        part=" ".join(sample_remarks(readings)), repeated=len(records) - len(once)
    )
    return FileReadings(benchmark, tuple(readings), asked)


def score_file(
    benchmark: Benchmark,
    path: Path,
    *,
    rule: str | None = None,
    pool: str | None = None,
    options: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Run:
    """Read one file and score it.

    Args:
        benchmark: whose samples it holds.
        path: JSON lines.
        rule: how replies are read; None for the rule of the run, or else the default.
        pool: how unreadable replies are scored, and which averages are taken; None for the
            setting of the run.
        options: of the benchmark's table.
        name: what to call the run; its task by default.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    _, readings, asked = read_file([benchmark], path, rule=rule)
    run = score_readings(benchmark, path, readings, pool=pool, options=options, name=name)
    return replace(run, asked=asked)


def score_judge(
    files: Iterable[Path], *, rule: str | None = None, pool: str | None = None
) -> list[Run]:
    """Score all files of a judge, each as a sample of its benchmark, as `score_file` does."""
    benchmarks = registry.every_benchmark()
    return [score_file(owner(benchmarks, file), file, rule=rule, pool=pool) for file in files]


def readings_by_file(runs: Iterable[Run]) -> dict[Path, FileReadings]:
    """The readings of scored runs, for commands that use their files again."""
    return {run.file: FileReadings(run.benchmark, run.readings, run.asked) for run in runs}


def score_readings(
    benchmark: Benchmark,
    path: Path,
    readings: Sequence[Reading],
    *,
    pool: str | None = None,
    options: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Run:
    """Score readings, as `score_file` does.

    Args:
        benchmark: whose replies they are.
        path: where they are from, for errors and the run's name.
        readings: one per sample.
        pool: as for `score_file`; so are the other arguments.
        options: of the benchmark's table.
        name: what to call the run; its task by default.

    Raises:
        RecordError: if no numbers follow from them.
    """
    readings = tuple(readings)
    name = name or printable(task_name(path))
    left_out = {LEFT_OUT: len(left_out_of(readings))}
    if not has_outcomes(readings) and left_out[LEFT_OUT]:
        undefined = {name: math.nan for number in benchmark.numbers for name in number.names}
        return Run(benchmark, path, name, readings, None, {**undefined, **left_out}, pool)
    try:
        table = tabulate(benchmark, readings, options, pool)
        numbers = benchmark.score(table)
    except RecordError:
        raise
    except (ValueError, OverflowError) as error:
        raise RecordError(f"{path}: {error}") from error
    return Run(benchmark, path, name, readings, table, {**numbers, **left_out}, pool)


def tabulate(
    benchmark: Benchmark,
    readings: Iterable[Reading],
    options: Mapping[str, Any] | None = None,
    pool: str | None = None,
) -> Any:
    """The benchmark's table of all outcomes of readings, pooled as is given.

    Raises:
        ValueError: if outcomes contradict each other, or there is no such pool.
    """
    given = {key: value for key, value in (options or {}).items() if value is not None}
    outcomes = (outcome for reading in readings for outcome in reading.outcomes)
    return benchmark.table(outcomes, pool, **given)


def has_outcomes(readings: Sequence[Reading]) -> bool:
    """Whether there is anything to compute numbers from.

    Not where a rank could not build its task: its part of the samples is missing.
    """
    return all(reading.built for reading in readings) and any(
        reading.outcomes for reading in readings
    )


def left_out_of(readings: Iterable[Reading]) -> tuple[str, ...]:
    """Why rows could not be asked about: each reason once, however many trials it has cost."""
    return tuple(dict.fromkeys(reason for reading in readings for reason in reading.left_out))


def unusable_replies(readings: Iterable[Reading]) -> Counter[str]:
    """Why replies could not be used: reason -> count."""
    return Counter(why for reading in readings for why in reading.unusable)


def failed_remarks(readings: Iterable[Reading]) -> list[str]:
    """How failed requests are counted; nothing if there are none."""
    failed = sum(reading.failed for reading in readings)
    if not failed:
        return []
    counts = plural("it counts", failed)
    return [f"{counted(failed, 'request')} failed; {counts} as unusable replies"]


def unread_remarks(coverage: float, readings: Iterable[Reading]) -> list[str]:
    """A warning that no reply could be read, with the commonest reason; nothing if one could.

    Args:
        coverage: the share of the replies that could; NaN where there is none.
        readings: of the samples.
    """
    reasons = unusable_replies(readings)
    if coverage != 0 or not reasons:
        return []
    [(why, count)] = reasons.most_common(1)
    return [
        f"no reply could be read ({why}: {count:,} of {reasons.total():,}): the other numbers mean "
        "nothing; can this judge do this task?"
    ]


def left_out_remarks(readings: Sequence[Reading]) -> list[str]:
    """How many rows were skipped, and the first reasons; nothing if all were asked about."""
    broken = left_out_of(reading for reading in readings if not reading.built)
    if broken:
        return [f"the task could not be asked, its numbers are undefined (nan): {named(broken)}"]
    reasons = left_out_of(readings)
    if not reasons:
        return []
    none = "" if has_outcomes(readings) else "; nothing is left, its numbers are undefined (nan)"
    return [f"{counted(len(reasons), 'row')} skipped: {named(reasons)}{none}"]
