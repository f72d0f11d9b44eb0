"""Pairs that people score, of any data set: their names, and what a data set says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

from annotated_types import Ge

from lmms_eval_tasks.people.study import Question

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, order=True)
class Key:
    """A pair of a data set under a condition.

    Attributes:
        config: config of the data set.
        split: its split.
        row: number of the source row.
        pair: the pair's name in that row ("transformed2").
        condition: under which it is scored, such as "sens".
    """

    config: str
    split: str
    row: Annotated[int, Ge(0)]
    pair: str
    condition: str


class Cell(NamedTuple):
    """Pairs that differ in their row alone; fields as of `Key`.

    Attributes:
        kind: what kind of pair it is, such as "identical".
        rows: number of source rows.
    """

    config: str
    split: str
    pair: str
    condition: str
    kind: str
    rows: int


class Pool(Protocol):
    """The pairs of a data set; what they show is read when it is asked for."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells; every pair is in one."""

    def question(self, key: Key) -> Question:
        """Return all that is shown with a pair but its images."""

    def image(self, key: Key, side: int) -> Image.Image:
        """Return the first (0) or second (1) datum of a pair, which is an image."""
