"""What raters did, line by line: JSON lines that are only ever appended to.

One line says one thing in the field `event`:

    rating    (the default) something was scored. Of several by one rater for one thing the last
              holds.
    undo      took back the last such score: the one before it holds, or none.
    restart   went on to round `round` of the study `study`.

Every line names its `rater`; the fields that name the thing and its score are the study's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pairbench_ext.core.records import Line, Record, RecordError, lines_of

RATING, RESTART, UNDO = "rating", "restart", "undo"


class Given(Protocol):
    """A score that a rater gave."""

    @property
    def rater(self) -> str:
        """Who."""

    @property
    def key(self) -> Hashable:
        """To what."""

    @property
    def score(self) -> int:
        """Which."""

    @property
    def content(self) -> str:
        """Digest of what was shown; empty where the file does not say."""

    @property
    def where(self) -> str:
        """File and line."""


GivenT = TypeVar("GivenT", bound=Given)


@dataclass
class Log(Generic[GivenT]):
    """What a file says.

    Attributes:
        ratings: all that were not taken back, in the file's order, changed ones too.
        rounds: the last round that a rater restarted to, by rater and study.
        skipped: what is wrong with each line that cannot be used.
    """

    ratings: list[GivenT] = field(default_factory=list)
    rounds: dict[tuple[str, str], int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


def to_log(
    lines: Iterable[Line],
    read: Callable[[Record], GivenT],
    read_key: Callable[[Record], Hashable],
) -> Log[GivenT]:
    """Everything that the lines of a file say; lines that say nothing are named.

    Args:
        lines: of the file.
        read: a score, of a line that gives one.
        read_key: what a line is about.

    Raises:
        RecordError: if there are lines and none is of a study: naming what is wrong with the first.
    """
    log: Log[GivenT] = Log()
    understood = 0
    for line in lines:
        try:
            _add(log, line.record(), read, read_key)
            understood += 1
        except RecordError as error:  # noqa: PERF203  (it costs that line)
            log.skipped.append(str(error))
    if log.skipped and not understood:  # another file, named by mistake
        raise RecordError(log.skipped[0])
    return log


def _add(
    log: Log[GivenT],
    record: Record,
    read: Callable[[Record], GivenT],
    read_key: Callable[[Record], Hashable],
) -> None:
    event = record.get("event", str) if "event" in record.fields else RATING
    if event == RATING:
        log.ratings.append(read(record))
    elif event == RESTART:
        log.rounds[record.text("rater"), record.get("study", str)] = count(record, "round")
    elif event == UNDO:
        key, rater = read_key(record), record.text("rater")
        given = (n for n, one in enumerate(log.ratings) if (one.rater, one.key) == (rater, key))
        last = max(given, default=None)
        if last is None:
            raise RecordError(f"{record.where}: {rater!r} takes back a score that was not given")
        del log.ratings[last]
    else:
        raise RecordError(
            f"{record.where}: field 'event' must be {RATING!r}, {UNDO!r} or {RESTART!r}, "
            f"not {event!r}"
        )


@dataclass
class Collected(Generic[GivenT]):
    """The scores that hold.

    Attributes:
        ratings: one per rater and thing.
        changed: how many were given first and changed later.
        skipped: what is wrong with each line that cannot be used.
    """

    ratings: list[GivenT]
    changed: int
    skipped: list[str]


def collect(
    paths: Sequence[Path],
    to_log: Callable[[Iterable[Line]], Log[GivenT]],
    what: str = "ratings",
    twice: str = "rated one pair",
) -> Collected[GivenT]:
    """The scores that hold, of all files of a study.

    Args:
        paths: the files.
        to_log: what the lines of one say.
        what: is collected, for errors.
        twice: what a rater may do in one file only, for errors.

    Raises:
        RecordError: if a file cannot be read, nothing was scored, or one rater scored a thing in
            two files.
    """
    logs = [to_log(lines_of(path)) for path in paths]
    kept: dict[tuple[str, Hashable], GivenT] = {}
    for log in logs:
        own = {(one.rater, one.key): one for one in log.ratings}
        for at in own.keys() & kept.keys():
            raise RecordError(
                f"{own[at].where} and {kept[at].where}: {at[0]!r} {twice} in two files; leave one "
                "file out, or rename the rater"
            )
        kept |= own
    if not kept:
        raise RecordError(f"{', '.join(map(str, paths)) or 'no file'}: no {what}")
    changed = sum(len(log.ratings) for log in logs) - len(kept)
    return Collected(list(kept.values()), changed, [why for log in logs for why in log.skipped])


def content_of(record: Record) -> str:
    """The digest of what was shown; empty where the line does not say."""
    return str(record.get("content", str)) if "content" in record.fields else ""


def count(record: Record, field: str) -> int:
    """A whole number from 0.

    Raises:
        RecordError: if the field holds none.
    """
    number: int = record.get(field, int)
    if number < 0:
        raise RecordError(f"{record.where}: field {field!r} must not be negative, but is {number}")
    return number
