"""How long a device waits for the harness's backend to prepare a batch: stock, and patched.

`pairbench export lmms-eval-prefetch` changes the harness, so it is measured on a copy of the
installed one. Each runs in a process of its own, with a real processor on pictures of COCO's size.
The model takes a fixed time for a batch, token by token, and needs no processor, as one on a GPU.
"""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import data
from benchmarks.common import Row, as_time, best_seconds, require, two_digits
from benchmarks.gpu import backends, loops, pairs, processes
from benchmarks.gpu.models import MODELS, checkpoint
from pairbench_ext.upstream.changes import PREFETCH, change

STOCK, PATCHED = "stock", "patched"


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        batches: that are asked.
        batch: how many requests the model answers at once; each shows two pictures.
        tokens: of every reply.
        seconds: that the model takes for a batch, in several settings.
        rounds: of measuring, of which the best counts.
        sizes: of pictures, in pixels.
    """

    batches: int = 6
    batch: int = 16
    tokens: int = 32
    seconds: tuple[float, ...] = (0.5, 1.0, 2.0)
    rounds: int = 2
    sizes: tuple[tuple[int, int], ...] = pairs.SIZES


FULL = Size()


def patched_harness(folder: Path) -> Path:
    """A copy of the installed harness with the change, in a folder for the path of imports."""
    found = find_spec("lmms_eval")
    assert found is not None
    assert found.origin is not None
    shutil.copytree(Path(found.origin).parent, folder / "lmms_eval")
    change(folder, PREFETCH)
    return folder


@dataclass(frozen=True)
class Side:
    """What a process is told.

    Attributes:
        load: the backend, and what it is asked.
        harness: folder with the copy of the harness that it imports; empty for the installed one.
        sleeps: whether the model sleeps instead of computing.
    """

    load: backends.Load
    harness: str = ""
    sleeps: bool = False


class Answered(NamedTuple):
    """What such a process says of one call of `generate_until`.

    Attributes:
        answers: in the order of the requests.
        seconds: that the call took.
        busy: of these, those that a sleeping model meant to sleep.
        between: from the beginning of its first batch to the end of its last.
    """

    answers: list[str]
    seconds: float
    busy: float
    between: float


class Process:
    """A process that has loaded a backend and asks the same again and again, when it is told.

    Raises:
        RuntimeError: if it ends before it is ready or before it has answered.
    """

    def __init__(self, side: Side) -> None:
        self._process = processes.start(
            "benchmarks.prefetch",
            [json.dumps(asdict(side))],
            first=side.harness,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Process:
        try:
            self._next()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        processes.end([self._process])

    def ask(self, seconds: float = 0.0) -> Answered:
        """Have it ask, and wait for the answers.

        Args:
            seconds: that a model that sleeps takes for a batch.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, which is said below
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
        return Answered(**self._next())

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in iter(self._process.stdout.readline, ""):
            if line.startswith(_MARK):  # the harness prints, too
                told: dict[str, Any] = json.loads(line.removeprefix(_MARK))
                return told
        raise RuntimeError("a process ended before it was done; see its error above")


