"""Trials that are drawn by `PAIRBENCH_SEED` and may be shown in grey."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from PIL import Image

from pairbench_ext.core.benchmark import TaskTrials, Trial
from pairbench_ext.core.sources import SourceError

SEED_VARIABLE = "PAIRBENCH_SEED"
_GREY = (128, 128, 128)


def seed() -> int:
    """Return the seed in `PAIRBENCH_SEED`; 0 without it.

    Raises:
        SourceError: if it is no whole number.
    """
    value = os.environ.get(SEED_VARIABLE, "").strip() or "0"
    try:
        return int(value)
    except ValueError:
        raise SourceError(f"{SEED_VARIABLE} must be a whole number, not {value!r:.40}") from None


class DrawnTrials(TaskTrials[Any]):
    """Trials of drawn images; the seed is in the task's settings or in the environment.

    The log says which, so that the same images can be drawn again.
    """

    @cached_property
    def entry(self) -> Any:
        """Return the task's settings with the seed."""
        entry = super().entry
        return entry if "seed" in self._entry else replace(entry, seed=seed())

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return the logged fields of a trial, with the seed."""
        described: Mapping[str, Any] = super().describe(request)  # type: ignore[safe-super]
        return {**described, "seed": self.entry.seed}


def in_grey(images: Sequence[Image.Image]) -> list[Image.Image]:
    """Return grey images of the same sizes."""
    return [Image.new("RGB", image.size, _GREY) for image in images]
