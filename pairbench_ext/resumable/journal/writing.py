"""Bytes at the end of a journal's file: all of them are on disk, or the file is as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pairbench_ext.core.files import write_atomically
from pairbench_ext.resumable.journal.frames import Damage

_PIECE = 1 << 20


def append(descriptor: int, data: bytes) -> int:
    """Bring `data` to disk; where in the file it is. If that fails the file is as it was."""
    start = os.fstat(descriptor).st_size
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, start)
        raise
    return start


def _pieces(descriptor: int) -> Iterator[bytes]:
    offset = 0
    while piece := os.pread(descriptor, _PIECE, offset):
        yield piece
        offset += len(piece)


def cut_torn_end(path: Path, damages: Sequence[Damage], end: int) -> None:
    """Remove what follows the last valid frame, so that it is reported once.

    A file without any valid frame is left alone: who knows what it is.
    """
    after = [damage.offset for damage in damages if damage.offset > end]
    if after and end:
        os.truncate(path, after[0])


def restore_removed(path: Path, descriptor: int, *, writable: bool) -> bool:
    """Write a file anew that somebody removed while it is held open; whether it was removed.

    Raises:
        OSError: if it cannot be written.
    """
    if os.fstat(descriptor).st_nlink:
        return False
    write_atomically(path, _pieces(descriptor))
    mode = os.O_RDWR | os.O_APPEND if writable else os.O_RDONLY
    fresh = os.open(path, mode | os.O_CLOEXEC)
    os.dup2(fresh, descriptor, inheritable=False)  # its number stays
    os.close(fresh)
    return True
