"""The harness's own classes around a model of ours, in this process or in others."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from benchmarks import data
from benchmarks.gpu import loops, pairs, processes

_LIMIT = 1200  # seconds that processes may take in all


@dataclass(frozen=True)
class Load:
    """What a backend is given to load, and what it is asked; another process can be told of it.

    Attributes:
        name: the harness's name of the backend.
        arguments: of its class.
        root: folder of the pairs.
        pairs: how many of them are asked about.
        tokens: of every reply.
        batch: how many requests at once.
        share: which requests: from the first number, every so many.
    """

    name: str
    arguments: Mapping[str, Any]
    root: str
    pairs: int
    tokens: int
    batch: int
    share: tuple[int, int] = (0, 1)


def load(name: str, arguments: Mapping[str, Any]) -> Any:
    """A backend as the harness builds it."""
    from lmms_eval.models import get_model

    return get_model(name)(**arguments)


def free(device: str) -> bool:
    """Give back what a backend that is gone held of the device; whether the device still answers.

    After some errors (an assertion in a kernel, say) CUDA never does in the same process.
    """
    gc.collect()  # an error that was caught and its frames hold each other
    if not device.startswith("cuda"):
        return True
    import torch

    try:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()
    except RuntimeError:
        return False
    return True


def why_no_attention(kind: str, device: str) -> str:
    """Why an implementation of attention cannot be had; empty if it can."""
    if kind != "flash_attention_2":
        return ""
    if not device.startswith("cuda"):
        return f"{kind} needs CUDA"
    return "" if find_spec("flash_attn") else "flash-attn is not installed"


def why_no_vllm(device: str) -> str:
    """Why vLLM cannot be run; empty if it can."""
    if not device.startswith("cuda"):
        return "vLLM is measured on CUDA only"
    return "" if find_spec("vllm") else "vllm is not installed"


class Workers:
    """Processes that have loaded a backend and wait for the word to ask.

    Raises:
        RuntimeError: if one fails, ends before it is done, or all take longer than they may.
    """

    def __init__(self, loads: Sequence[Load]) -> None:
        self._loads = loads
        self._processes: list[subprocess.Popen[str]] = []
        self._limit = threading.Timer(_LIMIT, lambda: processes.kill(self._processes))
        self._limit.daemon = True

    def __enter__(self) -> Workers:
        self._limit.start()
        try:
            for one in self._loads:
                process = processes.start(
                    "benchmarks.gpu.backends",
                    [json.dumps(asdict(one))],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
                self._processes.append(process)
            self._wait_for("ready")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        processes.end(self._processes)

    def ask(self) -> None:
        """Have all of them ask, and wait until the last is done."""
        for process in self._processes:
            assert process.stdin is not None
            try:
                process.stdin.write("go\n")
                process.stdin.flush()
            except BrokenPipeError:
                break  # it has ended: what it said last is read below
        self._wait_for("done")

    def _wait_for(self, word: str) -> None:
        for process in self._processes:
            assert process.stdout is not None
            said = process.stdout.readline().strip()
            if said != word:
                raise RuntimeError(said or f"a process ended before it was {word}, see above")


def work(told: Load) -> None:
    """What such a process does; what goes wrong is said in one line."""
    words = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print too
    try:
        _work(told, words)
    except Exception as error:
        print(" ".join(f"{type(error).__name__}: {error}".split()), file=words, flush=True)
        raise


def _work(told: Load, words: TextIO) -> None:
    backend = load(told.name, told.arguments)
    docs = data.docs(Path(told.root))
    loops.show_to(backend, docs)
    start, step = told.share
    asked = pairs.requests(docs, told.pairs, told.tokens, simple=backend.is_simple)[start::step]
    loops.stock(backend, asked[: told.batch], told.batch, told.tokens)
    print("ready", file=words, flush=True)
    if not sys.stdin.readline():
        return  # who started it has ended
    loops.stock(backend, asked, told.batch, told.tokens)
    print("done", file=words, flush=True)


if __name__ == "__main__":
    work(Load(**json.loads(sys.argv[1])))
