"""File locks between processes. When a process ends, the system (`flock`) frees its locks.

So a killed process blocks nobody.
"""

from __future__ import annotations

import errno
import math
import os
import time
from pathlib import Path
from weakref import WeakSet

_POLL = 0.02  # seconds


class LockHeldError(RuntimeError):
    """The file is locked by another process."""


class Lock:
    """A locked file; `release` or the end of a `with` block frees it.

    Its copy in a forked child is closed, or the child would hold it as well.
    """

    def __init__(self, descriptor: int) -> None:
        """Call `acquire` instead, which returns a lock."""
        self._descriptor: int | None = descriptor
        _held.add(self)

    def write(self, text: str) -> None:
        """Write a text into the lock file, for others to read.

        Raises:
            OSError: if it cannot be written.
        """
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text.encode(), 0)

    def release(self) -> None:
        """Free the lock; calling it again does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


_held: WeakSet[Lock] = WeakSet()


def _release_in_child() -> None:
    # Closing a copy of the descriptor does not free the parent's lock.
    for lock in list(_held):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_child)


def acquire(path: Path, wait: float = math.inf) -> Lock:
    """Lock a file, and create it if it is missing.

    Args:
        path: the file; its folder must be there.
        wait: for how many seconds to try, once at least.

    Raises:
        LockHeldError: if others hold it all the while.
        OSError: if the file cannot be written, is a symbolic link, or its file system has no locks.
    """
    deadline = time.monotonic() + wait
    while True:
        if path.is_symlink():  # what it leads to is not ours to write to
            raise OSError(errno.ELOOP, f"{path.name} is a symbolic link: remove it", str(path))
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o666)
        try:
            is_locked_now = try_lock(descriptor)
            if is_locked_now and _is_still(descriptor, path):
                return Lock(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if not is_locked_now:
            if time.monotonic() >= deadline:
                raise LockHeldError(f"{path}: another process has locked this file")
            time.sleep(_POLL)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if another process holds the lock.

    Raises:
        OSError: if its file system has no locks.
    """
    try:
        import fcntl  # not on Windows, where all that needs no lock must work
    except ImportError as error:
        raise OSError(errno.ENOSYS, "this system has no file locks (flock)") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still(descriptor: int, path: Path) -> bool:
    """Return whether the locked file is the one of this name: a removed one keeps nobody out."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
