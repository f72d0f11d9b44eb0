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
_SHARED = 0.5  # of the values of a key of another name
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

    def anew(self) -> Labels:
        """Return the same labels, none of which is asked for yet."""
        return Labels(self._of, said=self._said)

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
    """Return what people said of items, from files with a row for each item, or for each rater.

    Args:
        files: with the columns that name the judgments' items, under the same names or others.
        judgments: some rows of those.
        columns: of the judgments; what it has for people is a column of these files.

    Raises:
        RecordError: if a file cannot be read, or has not the items' columns.
        QuestionError: if several columns could be labels.
    """
    rows = _under_their_names(_rows_of(files), judgments, columns)
    known = {columns.item(row): row for row in judgments}
    merged = [{**known.get(columns.item(row.fields), {}), **row.fields, FILE: 0} for row in rows]
    own = {name for row in rows for name in row.fields}
    names, rater, aspect = _label_columns(merged, own, columns, files[0])
    found = defaultdict[tuple[str, str | None], dict[str, Any]](dict)
    for fields in (row.fields for row in rows):
        by_rater = found[columns.item(fields), text_of(fields[aspect]) if aspect else None]
        person = "" if not rater or empty(fields.get(rater)) else text_of(fields[rater])
        for name in (name for name in names if not empty(fields.get(name))):
            title = f"{person}/{name}" if person and len(names) > 1 else person or name
            by_rater[_unlike(title, by_rater)] = named(fields[name], fields, columns)
    return Labels(found)


def _rows_of(files: Sequence[Path]) -> list[Record]:
    rows: list[Record] = []
    for row in (row for source in sources_of(files) for row in source.rows()):
        if isinstance(row, RecordError):
            raise row
        rows.append(row)
    if not rows:
        raise RecordError(f"{files[0]}: no row in it")
    return rows


def _unlike(title: str, known: Mapping[str, Any]) -> str:
    """Return a rater's name, numbered where there are labels by that name."""
    before = sum(name.partition(" #")[0] == title for name in known)
    return title + f" #{before + 1}" * bool(before)


def _under_their_names(
    rows: list[Record], judgments: Sequence[Mapping[str, Any]], columns: Columns
) -> list[Record]:
    """Return rows with the columns of the items, found by their values if their names differ."""
    key, where = columns["item"], rows[0].where
    if not key:
        raise RecordError(f"{where}: labels are joined by an item's name: --columns item=")
    own = {name for row in rows for name in row.fields}
    lacking = [name for name in key if name not in own]
    if not lacking:
        return rows
    wanted = {text_of(row.get(lacking[0])) for row in judgments}
    shares = {}
    for name in sorted(own - {*key}):
        values = {text_of(row.fields[name]) for row in rows if not empty(row.fields.get(name))}
        shares[name] = len(values & wanted) / max(1, len(values))
    best = max(shares, key=lambda name: shares[name], default="")
    if len(lacking) > 1 or shares.get(best, 0.0) < _SHARED:
        names = " and ".join(f"`{name}`" for name in key)
        raise RecordError(
            f"{where}: the labels have no column {names}, by which they are matched to items"
        )
    return [Record(r.where, {**r.fields, lacking[0]: r.fields.get(best)}) for r in rows]


def _label_columns(
    rows: Sequence[Mapping[str, Any]], own: set[str], columns: Columns, file: Path
) -> tuple[Sequence[str], str, str]:
    """Return the columns of labels, and those of the rater and of the criterion, if there are."""
    sample = Sample(rows)
    rater, aspects = _rater(sample, own), [n for n in own if n in columns["aspect"]]
    roles = {role: columns[role] for role in ("item", "first", "second")}
    roles |= {"judge": (rater,) if rater else (), "aspect": tuple(aspects)}
    found = candidates(sample, replace(columns, roles=roles))
    ranked = ([n for n in names if n in own] for names in (found.people, found.judged, found.weak))
    labels: Sequence[str] = columns["people"] or next(filter(None, ranked), [])
    if len({factors(name).rest for name in labels}) != 1 and not columns["people"]:
        shown = listed([f"`{name}`" for name in labels or sorted(own)], 12)
        raise QuestionError(
            f"{file}: which column is what people said? There are {shown}: name it, --columns "
            "people=COLUMN, or several raters, people=COLUMN+COLUMN"
        )
    return labels, rater, next(iter(aspects), "")


def _rater(sample: Sample, own: set[str]) -> str:
    """Return the column that names who labelled; empty if none does."""
    scores = {n: score(sample[n], "judge", sample) for n in sorted(own) if n in sample}
    best = max(scores, key=lambda n: scores[n], default="")
    return best if scores.get(best, 0.0) >= 1 else ""


def named(cell: Any, row: Mapping[str, Any], columns: Columns) -> Any:
    """Return a label; where its row names the systems, the name of the chosen one."""
    two = columns.two
    if columns.kind != "pair" or len(two) != 2 or not {*two} <= row.keys():
        return cell
    place = columns.says(cell, row)
    return row[two[place]] if place in (0, 1) else cell
