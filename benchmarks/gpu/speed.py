"""How fast one way of asking is, beside the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.common import as_size, two_digits
from benchmarks.gpu.meters import Measured


@dataclass(frozen=True)
class Speed:
    """A line of the table.

    Attributes:
        what: way of asking.
        prompts: that were asked.
        took: what that took; None if it was not run.
        why: it was not run, or how busy the device was is not known.
        notebook: prompts per second of the notebook's loop; None if that was not measured.
        bare: the same of the model's own `generate`.
        batch: requests at once; None where that says nothing.
    """

    HEADER: ClassVar[tuple[str, ...]] = (
        "what",
        "prompts",
        "prompts/s",
        "to the notebook's loop",
        "to generate alone",
        "device busy",
        "images decoded/s",
        "host memory",
    )

    what: str
    prompts: int
    took: Measured | None
    why: str = ""
    notebook: float | None = None
    bare: float | None = None
    batch: int | None = None

    @property
    def rate(self) -> float:
        """Prompts per second; `nan` if it was not run."""
        return float("nan") if self.took is None else self.prompts / self.took.seconds

    def cells(self) -> tuple[str, ...]:
        """The line, as the header says."""
        if self.took is None:
            return self.what, "not run", self.why, "", "", "", "", ""
        ratios = (
            "" if other is None else f"{two_digits(self.rate / other)}x"
            for other in (self.notebook, self.bare)
        )
        busy = self.why or "too short to tell"
        if self.took.busy is not None:
            busy = f"{self.took.busy:.0%}"
        decoded = "not counted"
        if self.took.decoded is not None:
            decoded = two_digits(self.took.decoded / self.took.seconds)
        shown = busy, decoded, as_size(self.took.memory)
        return self.what, str(self.prompts), two_digits(self.rate), *ratios, *shown
