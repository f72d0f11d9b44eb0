"""How much GPU memory a checkpoint takes, from the number and size of its parameters."""

from __future__ import annotations

import math

from pairbench_ext.runs.models.table import Model

#: Activations, the images' tokens and the cache of keys and values, as a share of the weights: a
#: rule of thumb for single requests of a few images.
REST = 0.2
#: The share of a GPU that may be used; vLLM takes no more unless told, and others need some room.
USABLE = 0.8
_GIB = 2**30


def weights(model: Model) -> float:
    """The memory of the weights in GiB: parameters times bytes per parameter; NaN if unknown."""
    return model.parameters * 1e9 * model.bytes / _GIB


def needed(model: Model) -> float:
    """Weights and what comes with them, in GiB.

    >>> round(needed(Model("m", parameters=8.29)), 1)
    18.5
    """
    return weights(model) * (1 + REST)


def gpus(model: Model, memory: float) -> int:
    """How many GPUs it takes: the smallest power of two whose usable memory is enough.

    Powers of two divide the numbers of attention heads of nearly all models, as vLLM requires.

    Args:
        model: of known size; 1 for another.
        memory: of one GPU in GiB, above 0.
    """
    share = needed(model) / (memory * USABLE)
    return 1 if math.isnan(share) or share <= 1 else 2 ** math.ceil(math.log2(share))
