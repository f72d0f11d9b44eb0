"""From files of logged samples, or plain rows in their place, to numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Exchange, Reading, Trial
from pairbench_ext.core.limit_items import Sampled, sample_remarks
from pairbench_ext.core.records import Record, RecordError, read_up_to_cut
from pairbench_ext.core.reread import KEY, chosen
from pairbench_ext.runs.completeness import UNKNOWN, Completeness, completeness
from pairbench_ext.runs.repeated_samples import without_repeats
from pairbench_ext.runs.resampling import cluster_weights, noise_of, weighted_numbers
from pairbench_ext.runs.run_labels import run_labels
from pairbench_ext.runs.run_remarks import (
    count_failed,
    failed_remarks,
    has_outcomes,
    left_out_of,
    left_out_remarks,
    reread_remarks,
    unread_remarks,
)
from pairbench_ext.runs.sample_log import lacks_trial, no_trial, response_of, trial_of
from pairbench_ext.runs.sample_owner import owner
from pairbench_ext.statistics.noise import NoiseSplit

LEFT_OUT = "left_out"  # in logged trials, and the number of all benchmarks that counts them


@dataclass(frozen=True)
class Run:
    """One file and its numbers.

    Attributes:
        benchmark: whose samples it holds.
        file: where they are.
        name: the task, or what tells it from the other files.
        readings: what each sample says, in the order of the file.
        table: what the numbers are computed from; None where no sample has an outcome.
        numbers: by name; `left_out` counts what could not be asked about.
        pool: how they were pooled, if it was said.
        asked: how much of its task the file holds.
    """

    benchmark: Benchmark
    file: Path
    name: str
    readings: tuple[Reading, ...]
    table: Any
    numbers: Mapping[str, float]
    pool: str | None = None
    asked: Completeness = UNKNOWN

    @property
    def failed(self) -> int:
        """How many requests failed."""
        return count_failed(self.readings)

    @property
    def unusable(self) -> Counter[str]:
        """Why replies could not be used: reason -> count."""
        return Counter(why for reading in self.readings for why in reading.unusable)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What could not be asked about, and why."""
        return left_out_of(self.readings)

    @property
    def measured(self) -> bool:
        """Whether there is anything to compute numbers from."""
        return has_outcomes(self.readings)

    @property
    def outcomes(self) -> Iterator[Any]:
        """What the samples say, in the order of the file."""
        return (outcome for reading in self.readings for outcome in reading.outcomes)

    @cached_property
    def noise(self) -> NoiseSplit | None:
        """Where the noise of the headline number is from; None where nothing was asked twice."""
        return noise_of(self.benchmark, self.outcomes)

    @cached_property
    def weights(self) -> dict[Hashable, float]:
        """Of the clusters, where a part of the items was asked about (`limit_items`)."""
        return cluster_weights(self.benchmark, self.readings)

    @property
    def sampled(self) -> Sampled | None:
        """What its first item was drawn from; None where all items were asked about."""
        return next((one.sampled for one in self.readings if one.sampled is not None), None)

    def breakdowns(self) -> dict[str, Mapping[Any, Any]]:
        """Numbers by part, by the name of the breakdown; those without parts are left out."""
        if not self.measured:
            return {}
        made = {one.name: one.of(self.table) for one in self.benchmark.breakdowns}
        return {name: parts for name, parts in made.items() if parts}

    def remarks(self) -> list[str]:
        """What to say beside the numbers."""
        pooled = [self.benchmark.pool(self.pool)] if self.pool else []
        noise = self.noise
        return [
            *self.asked.describe(),
            *unread_remarks(self.numbers.get("coverage", math.nan), self.readings),
            *(f"pooled as {one.name}; unusable replies: {one.about}" for one in pooled),
            *(self.benchmark.remarks(self.table) if self.measured else ()),
            *sample_remarks(self.readings),
            *failed_remarks(self.benchmark, self.readings),
            *reread_remarks(self.readings),
            *left_out_remarks(self.readings),
            *(noise.describe(str(self.benchmark.headline)) if noise else ()),
        ]


