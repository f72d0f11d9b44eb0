"""The journal of a run: a folder with one SQLite file per rank, one row per answer.

A row is on disk when `append` returns, and carries a CRC-32 of its content: a row that does not
match it, or that cannot be read, is never used. Only one process writes to a file (it holds the
lock beside it), so the folder may be on a network disk. What can still be read of a damaged file
is copied to a new one, and the damaged file stays beside it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from loguru import logger

from pairbench_ext.core.locks import Lock, LockHeldError, acquire

_CREATE = "CREATE TABLE IF NOT EXISTS records (key TEXT, task TEXT, body TEXT, crc INTEGER)"
_INSERT = "INSERT INTO records VALUES (?, ?, ?, ?)"
_SELECT = "SELECT rowid, key, task, body, crc FROM records"
_BUSY = 60.0  # seconds to wait for another process that reads or writes the same file
_MOST_UNREADABLE = 100_000  # rows to try one by one in a damaged file
# Primary result codes of SQLite that say nothing about the content of a file:
# permission, busy, locked, out of memory, interrupted, input/output, full, cannot open.
_NOT_DAMAGE = frozenset({3, 5, 6, 7, 9, 10, 13, 14})


class JournalError(RuntimeError):
    """The journal cannot be used; the message says why and what to do."""


class JournalInUseError(JournalError):
    """Another process is writing to the journal."""


class Answer(NamedTuple):
    """The base model's answer to one request.

    Attributes:
        text: as it came, lone surrogates included.
        tokens: token counts by name; None if the base reports none.
    """

    text: str
    tokens: dict[str, Any] | None = None


class Entry(NamedTuple):
    """An answer and the request that it answers.

    Attributes:
        key: digest of everything that determines the answer.
        task: name of the task that asked.
        answer: of the base.
        doc: the task's document, as the harness numbers it.
        repeat: which of several answers to the same request.
        round: of a task that asks in rounds.
        asked: digest of what is known of the request before its pictures are; see `asks`.
    """

    key: str
    task: str
    answer: Answer
    doc: int | None = None
    repeat: int = 0
    round: int = 0
    asked: str = ""


class _Row(NamedTuple):
    """A row whose checksum is right."""

    key: str
    task: str
    body: str

    def values(self) -> tuple[str, str, str, int]:
        """The values to insert."""
        return (*self, _checksum(*self))


class Journal:
    """The answers of earlier runs and of this one, by key. Any thread may use it.

    Attributes:
        folder: of the journal.
        asked: the digests `Entry.asked` of all answers.
    """

    def __init__(self, folder: Path, lock: Lock) -> None:
        """Use `open`."""
        self.asked: set[str] = set()
        self.folder = folder
        self._lock = lock
        self._mutex = threading.Lock()
        self._bodies: dict[str, str] = {}
        self._waiting: dict[str, _Row] = {}  # rows that could not be written yet
        self._connection: sqlite3.Connection | None = None
        self._is_failing = False

    @classmethod
    def open(
        cls, folder: Path, *, rank: int = 0, ranks: int = 1, is_shared: bool = False
    ) -> Journal:
        """Read what all ranks of earlier runs have recorded, and get ready to append.

        Args:
            folder: of the journal; created if it does not exist.
            rank: of this process.
            ranks: number of processes of this run.
            is_shared: whether other files of the folder may be in use by other runs.

        Raises:
            JournalInUseError: if another process writes to this rank's file.
            JournalError: if the folder cannot be written, for example because the disk is full.
        """
        with _failing(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            lock = _lock(folder, rank)
        journal = cls(folder, lock)
        try:
            with _failing(folder, "read"):
                for number, path in _files(folder).items():
                    mends = number == rank if is_shared else number % ranks == rank
                    journal._read(path, mends=mends)
            with _failing(folder, "written"):
                journal._connection = _connect(_path_of(folder, rank))
                journal._connection.execute(_CREATE)
                journal._connection.execute("PRAGMA user_version = 1")  # notices a full disk now
        except BaseException:
            journal.close()
            raise
        return journal

    def __len__(self) -> int:
        return len(self._bodies)

    def __contains__(self, key: str) -> bool:
        return key in self._bodies

    @property
    def unrecorded(self) -> int:
        """Number of answers that could not be written (full or broken disk)."""
        return len(self._waiting)

    def get(self, key: str) -> Answer | None:
        """The recorded answer of this key; None if there is none."""
        body = self._bodies.get(key)
        return None if body is None else _entry(_Row(key, "", body)).answer

    def append(self, entries: Sequence[Entry]) -> None:
        """Record answers; they are on disk when this returns. Keys that are known are skipped.

        If the disk is full or broken this warns once, and each later call tries again.
        """
        with self._mutex:
            for entry in entries:
                if entry.key not in self._bodies and entry.key not in self._waiting:
                    fields = entry._asdict() | entry.answer._asdict()
                    body = {
                        name: fields[name] for name in fields.keys() - {"key", "task", "answer"}
                    }
                    self._waiting[entry.key] = _Row(entry.key, entry.task, json.dumps(body))
            if self._waiting and self._write(self._waiting.values()):
                for row in self._waiting.values():
                    self._remember(row)
                self._waiting.clear()

    def close(self) -> None:
        """Let others use the journal; a second time does nothing."""
        if self._waiting:
            self.append([])
        with self._mutex:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
        self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _remember(self, row: _Row) -> None:
        self._bodies.setdefault(row.key, row.body)
        self.asked.add(json.loads(row.body)["asked"])

    def _read(self, path: Path, *, mends: bool) -> None:
        rows, damaged = _rows_of(path)
        if damaged and mends:
            _lengthen(path)
            rows = _rows_of(path)[0]
            _replace(path, rows)
        for row in rows:
            self._remember(row)

    def _write(self, rows: Iterable[_Row]) -> bool:
        """Return whether the rows are on disk now."""
        if self._connection is None:
            raise ValueError(f"{self.folder}: this journal has been closed")
        try:
            with self._connection:
                self._connection.executemany(_INSERT, [row.values() for row in rows])
        except (OSError, sqlite3.Error) as error:
            if not self._is_failing:
                logger.warning(
                    f"{self.folder}: cannot write to the journal ({error}); the run continues and "
                    "tries again after every block"
                )
            self._is_failing = True
            return False
        self._is_failing = False
        return True


@cache
def open_shared(folder: Path) -> Journal:
    """A journal that several processes may use at once, opened once per process.

    Each process writes a file of its own, and knows the answers that were in the folder before.

    Raises:
        JournalError: if the folder cannot be read or written.
    """
    rank = 0
    while True:
        try:
            return Journal.open(folder, rank=rank, is_shared=True)
        except JournalInUseError:  # noqa: PERF203
            rank += 1


@dataclass
class Summary:
    """A whole journal.

    Attributes:
        size: of its files in bytes.
        damaged: rows that cannot be read.
        tasks: number of answers by task, sorted by name.
    """

    size: int
    damaged: int
    tasks: dict[str, int]


def entries(folder: Path) -> Iterator[Entry]:
    """The answers of a journal, each key once.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    return map(_entry, _read_all(folder)[0].values())


