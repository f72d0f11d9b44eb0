"""Read and write one file of a journal: an SQLite table of answers with checksums.

A row that does not match its CRC-32 is never used. SQLite does not notice a page that was replaced
by another one, and what it reads then lacks answers: so triggers count the rows, and the count is
checked. What can still be read of a damaged file is written to a new one, and the damaged file
stays beside it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from loguru import logger

from pairbench_ext.core.texts import counted
from pairbench_ext.resumable import salvage

VERSION = 1
_LATEST = 1000  # a larger number is a damaged one, not a version
_MOST = 1 << 40  # answers of a run
_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS records (key TEXT, task TEXT, body TEXT, crc INTEGER);
CREATE TABLE IF NOT EXISTS counted (answers INTEGER);
INSERT OR IGNORE INTO counted (rowid, answers) VALUES (1, 0);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON records
    BEGIN UPDATE counted SET answers = answers + 1; END;
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON records
    BEGIN UPDATE counted SET answers = answers - 1; END;
PRAGMA user_version = 1;
COMMIT;
"""
_INSERT = "INSERT INTO records (key, task, body, crc) VALUES (?, ?, ?, ?)"
_SELECT = "SELECT key, task, body, crc FROM records"
_BUSY = 60.0  # seconds to wait for another process that reads or writes the same file
_NO_LOG = b"\1\1"  # bytes 18 and 19 of a file that SQLite can write without a log beside it
_EMPTY = "is empty: a run ended before it recorded anything, or the file was emptied"
_UNKNOWN = "was damaged, or another program wrote it; how many answers it had is unknown"
# Primary result codes of SQLite that say nothing about the content of a file:
# permission, busy, locked, out of memory, read-only, interrupted, input/output, full, cannot open.
_NOT_DAMAGE = frozenset({3, 5, 6, 7, 8, 9, 10, 13, 14})


class JournalError(RuntimeError):
    """The journal cannot be used; the message says what to do."""


class Answer(NamedTuple):
    """The base model's answer to one request.

    Attributes:
        text: as it came, lone surrogates included.
        tokens: token counts by name; None if the base reports none.
        distribution: over the answers, as the log has it; None where nobody asked for one.
        raw: the server's response, without log probabilities; None if the base shows none.
    """

    text: str
    tokens: dict[str, Any] | None = None
    distribution: dict[str, Any] | None = None
    raw: dict[str, Any] | None = None


class Entry(NamedTuple):
    """An answer, with the request that it answers.

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


class JournalRow(NamedTuple):
    """A row of a journal file; `body` holds the answer as JSON."""

    key: str
    task: str
    body: str

    @classmethod
    def of(cls, entry: Entry) -> JournalRow:
        """Return the row of the journal file that stores an answer.

        Raises:
            ValueError: if it cannot be written: a lone surrogate in a key or a task.
        """
        fields = entry._asdict() | entry.answer._asdict()
        body = {name: fields[name] for name in fields.keys() - {"key", "task", "answer"}}
        for name in ("distribution", "raw"):
            if body[name] is None:
                del body[name]
        row = cls(entry.key, entry.task, json.dumps(body))
        row.values()
        return row

    def values(self) -> tuple[str, str, str, int]:
        """Return the row's values for SQL; the last value is the checksum of the others."""
        return (*self, zlib.crc32("\0".join(self).encode()))

    def entry(self) -> Entry:
        """Return the answer that a row of the journal file stores, with its request."""
        body = json.loads(self.body)
        beside = (body.pop(name, None) for name in ("distribution", "raw"))
        answer = Answer(body.pop("text"), body.pop("tokens"), *beside)
        return Entry(self.key, self.task, answer, asked=body.pop("asked"), **body)


class Contents(NamedTuple):
    """The rows that could be read from one journal file, and what is wrong with the file.

    Attributes:
        rows: that can be read, by key.
        lost: how many others there were; None if nobody knows.
        problem: what is wrong, as it follows the file's name; empty if nothing is.
    """

    rows: dict[str, JournalRow]
    lost: int | None = 0
    problem: str = ""


