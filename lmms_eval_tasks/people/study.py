"""What a study asks, in rounds, and in which order each rater is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pairbench_ext.statistics import seeds

KeyT = TypeVar("KeyT", bound=tuple[Any, ...])


class Study(ABC, Generic[KeyT]):
    """A draw. All raters are asked the same in a round, each in an order of their own.

    Attributes:
        n: how much a round asks.
        seed: of the draw and of the raters' orders.
    """

    n: int
    seed: int

    @property
    @abstractmethod
    def name(self) -> str:
        """Digest of the draw: the same name stands for the same rounds."""

    @property
    @abstractmethod
    def total(self) -> int:
        """How much there is to draw from."""

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds there are until all was drawn; later ones may be shorter."""

    @abstractmethod
    def drawn(self, number: int) -> Sequence[KeyT]:
        """What is asked in a round, from 0; nothing is in two rounds."""

    def order(self, rater: str, number: int) -> list[KeyT]:
        """The same, in the order of a rater."""
        keys = self.drawn(number)
        order = seeds.generator(self.seed, "order", rater, number).permutation(len(keys))
        return [keys[place] for place in order]
