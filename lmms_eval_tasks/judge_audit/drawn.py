"""Trials whose images are drawn from the seed `PAIRBENCH_SEED`, or replaced by grey images."""

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
    """Return the seed that `PAIRBENCH_SEED` gives, or 0 if it is not set.

    Raises:
        SourceError: if it is no whole number.
    """
    value = os.environ.get(SEED_VARIABLE, "").strip() or "0"
    try:
        return int(value)
    except ValueError:
        raise SourceError(f"{SEED_VARIABLE} must be a whole number, not {value!r:.40}") from None


class DrawnTrials(TaskTrials[Any]):
    """Trials of drawn images; the task's settings or `PAIRBENCH_SEED` give the seed.

    The log says which, so that the same images can be drawn again.
    """

    @cached_property
    def entry(self) -> Any:
        """Return the task's settings, with the seed of the images filled in."""
        entry = super().entry
        return entry if "seed" in self._entry else replace(entry, seed=seed())

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return the logged fields of a trial, including the seed of its images."""
        described: Mapping[str, Any] = super().describe(request)  # type: ignore[safe-super]
        return {**described, "seed": self.entry.seed}


def in_grey(images: Sequence[Image.Image]) -> list[Image.Image]:
    """Return plain grey images of the same sizes as the given images."""
    return [Image.new("RGB", image.size, _GREY) for image in images]