def summarise(folder: Path) -> Summary:
    """Count the answers of a journal.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    rows, damaged = _read_all(folder)
    size = sum(path.stat().st_size for path in existing(folder).values())
    answers = Counter(row.task for row in rows.values())
    return Summary(size, damaged, dict(sorted(answers.items())))


def drop_task(folder: Path, task: str) -> int:
    """Remove the answers of a task; their number.

    Raises:
        JournalError: if there is no journal, it cannot be written, or a run is using it.
    """
    removed = 0
    for rank, path in existing(folder).items():
        with (
            _failing(folder, "written"),
            _lock(folder, rank),
            closing(_connect(path)) as connection,
            connection,
        ):
            removed += connection.execute("DELETE FROM records WHERE task = ?", (task,)).rowcount
    return removed


def existing(folder: Path) -> dict[int, Path]:
    """The files of a journal by rank.

    Raises:
        JournalError: if there is none, or the folder cannot be read.
    """
    with _failing(folder, "read"):
        files = _files(folder)
    if not files:
        raise JournalError(f"{folder}: no journal here (a folder with rank-00000.sqlite in it)")
    return files


def _path_of(folder: Path, rank: int) -> Path:
    return folder / f"rank-{rank:05}.sqlite"


def _files(folder: Path) -> dict[int, Path]:
    paths = sorted(folder.glob("rank-?????.sqlite"))
    return {int(path.stem.removeprefix("rank-")): path for path in paths}


def _lock(folder: Path, rank: int) -> Lock:
    path = folder / f"rank-{rank:05}.lock"
    try:
        lock = acquire(path, wait=0)
    except LockHeldError as error:
        raise JournalInUseError(
            f"{folder}: this journal is in use by {path.read_text() or 'another process'}; wait "
            "until that run ends, stop it, or choose another folder"
        ) from error
    lock.write(f"process {os.getpid()} on {socket.gethostname()}")
    return lock


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)  # replies are nobody else's business
    connection = sqlite3.connect(path, timeout=_BUSY, check_same_thread=False)
    connection.execute("PRAGMA synchronous = EXTRA")  # a commit is on disk
    return connection


def _read_all(folder: Path) -> tuple[dict[str, _Row], int]:
    """The rows of all ranks by key, and how many others cannot be read."""
    rows: dict[str, _Row] = {}
    damaged = 0
    for path in existing(folder).values():
        with _failing(folder, "read"):
            of_file, lost = _rows_of(path)
        damaged += lost
        for row in of_file:
            rows.setdefault(row.key, row)
    return rows, damaged


def _rows_of(path: Path) -> tuple[list[_Row], int]:
    """The rows of a file that can be read and match their checksum, and how many others it has."""
    raw: list[tuple[Any, ...]] = []
    lost = 0
    with closing(sqlite3.connect(path, timeout=_BUSY)) as connection:
        connection.text_factory = bytes  # damaged text need not be UTF-8
        try:
            raw.extend(connection.execute(_SELECT))  # keeps what is read before an error
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            lost = _read_one_by_one(connection, raw)
    rows = [row for _, *values in raw if (row := _checked(values)) is not None]
    return rows, len(raw) - len(rows) + lost


def _read_one_by_one(connection: sqlite3.Connection, raw: list[tuple[Any, ...]]) -> int:
    """Add the rows after those that were read before an error; the number of unreadable ones."""
    lost = 0
    first = raw[-1][0] + 1 if raw else 1
    try:
        [last] = connection.execute("SELECT max(rowid) FROM records").fetchone()
    except sqlite3.DatabaseError:
        last = first
    for number in range(first, min(last or first, first + _MOST_UNREADABLE) + 1):
        try:
            raw.extend(connection.execute(f"{_SELECT} WHERE rowid = ?", (number,)))
        except sqlite3.DatabaseError:  # noqa: PERF203
            lost += 1
    return max(lost, 1)


def _checked(values: Sequence[Any]) -> _Row | None:
    """A row as it was written; None if it is damaged, or has other fields than ours."""
    *texts, crc = values
    try:
        row = _Row(*(text.decode() for text in texts))
        known = _checksum(*row) == crc and isinstance(_entry(row).answer.text, str)
    except (AttributeError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        return None
    return row if known else None


def _checksum(key: str, task: str, body: str) -> int:
    return zlib.crc32("\0".join((key, task, body)).encode())


def _entry(row: _Row) -> Entry:
    body = json.loads(row.body)
    answer = Answer(body.pop("text"), body.pop("tokens"))
    return Entry(row.key, row.task, answer, **body)


def _replace(path: Path, rows: Sequence[_Row]) -> None:
    """Write rows to a new file in the place of a damaged one, which is kept beside it."""
    number = next(n for n in count(1) if not path.with_suffix(f".damaged-{n}").exists())
    kept = path.with_suffix(f".damaged-{number}")
    shutil.copy2(path, kept)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with closing(_connect(fresh)) as connection, connection:
        connection.execute(_CREATE)
        connection.executemany(_INSERT, [row.values() for row in rows])
    path.with_name(f"{path.name}-journal").unlink(missing_ok=True)  # it belongs to the damaged file
    fresh.replace(path)
    logger.warning(
        f"{path} was damaged, or another version wrote to it: {len(rows)} answers could be read "
        f"and are kept, the others are asked again (the file as it was is now {kept.name})"
    )


def _lengthen(path: Path) -> None:
    """Give a file that was cut off the length that it says it has.

    Of a shorter one SQLite reads nothing at all.
    """
    with path.open("r+b") as file:
        header = file.read(32)
        length = int.from_bytes(header[16:18], "big") * int.from_bytes(header[28:32], "big")
        size = path.stat().st_size
        if size < length <= 1000 * size:
            file.truncate(length)


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error is about the content of a file, not about access to it."""
    code = getattr(error, "sqlite_errorcode", None)  # none for errors of Python's module itself
    return code is None or code & 0xFF not in _NOT_DAMAGE


@contextmanager
def _failing(folder: Path, verb: str) -> Iterator[None]:
    """Turn errors of the system and of SQLite into one sentence about the journal."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"{folder}: the journal cannot be {verb} ({reason}); choose another folder or repair "
            "this one"
        ) from error
