"""Answers to multiple-choice questions, and their table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from pairbench_ext.core.outcome_table import Name, OutcomeTable

Value: TypeAlias = float | str
Cell: TypeAlias = tuple[tuple[str, Value], ...]  # axis and value, in the order of the data
_AERIAL_SOURCE = "ubc"


class Choice(NamedTuple):
    """One answer to one multiple-choice question.

    Attributes:
        item: which question.
        pair: which pair of images it is about: answers about one pair are not independent.
        category: the type of difference, such as `"attribute"`.
        domain: as the data name it, such as `"natural"`.
        source: the data set that the images are from.
        n_options: how many options were shown.
        truth: position at which the right option was shown, from 0 (A).
        chosen: position of the option that the answer names; None if the answer is unusable.
        swapped: whether the options were shown in the reverse order, so that the one which
            otherwise is at i was at `n_options - 1 - i`.
        repeat: which of the item's answers in that order this is, from 0.
        cell: of the controlled set that the item is in; empty elsewhere.
    """

    item: Name
    pair: Name
    category: str
    domain: str
    source: str
    n_options: int
    truth: int
    chosen: int | None
    swapped: bool = False
    repeat: int = 0
    cell: Cell = ()

    @property
    def usable(self) -> bool:
        """Whether the answer names an option."""
        return self.chosen is not None

    @property
    def right(self) -> bool:
        """Whether the answer names the right option; an unusable one does not."""
        return self.chosen == self.truth

    @property
    def option(self) -> int | None:
        """The option chosen, by its place when not swapped."""
        return None if self.chosen is None else self.shown_at(self.chosen)

    @property
    def truth_unswapped(self) -> int:
        """The place of the right option when not swapped."""
        return self.shown_at(self.truth)

    @property
    def domain_of_table_10(self) -> str:
        """The domain as Table 10 counts it: UBC, of buildings, is aerial.

        Table 7 has the same questions under natural.
        """
        return "aerial" if self.source.lower() == _AERIAL_SOURCE else self.domain

    def shown_at(self, place: int) -> int:
        """Where the option is shown that stands at a place when not swapped, and the reverse."""
        return self.n_options - 1 - place if self.swapped else place


class ChoiceTable(OutcomeTable[Choice]):
    """Answers, sorted by item, repeat and order, each once.

    Args:
        choices: in any order.

    Raises:
        ValueError: naming the answer, if one occurs twice with different content, or if two
            disagree on what the item is (the place of the right option included, which the reverse
            order mirrors).
    """

    def __init__(self, choices: Iterable[Choice]) -> None:
        of_item = ("pair", "category", "domain", "source", "n_options", "truth_unswapped")
        super().__init__(choices, ("item", "repeat", "swapped"), {"item": of_item})

    def both_orders(self) -> list[tuple[Choice, Choice]]:
        """The answers, not swapped and swapped, where there are both: by item and repeat."""
        # The order is the last sorting key, so the two orders of a repeat are neighbours.
        return [
            (one, other)
            for one, other in pairwise(self.rows)
            if (one.item, one.repeat) == (other.item, other.repeat)
        ]
