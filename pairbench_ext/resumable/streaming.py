"""Take each answer as it arrives, from backends that run many requests at once.

Given blocks, such a backend waits for the slowest request of each. So it is given all at once, and
what answers a single request is listened to:

- `async_openai` has a coroutine per request;
- The chat backends `openai`, `litellm` and `gemini` give a function of their own, per request, to a
  pool of threads. The simple ones sort requests first, and do not say how: they keep blocks.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, reduce
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize

from lmms_eval.api.instance import GenerationResult, TokenCounts

if TYPE_CHECKING:
    from types import ModuleType

    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms

_COROUTINE = "maybe_forward_with_tool"  # of async_openai: (request, index) -> text, index, counts
_FUNCTION = "process_single_request"  # of the others: (index, payload, ...) -> _Answered
_SORTED = "get_original"  # what puts sorted answers back into their order
_POOL, _LIBRARY = "ThreadPoolExecutor", "asyncio"

# What a backend calls for an answer: of OpenAI's protocol, which LiteLLM speaks too, and Gemini's.
_CALLS = ("client.chat.completions.create", "client.models.generate_content")
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens")

#: The request that a server is asked, for whoever listens to the client.
asked: ContextVar[Any] = ContextVar("asked", default=None)

Came = Callable[[int, GenerationResult], None]

# Returns what `generate_until` returns, and tells each answer when it comes, from any thread: the
# number of its request, and what the backend says. What fails for good may be missing.
Stream = Callable[[Sequence["Instance"], Came], list[Any]]


def stream_of(base: lmms) -> Stream | None:
    """Return a function that passes on a backend's answers as they come; None if impossible."""
    generate = type(base).generate_until
    module = sys.modules.get(getattr(generate, "__module__", ""))
    if module is None:
        return None
    if asyncio.iscoroutinefunction(getattr(base, _COROUTINE, None)):
        return partial(_by_coroutine, base, module)
    inner = [getattr(const, "co_name", "") for const in generate.__code__.co_consts]
    keeps_order = _SORTED not in generate.__code__.co_names
    if _FUNCTION in inner and keeps_order and hasattr(module, _POOL):
        return partial(_by_pool, base, module)
    return None


def _by_pool(base: lmms, module: ModuleType, requests: Sequence[Instance], came: Came) -> list[Any]:
    """Ask a backend that hands a function per request to a pool of threads."""
    pool: Any = getattr(module, _POOL)

    class Telling(pool):
        def submit(self, function: Any, /, *args: Any, **named: Any) -> Any:
            if getattr(function, "__name__", "") != _FUNCTION:
                return super().submit(function, *args, **named)
            future: Future[Any] = super().submit(_for, requests, function, *args, **named)
            future.add_done_callback(tell)
            return future

    def tell(future: Future[Any]) -> None:
        if future.cancelled() or future.exception() is not None:
            return
        text, index, *_, output, given, reasoning = future.result()
        counts = TokenCounts(input_tokens=given, output_tokens=output, reasoning_tokens=reasoning)
        came(index, GenerationResult(text=text, token_counts=counts))

    with _heard(base), replaced(module, _POOL, Telling):
        outputs: list[Any] = base.generate_until(requests)
    return outputs


def _ask_of(request: Instance) -> Any:
    return getattr(request.args[3], "ask", None)


def _for(requests: Sequence[Instance], function: Any, index: int, *args: Any, **named: Any) -> Any:
    """Call a function, and let who listens know which request it asks."""
    asked.set(_ask_of(requests[index]))
    return function(index, *args, **named)


