"""Match people's labels with the judgments that are imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pairbench_ext.core.texts import counted, listed
from pairbench_ext.stacks.records.columns import Columns

#: By item and criterion (None for all of them): what each rater said.
Found: TypeAlias = Mapping[tuple[str, "str | None"], Mapping[str, Any]]


class Labels:
    """People's labels of items, matched with the judgments' rows.

    Args:
        found: the labels.
        said: whether to say how many items have labels.
    """

    def __init__(self, found: Found, *, said: bool = True) -> None:
        self._of, self._said = found, said
        self._asked: dict[str, None] = {}

    def anew(self) -> Labels:
        """Return a copy of the labels, all marked as unused."""
        return Labels(self._of, said=self._said)

    def of(self, item: str, aspect: str | None) -> Mapping[str, Any]:
        """Return the labels of an item by rater, and count the item as labelled."""
        self._asked[item] = None
        return self._of.get((item, aspect)) or self._of.get((item, None)) or {}

    def lines(self) -> list[str]:
        """Return how many items have labels, which have none, and which labels have no item."""
        known = {item for item, _ in self._of}
        without = [item for item in self._asked if item not in known]
        unused = [item for item in known if item not in self._asked]
        if not self._said and not without and not unused:
            return []
        lines = [f"{counted(len(self._asked) - len(without), 'item')} with people's labels"]
        for items, what in ((without, "without people's labels"), (unused, "labelled, not judged")):
            if items:
                lines.append(f"{counted(len(items), 'item')} {what}: {listed(sorted(items), 3)}")
        return lines


def named(cell: Any, row: Mapping[str, Any], columns: Columns) -> Any:
    """Return a label; if its row names the systems, the name of the chosen system."""
    two = columns.two
    if columns.kind != "pair" or len(two) != 2 or not {*two} <= row.keys():
        return cell
    place = columns.says(cell, row)
    return row[two[place]] if place in (0, 1) else cell
