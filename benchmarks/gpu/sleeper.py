"""A model that sleeps instead of computing."""

from __future__ import annotations

import time
import zlib
from typing import Any

_WORDS = 200  # tokens of the smallest vocabulary that are not special


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