def _by_coroutine(
    base: lmms, module: ModuleType, requests: Sequence[Instance], came: Came
) -> list[Any]:
    """Ask a backend with a coroutine per request.

    It runs each call in an event loop of its own, but keeps its connections, which are of no use
    when their loop is closed ("Event loop is closed"): so all calls get the same loop, as long as
    there is the backend.
    """
    ask = getattr(base, _COROUTINE)

    async def telling(request: Instance, index: int) -> Any:
        asked.set(_ask_of(request))
        text, number, counts = await ask(request, index)
        came(number, GenerationResult(text=text, token_counts=counts))
        return text, number, counts

    loop = _loops.get(base)
    if loop is None:
        loop = _loops[base] = asyncio.new_event_loop()
        finalize(base, loop.close)
    keeping = replaced(module, _LIBRARY, _Asyncio(loop))
    with _heard(base), replaced(base, _COROUTINE, telling), keeping:
        outputs: list[Any] = base.generate_until(requests)
    return outputs


@contextmanager
def _heard(base: lmms) -> Iterator[None]:
    """Mend what the client of a server returns, and keep it for the journal: `Ask.raw`."""
    for path in _CALLS:
        *inner, name = path.split(".")
        owner = reduce(lambda found, part: getattr(found, part, None), inner, base)
        if hasattr(owner, name):
            with replaced(owner, name, _keeping(getattr(owner, name))):
                yield
            return
    yield


def _keeping(call: Callable[..., Any]) -> Callable[..., Any]:
    async def awaited(response: Any) -> Any:
        return _kept(await response)

    def called(*args: Any, **named: Any) -> Any:
        response = call(*args, **named)
        return awaited(response) if inspect.isawaitable(response) else _kept(response)

    return called


def _kept(response: Any) -> Any:
    """A response whose texts and counts are such; as it came, it is kept beside its request."""
    ask = asked.get()
    if ask is not None and hasattr(response, "model_dump"):
        body = response.model_dump(mode="json", warnings=False, exclude_none=True)
        for choice in body.get("choices") or ():
            choice.pop("logprobs", None)  # they become the distribution
        ask.raw = body
    usage = getattr(response, "usage", None)
    for owner in (usage, getattr(usage, "completion_tokens_details", None)):
        for name in _COUNTS:
            if isinstance(getattr(owner, name, None), str):
                setattr(owner, name, _number(getattr(owner, name)))
    for choice in getattr(response, "choices", None) or ():
        message: Any = getattr(choice, "message", None)
        if isinstance(getattr(message, "content", None), list):
            message.content = "".join(map(_text_of, message.content))
    return response


def _number(text: str) -> int:
    """Return a count that a server writes as text; 0 where it is none."""
    return int(text) if text.strip().isdecimal() else 0


def _text_of(part: Any) -> str:
    """Return the text of a part of an answer; a part of thoughts is none of it."""
    fields = part if isinstance(part, dict) else vars(part) if hasattr(part, "__dict__") else {}
    text = part if isinstance(part, str) else fields.get("text")
    return text if isinstance(text, str) else ""


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Replace an attribute of an object or a module while the block runs."""
    before = getattr(owner, name, None)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


_loops: WeakKeyDictionary[lmms, asyncio.AbstractEventLoop] = WeakKeyDictionary()


class _Asyncio:
    """The module `asyncio`, whose `run` keeps its loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    def run(self, work: Any) -> Any:
        try:
            return self._loop.run_until_complete(work)
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))


class Recorder:
    """Pass answers, as they arrive, to a function that records them in another thread.

    So nobody who brings an answer waits for the disk.
    """

    def __init__(self, record: Callable[[list[tuple[int, Any]]], None]) -> None:
        self._record = record
        self._come: deque[tuple[int, Any]] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._recorded: list[Future[None]] = []

    def put(self, index: int, answer: Any) -> None:
        """Take an answer that has arrived, to be recorded in the other thread. Thread-safe."""
        self._come.append((index, answer))
        self._recorded.append(self._thread.submit(self._work))

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        for recorded in self._recorded:
            recorded.result()

    def _work(self) -> None:
        batch = [self._come.popleft() for _ in range(len(self._come))]
        if batch:
            self._record(batch)