def read_record(benchmark: Benchmark, record: Record, rule: str | None = None) -> Reading:
    """What one logged sample or plain row says.

    Args:
        benchmark: whose it is.
        record: the sample.
        rule: how replies are read; None for the rule of the run, or else the default.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    trial = trial_of(record)
    if lacks_trial(record) and not benchmark.recognises(record.fields):
        raise no_trial(record)
    _check_owner(benchmark, trial)
    left_out = tuple(map(str, _optional(trial, LEFT_OUT, list) or ()))
    if trial.fields.get("asked") is False:
        return Reading((), left_out=left_out, built=trial.fields.get("built") is not False)
    said = _optional(trial, "rule", str) or _optional(trial, "parser", str)
    try:
        used = benchmark.rule_name(rule or said)
    except ValueError as error:
        raise RecordError(f"{trial.where}: {error}") from error
    fields = benchmark.fields(trial)
    reading = benchmark.read(fields, exchanges_of(benchmark, record, trial), used)
    if benchmark.choices is not None and trial.fields.get(KEY) is not None and reading.unusable:
        reading = with_second_reply(benchmark, fields, reading, trial.get(KEY, str), used)
    sampled = Sampled.logged(trial.fields)
    return replace(reading, left_out=left_out, sampled=sampled) if left_out or sampled else reading


def _optional(trial: Record, field: str, kind: type) -> Any:
    return None if trial.fields.get(field) is None else trial.get(field, kind)


def _check_owner(benchmark: Benchmark, trial: Record) -> None:
    said = trial.fields.get("benchmark")
    if said not in (None, benchmark.name):
        raise RecordError(
            f"{trial.where}: field 'benchmark' is {said!r:.60}, not {benchmark.name!r} as before: "
            "the file holds samples of two tasks; take them apart"
        )


def with_second_reply(
    benchmark: Benchmark, trial: Trial, reading: Reading, second: str, rule: str
) -> Reading:
    """A reading with what a second reply adds to it, kept apart.

    Args:
        benchmark: whose trial it is; it has `choices`.
        trial: what was asked.
        reading: of the first reply.
        second: the second reply.
        rule: how replies are read.
    """
    assert benchmark.choices is not None
    text = chosen(second, benchmark.choices(trial))
    if text is None:
        return replace(reading, reread=reading.outcomes)
    read = benchmark.read(trial, [Exchange({}, text)], rule)
    return replace(reading, reread=read.outcomes)


def exchanges_of(benchmark: Benchmark, record: Record, trial: Record) -> list[Exchange]:
    """What a logged sample says was asked and replied; `trial` is its own.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    key = benchmark.rounds
    if key is None or key not in trial.fields:
        # A plain row of a benchmark in rounds is one request.
        log = {} if key is None else trial.fields
        return [Exchange(log, response_of(trial if "response" in trial.fields else record))]
    exchanges = []
    for number, row in enumerate(trial.get(key, list)):
        where = f"{trial.where}, {key} {number}"
        if not isinstance(row, dict):
            raise RecordError(f"{where}: a JSON object is expected, not {row!r:.60}")
        exchanges.append(Exchange(row, Record(where, row).get("response", str)))
    return exchanges


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
        pool: what an unusable one counts as, and which averages are taken; None as the run says.
        options: of the benchmark's table.
        name: what to call the run; its task by default.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    readings, asked = _read_all(benchmark, path, rule)
    run = score_readings(benchmark, path, readings, pool=pool, options=options, name=name)
    return replace(run, asked=asked)


