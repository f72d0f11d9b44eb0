"""The journal of a run: a folder that stores each answer, with one file per rank.

A row is on disk when `append` returns. Only one process writes to a file (it holds the lock beside
it), so the folder may be on a network disk.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loguru import logger

from pairbench_ext.core.locks import Lock, LockHeldError, acquire
from pairbench_ext.resumable import journal_file
from pairbench_ext.resumable.journal_file import Answer, Entry, JournalError, JournalRow


class JournalInUseError(JournalError):
    """The journal is in use: another process writes to it."""


class Journal:
    """The answers that all runs have recorded in a folder, found by their key. Thread-safe.

    Attributes:
        folder: of the journal.
        asked: the digests `Entry.asked` of all answers.
        problem: why answers cannot be written now; empty if they can.
    """

    def __init__(self, folder: Path, lock: Lock) -> None:
        """Call `Journal.open` instead, which returns a journal."""
        self.asked: set[str] = set()
        self.folder = folder
        self.problem = ""
        self._lock = lock
        self._mutex = threading.Lock()
        self._bodies: dict[str, str] = {}
        self._waiting: dict[str, JournalRow] = {}  # rows that could not be written yet
        self._connection: sqlite3.Connection | None = None

    @classmethod
    def open(
        cls, folder: Path, *, rank: int = 0, ranks: int = 1, is_shared: bool = False
    ) -> Journal:
        """Open a journal: read the answers of earlier runs, and create this process's own file.

        Args:
            folder: of the journal; created if it does not exist.
            rank: of this process.
            ranks: number of processes of this run.
            is_shared: whether other files of the folder may be in use by other runs.

        Raises:
            JournalInUseError: if another process writes to this rank's file.
            JournalError: if the folder cannot be written, for example because the disk is full, or
                another version wrote to it.
        """
        with _failing(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            lock = _lock(folder, rank)
        journal = cls(folder, lock)
        try:
            with _failing(folder, "read"):
                for number, path in _files(folder).items():
                    mends = number == rank if is_shared else number % ranks == rank
                    contents = (journal_file.mend if mends else journal_file.read)(path)
                    if is_shared and contents.problem and not mends:  # its own run may mend it
                        logger.warning(f"{path} {contents.problem}")
                    for row in contents.rows.values():
                        journal._remember(row)
            with _failing(folder, "written"):
                journal._connection = journal_file.connect(folder / f"rank-{rank:05}.sqlite")
        except BaseException:
            journal.close()
            raise
        return journal

    @property
    def unrecorded(self) -> int:
        """Return how many answers could not be written to the journal, as on a full disk."""
        return len(self._waiting)

    def get(self, key: str) -> Answer | None:
        """Return the answer recorded under a key; None if there is none."""
        body = self._bodies.get(key)
        return None if body is None else JournalRow(key, "", body).entry().answer

    def append(self, entries: Sequence[Entry]) -> None:
        """Write answers to disk, except those whose key the journal holds already.

        If the disk is full or broken this warns once, and each later call tries again.
        """
        with self._mutex:
            for entry in entries:
                if entry.key not in self._bodies and entry.key not in self._waiting:
                    self._waiting[entry.key] = JournalRow.of(entry)
            if self._waiting and self._write():
                for row in self._waiting.values():
                    self._remember(row)
                self._waiting.clear()

    def close(self) -> None:
        """Close the journal, so that other processes can use it; a second call does nothing."""
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

    def _remember(self, row: JournalRow) -> None:
        self._bodies.setdefault(row.key, row.body)
        self.asked.add(row.entry().asked)

    def _write(self) -> bool:
        """Return whether the rows that wait are on disk now."""
        if self._connection is None:
            raise ValueError(f"{self.folder}: this journal has been closed")
        was_failing, self.problem = bool(self.problem), ""
        try:
            journal_file.write(self._connection, self._waiting.values())
        except (OSError, sqlite3.Error) as error:
            self.problem = str(error)
            if not was_failing:
                logger.warning(
                    f"{self.folder}: cannot write to the journal ({error}); the run continues and "
                    "tries again after every block"
                )
        return not self.problem


@cache
def open_shared(folder: Path) -> Journal:
    """Open a journal that several processes use at once; a process opens it only once.

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
    """The content of a journal in brief: answers per task, size, damaged files.

    Attributes:
        size: of its files in bytes.
        damaged: lost answers, as far as they can be counted; a file whose number of answers is
            unknown counts as one.
        tasks: number of answers by task, sorted by name.
        problems: what is wrong with files, a sentence for each.
    """

    size: int
    damaged: int
    tasks: dict[str, int]
    problems: list[str]


def entries(folder: Path) -> Iterator[Entry]:
    """Return the entries of a journal, one for each key.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    return (row.entry() for row in _rows_of(_read_all(folder).values()))


def summarise(folder: Path) -> Summary:
    """Return how many answers a journal holds per task, its size, and its damaged files.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    contents = _read_all(folder)
    tasks = Counter(row.task for row in _rows_of(contents.values()))
    size = sum(path.stat().st_size for path in contents)
    damaged = sum(1 if of_file.lost is None else of_file.lost for of_file in contents.values())
    problems = [f"{path.name} {file.problem}" for path, file in contents.items() if file.problem]
    return Summary(size, damaged, dict(sorted(tasks.items())), problems)


def drop_task(folder: Path, task: str) -> int:
    """Remove a task's answers from a journal, and return how many there were.

    Raises:
        JournalError: if there is no journal, it cannot be written, or a run is using it.
    """
    removed = 0
    for rank, path in existing(folder).items():
        with _failing(folder, "written"), _lock(folder, rank):
            journal_file.mend(path)
            with closing(journal_file.connect(path)) as connection, connection:
                deleted = connection.execute("DELETE FROM records WHERE task = ?", (task,))
                removed += deleted.rowcount
    return removed


def existing(folder: Path) -> dict[int, Path]:
    """Return the files of a journal, keyed by the rank (process) that wrote them.

    Raises:
        JournalError: if there is none, or the folder cannot be read.
    """
    with _failing(folder, "read"):
        files = _files(folder)
    if not files:
        raise JournalError(
            f"{folder}: this folder holds no journal; a journal's folder has a file "
            "rank-00000.sqlite"
        )
    return files


def _files(folder: Path) -> dict[int, Path]:
    paths = sorted(folder.glob(f"rank-{'[0-9]' * 5}.sqlite"))
    return {int(path.stem.removeprefix("rank-")): path for path in paths}


def _lock(folder: Path, rank: int) -> Lock:
    path = folder / f"rank-{rank:05}.lock"
    try:
        lock = acquire(path, wait=0)
    except LockHeldError as error:
        holder = path.read_text(errors="replace") or "another process"
        raise JournalInUseError(
            f"{folder}: this journal is in use by {holder}; wait until that run ends, stop it, or "
            "choose another folder"
        ) from error
    lock.write(f"process {os.getpid()} on {socket.gethostname()}")
    return lock


def _read_all(folder: Path) -> dict[Path, journal_file.Contents]:
    """Return what the files of all ranks hold."""
    with _failing(folder, "read"):
        return {path: journal_file.read(path) for path in existing(folder).values()}


def _rows_of(contents: Iterable[journal_file.Contents]) -> Iterable[JournalRow]:
    """Return all rows, each key once."""
    rows: dict[str, JournalRow] = {}
    for of_file in contents:
        rows = of_file.rows | rows
    return rows.values()


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
