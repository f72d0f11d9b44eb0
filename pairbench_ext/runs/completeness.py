"""How much of a task a file of samples holds: "36 of 192 samples, 9 of 48 items".

What the task asks is known from the results that the harness writes beside the samples
(`n-samples`), else from what each logged trial says (`trials`). A log may hold less: the run had a
`--limit`, or was killed, or the disk was full while the log was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Reading
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import Record
from pairbench_ext.runs.run_results import RunResults, results_of
from pairbench_ext.runs.sample_log import task_name, trial_of

TRIALS = "trials"  # of a logged trial: how many its task has


class Completeness(NamedTuple):
    """How much of a task is there.

    Attributes:
        samples: how many there are.
        of: how many the task asks for; None where nothing says so.
        items: how many are complete; None where that is not known.
        of_items: how many the task asks about; None likewise.
        source: what says what the task asks.
        limited: how many the run was limited to; None if it was not.
        cut: whether the file ends in the middle of a sample.
        part: that a part of the items was asked about (`limit_items`); empty where all were.
        repeated: how many further times samples are there, which count once.
        unread: why the results beside the samples cannot be read; empty if they can, or are not
            there.
    """

    samples: int
    of: int | None = None
    items: int | None = None
    of_items: int | None = None
    source: str = ""
    limited: int | None = None
    cut: bool = False
    part: str = ""
    repeated: int = 0
    unread: str = ""

    @property
    def complete(self) -> bool:
        """Whether all that the task asks is there, as far as that is known."""
        return not self.cut and (self.of is None or self.samples >= self.of)

    def describe(self) -> list[str]:
        """What is missing or there too often, in a line each; nothing if nothing is."""
        lines = [f"{self.unread}; what the run was asked is not known from it"] * bool(self.unread)
        if self.of is not None and self.samples > self.of:
            there = f"{counted(self.samples, 'sample')}, and {self.source} says {self.of:,}"
            lines.append(f"{there}: is it of another run?")
        if self.repeated:
            again = counted(self.repeated, "line")
            lines.append(f"{again} are samples that were there before: each sample counts once")
        return lines if self.complete else [*lines, self._missing]

    @property
    def _missing(self) -> str:
        if self.of is None:
            return f"only {counted(self.samples, 'sample')}: the file ends in the middle of one"
        share = f"only {self.samples:,} of {counted(self.of, 'sample')}"
        if self.items is not None:
            share += f", {self.items:,} of {counted(self.of_items or 0, 'item')}"
        return f"{share} ({self.source}): {self._why}; the numbers are of these alone"

    @property
    def _why(self) -> str:
        if self.cut:
            return "the file ends in the middle of a sample"
        if self.limited is None:
            return "the log is cut short, or the run was limited or stopped"
        if self.samples < self.limited:
            return f"the run was limited to {self.limited}, and its log is cut short"
        return "the run was limited (--limit)"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "complete": self.complete}


UNKNOWN = Completeness(0)


def completeness(
    benchmark: Benchmark,
    path: Path,
    records: Sequence[Record],
    readings: Sequence[Reading],
    cut: bool = False,
) -> Completeness:
    """How much of its task a file holds.

    Args:
        benchmark: whose samples they are.
        path: of the file.
        records: what is in it.
        readings: what these say, in the same order.
        cut: whether it ends in the middle of a sample.
    """
    numbers = [record.fields.get("doc_id") for record in records]
    there = Completeness(len(records), cut=cut)
    if not records or not all(type(number) is int for number in numbers):
        return there  # plain rows: no task asked for them
    results = results_of(path)
    there = there._replace(unread=results.unread)
    known = _of_results(results, task_name(path)) or _of_trials(records, numbers)
    if known is None or any(not reading.built for reading in readings):
        return there
    of, limited, source = known
    items = _items(benchmark, readings, numbers, of)
    done, asked = (None, None) if items is None else items
    return there._replace(
        of=of,
        items=done,
        of_items=asked,
        source=source,
        limited=limited if limited != of else None,
    )


def is_whole(path: Path) -> bool:
    """Whether all samples of a run of the harness are in a file: it writes them one by one.

    A run that is killed meanwhile leaves some, mostly with half a line at the end. Its results,
    which it writes before, say how many there are to be.
    """
    known = _of_results(results_of(path), task_name(path))
    if known is None:
        return False
    with path.open("rb") as file:
        lines = sum(line.endswith(b"\n") for line in file)  # half a line is none
    return lines >= (known.of if known.limited is None else known.limited)


class _Asked(NamedTuple):
    of: int
    limited: int | None
    source: str


def _of_results(results: RunResults, task: str) -> _Asked | None:
    """What the results of the same run say that the task asks."""
    known = results.counts(task)
    return None if known is None else _Asked(*known, f"n-samples in {results.file.name}")


def _of_trials(records: Sequence[Record], numbers: Sequence[Any]) -> _Asked | None:
    """What the logged trials say; of old logs, as many as the last document's number tells."""
    said = trial_of(records[0]).fields.get(TRIALS)
    if type(said) is int and said > 0:
        return _Asked(said, None, "as the trials say")
    last = max(numbers) + 1
    return _Asked(last, None, "by the documents' numbers, or more") if last > len(numbers) else None


def _items(
    benchmark: Benchmark, readings: Sequence[Reading], numbers: Sequence[Any], of: int
) -> tuple[int, int] | None:
    """How many items are complete, of how many.

    None where it is not known, because samples are of several items or items have not all as many
    samples. The first item is complete where another one follows: its samples are neighbours.
    """
    found: list[Any] = []
    for _, reading in sorted(zip(numbers, readings, strict=True), key=lambda pair: pair[0]):
        names = {benchmark.item(outcome) for outcome in reading.outcomes}
        if len(names) != 1:
            return None
        found += names
    runs = [(name, len(list(own))) for name, own in groupby(found)]
    if len(runs) < 2 or len({name for name, _ in runs}) < len(runs) or min(numbers) != 0:
        return None
    each = runs[0][1]
    if of % each or any(count != each for _, count in runs[:-1]) or runs[-1][1] > each:
        return None
    return sum(count == each for _, count in runs), of // each


def describe_each(asked: Mapping[str, Mapping[str, Completeness]]) -> Iterator[str]:
    """What is missing or was not asked about, by task and by judge, in a line each."""
    for task, own in asked.items():
        for judge, one in own.items():
            lines = (*one.describe(), one.part)
            yield from (f"{task}, {judge}: {line}" for line in lines if line)