def score_readings(
    benchmark: Benchmark,
    path: Path,
    readings: Sequence[Reading],
    *,
    pool: str | None = None,
    options: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Run:
    """Score what replies say, as `score_file` does.

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
    [label] = run_labels([path])
    if not has_outcomes(readings) and left_out_of(readings):
        measured = (number for number in benchmark.numbers if not number.reread)
        undefined = {name: math.nan for number in measured for name in number.names}
        numbers = {**undefined, LEFT_OUT: len(left_out_of(readings))}
        return Run(benchmark, path, name or label, readings, None, numbers, pool)
    try:
        table = tabulate(benchmark, readings, options, pool)
        again = tabulate_reread(benchmark, readings, options, pool)
        numbers = {
            **benchmark.score(table, again),
            **weighted_numbers(benchmark, table, again, readings),
            LEFT_OUT: len(left_out_of(readings)),
        }
    except RecordError:
        raise
    except (ValueError, OverflowError) as error:
        made = partial(tabulate, options=options, pool=pool)
        lines = _lines(benchmark, path, readings, made, error)
        raise RecordError(f"{path}{lines}: {error}") from error
    return Run(benchmark, path, name or label, readings, table, numbers, pool)


def _lines(
    benchmark: Benchmark,
    path: Path,
    readings: Sequence[Reading],
    table: Callable[..., Any],
    error: Exception,
) -> str:
    """Where the sample is that no table holds, or the two that none holds together.

    Nothing where they alone do not raise the same error, or the lines of a file are not known.
    """

    def why_not(*some: Reading) -> str:
        try:
            table(benchmark, some)
        except (ValueError, OverflowError) as reason:
            return str(reason)
        return ""

    if not why_not(*readings):
        return ""
    # The fewest samples from the first on that raise one; of those, the fewest up to the last.
    count = range(1, len(readings))
    last = bisect_left(count, True, key=lambda k: bool(why_not(*readings[:k])))
    begins = range(last + 1)
    first = bisect_left(begins, True, key=lambda k: not why_not(*readings[k : last + 1])) - 1
    wrong = sorted({first, last})
    if why_not(*(readings[k] for k in wrong)) != str(error):
        return ""
    try:
        records = benchmark.convert(read_up_to_cut(path)[0])
    except (RecordError, OSError):
        return ""
    if len(records) != len(readings):  # some are there twice
        return ""
    numbers = [records[k].where.rpartition(" ")[2] for k in wrong]
    return f", line{'s' * (len(numbers) > 1)} {' and '.join(numbers)}"


class FileReadings(NamedTuple):
    """What a file's samples say, whose they are, and how much of their task they are."""

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
        RecordError: as `score_file`.
    """
    benchmark = owner(benchmarks, path)
    return FileReadings(benchmark, *_read_all(benchmark, path, rule))


def _read_all(
    benchmark: Benchmark, path: Path, rule: str | None
) -> tuple[tuple[Reading, ...], Completeness]:
    logged, cut = read_up_to_cut(path)
    records = benchmark.convert(logged)
    if not records:
        raise RecordError(f"{path}: no samples in it")
    found = [read_record(benchmark, record, rule) for record in records]
    once, readings = without_repeats(records, found)
    asked = completeness(benchmark, path, once, readings, cut)._replace(
        part=" ".join(sample_remarks(readings)), repeated=len(records) - len(once)
    )
    return tuple(readings), asked


def tabulate(
    benchmark: Benchmark,
    readings: Iterable[Reading],
    options: Mapping[str, Any] | None = None,
    pool: str | None = None,
) -> Any:
    """The benchmark's table of all outcomes, pooled as is said.

    Raises:
        ValueError: if outcomes contradict each other, or there is no such pool.
    """
    given = {key: value for key, value in (options or {}).items() if value is not None}
    return pooled(
        benchmark, (one for reading in readings for one in reading.outcomes), pool, **given
    )


def tabulate_reread(
    benchmark: Benchmark,
    readings: Iterable[Reading],
    options: Mapping[str, Any] | None = None,
    pool: str | None = None,
) -> Any:
    """The same with what was answered to second questions; None where none was asked."""
    if all(reading.reread is None for reading in readings):
        return None
    again = (
        reading if reading.reread is None else replace(reading, outcomes=reading.reread)
        for reading in readings
    )
    return tabulate(benchmark, again, options, pool)


def pooled(
    benchmark: Benchmark, outcomes: Iterable[Any], pool: str | None = None, **options: Any
) -> Any:
    """The benchmark's table of outcomes, pooled as is said; None as the run says.

    Raises:
        ValueError: if outcomes contradict each other, or there is no such pool.
    """
    table = benchmark.table if pool is None else benchmark.pool(pool).table
    return table(outcomes, **options)
