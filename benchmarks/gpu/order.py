"""In which order a backend is asked: what its batches fill up, and how often pictures are the same.

Needs no GPU: the harness's class, its collator and the real processor make the inputs of every
batch, and `generate` is replaced by one that looks at them and returns tokens without a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar


@dataclass(frozen=True)
class Order:
    """A line of the table.

    Attributes:
        what: who orders.
        batch: requests at once.
        requests: that were asked.
        tokens: of prompts, what fills up included.
        padding: of them, what fills up.
        repeated: requests that begin with the same pictures, in the same order, as the one before.
    """

    HEADER: ClassVar[tuple[str, ...]] = (
        "order of requests",
        "requests",
        "tokens per prompt",
        "filled up, to real tokens",
        "same pictures as the request before",
    )

    what: str
    batch: int
    requests: int
    tokens: int
    padding: int
    repeated: int

    def cells(self) -> tuple[str, ...]:
        """The line, as the header says."""
        real = self.tokens - self.padding
        return (
            f"{self.what}, batch {self.batch}",
            str(self.requests),
            f"{real / self.requests:.0f}",
            f"{self.padding / real:.1%}",
            f"{self.repeated / self.requests:.0%}",
        )


def seen(what: str, backend: Any, batch: int, ask: Callable[[], object]) -> Order:
    """What `ask` has the backend's model generate from, in its order."""
    looks = _Looks()
    model = backend.model
    model.generate = looks.generate
    try:
        ask()
    finally:
        del model.generate
    pictures = looks.pictures
    repeated = sum(one == other for one, other in pairwise(pictures))
    return Order(what, batch, len(pictures), looks.tokens, looks.padding, repeated)


class _Looks:
    """A `generate` that notes what it is given."""

    def __init__(self) -> None:
        self.pictures: list[str] = []
        self.tokens = self.padding = 0

    def generate(
        self,
        input_ids: Any,
        attention_mask: Any,
        pixel_values: Any,
        image_grid_thw: Any,
        max_new_tokens: int,
        **_: Any,
    ) -> Any:
        import torch

        self.tokens += attention_mask.numel()
        self.padding += int((attention_mask == 0).sum())
        patches = image_grid_thw.prod(-1).reshape(len(input_ids), -1).sum(-1).tolist()
        for shown in torch.split(pixel_values, patches):
            self.pictures.append(hashlib.blake2b(_bytes(shown), digest_size=16).hexdigest())
        new = torch.zeros(len(input_ids), max_new_tokens, dtype=input_ids.dtype)
        return torch.cat([input_ids, new.to(input_ids.device)], dim=1)


def _bytes(values: Any) -> bytes:
    shown: bytes = values.float().cpu().numpy().tobytes()
    return shown
