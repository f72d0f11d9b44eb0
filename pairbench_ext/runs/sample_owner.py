"""Whose samples a file holds: which benchmark's, by its first sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.records import Record, RecordError, read_jsonl
from pairbench_ext.runs.sample_log import lacks_trial, no_trial, task_name, trial_of


class OtherSamplesError(RecordError):
    """A file holds samples of something else than was asked for.

    Args:
        message: what is wrong.
        whose: what they are of; of a benchmark, what `pairbench score` calls it.
    """

    def __init__(self, message: str, whose: str = "") -> None:
        super().__init__(message)
        self.whose = whose


def owner(benchmarks: Sequence[Benchmark], path: Path) -> Benchmark:
    """The benchmark whose samples a file holds, by its first sample.

    Raises:
        RecordError: if the file has no samples, or its first one does not say what was asked.
        OtherSamplesError: if they are of none of these; it says whose.
    """
    if path.is_fifo():
        raise RecordError(
            f"{path}: a pipe, which can be read once, and samples are read twice; write it to a "
            "file first"
        )
    first = next(iter(read_jsonl(path)), None)
    if first is None:
        raise RecordError(f"{path}: no samples in it; a run that was killed leaves an empty file")
    fields = trial_of(first).fields
    said = fields.get("benchmark")
    if said is not None and not isinstance(said, str):
        raise RecordError(f"{first.where}: field 'benchmark' must be a text, not {said!r:.60}")
    for benchmark in benchmarks:
        if said == benchmark.name or (said is None and benchmark.recognises(fields)):
            return benchmark
    if said is not None:
        raise OtherSamplesError(
            f"{path}: samples of {said!r}, not of {benchmarks[0].name!r}; {_remedy(said, path)}",
            registry.folder_of(str(said)),
        )
    if lacks_trial(first):
        task = task_name(path)
        if any(task == one.name for ours in registry.every_benchmark() for one in ours.tasks):
            raise no_trial(first)
        raise OtherSamplesError(
            f"{path}: samples of {task!r}, which is none of `pairbench tasks` (no field 'trial')",
            f"task {task}",
        )
    others = [one for one in registry.every_benchmark() if _are_rows_of(one, first)]
    if len(others) == 1 and not _can_read(benchmarks[0], first):
        name = others[0].name
        raise OtherSamplesError(
            f"{path}: rows of {name!r}, not of {benchmarks[0].name!r}; {_remedy(name, path)}",
            registry.folder_of(name),
        )
    return benchmarks[0]  # whose reader says which field is missing


def _remedy(name: str, path: Path) -> str:
    if name not in {one.name for one in registry.every_benchmark()}:
        return "that benchmark is not installed here"
    return f"run: pairbench score {registry.folder_of(name)} {path}"


def _are_rows_of(benchmark: Benchmark, record: Record) -> bool:
    return benchmark.recognises(trial_of(record).fields) and _can_read(benchmark, record)


def _can_read(benchmark: Benchmark, record: Record) -> bool:
    """Whether a benchmark knows a record's fields, in its own shape or the authors'."""
    try:
        for row in benchmark.convert([record]):
            benchmark.fields(trial_of(row))
    except (RecordError, ValueError, KeyError, TypeError):
        return False
    return True
