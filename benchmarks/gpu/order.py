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

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import require


@dataclass(frozen=True)
class Order:
    """A line of the table.

    Attributes:
        what: who orders.
        batch: requests at once.
        requests: that were asked.
        tokens: of prompts, what fills up included.
        padding: of them, what fills up.
        repeated: requests that show the same pictures, in the same order, as the one before.
        shared: tokens with which a request begins as the one before does; those of a picture are
            equal if the picture is. What is saved by keeping the last prompt.
        reusable: the same of any request before: what a cache of prefixes saves that forgets
            nothing, in whatever order it is asked.
    """

    HEADER: ClassVar[tuple[str, ...]] = (
        "order of requests",
        "requests",
        "tokens per prompt",
        "filled up, to real tokens",
        "same pictures as the request before",
        "tokens that begin as it does",
        "as any before",
    )

    what: str
    batch: int
    requests: int
    tokens: int
    padding: int
    repeated: int
    shared: int
    reusable: int

    def cells(self) -> tuple[str, ...]:
        """The line, as the header says."""
        real = self.tokens - self.padding
        return (
            f"{self.what}, batch {self.batch}",
            str(self.requests),
            f"{real / self.requests:.0f}",
            f"{self.padding / real:.1%}",
            f"{self.repeated / self.requests:.0%}",
            f"{self.shared / real:.0%}",
            f"{self.reusable / real:.0%}",
        )


def seen(what: str, backend: Any, batch: int, ask: Callable[[], object]) -> Order:
    """What `ask` has the backend's model generate from, in its order."""
    model = backend.model
    looks = _Looks(backend.processor.image_token_id)
    model.generate = looks.generate
    try:
        ask()
    finally:
        del model.generate
    prompts, pictures = looks.prompts, looks.pictures
    return Order(
        what,
        batch,
        requests=len(prompts),
        tokens=looks.tokens,
        padding=looks.tokens - sum(map(len, prompts)),
        repeated=sum(one == other for one, other in pairwise(pictures)),
        shared=sum(map(_common, prompts, prompts[1:])),
        reusable=_reusable(prompts),
    )


class _Looks:
    """A `generate` that notes what it is given.

    Attributes:
        prompts: tokens of each; those of a picture are a number that stands for the picture.
        pictures: of each prompt.
        tokens: of all batches, what fills up included.
    """

    def __init__(self, image_token: int) -> None:
        self._image_token = image_token
        self.prompts: list[NDArray[np.int64]] = []
        self.pictures: list[list[int]] = []
        self.tokens = 0

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
        shown = iter(torch.split(pixel_values, image_grid_thw.prod(-1).tolist()))
        for ids, mask in zip(input_ids.numpy(), attention_mask.numpy(), strict=True):
            prompt = ids[mask == 1]
            is_picture = prompt == self._image_token
            begins = np.diff(is_picture, prepend=False) & is_picture
            pictures = [_number(next(shown)) for _ in range(begins.sum())]
            prompt[is_picture] = np.array(pictures)[np.cumsum(begins)[is_picture] - 1]
            self.prompts.append(prompt)
            self.pictures.append(pictures)
        require(next(shown, None) is None, "the pictures that prompts show")
        new = torch.zeros(len(input_ids), max_new_tokens, dtype=input_ids.dtype)
        return torch.cat([input_ids, new], dim=1)


def _number(pixels: Any) -> int:
    """A negative number that stands for a picture."""
    digest = hashlib.blake2b(pixels.numpy().tobytes(), digest_size=7).digest()
    return -1 - int.from_bytes(digest, "big")


def _reusable(prompts: list[NDArray[np.int64]]) -> int:
    """How many numbers begin a row as they begin one before it.

    >>> _reusable([np.array([1, 2, 3]), np.array([4, 5]), np.array([1, 2, 4]), np.array([4, 5])])
    4
    """
    ordered = sorted(prompts, key=lambda prompt: prompt.tolist())
    return sum(map(_common, ordered, ordered[1:]))


def _common(one: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """How many numbers two rows begin with alike.

    >>> _common(np.array([1, 2, 3]), np.array([1, 2, 4, 5]))
    2
    """
    size = min(len(one), len(other))
    differ = np.flatnonzero(one[:size] != other[:size])
    return int(differ[0]) if len(differ) else size
