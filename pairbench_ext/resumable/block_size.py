"""How many requests a base model is given at a time: what it answers in about half a minute.

What a killed run loses, and has to ask again, is at most one block. So blocks begin with one batch,
or a model that always dies after twenty requests would never get on; and they grow while they are
fast, because backends sort the requests of a call by length and write to disk once for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

SECONDS = 30.0  # of work that may be lost
LARGEST = 1024  # requests
HELD = 32  # requests that are made one by one, and may hold pictures
BATCHES_HELD = 4
DRAWN = 8  # requests that are drawn from one state, if a batch is not larger

_PARALLEL = ("batch_size", "batch_size_per_gpu", "num_concurrent", "num_cpus")


class BlockSize:
    """The number of requests in the next block.

    Attributes:
        at_once: requests that the base answers at once.
        fixed: what the user asked for; None leaves it to the time that blocks take.
        now: requests in the next block, at most.
    """

    def __init__(self, at_once: int = 1, fixed: int | None = None) -> None:
        """Begin with one batch, or with what is fixed."""
        self.at_once = at_once
        self.fixed = fixed
        self.now = fixed or at_once

    @property
    def held(self) -> int:
        """How many requests to hold that are made one by one."""
        return self.fixed or max(HELD, BATCHES_HELD * self.at_once)

    @property
    def drawn(self) -> int:
        """Requests whose answers are drawn from one state: the same in every run.

        So it does not follow from any time: whole batches, and no more than it takes to keep what
        a call costs small.
        """
        return self.fixed or -(-DRAWN // self.at_once) * self.at_once

    def took(self, requests: int, seconds: float) -> None:
        """Learn from a block, on every rank alike.

        Args:
            requests: that were in it.
            seconds: that its answers took; where ranks keep step, those of the slowest.
        """
        if self.fixed is not None or requests == 0:
            return
        fit = int(min(LARGEST, SECONDS * requests / max(seconds, 1e-9)))
        # A block that is not full says little about larger ones.
        fit = min(fit, 2 * self.now if requests >= self.now else self.now)
        self.now = max(self.at_once, fit // self.at_once * self.at_once)


def at_once(base: lmms) -> int:
    """How many requests a model answers at once, as far as it says."""
    sizes = [getattr(base, name, None) for name in _PARALLEL]
    if getattr(base, "adaptive_concurrency", False):
        sizes.append(getattr(getattr(base, "adaptive_config", None), "max_concurrency", None))
    return max((size for size in sizes if isinstance(size, int) and size > 0), default=1)
