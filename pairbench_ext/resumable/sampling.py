"""Answers that are drawn at random, the same whatever was killed and started again.

The harness seeds the random numbers at every start, so a run that goes on would draw again what the
first one drew. Here every block of requests is drawn from a state that follows from its answers'
digests alone: from the model, the run's seed, the tasks, documents and repeats.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pairbench_ext.core.contents import digest

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

# Backends that give every request of a batch the seed in its settings. Servers and engines draw
# in processes of their own, which our seeds do not reach otherwise.
_TAKES_SEED = frozenset({"lmms_eval.models.chat.vllm", "lmms_eval.models.chat.openai"})


def seed_of(digests: Sequence[str]) -> int:
    """A seed, below 2^31, that follows from digests of requests."""
    found = digest([b"draw", *(one.encode() for one in digests)])
    return int.from_bytes(found[:4], "big") >> 1


@contextmanager
def drawn_for(digests: Sequence[str]) -> Iterator[None]:
    """Have what is drawn in this process (torch, numpy, random) follow from digests of requests.

    What is drawn afterwards on the CPU is as if nothing had been drawn in between.
    """
    import torch

    before = torch.get_rng_state(), np.random.get_state(), random.getstate()
    seed = seed_of(digests)
    torch.manual_seed(seed)  # on all devices
    np.random.seed(seed)
    random.seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before[0])
        np.random.set_state(before[1])
        random.setstate(before[2])


def takes_seed(base: lmms) -> bool:
    """Whether a model draws each answer from the seed in its request's settings."""
    return any(kind.__module__ in _TAKES_SEED for kind in type(base).__mro__)
