"""Join people's labels from separate files to the judgments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.stacks.records.cells import empty, text_of
from pairbench_ext.stacks.records.columns import Columns, QuestionError
from pairbench_ext.stacks.records.evidence import score
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.profile import FILE, Sample
from pairbench_ext.stacks.records.tables import sources_of
from pairbench_ext.stacks.records.values import candidates

#: By item and criterion (None for all of them): what each rater said.
Found: TypeAlias = Mapping[tuple[str, "str | None"], Mapping[str, Any]]


class Labels:
    """People's labels of items, joined to the judgments' rows.

    Args:
        found: the labels.
        said: whether to say how many items have labels.
    """

    def __init__(self, found: Found, *, said: bool = True) -> None:
        self._of, self._said = found, said
        self._asked: dict[str, None] = {}

    def of(self, item: str, aspect: str | None) -> Mapping[str, Any]:
        """Return the labels of an item by rater, and count them."""
        self._asked[item] = None
        return self._of.get((item, aspect)) or self._of.get((item, None)) or {}

    def lines(self) -> list[str]:
        """Return how many items have labels, and which occur only on one side."""
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


def labels_of(
    files: Sequence[Path], judgments: Sequence[Mapping[str, Any]], columns: Columns
) -> Labels:
    """Return people's labels from files with a row per item or per rater.

    Args:
        files: with the columns that name the judgments' items, under the same names or others.
        judgments: some rows of those.
        columns: of the judgments; what it has for people is a column of these files.

    Raises:
        RecordError: if a file cannot be read, or has not the items' columns.
        QuestionError: if several columns could be labels.
    """
    rows: list[Record] = []
    for row in (row for source in sources_of(files) for row in source.rows()):
        if isinstance(row, RecordError):
            raise row
        rows.append(row)
    if not rows:
        raise RecordError(f"{files[0]}: no row in it")
    rows = _under_their_names(rows, judgments, columns)
    known = {columns.item(row): row for row in judgments}
    merged = [{**known.get(columns.item(row.fields), {}), **row.fields, FILE: 0} for row in rows]
    own = {name for row in rows for name in row.fields}
    names, rater, aspect = _label_columns(merged, own, columns, files[0])
    found: dict[tuple[str, str | None], dict[str, Any]] = defaultdict(dict)
    for fields in (row.fields for row in rows):
        by_rater = found[columns.item(fields), text_of(fields[aspect]) if aspect else None]
        for name in [name for name in names if not empty(fields.get(name))]:
            person = "" if not rater or empty(fields.get(rater)) else text_of(fields[rater])
            title = f"{person}/{name}" if person and len(names) > 1 else person or name
            before = sum(known.partition(" #")[0] == title for known in by_rater)
            title += f" #{before + 1}" * bool(before)
            by_rater[title] = named(fields[name], fields, columns)
    return Labels(found)


def _under_their_names(
    rows: list[Record], judgments: Sequence[Mapping[str, Any]], columns: Columns
) -> list[Record]:
    """Rows with the columns of the items, found by their values where they have other names."""
    key = columns["item"]
    if not key:
        raise RecordError(f"{rows[0].where}: labels are joined by an item's name: --columns item=")
    lacking = [name for name in key if not any(name in row.fields for row in rows)]
    if not lacking:
        return rows
    names = " and ".join(f"`{name}`" for name in key)
    problem = RecordError(f"{rows[0].where}: labels are joined by {names}, which it lacks")
    if len(lacking) > 1:
        raise problem
    wanted = {text_of(row[lacking[0]]) for row in judgments if not empty(row.get(lacking[0]))}
    shares = {}
    for name in {n for row in rows for n in row.fields} - {*key}:
        values = {text_of(row.fields[name]) for row in rows if not empty(row.fields.get(name))}
        shares[name] = len(values & wanted) / max(1, len(values))
    best = max(shares, key=lambda name: (shares[name], name), default="")
    if not best or shares[best] < 0.5:
        raise problem
    return [Record(r.where, {**r.fields, lacking[0]: r.fields.get(best)}) for r in rows]


def _label_columns(
    rows: Sequence[Mapping[str, Any]], own: set[str], columns: Columns, file: Path
) -> tuple[Sequence[str], str, str]:
    """Return the columns of labels, and those of the rater and of the criterion, if there are."""
    kept = ("item", "first", "second")
    sample = Sample(rows)
    plain = replace(columns, roles={role: columns[role] for role in kept})
    raters = sorted(
        (n for n in own if n in sample), key=lambda n: -score(sample[n], "judge", sample)
    )
    rater = next((n for n in raters if score(sample[n], "judge", sample) >= 1), "")
    aspects = [n for n in own if n in columns["aspect"]]
    found = candidates(sample, plain.with_roles(judge=[rater] if rater else [], aspect=aspects))
    ranked = [[n for n in names if n in own] for names in (found.people, found.judged, found.weak)]
    labels: Sequence[str] = columns["people"] or next(filter(None, ranked), [])
    if len({factors(name).rest for name in labels}) != 1 and not columns["people"]:
        shown = listed([f"`{name}`" for name in labels or sorted(own)], 12)
        raise QuestionError(
            f"{file}: which column is what people said? There are {shown}: name it, --columns "
            "people=COLUMN, or several raters, people=COLUMN+COLUMN"
        )
    return labels, rater, (aspects or [""])[0]


def named(cell: Any, row: Mapping[str, Any], columns: Columns) -> Any:
    """Return a label; where its row names the systems, the name of the chosen one."""
    two = columns.two
    if columns.kind != "pair" or len(two) != 2 or not {*two} <= row.keys():
        return cell
    place = columns.says(cell, row)
    return row[two[place]] if place in (0, 1) else cell
