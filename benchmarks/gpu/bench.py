"""What the ways of asking share: a model that is loaded once, the same pairs and requests."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from benchmarks import data
from benchmarks.common import as_size, two_digits
from benchmarks.gpu import meters, pairs
from benchmarks.gpu.models import MODELS, checkpoint


class Size(NamedTuple):
    """How much to measure, on what.

    Attributes:
        model: name of the model.
        device: of torch.
        tiny: two narrow layers and small pictures, for tests.
        pairs: of pictures; each is asked about four times, in both orders and conditions.
        slow: prompts for what asks them one by one.
        tokens: of every reply.
        batches: to try, from the smallest on.
    """

    model: str = "qwen2.5-vl-7b"
    device: str = "cuda"
    tiny: bool = False
    pairs: int = 500
    slow: int = 64
    tokens: int = 32
    batches: tuple[int, ...] = (4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Speed:
    """A line of the table: how fast one way of asking is.

    Attributes:
        what: way of asking.
        prompts: that were asked.
        took: what that took.
    """

    HEADER: ClassVar[tuple[str, ...]] = (
        "what",
        "prompts",
        "prompts/s",
        "device busy",
        "images decoded/s",
        "host memory",
    )

    what: str
    prompts: int
    took: meters.Measured

    @property
    def rate(self) -> float:
        """Prompts per second."""
        return self.prompts / self.took.seconds

    def cells(self) -> tuple[str, ...]:
        """The line, as the header says."""
        busy = "not known" if self.took.busy is None else f"{self.took.busy:.0%}"
        decoded = two_digits(self.took.decoded / self.took.seconds)
        memory = as_size(self.took.memory)
        return self.what, str(self.prompts), two_digits(self.rate), busy, decoded, memory


class Bench:
    """A model, pairs and requests.

    Args:
        scratch: a folder for pairs and journals, thrown away.
        folder: where models are kept.
        size: how much, on what.
    """

    def __init__(self, scratch: Path, folder: Path, size: Size) -> None:
        self.size = size
        self.scratch = scratch
        self.model = MODELS[size.model]
        self.folder = folder.absolute()
        self.batch = size.batches[0]  # the best one, once that is known

    @cached_property
    def backend(self) -> Any:
        """The harness's class with the model."""
        from lmms_eval.models import get_model

        path = checkpoint(self.model, self.folder, self.size.device, tiny=self.size.tiny)
        gc.collect()
        device = {"device": self.size.device, "device_map": self.size.device}
        small = (self.model.arguments or {}) if self.size.tiny else {}
        kind = get_model(self.model.backend)
        return kind(pretrained=str(path), batch_size=1, **device, **small)

    @property
    def processor(self) -> Any:
        """The model's processor."""
        return getattr(self.backend, "processor", None) or self.backend._image_processor

    @cached_property
    def root(self) -> Path:
        """Folder of the pairs."""
        sizes = ((64, 48), (48, 64)) if self.size.tiny else pairs.SIZES
        return pairs.leaf(self.scratch, self.size.pairs, sizes)

    def docs(self) -> Any:
        """The documents anew, of which no picture is decoded; the backend is shown these."""
        docs = data.docs(self.root)
        self.backend.task_dict = {pairs.TASK: {pairs.SPLIT: docs}}
        return docs

    def asked(self, docs: Any, most: int | None = None) -> list[Any]:
        """The requests, or the first of them."""
        return pairs.requests(docs, self.size.pairs, self.size.tokens)[:most]

    def line(self, what: str, prompts: int, work: Callable[[], object]) -> Speed:
        """Time `work`, which asks so many prompts."""
        return Speed(what, prompts, meters.measure(work, self.size.device))
