"""The log of raters' actions, in JSON lines; an action is confirmed only once it is on disk.

One line says one thing in the field `event`:

    rating    (the default) something was scored. Of several by one rater for one thing the last
              holds.
    undo      took back the last such score: the one before it holds, or none.
    restart   went on to round `round` of the study `study`.

Every line names its `rater`; the fields that name the thing and its score are the study's.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from annotated_types import Ge

from pairbench_ext.core.files import sync_folder
from pairbench_ext.core.locks import try_lock
from pairbench_ext.core.records import Record, RecordError, from_record, read_each_line

RATING, RESTART, UNDO = "rating", "restart", "undo"


@dataclass(frozen=True)
class _Restart:
    rater: str
    study: str
    round: Annotated[int, Ge(0)]


@dataclass(frozen=True)
class Given:
    """A score that a rater gave, with what was scored.

    Attributes:
        rater: who.
        key: to what.
        score: from 1.
        content: digest of what was shown; empty where the file does not say.
        where: file and line.
    """

    rater: str
    key: Any
    score: int
    content: str
    where: str


GivenT = TypeVar("GivenT", bound=Given)


@dataclass
class Log(Generic[GivenT]):
    """What a log of raters' actions holds: scores, rounds, and lines that cannot be used.

    Attributes:
        ratings: all that were not taken back, in the file's order, changed ones too.
        rounds: the last round that a rater restarted to, by rater and study.
        skipped: what is wrong with each line that cannot be used.
    """

    ratings: list[GivenT] = field(default_factory=list)
    rounds: dict[tuple[str, str], int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reader(Generic[GivenT]):
    """A reader of the lines in the log of a study."""

    read: Callable[[Record], GivenT]
    key: type

    def log_of(self, path: Path) -> Log[GivenT]:
        """Return a log's content, and what is wrong with each line that cannot be used.

        Raises:
            RecordError: if it cannot be read, or has lines of which none is of the study: naming
                what is wrong with the first.
        """
        log: Log[GivenT] = Log()
        understood = 0
        for record in read_each_line(path):
            try:
                if isinstance(record, RecordError):
                    raise record
                self._add(log, record)
                understood += 1
            except RecordError as error:  # noqa: PERF203  (it costs that line)
                log.skipped.append(str(error))
        if log.skipped and not understood:  # another file, named by mistake
            raise RecordError(log.skipped[0])
        return log

    def _add(self, log: Log[GivenT], record: Record) -> None:
        event = record.get("event", str) if "event" in record.fields else RATING
        if event == RATING:
            log.ratings.append(self.read(record))
        elif event == RESTART:
            restart = from_record(_Restart, record)
            log.rounds[restart.rater, restart.study] = restart.round
        elif event == UNDO:
            key, rater = from_record(self.key, record), record.text("rater")
            given = [n for n, r in enumerate(log.ratings) if (r.key, r.rater) == (key, rater)]
            if not given:
                raise RecordError(
                    f"{record.where}: {rater!r} takes back a score that does not exist"
                )
            del log.ratings[given[-1]]
        else:
            raise RecordError(
                f"{record.where}: field 'event' must be {RATING!r}, {UNDO!r} or {RESTART!r}, "
                f"not {event!r}"
            )


@dataclass(frozen=True)
class Collected(Generic[GivenT]):
    """The scores that raters did not take back, and the lines that could not be used."""

    ratings: list[GivenT]
    changed: int
    skipped: list[str]


def collect(paths: Sequence[Path], reader: Reader[GivenT]) -> Collected[GivenT]:
    """Return the scores in all logs of a study, without scores that raters took back.

    Raises:
        RecordError: if a file cannot be read, nothing was scored, or one rater scored a thing in
            two files.
    """
    logs = [reader.log_of(path) for path in paths]
    kept: dict[tuple[str, Hashable], GivenT] = {}
    for log in logs:
        of_file = {(rating.rater, rating.key): rating for rating in log.ratings}
        for at in of_file.keys() & kept.keys():
            raise RecordError(
                f"{of_file[at].where} and {kept[at].where}: both files have a rating by "
                f"{at[0]!r} of the same item. Leave one file out, or rename the rater"
            )
        kept |= of_file
    if not kept:
        raise RecordError(f"{', '.join(map(str, paths)) or 'no file'}: no ratings")
    changed = sum(len(log.ratings) for log in logs) - len(kept)
    return Collected(list(kept.values()), changed, [why for log in logs for why in log.skipped])


class EventsFile(Generic[GivenT]):
    """An open log, locked against other processes; `log` is what it held then. Thread-safe.

    The system frees the lock when the process ends, however it ends. Half a line at the end, left
    by a system that failed while writing, is ended and left out: nobody was told that it is
    recorded.

    Raises:
        OSError: if it cannot be written.
        RecordError: if another process writes to it, or it is no file of the study.
    """

    def __init__(self, path: Path, reader: Reader[GivenT]) -> None:
        self.path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        try:
            if not try_lock(self._file.fileno()):
                raise RecordError(
                    f"{path}: another `pairbench rate` writes to this file; stop the other one, "
                    "or give another --out"
                )
            self.log = reader.log_of(path)
            content = path.read_bytes()
            if content and not content.endswith(b"\n"):
                self._file.write(b"\n")
            sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def append(self, event: str, fields: Mapping[str, Any]) -> None:
        """Write one event to the log; the call returns when the line is on disk.

        Raises:
            OSError: if it cannot be written; the file is then as it was.
        """
        line = (json.dumps({"event": event, **fields}) + "\n").encode()
        with self._lock:
            size = self.path.stat().st_size
            try:
                written = self._file.write(line)
                if written < len(line):
                    raise OSError(f"only {written} of {len(line)} bytes could be written")
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(size)
                raise

    def close(self) -> None:
        """Close the log and release its lock."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> EventsFile[GivenT]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
