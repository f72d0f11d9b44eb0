"""Undo spreadsheet layouts, such as merged cells, before columns are given roles.

These are merged cells, a column for each rank, both systems in one cell (`ours,sdxl`), and sheets
that hold different columns of the same items.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.stacks.records.cells import WORDS, empty, name_weight, number, path, text_of
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.profile import FILE
from pairbench_ext.stacks.records.sheets import SHEET
from pairbench_ext.stacks.records.tables import Row, Rows

_RANK = re.compile(
    r"(.*(?:^|[\W_])(?:rank|ranking|rang|platz|place|rango|puesto))[\W_]+([^\W\d][\w.-]*)", re.I
)
_LETTERS = "ABCDEFGH"
_VOTES = re.compile(r"(?:.*_)?(?:votes?|wins?|winners?|won|preferred|chosen)(?:_.*)?")
_TWO = ("model_a", "model_b")
_BETWEEN = re.compile(r"\s*(?:[,/|;>→]+|\bvs\.?\b|\bthen\b)\s*", re.I)
_GROUPS = 3  # of merged cells, at least
_EMPTY = 0.25  # of the cells of a merged column, at least


class Habits(NamedTuple):
    """The layouts found in a spreadsheet, which are undone in each of its rows.

    Attributes:
        merged: columns in which an empty cell means the value above it.
        ranked: by the column of a ranking, those that hold a rank each, and what is ranked.
        voted: by the column of who won, those with the votes for `A`, for `B` and for `tie`.
        shown: a column with both systems as they were shown; empty if there is none.
        key: the column by which the rows of several sheets are joined, likewise.
    """

    merged: Sequence[str] = ()
    ranked: Mapping[str, Mapping[str, str]] = {}
    voted: Mapping[str, Mapping[str, str]] = {}
    shown: str = ""
    key: str = ""

    def lines(self) -> list[str]:
        """Return remarks for the user on how the rows' layout was changed."""
        shown = listed([f"`{name}`" for name in self.merged], 4)
        lines = [f"an empty cell in {shown} repeats the value above it"] if self.merged else []
        for name, of in self.ranked.items():
            lines.append(f"{listed([f'`{n}`' for n in of], 4)} are read as one ranking, `{name}`")
        for name, votes in self.voted.items():
            columns = listed([f"`{n}`" for n in votes.values()], 3)
            lines.append(f"{columns} are read as votes; who has more is in `{name}`")
        if self.shown:
            lines.append(
                f"`{self.shown}` is read as the two systems, in the order in which they were shown"
            )
        return (
            [*lines, f"the sheets are joined by their column `{self.key}`"] if self.key else lines
        )


