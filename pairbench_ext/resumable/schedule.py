"""Decide the order of requests and how many are asked at a time; keep ranks in step.

Order: a backend fills up the shorter prompts of a batch to its longest, and a picture is most of a
prompt. So requests that show pictures of one size are neighbours.

Number: what a killed run loses, and has to ask again, is at most one block. So blocks begin with
one batch, or a model that always dies after twenty requests would never get on; and they grow while
they are fast, because backends sort the requests of a call by length and write to disk once each.

Step: a model that is spread over processes (FSDP, DeepSpeed, vLLM's tensor parallel groups) talks
between them while it generates: if one rank calls it once more than another, or with another number
of requests, both wait for ever. What a journal lacks differs from rank to rank, and so does the
number of rounds.

Ahead: pictures are decoded, changed and compared in threads while the model works. A backend asks a
task what to show when it makes a batch, and the device waits meanwhile. Here the next requests are
shown in threads; what is asked for is handed over, once. No answer depends on it: pictures that are
not ready yet, or were not expected, are made on the spot.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any, TypeVar

from PIL import Image

from pairbench_ext.core import threads
from pairbench_ext.core.contents import UnkeyableError

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

    from pairbench_ext.resumable.asks import Ask


Number = TypeVar("Number", int, float)

SECONDS = 30.0  # of work that may be lost
LARGEST = 1024  # requests
HELD = 32  # requests that are made one by one, and may hold pictures
BATCHES_HELD = 4
DRAWN = 8  # requests that are drawn from one state, if a batch is not larger

_PARALLEL = ("batch_size", "batch_size_per_gpu", "num_concurrent", "num_cpus")


class BlockSize:
    """The number of requests in the next block.

    Attributes:
        at_once: requests that the base answers at once.
        fixed: what the user asked for; None leaves it to the time that blocks take.
        now: requests in the next block, at most.
    """

    def __init__(self, at_once: int = 1, fixed: int | None = None) -> None:
        """Start with one batch of the model, or with a fixed size."""
        self.at_once = at_once
        self.fixed = fixed
        self.now = fixed or at_once

    @property
    def held(self) -> int:
        """Return how many requests may be in memory at once."""
        return self.fixed or max(HELD, BATCHES_HELD * self.at_once)

    @property
    def drawn(self) -> int:
        """Return how many requests share one seed for their random answers.

        So it does not follow from any time: whole batches, and no more than it takes to keep what
        a call costs small.
        """
        return self.fixed or -(-DRAWN // self.at_once) * self.at_once

    def took(self, requests: int, seconds: float) -> None:
        """Adapt the next block's size to the time that a block took, by the same rule on each rank.

        Args:
            requests: that were in it.
            seconds: that its answers took; where ranks keep step, those of the slowest.
        """
        if self.fixed is not None or requests == 0:
            return
        fit = int(min(LARGEST, SECONDS * requests / max(seconds, 1e-9)))
        # A block that is not full says little about larger ones.
        fit = min(fit, 2 * self.now if requests >= self.now else self.now)
        self.now = max(self.at_once, fit // self.at_once * self.at_once)


def at_once(base: lmms) -> int:
    """Return how many requests a model answers at once; 1 if the model does not state it."""
    sizes = [getattr(base, name, None) for name in _PARALLEL]
    if getattr(base, "adaptive_concurrency", False):
        sizes.append(getattr(getattr(base, "adaptive_config", None), "max_concurrency", None))
    return max((size for size in sizes if isinstance(size, int) and size > 0), default=1)


class Ranks:
    """Make all ranks (processes) call the model equally often, with equally large calls."""

    def __init__(self, in_step: bool) -> None:
        self.in_step = in_step

    def most(self, number: Number) -> Number:
        """Return the largest `number` that any rank passes; every rank must call this."""
        return max(gathered(number)) if self.in_step else number


def gathered(value: Any) -> list[Any]:
    """Return the values that all ranks pass, in the order of ranks; every rank must call this."""
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized()):
        return [value]
    values = [value] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    return values


def pixels_of(shown: Any) -> int:
    """Return how many pixels the pictures of a request have together.

    >>> picture = Image.new("RGB", (4, 3))
    >>> pixels_of([picture, "a text", picture]), pixels_of([{"content": [{"url": picture}]}])
    (24, 12)
    """
    if isinstance(shown, Image.Image):
        return shown.width * shown.height
    inner = shown.values() if isinstance(shown, Mapping) else shown
    if isinstance(inner, str) or not hasattr(inner, "__iter__"):
        return 0
    return sum(map(pixels_of, inner)) if isinstance(shown, (Mapping, list, tuple)) else 0


def largest_first(asks: Sequence[Ask]) -> Iterator[tuple[int, Ask]]:
    """Yield requests with their indexes; within a task, requests with more pixels come first.

    Tasks stay as they come. Within a task those that show most pixels are first, where its
    documents tell how many (`pixels`), so that memory runs out at once if at all; equals keep their
    order, in which trials of a row are neighbours. A task that draws answers keeps its order: they
    are drawn together in blocks of it.
    """
    for _, group in groupby(enumerate(asks), key=lambda numbered: numbered[1].parts.task):
        task = list(group)
        docs = task[0][1].docs
        if hasattr(docs, "pixels") and not any(ask.is_sampled for _, ask in task):
            task.sort(key=lambda numbered: -docs.pixels(int(numbered[1].parts.doc)))
        yield from task


MAX_BYTES = 256_000_000  # of pictures that wait
_BYTES_PER_PIXEL = 4  # as Pillow stores RGB
_AT_FIRST = 4  # requests to be ahead, while nothing is known of their size

_Made = tuple[Any, str | UnkeyableError | None]


class Ahead:
    """Load the images of coming requests in threads, while the model answers earlier ones.

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
        """Announce the requests with which the base model is called next.

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
        """Return the content that a request shows, from which its key is computed; thread-safe."""
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
        """Return those that are not shown yet, as they are given."""
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
