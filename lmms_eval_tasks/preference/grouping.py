"""How a preference benchmark groups its items: accuracies are given by group, and their mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Grouping(NamedTuple):
    """The groups of a benchmark's items.

    Attributes:
        names: of all groups, in the order in which they are shown.
        of: the group of an item, by its source.
    """

    names: tuple[str, ...]
    of: Callable[[str], str]

    def place(self, source: str) -> int:
        """The number of an item's group among the names.

        Raises:
            ValueError: naming the source, if it is of no group.
        """
        group = self.of(source)
        if group not in self.names:
            raise ValueError(f"'source' must be of {', '.join(self.names)}, not {source!r}")
        return self.names.index(group)


def by_source(names: tuple[str, ...]) -> Grouping:
    """The grouping in which every source is a group of its own."""
    return Grouping(names, str)
