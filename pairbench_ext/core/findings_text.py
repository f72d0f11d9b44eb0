"""Write findings as text that fits the width of a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pairbench_ext.core.findings import Finding, FindingTable, Measure
from pairbench_ext.core.findings_grid import blocks, is_alike, marked, ranked_grid, wrapped
from pairbench_ext.core.texts import counted, listed

_MOST_WITH_PROBLEMS = 3  # rows of a ranked table whose problems are told where room is scarce
_ROWS = (5, 4, 3)  # of a ranked table, where room is scarcer still


class _Room(NamedTuple):
    """What is told where there is little room.

    Attributes:
        problems: of so many rows of a table; of all if None.
        notes: whether tables have the lines below them.
        spaced: whether empty lines stand within a table.
        rows: how many a ranked table has; all if None.
        tables: how many of a ranking are shown in full; of each further one its first sentence.
    """

    problems: int | None = None
    notes: bool = True
    spaced: bool = True
    rows: int | None = None
    tables: int = 3


_ALL = _Room()
#: What is tried until the lines are few enough.
_LESS = (
    _Room(_MOST_WITH_PROBLEMS),
    _Room(_MOST_WITH_PROBLEMS, notes=False),
    _Room(_MOST_WITH_PROBLEMS, notes=False, spaced=False),
    _Room(1, notes=False, spaced=False),
    _Room(0, notes=False, spaced=False),
    *(_Room(0, notes=False, spaced=False, rows=rows) for rows in _ROWS),
    *(_Room(0, notes=False, spaced=False, rows=_ROWS[-1], tables=tables) for tables in (2, 1)),
)


def render(
    finding: Finding, width: int, *, everything: bool = False, most_lines: int | None = None
) -> str:
    """Return a finding as text that fits the width of a terminal.

    Args:
        finding: to show.
        width: of the longest line.
        everything: show all columns, tables and problems.
        most_lines: for which there is room; None for any number.
    """
    lines = _lines(finding, width, everything, _ALL)
    if most_lines and not everything and any(table.ranked for table in finding.tables):
        for room in _LESS:
            if len(lines) <= most_lines:
                break
            lines = _lines(finding, width, everything, room)
    return "\n".join(lines).strip("\n")


def _lines(finding: Finding, width: int, everything: bool, room: _Room) -> list[str]:
    """Return the lines of a finding."""
    full, short = _shown(finding, None if everything else room.tables)
    lines = _wrapped_all(finding.says, width)
    for table in full:
        lines += ["", *_table(table, width, room)]
    in_short = [line for table in short for line in _in_short(table, width)]
    notes = [*_notes(finding, everything), *_legend([*full, *short])]
    if short or not room.notes:
        notes.append("--all shows every table, and what was not tested.")
    for below in (in_short, _wrapped_all(notes, width)):
        lines += ["", *below] if below else []
    return lines


def _shown(finding: Finding, most: int | None) -> tuple[list[FindingTable], list[FindingTable]]:
    """Return the tables that are shown in full, and those of which one line is; None for all."""
    shown = [t for t in finding.tables if not t.empty and (most is None or not t.detail)]
    groups = [table for table in shown if table.main] if any(t.ranked for t in shown) else []
    short = groups[len(groups) if most is None else most :]
    return [table for table in shown if table not in short], short


def _notes(finding: Finding, everything: bool) -> tuple[str, ...]:
    return finding.notes + finding.details if everything else finding.notes


def _wrapped_all(texts: Iterable[str], width: int, indent: str = "") -> list[str]:
    return [line for text in texts for line in wrapped(text, width, indent)]


def _legend(tables: Sequence[FindingTable]) -> Iterator[str]:
    rows = [row for table in tables for row in table.rows]
    marks = []
    if any(row.best for row in rows):
        marks.append("* best, or tied with the best.")
    if any(cell.best for row in rows for cell in row.cells.values()):
        marks.append("* significantly ahead of every other judge.")
    if any(row.problems for row in rows):
        marks.append("! a problem that the data show.")
    if marks:
        yield " ".join([*marks, "- not measured."])


def _in_short(table: FindingTable, width: int) -> list[str]:
    tasks = table.asked.partition(":")[0]
    title = f"{table.title} ({tasks})" if tasks else table.title
    return wrapped(" ".join([f"{title}:", *table.says[:1]]), width, "  ")


def _table(table: FindingTable, width: int, room: _Room) -> list[str]:
    """Return the lines of a table: title, sentences, rows, problems, notes."""
    used, common = _without_common_keys(table.used())
    asked = "; ".join(filter(None, (table.asked, common)))
    lines = _wrapped_all([table.title + (f"  ({asked})" if asked else ""), *table.says], width)
    grid, told = _ranked(used, width, room) if used.ranked else (blocks(used, width), [])
    below = [*_problems(table, width, room.problems)]
    below += _wrapped_all((*told, *(table.notes if room.notes else ())), width, "  ")
    space = [""] if room.spaced and grid else []
    return [*lines, *(space if lines else []), *grid, *(space if below else []), *below]


def _ranked(table: FindingTable, width: int, room: _Room) -> tuple[list[str], list[str]]:
    """Return the lines of ranked rows, and notes on what has no room and on rows without a rank."""
    most = room.rows if room.rows and len(table.rows) > room.rows + 1 else None
    grid, left_out = ranked_grid(replace(table, rows=table.rows[:most]), width)
    told = _told_in_words(table, left_out)
    notes = [told] if told else []
    notes += [f"{row.name}: {row.note}" for row in table.rows if row.note]
    notes += [f"And {counted(len(table.rows) - most, 'more judge')} (--all)."] if most else []
    return grid, notes


def _told_in_words(table: FindingTable, left_out: Sequence[Measure]) -> str:
    """The columns without a place in the table: what is alike for all, then the others."""
    alike = [column for column in left_out if is_alike(table, column)]
    told = (f"{c.title.lower()} {marked(c, table.cell(table.rows[0], c))}" for c in alike)
    texts = [f"Alike for all: {', '.join(told)}."] if alike else []
    names = ", ".join(column.title for column in left_out if column not in alike)
    texts += [f"Tested, no problem found (not shown for lack of room): {names}."] if names else []
    return " ".join(texts)


def _without_common_keys(table: FindingTable) -> tuple[FindingTable, str]:
    """The table without the keys that are alike in all rows, but one, and these as a text."""
    places = range(len(table.keys))
    alike = [place for place in places if len({row.keys[place] for row in table.rows}) == 1]
    alike = alike[: len(table.keys) - 1]
    kept = [place for place in places if place not in alike]
    rows = (replace(row, keys=tuple(row.keys[place] for place in kept)) for row in table.rows)
    keys = tuple(table.keys[place] for place in kept)
    common = "; ".join(f"{table.keys[place]}: {table.rows[0].keys[place]}" for place in alike)
    return replace(table, keys=keys, rows=tuple(rows)), common


def _problems(table: FindingTable, width: int, most: int | None) -> Iterator[str]:
    """Yield the problems of rows; what to do about one stands behind the first of its kind.

    Where room is scarce, problems of further rows have one line together.
    """
    with_some = [row for row in table.rows if row.problems]
    told: set[str] = set()
    for row in with_some[:most]:
        for problem in row.problems:
            text = str(replace(problem, todo="") if problem.todo in told else problem)
            told.add(problem.todo)
            yield from wrapped(f"! {row.name}: {text}", width, "  ")
    further: dict[str, list[str]] = {}
    for row in with_some[most:] if most is not None else ():
        for title in dict.fromkeys(problem.title for problem in row.problems):
            further.setdefault(title, []).append(row.name)
    if further:
        texts = (f"{title}: {listed(names, 4)}" for title, names in further.items())
        yield from wrapped(f"! {'. '.join(texts)} (--all).", width, "  ")
