"""Processes that have loaded a backend, and ask the same again and again when they are told."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from benchmarks import data
from benchmarks.common import require, silent
from benchmarks.gpu import backends, loops, meters, pairs, processes
from benchmarks.gpu.backends import Load
from benchmarks.gpu.sleeper import Sleeper

_LIMIT = 1200  # seconds that processes may take in all


class Answered(NamedTuple):
    """What such a process says of one call of `generate_until`.

    Attributes:
        answers: in the order of the requests.
        seconds: that the call took.
        decoded: pictures that this process decoded for it.
        busy: of these seconds, those that a sleeping model meant to sleep.
        between: from the beginning of its first batch to the end of its last.
    """

    answers: list[str]
    seconds: float
    decoded: int
    busy: float
    between: float


class Workers:
    """Processes that wait for the word to ask; all begin at once.

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
            for load in self._loads:
                process = processes.start(
                    "benchmarks.gpu.workers",
                    [json.dumps(asdict(load))],
                    first=load.harness,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
                self._processes.append(process)
            self._hear()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        processes.end(self._processes)

    def ask(self, seconds: float = 0.0) -> list[Answered]:
        """Have all of them ask, and wait until the last is done.

        Args:
            seconds: that a model that sleeps takes for a batch.
        """
        for process in self._processes:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it has ended: what it said last is heard below
                process.stdin.write(f"{seconds}\n")
                process.stdin.flush()
        return [Answered(**told) for told in self._hear()]

    def _hear(self) -> list[dict[str, Any]]:
        heard = []
        for process in self._processes:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline() or "null")
            if told is None:
                raise RuntimeError("a process ended before it was done, see above")
            if "error" in told:
                raise RuntimeError(told["error"])
            heard.append(told)
        return heard


class Asker:
    """A backend that is loaded and warm; each call of `show` lets it ask about pictures anew."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._backend = backends.load(load.name, load.arguments)
        self._sleeper = Sleeper()
        if load.sleeps:
            self._backend.model.generate = self._sleeper
        docs = self.show()
        start, step = load.share
        simple = self._backend.is_simple
        self._asked = pairs.requests(docs, load.pairs, load.tokens, simple=simple)[start::step]
        loops.answers(self._backend, self._asked[: load.batch], load.batch, load.tokens)
        self.show()

    def show(self) -> Any:
        """Give the backend the documents anew: no picture is decoded."""
        docs = data.docs(Path(self._load.root))
        loops.show_to(self._backend, docs)
        return docs

    def ask(self, seconds: float = 0.0) -> Answered:
        """See `Workers.ask`."""
        self._sleeper.seconds = seconds
        self._sleeper.slept.clear()
        with meters.counted() as decoded:
            begun = time.perf_counter()
            answers = loops.answers(self._backend, self._asked, self._load.batch, self._load.tokens)
            took = time.perf_counter() - begun
        slept = self._sleeper.slept or [(0.0, 0.0)]
        busy = seconds * len(self._sleeper.slept)
        return Answered(answers, took, decoded[0], busy, slept[-1][1] - slept[0][0])


def work(load: Load) -> None:
    """What such a process does; what goes wrong is said in one line."""
    words = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print too
    try:
        with silent("lmms_eval_tasks"):  # that the prompts are the built-in ones
            _work(load, words)
    except Exception as error:
        _say(words, {"error": " ".join(f"{type(error).__name__}: {error}".split())})
        raise


def _work(load: Load, words: TextIO) -> None:
    import lmms_eval

    used = Path(lmms_eval.__file__).parent.parent
    require(not load.harness or used.samefile(load.harness), f"the harness, imported from {used}")
    if load.sleeps:
        _use_one_thread()
    asker = Asker(load)
    gc.collect()
    gc.freeze()
    _say(words, {})
    for line in sys.stdin:  # until who started it has ended
        _say(words, asker.ask(float(line))._asdict())
        asker.show()


def _use_one_thread() -> None:
    """Let torch split no operation over threads, wherever it is called.

    Where other work keeps the cores busy, splitting makes the processor several times slower in the
    main thread, and not in others, which is none of what is compared here.
    """
    import torch

    torch.set_num_threads(1)


def _say(words: TextIO, told: Mapping[str, Any]) -> None:
    print(json.dumps(told), file=words, flush=True)


if __name__ == "__main__":
    work(Load(**json.loads(sys.argv[1])))
