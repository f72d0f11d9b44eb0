"""What raters did: JSON lines that are only ever appended to, on disk before anyone is told so.

One line says one thing in the field `event`:

    rating    (the default) something was scored. Of several by one rater for one thing the last
              holds.
    undo      took back the last such score: the one before it holds, or none.
    restart   went on to round `round` of the study `study`.

Every line names its `rater`; the fields that name the thing and its score are the study's.
"""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pairbench_ext.core.files import sync_folder
from pairbench_ext.core.locks import try_lock
from pairbench_ext.core.records import Line, Record, RecordError, lines_of, numbered

RATING, RESTART, UNDO = "rating", "restart", "undo"
# How every line that is written here begins.
_BEGIN = b'{"event": '


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


class Reader(Generic[GivenT]):
    """How a study's lines are read.

    Args:
        read: a score, of a line that gives one.
        read_key: what a line is about.
    """

    def __init__(
        self, read: Callable[[Record], GivenT], read_key: Callable[[Record], Hashable]
    ) -> None:
        self._read = read
        self._read_key = read_key

    def to_log(self, lines: Iterable[Line]) -> Log[GivenT]:
        """Everything that the lines of a file say; lines that say nothing are named.

        Raises:
            RecordError: if there are lines and none is of a study: naming what is wrong with the
                first.
        """
        log: Log[GivenT] = Log()
        understood = 0
        for line in lines:
            try:
                self._add(log, line.record())
                understood += 1
            except RecordError as error:  # noqa: PERF203  (it costs that line)
                log.skipped.append(str(error))
        if log.skipped and not understood:  # another file, named by mistake
            raise RecordError(log.skipped[0])
        return log

    def _add(self, log: Log[GivenT], record: Record) -> None:
        event = record.get("event", str) if "event" in record.fields else RATING
        if event == RATING:
            log.ratings.append(self._read(record))
        elif event == RESTART:
            log.rounds[record.text("rater"), record.get("study", str)] = count(record, "round")
        elif event == UNDO:
            given = self._read_key(record), record.text("rater")
            last = [n for n, one in enumerate(log.ratings) if (one.key, one.rater) == given]
            if not last:
                raise RecordError(f"{record.where}: {given[1]!r} takes back a score not given")
            del log.ratings[last[-1]]
        else:
            raise RecordError(
                f"{record.where}: field 'event' must be {RATING!r}, {UNDO!r} or {RESTART!r}, "
                f"not {event!r}"
            )


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


def collect(paths: Sequence[Path], reader: Reader[GivenT]) -> Collected[GivenT]:
    """The scores that hold, of all files of a study.

    Raises:
        RecordError: if a file cannot be read, nothing was scored, or one rater scored a thing in
            two files.
    """
    logs = [reader.to_log(lines_of(path)) for path in paths]
    kept: dict[tuple[str, Hashable], GivenT] = {}
    for log in logs:
        of_file = {(rating.rater, rating.key): rating for rating in log.ratings}
        for at in of_file.keys() & kept.keys():
            raise RecordError(
                f"{of_file[at].where} and {kept[at].where}: {at[0]!r} rated the same in two files; "
                "leave one file out, or rename the rater"
            )
        kept |= of_file
    if not kept:
        raise RecordError(f"{', '.join(map(str, paths)) or 'no file'}: no ratings")
    changed = sum(len(log.ratings) for log in logs) - len(kept)
    return Collected(list(kept.values()), changed, [why for log in logs for why in log.skipped])


def content_of(record: Record) -> str:
    """The digest of what was shown; empty where the line does not say."""
    return str(record.get("content", str)) if "content" in record.fields else ""


def count(record: Record, name: str) -> int:
    """A whole number from 0.

    Raises:
        RecordError: if the field holds none.
    """
    number: int = record.get(name, int)
    if number < 0:
        raise RecordError(f"{record.where}: field {name!r} must not be negative, but is {number}")
    return number


class EventsFile(Generic[GivenT]):
    """An open file of what raters did, locked against other processes. Thread-safe.

    The system frees the lock when the process ends, however it ends. Half a line at the end, left
    by a system that failed while writing, is cut off: nobody was told that it is recorded.

    Args:
        path: the file; made with its folder if needed.
        reader: of its lines.

    Attributes:
        log: what the file said when it was opened.
        cut: how many bytes of half a line were cut off.

    Raises:
        RecordError: if it cannot be written, another process writes to it, or it is no file of
            the study.
    """

    def __init__(self, path: Path, reader: Reader[GivenT]) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise RecordError(f"{path}: cannot be written ({error.strerror or error})") from error
        try:
            self._claim()
            self.log, self.cut = self._read(reader)
            sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def append(self, event: str, fields: Mapping[str, Any]) -> None:
        """Write one line; when this returns it is on disk.

        Args:
            event: of this module.
            fields: what else the line says.

        Raises:
            OSError: if it cannot be written; the file is then as it was.
        """
        line = (json.dumps({"event": event, **fields}) + "\n").encode()
        with self._lock:
            size = os.fstat(self._descriptor).st_size
            try:
                written = os.write(self._descriptor, line)
                if written < len(line):
                    raise OSError(f"only {written} of {len(line)} bytes could be written")
                os.fsync(self._descriptor)
            except OSError:
                os.ftruncate(self._descriptor, size)
                raise

    def close(self) -> None:
        """Let others write. What is appended later is refused, for the number may be reused."""
        with self._lock:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> EventsFile[GivenT]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _claim(self) -> None:
        try:
            is_ours = try_lock(self._descriptor)
        except OSError as error:
            raise RecordError(
                f"{self.path}: cannot be locked ({error.strerror or error}); put it on a local disk"
            ) from error
        if not is_ours:
            raise RecordError(
                f"{self.path}: another `pairbench rate` writes to it; stop that one, or give "
                "another --out"
            )

    def _read(self, reader: Reader[GivenT]) -> tuple[Log[GivenT], int]:
        """What the file says, and how many bytes of half a line had to go."""
        whole, line_break, half = self.path.read_bytes().rpartition(b"\n")
        whole += line_break
        torn = bool(half) and not _is_object(half)
        try:
            text = (whole if torn else whole + half).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise RecordError(
                f"{self.path}: not a text file in UTF-8 ({error.reason}); give another --out"
            ) from error
        log = reader.to_log(numbered(io.StringIO(text), str(self.path)))
        if torn:
            # Only what may be ours is cut: the file may be another one, named by mistake.
            if not (half.startswith(_BEGIN) or _BEGIN.startswith(half)):
                raise RecordError(f"{self.path}: ends in {half[:40]!r}, which is no rating")
            os.ftruncate(self._descriptor, len(whole))
        elif half:
            os.write(self._descriptor, b"\n")
        return log, len(half) if torn else 0


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
