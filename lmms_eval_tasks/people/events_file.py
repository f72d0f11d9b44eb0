"""The file that events are appended to: whole lines, on disk before anyone is told so."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic

from lmms_eval_tasks.people.events import GivenT, Log
from pairbench_ext.core.files import sync_folder
from pairbench_ext.core.locks import try_lock
from pairbench_ext.core.records import Line, RecordError, numbered

# How every line that is written here begins.
_BEGIN = b'{"event": '


class EventsFile(Generic[GivenT]):
    """An open file of what raters did, locked against other processes. Thread-safe.

    The system frees the lock when the process ends, however it ends. Half a line at the end, left
    by a system that failed while writing, is cut off: nobody was told that it is recorded.

    Args:
        path: the file; made with its folder if needed.
        read: what its lines say.
        command: that writes such files, for errors.

    Attributes:
        log: what the file said when it was opened.
        cut: how many bytes of half a line were cut off.

    Raises:
        RecordError: if it cannot be written, another process writes to it, or it is no file of
            the study.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[Iterable[Line]], Log[GivenT]],
        command: str = "pairbench rate pairs",
    ) -> None:
        self.path = path
        self._to_log = read
        self._command = command
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise RecordError(f"{path}: cannot be written ({error.strerror or error})") from error
        try:
            self._claim()
            self.log, self.cut = self._read()
            sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def append(self, event: str, fields: Mapping[str, Any]) -> None:
        """Write one line; when this returns it is on disk.

        Args:
            event: of `lmms_eval_tasks.people.events`.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
                f"{self.path}: another `{self._command}` writes to it; stop that one, or give "
                "another --out"
            )

    def _read(self) -> tuple[Log[GivenT], int]:
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
        log = self._to_log(numbered(io.StringIO(text), str(self.path)))
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
