"""Match people's labels with the judgments that are being imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pairbench_ext.core.texts import counted, listed
from pairbench_ext.stacks.records.columns import Columns

NO_ITEM = (
    "labels are matched with items by the name of the item; give the column with these names: "
    "--columns item=COLUMN"
)
#: By item and criterion (None for all of them): what each rater said.
Found: TypeAlias = Mapping[tuple[str, "str | None"], Mapping[str, Any]]


class Labels:
    """People's labels by item, with a record of which items were judged.

    Args:
        found: the labels.
        say: whether to say how many items have labels.
    """

    def __init__(self, found: Found, *, say: bool = True) -> None:
        self._of, self._say = found, say
        self._asked: set[tuple[str, str | None]] = set()

    def anew(self) -> Labels:
        """Return a copy of the labels in which no item is recorded as judged yet."""
        return Labels(self._of, say=self._say)

    def of(self, item: str, aspect: str | None) -> Mapping[str, Any]:
        """Return an item's labels by rater, and record that the item was judged."""
        self._asked.add((item, aspect))
        return self._of.get((item, aspect)) or self._of.get((item, None)) or {}

    def lines(self) -> list[str]:
        """Return remarks: how many items have labels, and which items and labels lack a match."""
        labelled, asked = ({item for item, _ in keys} for keys in (self._of, self._asked))
        other = {f"{item} ({aspect})" for item, aspect in self._of
                 if aspect and item in asked and (item, aspect) not in self._asked}  # fmt: skip
        if not self._say and labelled == asked and not other:
            return []
        lines = [f"{counted(len(asked & labelled), 'item')} with people's labels"]
        for items, what in (
            (asked - labelled, "without people's labels"),
            (labelled - asked, "labelled by people, but not judged"),
            (other, "labelled by people for a criterion that was not judged"),
        ):
            if items:
                lines.append(f"{counted(len(items), 'item')} {what}: {listed(sorted(items), 3)}")
        return lines


def named(cell: Any, row: Mapping[str, Any], columns: Columns) -> Any:
    """Return a label; if it chooses one of two systems, the name that its row gives that system."""
    two = columns.two
    if columns.kind != "pair" or len(two) != 2 or not {*two} <= row.keys():
        return cell
    place = columns.says(cell, row)
    return row[two[place]] if place in (0, 1) else cell
