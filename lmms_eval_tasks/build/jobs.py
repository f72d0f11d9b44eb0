"""The same work on many items, by several threads, with results in the items' order.

Pillow, NumPy and SciPy let other threads run while they compute.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2  # items per thread that are in work or waiting: bounds the memory, and wasted work


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int | None = None
) -> Iterator[Result]:
    """Yield the results of `work`, in the order of the items, whatever the number of threads.

    Items are taken as they are needed: a caller that stops early wastes few.

    Args:
        work: a function that must not depend on what it did before.
        items: what it is given, one after the other.
        jobs: number of threads; the number of CPU cores by default.
    """
    jobs = jobs or os.cpu_count() or 1
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= _AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
