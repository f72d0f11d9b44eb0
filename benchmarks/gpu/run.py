"""One model, one machine, every way of asking: prompts per second, and how they compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from loguru import logger

from benchmarks import data
from benchmarks.common import DisagreementError, Line, say, two_digits
from benchmarks.gpu import backends, loops, meters, pairs, patched
from benchmarks.gpu.encoders import rows as encoder_rows
from benchmarks.gpu.models import MODELS, Model, checkpoint
from benchmarks.gpu.speed import Speed
from benchmarks.gpu.stages import stages

SIDES = (
    "notebook",
    "stock1",
    "stock",
    "bare",
    "resumable",
    "attention",
    "processes",
    "patched",
    "vllm",
    "stages",
    "encoders",
)
ATTENTION = ("sdpa", "flash_attention_2")
PROCESSES = 2
_AGAINST = "notebook", "bare"  # what all others are compared with


class Size(NamedTuple):
    """How much to measure, on what.

    Attributes:
        model: name of the model.
        device: of torch.
        tiny: two narrow layers and small pictures, for tests.
        pairs: of pictures; each is asked about four times, in both orders and conditions.
        slow: prompts for what asks them one by one.
        tokens: of every reply.
        batches: that are tried, from the smallest on.
        sides: what is measured.
        images: for the encoders.
    """

    model: str = "qwen2.5-vl-7b"
    device: str = "cuda"
    tiny: bool = False
    pairs: int = 500
    slow: int = 200
    tokens: int = 32
    batches: tuple[int, ...] = (4, 8, 16, 32, 64)
    sides: tuple[str, ...] = SIDES
    images: int = 512


def run(scratch: Path, folder: Path, size: Size) -> list[Line]:
    """All that was asked for.

    Args:
        scratch: a folder for pairs and journals, thrown away.
        folder: where models are kept.
        size: how much, on what.

    Raises:
        DisagreementError: if some way of asking does not answer all prompts with all tokens.
    """
    logger.disable("lmms_eval_tasks")  # that the prompts are the built-in ones
    bench = _Bench(scratch, folder, size)
    lines: list[Line] = list(bench.speeds())
    if "stages" in size.sides:
        lines += bench.stages()
    bench.drop()
    if "encoders" in size.sides:
        shown = [bench.docs().trials.images.get(0, name) for name in data.COLUMNS]
        images = [shown[k % len(shown)] for k in range(size.images)]
        batch = size.batches[-1]
        rounds = 1 if size.tiny else 3
        lines += encoder_rows(images, folder, size.device, batch, rounds, tiny=size.tiny)
    return lines


class _Bench:
    """A model that is loaded once for what needs no other."""

    def __init__(self, scratch: Path, folder: Path, size: Size) -> None:
        self.size = size
        self.model: Model = MODELS[size.model]
        self.path = checkpoint(self.model, folder, size.device, tiny=size.tiny)
        sizes = ((64, 48), (48, 64)) if size.tiny else pairs.SIZES
        self.root = pairs.leaf(scratch, size.pairs, sizes)
        self._journals = (scratch / f"journal-{number}" for number in count())
        self._backend: Any = None
        self._best = 1

    def docs(self) -> Any:
        """The documents anew: no picture of theirs is decoded."""
        return data.docs(self.root)

    def speeds(self) -> list[Speed]:
        """A line for every way of asking."""
        ways: dict[str, Callable[[], Iterator[Speed]]] = {
            "notebook": self._notebook,
            "stock1": lambda: self._stock("stock backend, batch 1", 1, self.size.slow),
            "stock": self._batched,
            "bare": self._bare,
            "resumable": self._resumable,
            "attention": self._attention,
            "processes": self._processes,
            "patched": self._patched,
            "vllm": self._vllm,
        }
        found: dict[str, list[Speed]] = {}
        for name, way in ways.items():
            if name in self.size.sides:
                found[name] = list(_told(name, way()))
        notebook, bare = (
            found[name][0].rate if name in found and found[name][0].took else None
            for name in _AGAINST
        )
        return [
            replace(line, notebook=notebook, bare=bare) for each in found.values() for line in each
        ]

    def stages(self) -> list[Line]:
        """Where the time goes, for as many prompts as the slow ways of asking get."""
        backend, docs = self.backend(), self.docs()
        asked = self.asked(docs, self.size.slow)
        return [
            *stages(backend.model, _processor(backend), asked, docs, self._best, self.size.tokens)
        ]

    def backend(self) -> Any:
        """The harness's class with the model, loaded when it is needed."""
        if self._backend is None:
            self._backend = backends.load(self.model.backend, self.arguments())
        return self._backend

    def drop(self) -> None:
        """Free the model's memory."""
        self._backend = None
        backends.free(self.size.device)

    def arguments(self, attention: str | None = None) -> dict[str, Any]:
        """What the harness's class is given."""
        found = {
            "pretrained": str(self.path),
            "device": self.size.device,
            "device_map": self.size.device,
            "batch_size": 1,
            **((self.model.arguments or {}) if self.size.tiny else {}),
        }
        return found if attention is None else {**found, "attn_implementation": attention}

    def asked(self, docs: Any, most: int | None = None) -> list[Any]:
        """The requests, or the first of them."""
        return pairs.requests(docs, self.size.pairs, self.size.tokens)[:most]

    def _line(self, what: str, prompts: int, work: Callable[[], object]) -> Speed:
        took = meters.measure(work, self.size.device)
        return Speed(what, prompts, took, meters.why_not_busy(self.size.device))

    def _notebook(self) -> Iterator[Speed]:
        backend, docs = self.backend(), self.docs()
        ask = partial(loops.notebook, backend.model, _processor(backend))
        numbers = range(len(self.asked(docs, self.size.slow)))
        ask(docs, numbers[:2], self.size.tokens)  # to warm up
        work = partial(ask, self.docs(), numbers, self.size.tokens)
        yield self._line("a loop as the authors' notebook's", len(numbers), work)

    def _stock(self, what: str, batch: int, most: int | None = None) -> Iterator[Speed]:
        backend, docs = self.backend(), self.docs()
        loops.show_to(backend, docs)
        loops.stock(backend, self.asked(docs, batch), batch, self.size.tokens)
        docs = self.docs()
        loops.show_to(backend, docs)
        asked = self.asked(docs, most)
        work = partial(loops.stock, backend, asked, batch, self.size.tokens)
        yield self._line(what, len(asked), work)

    def _batched(self) -> Iterator[Speed]:
        """The best of the batches, found on a part of the prompts, then all prompts with it."""
        rates: dict[int, float] = {}
        for batch in self.size.batches if self.model.batches else ():
            try:
                trial = next(self._stock(f"tried: batch {batch}", batch, 4 * batch))
            except RuntimeError as error:
                if "out of memory" not in str(error):
                    raise
                say(f"batch {batch} does not fit")
                backends.free(self.size.device)
                break
            rates[batch] = trial.rate
            say(f"batch {batch}: {two_digits(trial.rate)} prompts/s")
        self._best = max(rates, key=rates.__getitem__, default=1)
        yield from self._stock(f"stock backend, batch {self._best}", self._best)

    def _bare(self) -> Iterator[Speed]:
        backend, docs = self.backend(), self.docs()
        asked = self.asked(docs, max(self.size.slow, 4 * self._best))
        batches = list(loops.prepared(_processor(backend), asked, docs, self._best))
        loops.bare(backend.model, _processor(backend), batches[:1], self.size.tokens)
        work = partial(loops.bare, backend.model, _processor(backend), batches, self.size.tokens)
        what = f"the model's own generate on inputs that are ready, batch {self._best}"
        yield self._line(what, len(asked), work)

    def _resumable(self) -> Iterator[Speed]:
        backend, docs = self.backend(), self.docs()
        loops.show_to(backend, docs)
        asked = self.asked(docs)
        work = partial(
            loops.resumable, backend, asked, self._best, self.size.tokens, next(self._journals)
        )
        yield self._line(f"resumable around it, batch {self._best}", len(asked), work)

    def _attention(self) -> Iterator[Speed]:
        for kind in ATTENTION:
            what = f"stock backend, {kind}, batch {self._best}"
            why = backends.why_no_attention(kind, self.size.device)
            if why:
                yield Speed(what, 0, None, why)
                continue
            self.drop()
            self._backend = backends.load(self.model.backend, self.arguments(kind))
            yield from self._stock(what, self._best)
        self.drop()

    def _processes(self) -> Iterator[Speed]:
        self.drop()
        shares = [self._load((number, PROCESSES)) for number in range(PROCESSES)]
        yield self._in_processes(f"{PROCESSES} processes, stock, batch {self._best}", shares)

    def _patched(self) -> Iterator[Speed]:
        self.drop()
        load = self._load((0, 1), pairs=min(self.size.pairs, 4 * self._best))
        yield from patched.speeds(load, self.root.parent / "patched", self.size.device)

    def _vllm(self) -> Iterator[Speed]:
        why = backends.why_no_vllm(self.size.device)
        if why:
            yield Speed("vLLM", 0, None, why)
            return
        self.drop()
        arguments = {"model": str(self.path), "batch_size": 256, "gpu_memory_utilization": 0.85}
        asked = self._load((0, 1), name="vllm", arguments=arguments, batch=256)
        yield self._in_processes("vLLM, 256 requests at a time", [asked])

    def _in_processes(self, what: str, loads: Sequence[backends.Load]) -> Speed:
        prompts = len(self.asked(self.docs()))
        with backends.Workers(loads) as workers:
            line = self._line(what, prompts, workers.ask)
        assert line.took is not None
        return replace(line, took=line.took._replace(decoded=None))

    def _load(self, share: tuple[int, int], **changed: Any) -> backends.Load:
        told = {
            "name": self.model.backend,
            "arguments": self.arguments(),
            "root": str(self.root),
            "pairs": self.size.pairs,
            "tokens": self.size.tokens,
            "batch": self._best,
            "share": share,
        }
        return backends.Load(**{**told, **changed})


def _told(name: str, lines: Iterator[Speed]) -> Iterator[Speed]:
    """Lines as they come; one that fails says so, and the others are kept."""
    try:
        for line in lines:
            say(f"{line.what}: {two_digits(line.rate)} prompts/s {line.why}")
            yield line
    except DisagreementError:  # no time of that run would mean anything
        raise
    except (RuntimeError, ImportError, OSError, ValueError) as error:  # of a library or the device
        reason = str(error).strip().partition("\n")[0]
        say(f"{name} failed: {error}")
        yield Speed(name, 0, None, f"failed: {reason}")


def _processor(backend: Any) -> Any:
    return getattr(backend, "processor", None) or backend._image_processor
