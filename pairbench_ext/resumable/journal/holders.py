"""Who may write to a journal: the ranks of one run, each its own file.

Every rank holds a lock on a file that says who it is; a killed run holds none. Joining happens one
process at a time, so that two runs which start together cannot each get half of the journal.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.files import remove_unfinished
from pairbench_ext.core.locks import Lock, LockHeldError, acquire, is_locked
from pairbench_ext.resumable.journal.files import JournalError, by_rank, lock_path

_JOINING = "joining.lock"
_JOINING_WAIT = 30.0
# `pairbench journal` touches a lock for an instant to see who holds it: that is no holder.
_LOCK_WAIT = 1.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Holder(NamedTuple):
    """A process that writes to a journal.

    Attributes:
        run_id: the same for all ranks of a run, see `run_identity`.
        run: when the first rank of this run joined, which is how runs are told apart later.
        rank: of this process.
        world_size: number of ranks.
        pid: its process id.
        host: where it runs.
        since: when it joined; Unix time, like `run`.
    """

    run_id: str
    run: float
    rank: int
    world_size: int
    pid: int
    host: str
    since: float

    def __str__(self) -> str:
        if not self.pid:
            return f"another process (rank {self.rank})"
        began = datetime.fromtimestamp(self.since).astimezone()
        return (
            f"process {self.pid} on {self.host}, rank {self.rank} of {self.world_size}, "
            f"since {began.isoformat(sep=' ', timespec='seconds')}"
        )


def run_identity(world_size: int, environ: Mapping[str, str]) -> str:
    """A name that all ranks of this run have in common, and no other run that goes on meanwhile.

    It is made of what launchers (torchrun, accelerate, Slurm) set, else of the parent process,
    which has started all ranks on one machine. A run of one rank is named after its own process.

    Args:
        world_size: number of ranks.
        environ: the environment variables.
    """
    host = socket.gethostname()
    if world_size == 1:
        return f"{host} {os.getpid()} {time.time()}"
    address, port = environ.get("MASTER_ADDR"), environ.get("MASTER_PORT")
    if not address or not port:
        return f"{host} {os.getppid()}"
    if address in _LOOPBACK:
        address = host  # the same address means another machine on another machine
    names = ("TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID")
    return " ".join([address, port, *(environ.get(name, "-") for name in names)])


def join(folder: Path, rank: int, world_size: int, run_id: str) -> tuple[Lock, Holder]:
    """Become a writer of the journal.

    Returns:
        The lock to keep, and what others see of this process.

    Raises:
        JournalError: if another run writes to it, or another process is this rank of this run.
        OSError: if the folder cannot be written or its file system has no locks.
    """
    with exclusive(folder):
        others = holders(folder)
        for other in others:
            if (other.run_id, other.world_size) != (run_id, world_size) or other.rank == rank:
                raise _in_use(folder, other)
        if not others:  # then nobody writes here
            remove_unfinished(folder)
        now = time.time()
        run = others[0].run if others else now
        holder = Holder(run_id, run, rank, world_size, os.getpid(), socket.gethostname(), now)
        path = lock_path(folder, rank)
        try:
            lock = acquire(path, _LOCK_WAIT)
        except LockHeldError as error:
            raise _in_use(folder, _read_holder(path, rank)) from error
        try:
            lock.write(json.dumps(holder._asdict()))
        except OSError:
            lock.release()
            raise
        return lock, holder


def refuse_while_held(folder: Path) -> None:
    """Check that no run writes to the journal; inside `exclusive`, so that none begins to.

    Raises:
        JournalError: if one does.
    """
    for holder in holders(folder):
        raise _in_use(folder, holder)


def holders(folder: Path) -> list[Holder]:
    """The processes that write to the journal now, in the order of ranks. Writes nothing."""
    return [
        _read_holder(path, rank)
        for rank, path in by_rank(folder, "lock").items()
        if is_locked(path)
    ]


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep others from joining.

    Raises:
        JournalError: if another process has kept others from joining for too long.
        OSError: if the folder cannot be written or its file system has no locks.
    """
    try:
        lock = acquire(folder / _JOINING, _JOINING_WAIT)
    except LockHeldError as error:
        raise JournalError(
            f"{folder}: another process has been opening or rewriting this journal for "
            f"{_JOINING_WAIT:g} s; try again when it is done"
        ) from error
    with lock:
        yield


def _in_use(folder: Path, holder: Holder) -> JournalError:
    return JournalError(
        f"{folder}: this journal is in use by {holder}; wait until that run ends, stop it, or "
        "choose another folder"
    )


def _read_holder(path: Path, rank: int) -> Holder:
    try:
        return Holder(**json.loads(path.read_text()))
    except (ValueError, TypeError):  # it has the lock, but has not yet said who it is
        return Holder("", 0.0, rank, 0, 0, "", 0.0)
