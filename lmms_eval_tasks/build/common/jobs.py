"""The same work on many items, by several processes, with results in the items' order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2  # items per process that are in work or waiting: bounds the memory, and wasted work


class JobError(RuntimeError):
    """A process that worked for us has ended."""


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[Result]:
    """Results of `work`, in the order of the items, whatever the number of processes.

    Items are taken as they are needed: a caller that stops early wastes few.

    Args:
        work: a function that pickle can name, with more than one job; it must not depend on what it
            did before.
        items: what it is given, one after the other.
        jobs: how many processes; with one, the work is done here. Processes are started afresh, not
            forked, so libraries with threads of their own are safe. A script that asks for several
            must guard its main part by `if __name__ == "__main__"`.

    Raises:
        ValueError: for fewer than one job.
        JobError: if a process ended before its work was done.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    if jobs == 1:
        yield from map(work, items)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_serve_the_parent)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= _AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise JobError(
            f"one of {jobs} processes has ended, mostly for lack of memory: run the command again "
            "with fewer --jobs; it continues"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _serve_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal; the parent lets the others finish their item."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """End this process, which multiprocessing started, when its parent has ended in any way.

    An executor's processes would wait for work for ever if their parent is killed. What they
    listen to is a pipe that the system closes, so this holds for SIGKILL and on every system.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
