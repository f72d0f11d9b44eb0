"""What a journal holds: counts, rate, size, damage, and what its latest runs still lack.

Nothing is written and nothing locked: a journal that may only be read, or that a run is writing to,
can be looked at.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pairbench_ext.resumable.journal.answers import (
    EXPECT,
    RUN,
    Entry,
    Expectation,
    decode_entry,
    decode_expectation,
)
from pairbench_ext.resumable.journal.clock import Clock
from pairbench_ext.resumable.journal.files import existing, failing, read
from pairbench_ext.resumable.journal.frames import Damage, Frame, unpack
from pairbench_ext.resumable.journal.holders import Holder, holders


@dataclass(frozen=True)
class Torn:
    """A record that was lost: its file, where in it, and how many bytes it takes there."""

    path: Path
    offset: int
    size: int


@dataclass
class TaskSummary:
    """One task.

    Attributes:
        answers: recorded ones, each key once.
        size: bytes on disk of all its records, copies of an answer and expectations included.
        expected: how many requests its latest run has announced so far; None if no run has.
        left: how many of these the journal cannot answer, whichever task recorded the answer;
            None if no run has announced any or the record of them is damaged.
        rate: answers per second of the time in which a run worked on them; NaN without any.
        last: when the last answer was recorded, Unix time; NaN without any.
    """

    answers: int = 0
    size: int = 0
    expected: int | None = None
    left: int | None = None
    rate: float = math.nan
    last: float = math.nan


@dataclass
class Summary:
    """A whole journal.

    Attributes:
        files: how many there are.
        size: their bytes on disk.
        runs: how many runs have written to it.
        answers: recorded ones, each key once.
        rate: answers per second of the time in which a run worked on any; NaN without answers.
        tasks: by name, sorted.
        torn: lost records; what a run writes at this moment is none.
        holders: the processes that write to it now.
    """

    files: int
    size: int
    runs: int
    answers: int
    rate: float
    tasks: dict[str, TaskSummary]
    torn: list[Torn]
    holders: list[Holder]


def entries(folder: Path, task: str | None = None) -> Iterator[Entry]:
    """The answers of a journal, or of one task of it, in the order of files; each key once.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    seen: set[str] = set()
    with failing(folder, "cannot be read"):
        for path in existing(folder).values():
            for frame in read(path):
                if isinstance(frame, Damage) or frame.name in (RUN, EXPECT) or frame.name in seen:
                    continue
                seen.add(frame.name)
                entry = decode_entry(frame)
                if task in (None, entry.task):
                    yield entry


def summarise(folder: Path, told: Callable[[Entry], None] = lambda _: None) -> Summary:
    """Read the whole journal and count.

    Args:
        folder: of the journal.
        told: is given each answer that `entries` has, in their order.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    paths = existing(folder)
    counts = _Counts(told)
    with failing(folder, "cannot be read"):
        writing = holders(folder)
        torn = [
            lost for path in paths.values() for lost in _read(path, counts, in_flight=bool(writing))
        ]
        size = sum(path.stat().st_size for path in paths.values())
    counts.finish()
    return Summary(
        files=len(paths),
        size=size,
        runs=len(counts.runs),
        answers=len(counts.keys),
        rate=counts.clock.rate(),
        tasks=dict(sorted(counts.tasks.items())),
        torn=torn,
        holders=writing,
    )


def _read(path: Path, counts: _Counts, *, in_flight: bool) -> list[Torn]:
    """Count the frames of one file; what of it is damaged, less what may be written just now."""
    damages: list[Damage] = []
    end = 0
    counts.begin_file()
    for item in read(path):
        if isinstance(item, Damage):
            damages.append(item)
        else:
            end = item.offset + item.size
            counts.add(item)
    return [
        Torn(path, damage.offset, damage.size)
        for damage in damages
        if damage.offset <= end or not in_flight
    ]


@dataclass
class _Counts:
    """Everything that one pass over the frames collects."""

    told: Callable[[Entry], None]
    keys: set[str] = field(default_factory=set)
    tasks: dict[str, TaskSummary] = field(default_factory=lambda: defaultdict(TaskSummary))
    runs: set[float] = field(default_factory=set)
    expectations: list[Expectation] = field(default_factory=list)
    by_run: Counter[tuple[str, float | None]] = field(default_factory=Counter)  # answers
    run: float | None = None  # that wrote what comes next in this file
    clock: Clock = field(default_factory=Clock)

    def begin_file(self) -> None:
        self.run = None
        self.clock.begin_file()

    def add(self, frame: Frame) -> None:
        if frame.name == RUN:
            body = unpack(frame.body)
            self.run = body["run"]
            self.runs.add(body["run"])
            self.clock.begin_run(body["run"], body["since"])
        elif frame.name == EXPECT:
            expectation = decode_expectation(frame)
            self.expectations.append(expectation)
            self.tasks[expectation.task].size += frame.size
            self.clock.tick(expectation.when)
        else:
            self._add_answer(decode_entry(frame), frame.size)

    def _add_answer(self, entry: Entry, size: int) -> None:
        task = self.tasks[entry.task]
        task.size += size
        self.clock.answer(entry.task, entry.when)
        if entry.key not in self.keys:
            self.keys.add(entry.key)
            task.answers += 1
            self.by_run[entry.task, self.run] += 1
            task.last = entry.when if task.answers == 1 else max(task.last, entry.when)
            self.told(entry)

    def finish(self) -> None:
        """What needs all frames: rates, and what the latest run of each task still lacks."""
        for name, task in self.tasks.items():
            task.rate = self.clock.rate(name)
            latest = self._latest(name)
            if latest is not None:
                task.expected, answered = latest
                task.left = task.expected - answered

    def _latest(self, task: str) -> tuple[int, int] | None:
        """How many requests the latest run of a task expects, and how many of them are answered.

        None if there is no saying.
        """
        of_task = [expectation for expectation in self.expectations if expectation.task == task]
        latest = max((x.run for x in of_task), default=None)
        own = [x for x in of_task if x.run == latest]
        requests = [x.requests for x in own if x.requests is not None]
        if requests:
            expected = sum(requests)
            return expected, min(expected, sum(x.found for x in own) + self.by_run[task, latest])
        # Earlier versions announced all keys.
        sets = {x.digest: x.keys for x in of_task if x.keys is not None}
        digests = {x.digest for x in own}
        if not own or digests - sets.keys():
            return None
        keys: set[str] = set().union(*(sets[digest] for digest in digests))
        return len(keys), len(keys & self.keys)
