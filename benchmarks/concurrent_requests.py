"""Backends that ask a server many requests at once: what recording every answer costs them.

A local server answers after seeded log-normal latencies, as paid APIs do. The harness's
`async_openai` asks it bare, and wrapped in `resumable` with a journal.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lmms_eval.api.instance import Instance
from lmms_eval.models import get_model
from lmms_eval.models.model_utils.usage_metrics import reset_usage_metrics

from benchmarks.common import Row, as_time, require, two_digits
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics.seeds import generator

TARGET = 1.05
_SETTINGS = {"temperature": 0, "max_new_tokens": 16, "until": []}


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        requests: all of one task.
        at_once: how many the backend keeps in flight.
        median: seconds that the server takes for half of them.
        sigmas: of the logarithm of its latency.
    """

    requests: int = 3_000
    at_once: int = 64
    median: float = 0.2
    sigmas: tuple[float, ...] = (0.5, 1.0, 1.5)


FULL = Size()


@contextmanager
def _serving(latencies: Any) -> Iterator[str]:
    """The URL of a server that answers request "N" after the N-th latency."""
    loop = asyncio.new_event_loop()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            body = json.loads(await reader.readexactly(int(head[b"content-length"])))
            number = int(body["messages"][-1]["content"][0]["text"])
            await asyncio.sleep(float(latencies[number]))
            message = {"role": "assistant", "content": f"answer {number}"}
            said = {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
            }
            content = json.dumps(said).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(content) + content
            )
            await writer.drain()
        writer.close()

    server = loop.run_until_complete(asyncio.start_server(answer, "127.0.0.1", 0, backlog=256))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()


async def _head(reader: asyncio.StreamReader) -> dict[bytes, bytes]:
    """The headers of the next request; none at the end of the connection."""
    try:
        lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[1:]
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        return {}
    pairs = (line.partition(b":") for line in lines if line)
    return {name.lower(): value.strip() for name, _, value in pairs}


def _requests(size: Size) -> list[Instance]:
    def messages(doc: Any) -> Any:
        return [{"role": "user", "content": [{"type": "text", "text": doc}]}]

    return [
        Instance(
            request_type="generate_until",
            arguments=("question", messages, dict(_SETTINGS), number, "task", "test"),
            idx=0,
            metadata={"task": "task", "doc_id": number, "repeats": 1},
        )
        for number in range(size.requests)
    ]


def _seconds(model: Any, base: Any, size: Size) -> float:
    base.task_dict = {"task": {"test": [str(number) for number in range(size.requests)]}}
    requests = _requests(size)
    reset_usage_metrics()  # as an evaluation does: the harness sums up all of them at each answer
    start = time.perf_counter()
    outputs = model.generate_until(requests)
    taken = time.perf_counter() - start
    texts = [output.text for output in outputs]
    require(texts == [f"answer {number}" for number in range(size.requests)], "wrong answers")
    return taken


def run(scratch: Path, size: Size = FULL) -> list[Row]:
    """Wrapped against bare, for each spread of the latency."""
    os.environ.setdefault("OPENAI_API_KEY", "unused")
    rows = []
    for sigma in size.sigmas:
        drawn = generator(0, "latency", str(sigma)).lognormal(
            np.log(size.median), sigma, size.requests
        )
        with _serving(drawn) as url:
            arguments = f"model_version=m,base_url={url},num_cpus={size.at_once}"
            kind = get_model("async_openai")
            bare = kind.create_from_arg_string(arguments, {})
            otherwise = _seconds(bare, bare, size)
            base = kind.create_from_arg_string(arguments, {})
            wrapped = Resumable(base, scratch / f"journal-{sigma}", arguments={})
            ours = _seconds(wrapped, base, size)
            wrapped.clean()
        rows.append(
            Row(
                f"`async_openai`, {size.requests:,} requests, {size.at_once} at once, latency "
                f"{size.median:g} s, sigma {sigma}: wrapped with a journal against bare",
                as_time(ours),
                as_time(otherwise),
                otherwise / ours,
                f">= {two_digits(1 / TARGET)}x",
                ours <= otherwise * TARGET,
            )
        )
    return rows
