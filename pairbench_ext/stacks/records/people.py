"""People's labels in files of their own, joined to the judgments by the columns of the items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.stacks.records.cells import empty, last, text_of
from pairbench_ext.stacks.records.columns import FILE, Columns, QuestionError, Sample
from pairbench_ext.stacks.records.roles import Roles
from pairbench_ext.stacks.records.tables import sources_of

# Roles by whose names labels are found, and ranks of those names; the best first.
_NAMED = (("people", 0), ("verdict", 0), ("people", 1), ("verdict", 1), ("verdict", 2))


class Labels:
    """What people said of items, as more columns of the judgments' rows.

    Args:
        files: with the columns that name the judgments' items, and a row for each item, or one for
            each of its raters.
        judgments: some rows of those.
        columns: of the judgments.

    Attributes:
        names: of the columns that `of` gives.

    Raises:
        RecordError: if a file cannot be read, or has not the items' columns.
        QuestionError: if several columns could be labels.
    """

    def __init__(
        self, files: Sequence[Path], judgments: Sequence[Mapping[str, Any]], columns: Columns
    ) -> None:
        self._of: dict[str, dict[str, Any]] = {}
        self._asked: dict[str, None] = {}
        rows: list[Mapping[str, Any]] = []
        for row in (row for source in sources_of(files) for row in source.rows()):
            if isinstance(row, RecordError):
                raise row
            if not columns["item"] or not {*columns["item"]} <= row.fields.keys():
                names = " and ".join(f"`{name}`" for name in columns["item"]) or "--columns item="
                raise RecordError(f"{row.where}: labels are joined by {names}, which it has not")
            rows.append(row.fields)
        known = {columns.item(row): row for row in judgments}
        merged = [{**known.get(columns.item(row), {}), **row, FILE: 0} for row in rows]
        labels, rater = _found(merged, {name for row in rows for name in row}, columns, files[0])
        for fields in rows:
            by_rater = self._of.setdefault(columns.item(fields), {})
            for name in [name for name in labels if not empty(fields.get(name))]:
                person = "" if empty(fields.get(rater)) else text_of(fields[rater])
                title = f"{person}/{name}" if person and len(labels) > 1 else person or name
                before = sum(known.partition(" #")[0] == title for known in by_rater)
                title += f" #{before + 1}" * bool(before)
                by_rater[title] = _named(fields[name], fields, columns)
        self.names = tuple(dict.fromkeys(title for item in self._of.values() for title in item))

    def of(self, item: str) -> Mapping[str, Any]:
        """The labels of an item by rater; what is asked for is counted."""
        self._asked[item] = None
        return self._of.get(item, {})

    def lines(self) -> list[str]:
        """How many items have labels, and which are on one side only."""
        without = [item for item in self._asked if not self._of.get(item)]
        unused = [item for item in self._of if item not in self._asked]
        lines = [f"{counted(len(self._asked) - len(without), 'item')} with people's labels"]
        for items, what in ((without, "without people's labels"), (unused, "labelled, not judged")):
            if items:
                lines.append(f"{counted(len(items), 'item')} {what}: {listed(items, 3)}")
        return lines


def _found(
    rows: Sequence[Mapping[str, Any]], names: set[str], columns: Columns, file: Path
) -> tuple[Sequence[str], str]:
    """The columns of labels, and that of the rater; empty if there is none."""
    known = {role: columns[role] for role in ("item", "first", "second")}
    roles = Roles(Sample(rows), replace(columns, roles=known))
    ranked = [[n for n in roles.free(role, slice(rank, rank + 1)) if n in names and roles.fits(n)]
              for role, rank in _NAMED]  # fmt: skip
    labels: Sequence[str] = columns["people"] or next(filter(None, ranked), [])
    if len({re.sub(r"\d", "", last(name)) for name in labels}) != 1 and not columns["people"]:
        shown = listed([f"`{name}`" for name in labels or sorted(names)], 12)
        raise QuestionError(
            f"{file}: which column is what people said? There are {shown}: name it, --columns "
            "people=COLUMN, or several raters, people=COLUMN+COLUMN"
        )
    raters = [name for name in roles.free("judge") if name in names and name not in labels]
    return labels, (raters or [""])[0]


def _named(cell: Any, row: Mapping[str, Any], columns: Columns) -> Any:
    """A label; where its own row names the systems, the name of the one that it means."""
    two = columns.two
    if columns.kind != "pair" or len(two) != 2 or not {*two} <= row.keys():
        return cell
    place = columns.says(cell, row)
    return row[two[place]] if place in (0, 1) else cell
