"""What a page in progress shows: counts, rates and first numbers, as the journal has them now."""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from pairbench_ext.live.numbers import FirstNumbers, TaskNumbers
from pairbench_ext.resumable.journal.answers import Entry
from pairbench_ext.resumable.journal.files import JournalError, by_rank
from pairbench_ext.resumable.journal.summary import TaskSummary, summarise

_SHARE = 0.1  # of the time, at most, that is spent on reading: a run needs the machine


class Progress:
    """A journal, looked at again and again: while it grows, is torn, or is gone for a while.

    Args:
        folder: of the journal.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.Lock()
        self._numbers: dict[str, TaskNumbers] = {}
        self._seen: object = None
        self._state: dict[str, Any] = {}
        self._rest_until = 0.0

    def state(self) -> dict[str, Any]:
        """What there is to show, in types that JSON has; `error` says why there is nothing new."""
        with self._guard:
            seen = _signature(self.folder)
            if seen != self._seen and time.monotonic() >= self._rest_until:
                began = time.monotonic()
                self._state, self._seen = self._look(), seen
                ended = time.monotonic()
                self._rest_until = ended + (ended - began) * (1 / _SHARE - 1)
            return self._state

    def _look(self) -> dict[str, Any]:
        try:
            by_task: dict[str, list[Entry]] = defaultdict(list)
            summary = summarise(self.folder, lambda entry: by_task[entry.task].append(entry))
        except JournalError as error:
            return {**self._state, "error": str(error)}
        return {
            "folder": str(self.folder),
            "error": "",
            "torn": len(summary.torn),
            "writing": bool(summary.holders),
            "tasks": [
                _task(name, one, self._first_numbers(name, by_task[name]))
                for name, one in summary.tasks.items()
            ],
        }

    def _first_numbers(self, name: str, own: list[Entry]) -> FirstNumbers:
        return self._numbers.setdefault(name, TaskNumbers(name)).update(own)


def _signature(folder: Path) -> object:
    """What changes whenever a run writes; also when the journal goes away or comes back."""
    try:
        found = [(path, path.stat()) for path in by_rank(folder, "journal").values()]
    except OSError:
        return ()
    return tuple((str(path), one.st_size, one.st_mtime_ns, one.st_ino) for path, one in found)


def _task(name: str, one: TaskSummary, first: FirstNumbers) -> dict[str, Any]:
    seconds = one.left / one.rate if one.left is not None and one.rate > 0 else math.nan
    return {
        "name": name,
        "answers": one.answers,
        "expected": one.expected,
        "left": one.left,
        "rate": _known(one.rate),
        "last": _known(one.last),
        "seconds": _known(seconds),
        "scored": first.scored,
        "numbers": [[title, *map(_known, values)] for title, *values in first.numbers],
        "note": first.note,
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
