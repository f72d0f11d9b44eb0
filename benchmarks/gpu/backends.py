"""The harness's own classes around a model of ours, in this process or in others."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.gpu import loops, pairs


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


def free(device: str) -> None:
    """Give back what a backend that is gone held of the device."""
    gc.collect()
    if device.startswith("cuda"):
        import torch

        torch.cuda.empty_cache()


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
        RuntimeError: if one ends before it is ready or before it is done.
    """

    def __init__(self, loads: Sequence[Load]) -> None:
        self._processes = [
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.gpu.backends", json.dumps(asdict(one))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for one in loads
        ]

    def __enter__(self) -> Workers:
        try:
            self._wait_for("ready")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def ask(self) -> None:
        """Have all of them ask, and wait until the last is done."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        self._wait_for("done")

    def _wait_for(self, word: str) -> None:
        for process in self._processes:
            assert process.stdout is not None
            if not any(line.strip() == word for line in iter(process.stdout.readline, "")):
                raise RuntimeError(f"a process ended before it was {word}; see its error above")


def work(told: Load) -> None:
    """What such a process does."""
    backend = load(told.name, told.arguments)
    docs = data.docs(Path(told.root))
    loops.show_to(backend, docs)
    start, step = told.share
    asked = pairs.requests(docs, told.pairs, told.tokens, simple=backend.is_simple)[start::step]
    loops.stock(backend, asked[: told.batch], told.batch, told.tokens)
    print("ready", flush=True)
    sys.stdin.readline()
    loops.stock(backend, asked, told.batch, told.tokens)
    print("done", flush=True)


if __name__ == "__main__":
    work(Load(**json.loads(sys.argv[1])))