def _merged(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the first column, and those empty where it is, if it looks merged.

    Its values are all different, many cells below them are empty, and rows are not.
    """
    first = next(iter(rows[0]), "")
    gaps = [empty(row.get(first)) for row in rows]
    values = [text_of(row[first]) for row in compress(rows, map(not_, gaps))]
    if gaps[0] or len(values) < _GROUPS or len({*values}) < len(values):
        return []
    names = [n for n in rows[0] if [empty(row.get(n)) for row in rows] == gaps]
    many = sum(gaps) >= _EMPTY * len(rows)
    return names if many and all(_says_more(row, names) for row in rows) else []


def _says_more(row: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(not empty(cell) for name, cell in row.items() if name not in names)


def _ranked(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return columns of ranks, which hold each rank from 1 of several things in a row."""
    found = defaultdict[str, dict[str, str]](dict)
    for name in rows[0]:
        if match := _RANK.fullmatch(name):
            word = match[2]
            thing = word if len(word) > 1 or word in _LETTERS else f"option {word}"
            found[match[1]][name] = thing
    free = {name: of for name, of in found.items() if name not in rows[0] and len(of) > 2}
    return {name: of for name, of in free.items() if all(_ranking(row, of) for row in rows)}


def _ranking(row: Mapping[str, Any], of: Mapping[str, str]) -> str:
    """Return the ranking in a row, such as `B > A = C`; empty if its cells are no ranks."""
    ranks = {thing: number(row.get(name)) for name, thing in of.items()}
    used = sorted({rank for rank in ranks.values() if rank is not None})
    if None in ranks.values() or not used or used[0] != 1 or used[-1] > len(of):
        return ""
    groups = ([t for t, rank in ranks.items() if rank == each] for each in used)
    return " > ".join(" = ".join(group) for group in groups)


def _voted(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return columns of people's votes for one of two, and those of who won, a tie among them."""
    found = defaultdict[str, dict[str, str]](dict)
    for name in rows[0]:
        part = path(name)
        side = WORDS["sides"].fullmatch(part)
        if side and not side[3]:
            found[side[1]]["A" if WORDS["of_first"].fullmatch(side[2]) else "B"] = name
        elif part.endswith("_tie"):
            found[part.removesuffix("_tie")]["tie"] = name
    counted = {stem: of for stem, of in found.items() if stem and {*"AB"} <= of.keys()}
    votes = {
        s.strip("_"): of for s, of in _with_ties(counted, found).items() if _are_votes(s, of, rows)
    }
    return {name: of for name, of in votes.items() if name not in rows[0]}


def _with_ties(
    counted: Mapping[str, dict[str, str]], found: Mapping[str, dict[str, str]]
) -> dict[str, dict[str, str]]:
    """Return columns of two sides with one of ties: `winner_tie` beside `winner_model_a`."""
    ties = {stem: of for stem, of in found.items() if "tie" in of}
    return {
        stem: {**next((t for s, t in ties.items() if stem.startswith(s)), {}), **of}
        for stem, of in counted.items()
    }


def _are_votes(stem: str, of: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether columns count people's votes, or say of each row which of three is right."""
    cells = [list(_counts(row, of).values()) for row in rows]
    if not all(len(row) == len(of) for row in cells):
        return False
    once = all(sorted(row)[-2:] == [0, 1] for row in cells)
    return (once and len(of) == 3) or (
        (once or bool(_VOTES.fullmatch(stem))) and _beside_judge(stem, [*rows[0]])
    )


def _beside_judge(stem: str, names: Sequence[str]) -> bool:
    """Return whether a name is people's, or no judge's where another column is called so."""
    kinds = [bool(of.machine or of.model) for of in map(factors, [stem, *names])]
    return factors(stem).person or kinds[0] < any(kinds)


def _counts(row: Mapping[str, Any], of: Mapping[str, str]) -> dict[str, float]:
    """Return the whole numbers in a row's columns; those with anything else are not there."""
    counts = ((who, number(row.get(name))) for who, name in of.items())
    return {w: n for w, n in counts if n is not None and n >= 0 and n.is_integer()}


def _most_votes(row: Mapping[str, Any], of: Mapping[str, str]) -> str:
    """Return who has the most votes of a row; empty if a count is missing."""
    votes = _counts(row, of)
    if len(votes) < len(of) or not any(votes.values()):
        return ""
    best = [who for who, count in votes.items() if count == max(votes.values())]
    return best[0] if len(best) == 1 else "tie"


def _shown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a column of two systems in the order that was shown, both orders among them."""
    for name in rows[0]:
        if name_weight(name, "order") and not {*_TWO} & {*rows[0]}:
            seen = {_two_in(row.get(name)) for row in rows}
            if () not in seen and any(pair[::-1] in seen for pair in seen if len({*pair}) == 2):
                return name
    return ""


def _two_in(cell: Any) -> tuple[str, ...]:
    """Return the two names in a cell; nothing of letters such as `A,B`, and of anything else."""
    parts = cell if isinstance(cell, list) else _BETWEEN.split(text_of(cell).strip())
    named = tuple(text_of(part).strip(" '\"[]()") for part in parts)
    return named if len(named) == 2 and min(map(len, named)) > 1 else ()


def _key(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the one column that several sheets share, if its values name rows in each of them."""
    sheets = defaultdict[str, list[Mapping[str, Any]]](list)
    for row in rows:
        sheets[row.get(SHEET, "")].append(row)
    names = [_filled_in(of_sheet) - {SHEET} for of_sheet in sheets.values()]
    shared = set.intersection(*names)
    if len(names) < 2 or len(shared) != 1 or sum(map(len, names)) > len(set.union(*names)) + 1:
        return ""
    [key] = shared
    values = [[text_of(row.get(key)) for row in of_sheet] for of_sheet in sheets.values()]
    once = all(len({*of_sheet}) == len(of_sheet) for of_sheet in values)
    same = len(set.intersection(*map(set, values)))
    return key if once and 2 * same > min(map(len, values)) else ""


def _filled_in(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the columns in which some row has a value."""
    return {name for row in rows for name, cell in row.items() if not empty(cell)}


def _joined(rows: Iterable[Row], key: str) -> Iterator[Row]:
    """Yield the rows of several sheets as one row for each item; rows that are none as they are."""
    found: dict[str, Record] = {}
    for row in rows:
        if isinstance(row, RecordError) or empty(row.fields.get(key)):
            yield row
            continue
        name = text_of(row.fields[key])
        cells = {n: cell for n, cell in row.fields.items() if n != SHEET and not empty(cell)}
        earlier = found.get(name)
        found[name] = Record(row.where, cells if earlier is None else {**earlier.fields, **cells})
    yield from found.values()


class Reshaped(NamedTuple):
    """The rows of a file, after its spreadsheet layout is undone.

    Attributes:
        source: the rows as they are.
        habits: what is undone.
    """

    source: Rows
    habits: Habits

    @property
    def path(self) -> Path:
        """Return the file or folder that the rows come from."""
        return self.source.path

    def rows(self) -> Iterator[Row]:
        """Return all rows, after the layout is undone."""
        above: dict[str, Any] = {}
        every = self.source.rows()
        for row in _joined(every, self.habits.key) if self.habits.key else every:
            yield row if isinstance(row, RecordError) else Record(row.where, self._of(row, above))

    def _of(self, row: Record, above: dict[str, Any]) -> dict[str, Any]:
        fields = dict(row.fields)
        for name in self.habits.merged:
            if empty(fields.get(name)):
                fields[name] = above.get(name)
            above[name] = fields[name]
        for name, of in self.habits.ranked.items():
            ranking = _ranking(fields, of)
            fields = {n: cell for n, cell in fields.items() if n not in of} | {name: ranking}
        for name, votes in self.habits.voted.items():
            won = _most_votes(fields, votes)
            fields = {n: x for n, x in fields.items() if n not in votes.values()} | {name: won}
        if two := _two_in(fields.pop(self.habits.shown, "")):
            fields |= dict(zip(_TWO, two, strict=True))
        return fields


_FOUND_BY: Sequence[Callable[[Sequence[Mapping[str, Any]]], Any]] = (
    _merged, _ranked, _voted, _shown, _key,
)  # fmt: skip


def reshaped(
    sources: Sequence[Rows], rows: Sequence[Mapping[str, Any]], lines: list[str],
    kept: Collection[str] = (),
) -> list[Rows]:  # fmt: skip
    """Return files' rows with spreadsheet layouts undone; an empty list if no layout was found.

    Args:
        sources: the rows of each file.
        rows: some of them, with the number of their file.
        lines: what is to be said of it goes here.
        kept: columns that stay as they are.
    """
    changed: list[Rows] = []
    for place, source in enumerate(sources):
        skipped = {FILE, *kept}
        its = [{n: c for n, c in row.items() if n not in skipped}
               for row in rows if row[FILE] == place]  # fmt: skip
        of = Habits(*(find(its) for find in _FOUND_BY)) if its else Habits()
        lines += [line for line in of.lines() if line not in lines]
        changed.append(Reshaped(source, of) if any(of) else source)
    return changed if changed != [*sources] else []