_MARK = "benchmarks.prefetch: "


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """The share of its time in which a device waits, stock and patched."""
    harness = patched_harness(folder / "patched")
    path = checkpoint(MODELS["qwen2.5-vl-7b"], folder, "cpu", tiny=True)
    requests = size.batches * size.batch
    asked = -(-requests // pairs.PER_PAIR)
    load = backends.Load(
        name="qwen2_5_vl",
        arguments={"pretrained": str(path), "device": "cpu", "device_map": "cpu"},
        root=str(pairs.leaf(folder, asked, size.sizes)),
        pairs=asked,
        tokens=size.tokens,
        batch=size.batch,
    )
    with ExitStack() as stack:
        sides = {
            name: stack.enter_context(Process(Side(load, copied, sleeps=True)))
            for name, copied in ((STOCK, ""), (PATCHED, str(harness)))
        }
        return [row for each in size.seconds for row in rows(sides, each, size)]


def rows(sides: Mapping[str, Process | Asker], seconds: float, size: Size) -> Iterator[Row]:
    """What is found of a model that sleeps so long for a batch.

    Raises:
        DisagreementError: if an answer differs.
    """
    found: dict[str, list[Answered]] = {name: [] for name in sides}

    def ask(name: str) -> None:
        found[name].append(sides[name].ask(seconds))

    best_seconds("prefetch", {name: partial(ask, name) for name in sides}, size.rounds)
    answers = [one.answers for each in found.values() for one in each]
    require(all(one == answers[0] for one in answers), "the answers")
    about = f"a model that sleeps {as_time(seconds)} for a batch of {size.batch}"
    least = {name: min(1 - one.busy / one.between for one in each) for name, each in found.items()}
    yield Row(
        f"{about} waits, from its first batch on",
        f"{two_digits(100 * least[PATCHED])}% of the time, harness patched",
        f"{two_digits(100 * least[STOCK])}%, stock",
        least[STOCK] / least[PATCHED],
    )
    rates = {
        name: len(answers[0]) / min(one.seconds for one in each) for name, each in found.items()
    }
    yield Row(
        f"{about}: prompts per second, in all",
        f"{two_digits(rates[PATCHED])}, harness patched",
        f"{two_digits(rates[STOCK])}, stock",
        rates[PATCHED] / rates[STOCK],
    )


class Sleeper:
    """`generate` of a model that needs no processor: it sleeps for every token.

    The reply is of the prompt and of the pictures of the batch.
    """

    def __init__(self) -> None:
        self.seconds = 0.0  # for a batch
        self.slept: list[tuple[float, float]] = []

    def __call__(self, *, input_ids: Any, pixel_values: Any, max_new_tokens: int, **_: Any) -> Any:
        import torch

        begun = time.perf_counter()
        for _token in range(max_new_tokens):  # and takes Python's lock, as a model on a GPU does
            time.sleep(self.seconds / max_new_tokens)
        self.slept.append((begun, time.perf_counter()))
        seen = zlib.crc32(pixel_values[::101].contiguous().numpy().tobytes())
        rows = [(zlib.crc32(row.numpy().tobytes()) + seen) % _WORDS for row in input_ids]
        reply = torch.tensor(rows)[:, None].expand(-1, max_new_tokens)
        return torch.cat([input_ids, reply], dim=1)


_WORDS = 200  # tokens of the smallest vocabulary that are not special


class Asker:
    """A backend that is loaded and warm, and asks the same again and again."""

    def __init__(self, side: Side) -> None:
        self._load = load = side.load
        self._backend = backends.load(load.name, load.arguments)
        self._sleeper = Sleeper()
        if side.sleeps:
            self._backend.model.generate = self._sleeper
        docs = self._show()
        simple = self._backend.is_simple
        self._asked = pairs.requests(docs, load.pairs, load.tokens, simple=simple)
        loops.answers(self._backend, self._asked[: load.batch], load.batch, load.tokens)

    def ask(self, seconds: float = 0.0) -> Answered:
        """See `Process.ask`."""
        self._sleeper.seconds = seconds
        self._sleeper.slept.clear()
        self._show()
        begun = time.perf_counter()
        answers = loops.answers(self._backend, self._asked, self._load.batch, self._load.tokens)
        took = time.perf_counter() - begun
        slept = self._sleeper.slept or [(0.0, 0.0)]
        busy = seconds * len(self._sleeper.slept)
        return Answered(answers, took, busy, slept[-1][1] - slept[0][0])

    def _show(self) -> Any:
        """Give the backend the documents anew: no picture is decoded."""
        docs = data.docs(Path(self._load.root))
        loops.show_to(self._backend, docs)
        return docs


def work(side: Side) -> None:
    """What such a process does."""
    import lmms_eval

    used = Path(lmms_eval.__file__).parent.parent
    require(not side.harness or used.samefile(side.harness), f"the harness, imported from {used}")
    if side.sleeps:
        _use_one_thread()
    asker = Asker(side)
    gc.collect()
    gc.freeze()
    _say({})
    for line in sys.stdin:
        _say(asker.ask(float(line))._asdict())


def _use_one_thread() -> None:
    """Let torch split no operation over threads, wherever it is called.

    Where other work keeps the cores busy, splitting makes the processor several times slower in the
    main thread, and not in others, which is none of what is compared here.
    """
    import torch

    torch.set_num_threads(1)


def _say(told: Mapping[str, Any]) -> None:
    print(f"{_MARK}{json.dumps(told)}", flush=True)


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    work(Side(**{**told, "load": backends.Load(**told["load"])}))
