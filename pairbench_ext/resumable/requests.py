"""Read the arguments of the harness's requests, and compute seeds for random answers.

The harness seeds the random numbers at every start, so a run that goes on would draw again what the
first one drew. Here every block of requests is drawn from a state that follows from its answers'
digests alone: from the model, the run's seed, the tasks, documents and repeats.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pairbench_ext.core.contents import digest

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms

# Backends that give every request of a batch the seed in its settings. Servers and engines draw
# in processes of their own, which our seeds do not reach otherwise.
_TAKES_SEED = frozenset({"lmms_eval.models.chat.vllm", "lmms_eval.models.chat.openai"})


class Parts(NamedTuple):
    """A request's arguments in one order; `show` returns a document's images or messages."""

    text: str
    settings: Mapping[str, Any]
    show: Any
    doc: int
    task: str
    split: str


def parts_of(request: Instance, is_simple: bool) -> Parts:
    """Return the arguments of a generation request, keyed by name."""
    text, second, third, doc, task, split = request.args
    settings, show = (second, third) if is_simple else (third, second)
    return Parts(text, settings or {}, show, doc, task, split)


def is_padding(request: Instance) -> bool:
    """Return whether lmms-eval added this request only to give all ranks equally many requests."""
    return bool(request.metadata.get("__padding_only__"))


def as_new(request: Instance, replaced: Mapping[int, Any] | None = None) -> Instance:
    """Return copies of requests, because backends change the settings of requests they get."""
    changed = copy.copy(request)
    arguments = [copy.deepcopy(part) if isinstance(part, dict) else part for part in request.args]
    for place, part in (replaced or {}).items():
        arguments[place] = part
    changed.arguments = tuple(arguments)
    return changed


def is_greedy(settings: Mapping[str, Any]) -> bool:
    """Return whether the settings of a request make its answer deterministic.

    They have to say so: without a temperature, models differ in what they do.

    >>> is_greedy({"temperature": 0}), is_greedy({"do_sample": False}), is_greedy({})
    (True, True, False)
    """
    temperature, do_sample = settings.get("temperature"), settings.get("do_sample")
    if do_sample:
        return False
    if temperature is None:
        return do_sample is False
    return bool(temperature == 0)


def seed_of(digests: Sequence[str]) -> int:
    """Return a seed below 2^31, computed from requests' digests."""
    hashed = digest([b"draw", *(text.encode() for text in digests)])
    return int.from_bytes(hashed[:4], "big") >> 1


@contextmanager
def drawn_for(digests: Sequence[str]) -> Iterator[None]:
    """Seed the generators of torch, numpy and `random` from digests of requests, for the block.

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
    """Return whether a model draws each answer from the seed in its settings."""
    return any(kind.__module__ in _TAKES_SEED for kind in type(base).__mro__)
