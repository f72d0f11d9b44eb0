"""What this machine has left for a build: memory and processors."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def free_memory() -> int:
    """Bytes of memory that processes may still take; half of what there is where nothing says so.

    In a container its own limit counts, too.
    """
    return min(_of_system(), _of_container())


def processors() -> int:
    """How many processors this process may use, at least 1."""
    with suppress(AttributeError):  # not on macOS
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def fitting_jobs(each: int, wanted: int | None = None) -> int:
    """How many processes fit into the memory, at least 1.

    Args:
        each: bytes that a process takes.
        wanted: how many at most; None for as many as there are processors.
    """
    return max(1, min(wanted or processors(), free_memory() // each))


def _of_system() -> int:
    with suppress(OSError, ValueError, StopIteration):
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _of_container() -> int:
    with suppress(OSError, ValueError):  # no container, or no limit ("max")
        limit = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        return max(0, limit - int((_CGROUP / "memory.current").read_text(encoding="ascii")))
    return 1 << 62
