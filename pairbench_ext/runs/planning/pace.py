"""How long a request takes and how many tokens it has, by a journal of earlier answers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pairbench_ext.resumable.journal.answers import Entry
from pairbench_ext.resumable.journal.summary import summarise


@dataclass(frozen=True)
class Pace:
    """What an answer takes; NaN where it is not known.

    Attributes:
        seconds: per answer, of the time in which the run worked on any.
        input_tokens: per answer.
        reply_tokens: per answer, those of thoughts included.
        answers: that it was measured on.
    """

    seconds: float = math.nan
    input_tokens: float = math.nan
    reply_tokens: float = math.nan
    answers: int = 0


def measured(folder: Path) -> tuple[dict[str, Pace], Pace]:
    """The pace of each task in a journal, and that of all together.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    by_task: dict[str, list[Entry]] = defaultdict(list)
    summary = summarise(folder, lambda entry: by_task[entry.task].append(entry))
    paces = {task: _pace(own, summary.tasks[task].rate) for task, own in by_task.items()}
    return paces, _pace([one for own in by_task.values() for one in own], summary.rate)


def _pace(own: list[Entry], rate: float) -> Pace:
    counts = [entry.answer.tokens for entry in own if entry.answer.tokens]
    return Pace(
        1 / rate if rate > 0 else math.nan,
        _mean(one.get("input_tokens") for one in counts),
        _mean(one.get("output_tokens") for one in counts),
        len(own),
    )


def _mean(values: Iterable[float | None]) -> float:
    known = [float(value) for value in values if value is not None and value > 0]
    return math.fsum(known) / len(known) if known else math.nan
