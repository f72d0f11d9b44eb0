"""Whether the processes of a run have to call a model in step, and how they agree.

A model that is spread over processes (FSDP, DeepSpeed, vLLM's tensor parallel groups) talks between
them while it generates: if one rank calls it once more than another, or with another number of
requests, both wait for ever. The harness evens out what it hands to ranks; what of it a journal
lacks differs from rank to rank, and so does the number of rounds.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lmms_eval.api.model import lmms

Number = TypeVar("Number", int, float)

_SPREAD = frozenset({"FSDP", "DEEPSPEED", "MEGATRON_LM", "XLA", "TP"})
_COLLECTIVE = re.compile(
    r"\b(all_gather\w*|all_reduce|all_to_all\w*|barrier|broadcast_object_list|dist\.broadcast|"
    r"gather_object|scatter_object_list|accelerator\.(gather|reduce|broadcast)\w*|"
    r"gather_for_metrics|wait_for_everyone)\("
)


class Ranks:
    """Keeps the ranks of a run in step, if they have to be.

    Args:
        in_step: whether all ranks call the model equally often, with equally many requests.
    """

    def __init__(self, in_step: bool) -> None:
        self.in_step = in_step

    def most(self, number: Number) -> Number:
        """The largest `number` of all ranks in step; all of them have to call this."""
        if not self.in_step:
            return number
        from torch import distributed

        if not (distributed.is_available() and distributed.is_initialized()):
            return number
        numbers: list[Number] = [number] * distributed.get_world_size()
        distributed.all_gather_object(numbers, number)
        return max(numbers)


def must_keep_step(model: lmms) -> bool:
    """Whether this model talks between ranks while it generates, as far as can be told.

    It does if its weights are spread, or if a method of its class, or of one that it inherits from,
    calls a collective operation of torch or accelerate (when it is built they all do so equally
    often); also if that code cannot be read. vLLM does it only within a group of several ranks.
    """
    if getattr(model, "_tp_world_size", None) == 1:
        return False
    accelerator = getattr(model, "accelerator", None)
    kind = getattr(accelerator, "distributed_type", "NO")
    if str(getattr(kind, "value", kind)) in _SPREAD:
        return True
    return any(_talks(kind) for kind in _own_classes(model))


def _own_classes(model: lmms) -> Iterator[type]:
    from lmms_eval.api.model import lmms

    for kind in type(model).__mro__:
        if kind is lmms:
            return
        yield kind


def _talks(kind: type) -> bool:
    methods = [
        member
        for name, member in vars(kind).items()
        if inspect.isfunction(member) and name != "__init__"
    ]
    try:
        return any(_COLLECTIVE.search(inspect.getsource(method)) for method in methods)
    except (OSError, TypeError):
        return True
