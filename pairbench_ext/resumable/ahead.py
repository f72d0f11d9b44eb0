"""Pictures are decoded, changed and compared in threads while the model works.

A backend asks a task what to show when it makes a batch, and the device waits meanwhile. Here the
next requests are shown in threads; what is asked for is handed over, once. No answer depends on it:
pictures that are not ready yet, or were not expected, are made on the spot.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pairbench_ext.core import threads
from pairbench_ext.core.contents import UnkeyableError
from pairbench_ext.resumable.schedule import pixels_of

if TYPE_CHECKING:
    from pairbench_ext.resumable.asks import Ask

MAX_BYTES = 256_000_000  # of pictures that wait
_BYTES_PER_PIXEL = 4  # as Pillow stores RGB
_AT_FIRST = 4  # requests to be ahead, while nothing is known of their size

_Made = tuple[Any, str | UnkeyableError | None]


class Ahead:
    """Shows requests, in threads before they are asked for, as long as the context lasts.

    Only documents are shown ahead that say of themselves that threads may (`shows_in_threads`):
    other tasks may draw on one canvas for every document.

    Args:
        asks: all that may be asked for, in the order in which they are looked up or asked.
        most: how many requests to be ahead, if their pictures fit into `MAX_BYTES`.
    """

    def __init__(self, asks: Sequence[Ask], most: int) -> None:
        self._asks = [ask for ask in asks if getattr(ask.docs, "shows_in_threads", False)]
        self._most = most
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(threads.number(), thread_name_prefix="ahead")
        self._waiting: dict[Ask, Future[_Made]] = {}
        self._process = os.getpid()
        self._largest: int | None = None  # bytes that a request showed
        self._next = 0  # of `_asks`; all before it were shown
        self._sorted: list[Ask] = []
        self._kept = [0, 0]  # how often the base asked for the next one as given, and as sorted

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:  # a thread of the base may still ask
            self._asks, self._sorted = [], []
            self._waiting.clear()
        self._pool.shutdown(cancel_futures=True)

    def expect(self, block: Sequence[Ask]) -> None:
        """These are asked next, in one call of the base.

        The base may take them as they are given, or sorted by their texts, as most of the harness's
        backends do: it is expected to do what it did before.
        """
        for ask in block:
            ask.is_shown = False
        able = [ask for ask in block if getattr(ask.docs, "shows_in_threads", False)]
        with self._lock:
            self._sorted = sorted(able, key=lambda ask: (-len(ask.parts.text), ask.parts.text))
            self._go_on()

    def show(self, ask: Ask, doc: Any) -> Any:
        """Return what a request shows, which gives it its key; from any thread or process.

        Args:
            ask: the request.
            doc: its document, to show it on the spot.
        """
        if os.getpid() != self._process:  # the threads stayed behind
            return ask.parts.show(doc)
        with self._lock:
            future = self._waiting.pop(ask, None)
            self._kept[0] += ask is next(self._given(), None)
            self._kept[1] += ask is next(self._as_sorted(), None)
            ask.is_shown = True
            self._go_on()
        shown, key = ask.make_of(doc) if future is None or future.cancel() else future.result()
        with self._lock:
            self._largest = max(self._largest or 1, _BYTES_PER_PIXEL * pixels_of(shown))
            ask.take(key)
        return shown

    def _given(self) -> Iterator[Ask]:
        """Those that are not shown yet, as they are given."""
        while self._next < len(self._asks) and self._asks[self._next].is_shown:
            self._next += 1
        rest = (self._asks[place] for place in range(self._next, len(self._asks)))
        return (ask for ask in rest if not ask.is_shown)

    def _as_sorted(self) -> Iterator[Ask]:
        return (ask for ask in self._sorted if not ask.is_shown)

    def _go_on(self) -> None:
        """Have shown what is expected next, and nothing else. With the lock held."""
        fit = _AT_FIRST
        if self._largest is not None:
            fit = max(1, min(self._most, MAX_BYTES // self._largest))
        expected: Iterator[Ask] = self._given()
        if self._kept[1] > self._kept[0]:
            expected = chain(self._as_sorted(), expected)
        wanted = dict.fromkeys(islice(expected, fit))
        for ask in self._waiting.keys() - wanted.keys():
            self._waiting.pop(ask).cancel()
        for ask in wanted:
            if ask not in self._waiting:
                self._waiting[ask] = self._pool.submit(ask.make)
