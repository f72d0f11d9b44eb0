"""What replies say, and the ways to read and to pool them that a benchmark declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pairbench_ext.core.limit_items import Sampled
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import Record
from pairbench_ext.core.requests import Exchange, Trial


@dataclass(frozen=True, slots=True)
class Reading:
    """What the replies of one trial say.

    Attributes:
        outcomes: what they say; None, not NaN, for what is undefined.
        log: added to the logged trial: the verdict, and why there is none.
        rows: added to the log of each exchange, in tasks that ask in rounds.
        unusable: why replies could not be used, one text for each such reply.
        failed: how many requests failed.
        left_out: what could not be asked about, and why. Such a trial has no outcomes; the first
            one of a task says what else of the task's data is left out.
        built: False where the whole task could not be asked: all its numbers are then undefined.
        sampled: what the trial's item was drawn from; None where all items are asked about.
        no_distribution: why there is none over the answers; empty where there is one, and where
            nobody asked for it.
        source: who gave the probabilities, where there are any.
    """

    outcomes: tuple[Outcome, ...]
    log: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    unusable: tuple[str, ...] = ()
    failed: int = 0
    left_out: tuple[str, ...] = ()
    built: bool = True
    sampled: Sampled | None = None
    no_distribution: str = ""
    source: str = ""


class Option(NamedTuple):
    """An option of `pairbench score`, handed to `Benchmark.table` by name.

    Attributes:
        name: with underscores.
        type: of its value, as typer takes it.
        default: None where it is not given.
        help: one line.
        least: the smallest number that it may be.
        numbers: that it changes: a run is placed only in tables that count them alike.
    """

    name: str
    type: Any
    default: Any
    help: str
    least: float | None = None
    numbers: tuple[str, ...] = ()


class Pool(NamedTuple):
    """A way to pool what replies say: what an unusable one counts as, and which averages are taken.

    Attributes:
        name: `paper`, `authors`, `readable` (usable replies alone), or another; numbers find it in
            `OutcomeTable.options`.
        about: one line: what an unusable reply counts as.
        change: returns the outcome that counts in place of one.
        keep: whether an outcome counts.
    """

    name: str
    about: str
    change: Callable[[Outcome], Outcome] = lambda outcome: outcome
    keep: Callable[[Outcome], bool] = lambda _: True


class PlainRows(NamedTuple):
    """Plain rows in the place of logged samples.

    Attributes:
        about: their fields, for help texts; empty where there are no plain rows.
        convert: makes plain rows of a file's records, for logs in a format of the authors' own.
    """

    about: str = ""
    convert: Callable[[Sequence[Record]], Sequence[Record]] = lambda records: records


class Read(Protocol):
    """Reads the replies of a trial by a rule of the benchmark's grammar. It never raises."""

    def __call__(  # noqa: D102
        self, trial: Trial, exchanges: Sequence[Exchange], rule: str
    ) -> Reading: ...
