"""Prepare work in threads while other work runs.

Pillow, NumPy and SciPy let other threads run while they compute.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

_MOST = 4


def number() -> int:
    """Return how many threads to decode pictures in. One core of the machine is left free."""
    return max(1, min(_MOST, (os.cpu_count() or 2) - 1))


def in_order(
    work: Iterable[Callable[[], Result]], ahead: int | None = None, threads: int | None = None
) -> Iterator[Result]:
    """Yield the results of calls made in threads, in the order of the calls.

    Args:
        work: taken one by one, in the caller's thread.
        ahead: how many are begun, or done, before they are needed; two per thread unless said.
        threads: how many; `number()` unless said.

    >>> list(in_order([lambda: 1, lambda: 2, lambda: 3], ahead=2))
    [1, 2, 3]
    """
    threads = threads or number()
    ahead = ahead or 2 * threads
    begun: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="ahead") as pool:
        try:
            for task in work:
                begun.append(pool.submit(task))
                if len(begun) > ahead:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()
