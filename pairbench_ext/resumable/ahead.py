"""What requests show is decoded and changed in threads, and compared where it is shown.

A backend asks a task what to show when it makes a batch, and the device waits meanwhile. Here the
next requests are shown in threads while the model works; what is asked for is handed over, once.
No answer depends on it: what is not there yet, or was not expected, is made on the spot.

What is compared of a request is taken from the very objects that the model is given, before it has
them: so pictures are decoded once, for the question and for the key of its answer.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.core import threads
from pairbench_ext.core.contents import UnkeyableError
from pairbench_ext.resumable.looked_up import looked_up, numbered
from pairbench_ext.resumable.order import pixels_of
from pairbench_ext.resumable.requests import parts_of
from pairbench_ext.resumable.shown import look_at

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms

    from pairbench_ext.resumable.shown import Shown

MAX_BYTES = 256_000_000  # of pictures that wait
_BYTES_PER_PIXEL = 4  # as Pillow stores RGB
_AT_FIRST = 4  # requests to be ahead, while nothing is known of their size
_ASKED_TO_TELL = 256  # requests, after which it is known whether this is of use

DocKey = tuple[int, int]  # documents of a task, number
_Show = Callable[[Any], Any]


class _Expected(NamedTuple):
    """A document that is to be shown, and by what."""

    key: DocKey
    show: _Show
    docs: Any


class _Made(NamedTuple):
    """What a document shows, and what is compared of it if that is wanted."""

    shown: Any
    seen: Shown | UnkeyableError | None


class Ahead:
    """Shows documents to a base and compares what they show, as long as the context lasts.

    Only documents are shown ahead that say of themselves that threads may (`shows_in_threads`):
    other tasks may draw on one canvas for every document.

    Args:
        base: whose requests they are.
        most: how many requests to be ahead, if their pictures fit into `MAX_BYTES`.
        compares: whether to look at what is shown.
    """

    def __init__(self, base: lmms, most: int, *, compares: bool = False) -> None:
        self.is_simple: bool = base.is_simple
        self._base = base
        self._most = most
        self._compares = compares
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(threads.number(), thread_name_prefix="ahead")
        self._waiting: dict[DocKey, tuple[_Show, Future[_Made]]] = {}
        self._process = os.getpid()
        self._largest: int | None = None  # bytes that a request showed
        self._asked = self._handed = 0
        self._taken: set[DocKey] = set()  # in this call of the base
        self._orders: list[_Order] = []
        self._then: list[_Expected] = []
        self._seen: dict[DocKey, Shown | UnkeyableError] = {}

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:  # a thread of the base may still ask
            self._orders, self._then = [], []
            self._waiting.clear()
        self._pool.shutdown(cancel_futures=True)

    def expect(self, requests: Sequence[Instance], then: Sequence[Instance] = ()) -> None:
        """These are asked next, in one call of the base, and `then` those.

        The base may take them in another order. It is taken for the one that it kept to before: as
        they are given, or sorted by their texts, as most of the harness's backends do.
        """
        if len(requests) + len(then) < 2:  # there is nothing to be ahead of
            requests = then = ()
        given = self._found(requests)
        texts = [request.args[0] for request in requests]
        is_text = all(isinstance(text, str) for text in texts)
        if is_text and len(given) == len(requests):
            sorts: list[Callable[[int], Any]] = [
                lambda place: texts[place],
                lambda place: (-len(texts[place]), texts[place]),
            ]
            orders = [given, *([given[k] for k in sorted(range(len(given)), key=s)] for s in sorts)]
        else:
            orders = [given] * 3
        following = self._found(then)
        with self._lock:
            kept = [order.kept for order in self._orders] or [0.0] * len(orders)
            self._orders = [_Order(*one) for one in zip(orders, kept, strict=True)]
            self._then = following
            self._taken.clear()
            self._seen.clear()
            self._go_on()

    def show(self, show: _Show, doc: Any) -> Any:
        """What `show` gives for a document; from any thread, and in forked processes."""
        key = _key_of(doc)
        if key is None or os.getpid() != self._process:  # the threads stayed behind
            return show(doc)
        shown, seen = self._take(key, show, doc)
        if self._compares:
            seen = seen or self._look_at(shown)
            with self._lock:
                if self._seen.setdefault(key, seen) != seen:
                    self._seen[key] = UnkeyableError("something else each time")
        return shown

    def seen(self) -> dict[DocKey, Shown | UnkeyableError]:
        """What is compared of the documents that were shown since the last time; from any thread.

        Each once, even if a base has it shown again.
        """
        with self._lock:
            seen, self._seen = self._seen, {}
        return seen

    def look(self, request: Instance) -> Shown | UnkeyableError:
        """What is compared of a request, without a base; whatever its task raises is raised."""
        parts = parts_of(request, self.is_simple)
        doc = self._base.task_dict[parts.task][parts.split][parts.doc]
        key = _key_of(doc)
        if key is None:
            return self._look_at(parts.show(doc))
        shown, seen = self._take(key, parts.show, doc)
        return seen or self._look_at(shown)

    def through(self, request: Instance) -> Instance:
        """A request that asks here for what it shows."""
        show = parts_of(request, self.is_simple).show
        if not self._compares and not self._found([request]):
            return request

        def shown(doc: Any, *more: Any, **named: Any) -> Any:
            return show(doc, *more, **named) if more or named else self.show(show, doc)

        made = copy.copy(request)
        made.arguments = tuple(shown if part is show else part for part in request.args)
        return made

    def documents(self) -> AbstractContextManager[None]:
        """Let the base look documents up that can be told apart here."""
        return looked_up(self._base, numbered) if self._compares else nullcontext()

    def key_of(self, request: Instance) -> DocKey:
        """The name that `seen` has for the document of a request."""
        parts = parts_of(request, self.is_simple)
        return id(self._base.task_dict[parts.task][parts.split]), int(parts.doc)

    def _take(self, key: DocKey, show: _Show, doc: Any) -> _Made:
        """What a document shows, from a thread if it was expected."""
        with self._lock:
            expected, future = self._waiting.pop(key, (show, None))
            self._asked += 1
            self._handed += future is not None
            self._taken.add(key)
            for order in self._orders:
                order.take(key)
            self._go_on()
        if future is None or future.cancel() or expected != show:
            made = _Made(show(doc), None)
        else:
            made = future.result()
        size = _BYTES_PER_PIXEL * pixels_of(made.shown)
        with self._lock:
            self._largest = max(self._largest or 1, size)
        return made

    def _look_at(self, shown: Any) -> Shown | UnkeyableError:
        return look_at(shown, is_simple=self.is_simple)

    def _make(self, expected: _Expected) -> _Made:
        """In a thread: what is shown, and what is compared of it."""
        shown = expected.show(expected.docs[expected.key[1]])
        return _Made(shown, self._look_at(shown) if self._compares else None)

    def _found(self, requests: Sequence[Instance]) -> list[_Expected]:
        """Of requests whose documents threads may show: which, and how."""
        found = []
        for request in requests:
            parts = parts_of(request, self.is_simple)
            docs = self._base.task_dict[parts.task][parts.split]
            if getattr(docs, "shows_in_threads", False):
                found.append(_Expected((id(docs), int(parts.doc)), parts.show, docs))
        return found

    def _go_on(self) -> None:
        """Have shown what is expected next, and nothing else. With the lock held."""
        best = max(self._orders, key=lambda order: order.kept, default=None)
        fit = _AT_FIRST
        if self._largest is not None:
            fit = max(1, min(self._most, MAX_BYTES // self._largest))
        if best is None or (self._asked > _ASKED_TO_TELL and 2 * self._handed < self._asked):
            fit = 0  # whatever order the base has, it is none of these
        following = best.following() if best is not None else iter(())
        fresh = (one for one in chain(following, self._then) if one.key not in self._taken)
        wanted = {one.key: one for one in islice(fresh, fit)}
        for key in self._waiting.keys() - wanted.keys():
            self._waiting.pop(key)[1].cancel()
        for key, one in wanted.items():
            if key not in self._waiting:
                self._waiting[key] = one.show, self._pool.submit(self._make, one)


class _Order:
    """An order in which a base may take requests.

    Attributes:
        kept: how closely the base kept to it, in this call and those before: 1 for each request
            that was next, less for those near it (some backends ask in threads).
    """

    def __init__(self, requests: Sequence[_Expected], kept: float) -> None:
        self.kept = kept
        self._requests = requests
        self._places = {one.key: place for place, one in reversed(list(enumerate(requests)))}
        self._next = 0

    def take(self, key: DocKey) -> None:
        """The base has asked for this one."""
        place = self._places.get(key)
        if place is None:
            return
        self.kept += 1 / (1 + abs(place - self._next))
        self._next = place + 1

    def following(self) -> Iterator[_Expected]:
        """What is expected next."""
        for place in range(self._next, len(self._requests)):
            yield self._requests[place]


def _key_of(doc: Any) -> DocKey | None:
    docs, number = getattr(doc, "docs", None), getattr(doc, "number", None)
    return None if docs is None or number is None else (id(docs), number)