def read(path: Path) -> Contents:
    """Return the rows of a journal file; if it is damaged, only the rows that can be read.

    Raises:
        JournalError: if another version wrote it.
        OSError, sqlite3.Error: if it cannot be opened.
    """
    with path.open("rb") as file:
        header = file.read(20)
    if not header:
        return Contents({}, problem=_EMPTY)
    raw: list[Sequence[Any]] = []
    try:
        with closing(sqlite3.connect(path, timeout=_BUSY)) as connection:
            connection.text_factory = bytes  # damaged text need not be UTF-8
            connection.execute("BEGIN")  # another process may be writing
            [version] = connection.execute("PRAGMA user_version").fetchone()
            if VERSION < version < _LATEST:
                raise JournalError(
                    f"{path}: this journal has format version {version}, but this package reads "
                    f"version {VERSION}. Use the version of the package that wrote it, or another "
                    "folder"
                )
            raw.extend(connection.execute(_SELECT))
            [expected] = connection.execute("SELECT answers FROM counted").fetchone()
            [checked] = connection.execute("PRAGMA quick_check(1)").fetchone()
        rows = _checked(raw)
        if checked == b"ok" and len(rows) == len(raw) == expected and header[18:] == _NO_LOG:
            return Contents(rows)
    except Exception as error:  # whatever damage makes SQLite and Python's module raise
        if not _is_damage(error):
            raise
    salvaged = list(salvage.rows(path.read_bytes()))
    rows = _checked(raw) | _checked(salvaged)
    counts = [values[0] for values in salvaged if len(values) == 1]  # of the other table, or noise
    likely = [count for count in counts if isinstance(count, int) and count < _MOST]
    lost = max(likely, default=-1) - len(rows)
    kept = f"{counted(len(rows), 'answer')} could be read"
    if lost < 0:
        return Contents(rows, None, f"{_UNKNOWN}; {kept}, missing answers are asked again")
    return Contents(rows, lost, f"was damaged: {kept}, {lost:,} are lost and asked again")


def mend(path: Path) -> Contents:
    """Return the content of a journal file; a damaged file is renamed and replaced by a new one.

    Raises:
        JournalError: if another version wrote it.
        OSError, sqlite3.Error: if it cannot be opened or written.
    """
    contents = read(path)
    if contents.problem:
        empty = contents.problem == _EMPTY
        kept = "" if empty else f" (the damaged file was renamed to {_keep(path).name})"
        _replace(path, contents.rows.values())
        logger.warning(f"{path} {contents.problem}{kept}")
    return contents


def connect(path: Path) -> sqlite3.Connection:
    """Open a journal file for writing, and create it if it is missing.

    Raises:
        OSError, sqlite3.Error: if it cannot be written, for example because the disk is full.
    """
    path.touch(mode=0o600)
    with suppress(PermissionError):  # somebody else's, in a folder that is shared on purpose
        path.chmod(0o600)  # replies are nobody else's business
    connection = sqlite3.connect(path, timeout=_BUSY, check_same_thread=False)
    connection.execute("PRAGMA synchronous = EXTRA")  # a commit is on disk
    connection.execute("PRAGMA secure_delete = ON")  # what is dropped cannot come back as salvage
    connection.executescript(_SCHEMA)  # notices a full disk now
    return connection


def write(connection: sqlite3.Connection, rows: Iterable[JournalRow]) -> None:
    """Add rows to a journal file; they are on disk when this returns.

    Raises:
        OSError, sqlite3.Error: if they cannot be written; then none is.
    """
    with connection:
        connection.executemany(_INSERT, [row.values() for row in rows])


def _checked(raw: Iterable[Sequence[Any]]) -> dict[str, JournalRow]:
    """Return the rows, by key, that are as they were written and have the fields of ours."""
    rows: dict[str, JournalRow] = {}
    for values in raw:
        with suppress(AttributeError, KeyError, RecursionError, TypeError, ValueError):
            *texts, crc = values[:4]
            row = JournalRow(*(text.decode() for text in texts))
            entry = row.entry()
            are_texts = isinstance(entry.answer.text, str) and isinstance(entry.asked, str)
            if are_texts and row.values()[-1] == crc:
                rows.setdefault(row.key, row)
    return rows


def _keep(path: Path) -> Path:
    """Copy a damaged file to a name of its own."""
    number = next(n for n in count(1) if not path.with_suffix(f".damaged-{n}").exists())
    kept = path.with_suffix(f".damaged-{number}")
    kept.touch(mode=0o600)
    shutil.copyfile(path, kept)
    return kept


def _replace(path: Path, rows: Iterable[JournalRow]) -> None:
    """Write rows to a new file in the place of another."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with closing(connect(fresh)) as connection:
        write(connection, rows)
    for suffix in ("-journal", "-wal", "-shm"):  # they belong to the other file
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
    fresh.replace(path)


def _is_damage(error: Exception) -> bool:
    """Return whether an error is about the content of a file, not about access to it."""
    if isinstance(error, (OSError, MemoryError, JournalError)):
        return False
    code = getattr(error, "sqlite_errorcode", None)  # none for errors of Python's module itself
    return code is None or code & 0xFF not in _NOT_DAMAGE
