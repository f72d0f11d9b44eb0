"""What all sides share: one model that is loaded once, the same pairs and requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import data
from benchmarks.gpu import backends, loops, meters, pairs
from benchmarks.gpu.models import MODELS, Model, checkpoint
from benchmarks.gpu.ranks import WAYS
from benchmarks.gpu.record import Record
from benchmarks.gpu.speed import Speed
from benchmarks.gpu.workers import Answered, Workers


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
        ranks: how many of the harness, and whether in `resumable`, on one device.
    """

    model: str = "qwen2.5-vl-7b"
    device: str = "cuda"
    tiny: bool = False
    pairs: int = 500
    slow: int = 64
    tokens: int = 32
    batches: tuple[int, ...] = (4, 8, 16, 32, 64)
    sides: tuple[str, ...] = ()
    images: int = 128
    ranks: tuple[tuple[int, str], ...] = WAYS


class Bench:
    """What the sides share: a model that is loaded once, pairs, requests, the best batch."""

    def __init__(self, scratch: Path, folder: Path, size: Size, record: Record) -> None:
        self.size = size
        self.model: Model = MODELS[size.model]
        self.scratch = scratch
        self.folder = folder.absolute()
        self.record = record
        self._journals = (scratch / f"journal-{number}" for number in count())
        self._backend: Any = None

    @cached_property
    def path(self) -> Path:
        """The model's files."""
        path = checkpoint(self.model, self.folder, self.size.device, tiny=self.size.tiny)
        backends.free(self.size.device)
        return path

    @cached_property
    def root(self) -> Path:
        """Folder of the pairs."""
        sizes = ((64, 48), (48, 64)) if self.size.tiny else pairs.SIZES
        return pairs.leaf(self.scratch, self.size.pairs, sizes)

    @property
    def batch(self) -> int:
        """The best batch, as measured in this run or an earlier one; else the first to try."""
        measured = self.record.first("stock")
        if measured is not None and measured.batch is not None:
            return measured.batch
        return self.size.batches[0] if self.model.batches else 1

    def docs(self) -> Any:
        """The documents anew: no picture of theirs is decoded."""
        return data.docs(self.root)

    def backend(self) -> Any:
        """The harness's class with the model, loaded when it is needed."""
        if self._backend is None:
            self._backend = backends.load(self.model.backend, self.arguments())
        return self._backend

    def drop(self) -> bool:
        """Free the model's memory; whether the device still answers."""
        self._backend = None
        return backends.free(self.size.device)

    def load(self, attention: str) -> None:
        """Another backend in place of the one that is loaded."""
        self.drop()
        self._backend = backends.load(self.model.backend, self.arguments(attention))

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

    def most(self, batch: int) -> int:
        """How many prompts to ask at this batch: all, but few of them one by one."""
        return self.size.slow if batch == 1 else self.size.pairs * pairs.PER_PAIR

    def asked(self, docs: Any, most: int | None = None) -> list[Any]:
        """The requests, or the first of them."""
        return pairs.requests(docs, self.size.pairs, self.size.tokens)[:most]

    def journal(self) -> Path:
        """A folder for a journal, which is not there yet."""
        return next(self._journals)

    def line(
        self, what: str, prompts: int, work: Callable[[], object], batch: int | None = None
    ) -> Speed:
        """Time `work`, which asks so many prompts."""
        took = meters.measure(work, self.size.device)
        return Speed(what, prompts, took, meters.why_not_busy(self.size.device), batch=batch)

    def stock(self, what: str, batch: int, most: int | None = None) -> Speed:
        """The backend alone; a first batch is not timed."""
        backend, docs = self.backend(), self.docs()
        loops.show_to(backend, docs)
        loops.stock(backend, self.asked(docs, batch), batch, self.size.tokens)
        docs = self.docs()
        loops.show_to(backend, docs)
        asked = self.asked(docs, most)
        work = partial(loops.stock, backend, asked, batch, self.size.tokens)
        return self.line(what, len(asked), work, batch)

    def told(self, **changed: Any) -> backends.Load:
        """What another process is told to load and to ask."""
        told = {
            "name": self.model.backend,
            "arguments": self.arguments(),
            "root": str(self.root),
            "pairs": -(-self.most(self.batch) // pairs.PER_PAIR),
            "tokens": self.size.tokens,
            "batch": self.batch,
        }
        return backends.Load(**{**told, **changed})

    def in_processes(
        self, what: str, loads: Sequence[backends.Load]
    ) -> tuple[Speed, list[list[str]]]:
        """Other processes ask; their answers. This one's model is dropped: memory is shared."""
        self.drop()
        prompts = len(self.asked(self.docs(), loads[0].pairs * pairs.PER_PAIR))
        found: list[Answered] = []
        with Workers(loads) as workers:
            line = self.line(what, prompts, lambda: found.extend(workers.ask()))
        assert line.took is not None
        decoded = sum(one.decoded for one in found)
        line = replace(line, took=line.took._replace(decoded=decoded))
        return line, [one.answers for one in found]
