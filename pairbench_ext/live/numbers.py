"""First numbers of a task that is still being asked, from the answers in its run's journal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.core.records import Record
from pairbench_ext.resumable.journal.answers import Entry
from pairbench_ext.runs.samples import read_record
from pairbench_ext.runs.scoring import Run, score_readings
from pairbench_ext.stacks.plain.tasks import PlainTask, PlainTrial, declared, open_task


class FirstNumbers(NamedTuple):
    """What is known so far.

    Attributes:
        scored: trials whose replies are all there.
        numbers: title, value and ends of the 95% interval, NaN where undefined.
        note: why there are none; empty where there are, or too few answers.
    """

    scored: int = 0
    numbers: tuple[tuple[str, float, float, float], ...] = ()
    note: str = ""


class TaskNumbers:
    """First numbers of one task. An answer is read once, however often the journal is looked at.

    Args:
        name: of the task.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._task: PlainTask | None = None
        self._readings: dict[int, tuple[tuple[str, ...], Reading]] = {}

    def update(self, entries: Iterable[Entry]) -> FirstNumbers:
        """The numbers that follow from a task's answers; of several to one question, the latest.

        It never raises: data may be gone, and other tasks of the harness are not ours.
        """
        if self.name not in declared():
            return FirstNumbers(note="a task of the harness: its numbers are there when it ends")
        try:
            self._task = self._task or open_task(self.name)
            return self._numbers(_replies(entries))
        except Exception as error:  # noqa: BLE001  (a page goes on whatever the data are)
            return FirstNumbers(note=f"no numbers yet: {error}")

    def _numbers(
        self, replies: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]
    ) -> FirstNumbers:
        assert self._task is not None
        known: dict[int, tuple[tuple[str, ...], Reading]] = {}
        for number, (keys, texts) in replies.items():
            before = self._readings.get(number)
            if before is not None and before[0] == keys:
                known[number] = before
            elif number < len(self._task) and _is_complete(self._task[number], texts):
                known[number] = keys, self._read(number, texts)
        self._readings = known
        if not known:
            return FirstNumbers()
        own = [known[number][1] for number in sorted(known)]
        run = score_readings(self._task.benchmark, Path(f"samples_{self.name}.jsonl"), own)
        return FirstNumbers(len(own), tuple(_shown(run)))

    def _read(self, number: int, texts: tuple[str, ...]) -> Reading:
        assert self._task is not None
        row: dict[str, Any] = self._task[number].row(texts)
        return read_record(self._task.benchmark, Record(f"{self.name}, trial {number}", row))


def _replies(entries: Iterable[Entry]) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """By number of the trial: keys and texts of its replies, round by round from the first."""
    latest: dict[int, dict[int, Entry]] = {}
    for entry in entries:
        if entry.repeat or not isinstance(entry.doc, int):
            continue
        rounds = latest.setdefault(entry.doc, {})
        if entry.round not in rounds or rounds[entry.round].when <= entry.when:
            rounds[entry.round] = entry
    found = {}
    for number, rounds in latest.items():
        own = [rounds[place] for place in range(len(rounds)) if place in rounds]
        found[number] = tuple(one.key for one in own), tuple(one.answer.text for one in own)
    return found


def _is_complete(trial: PlainTrial, texts: tuple[str, ...]) -> bool:
    """Whether nothing is asked after these replies."""
    return bool(texts) and trial.request(texts) is None


def _shown(run: Run) -> Iterable[tuple[str, float, float, float]]:
    """Coverage, then numbers with an interval, and the headline, as in the report's overview."""
    always = ("coverage", run.benchmark.headline)
    own = [n for n in run.benchmark.numbers if n.ends or n.name in always]
    for number in sorted(own, key=lambda one: one.name != "coverage"):
        value = run.numbers.get(number.name, math.nan)
        if not math.isnan(value):
            low, high = (run.numbers.get(one, math.nan) for one in number.ends or ("", ""))
            title = f"{number.title}, {number.section}" if number.section else number.title
            yield title, float(value), float(low), float(high)
