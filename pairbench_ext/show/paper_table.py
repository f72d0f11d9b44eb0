"""Write a benchmark's table, in its paper's layout, as Markdown, LaTeX or CSV."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pairbench_ext.core.findings import FindingRow, FindingTable, Quantity

_LATEX = re.compile(r"[\\{}$&#^_~%<>|]|^[\[*]")
_SIGNS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # at the start of a line it would be an argument of the line before
    "*": "{*}",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_cell(text: str) -> str:
    """Return a cell's text for CSV, in a form that no spreadsheet takes for a formula.

    >>> csv_cell("=HYPERLINK(1)"), csv_cell("-0.25"), csv_cell("a-b")
    ("'=HYPERLINK(1)", '-0.25', 'a-b')
    """
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def latex_text(text: str) -> str:
    r"""Return a text with LaTeX's special characters escaped.

    >>> print(latex_text("a_b & 5%"))
    a\_b \& 5\%
    """
    return _LATEX.sub(lambda match: _SIGNS.get(match[0], f"\\{match[0]}"), " ".join(text.split()))


def markdown(table: FindingTable) -> str:
    """Return a benchmark's table in Markdown."""
    lines = [
        ["judge", *(column.head for column in table.columns)],
        ["---", *("---:" for _ in table.columns)],
    ]
    lines += [[name(row), *texts(table, row, best="**{}**")] for row in table.rows]
    escaped = ([text.replace("|", "&#124;") for text in line] for line in lines)
    notes = ["", *(f"Note: {note}." for note in table.notes)] if table.notes else []
    return "\n".join([table.title, "", *(f"| {' | '.join(line)} |" for line in escaped), *notes])


def latex(table: FindingTable) -> str:
    """Return a benchmark's table in LaTeX, for the package booktabs."""
    body: list[str] = []
    for row in table.rows:
        if body and _kind(row) != _kind(table.rows[len(body) - 1]):
            body[-1] += "\n\\midrule"
        cells = texts(table, row, best="\\textbf{{{}}}")
        body.append(f"{' & '.join([latex_text(name(row)), *cells])} \\\\")
    head = " & ".join(map(latex_text, ("judge", *(column.head for column in table.columns))))
    return "\n".join(
        [
            f"% {' '.join(table.title.split())}; needs \\usepackage{{booktabs}}",
            f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
            "\\toprule",
            f"{head} \\\\",
            "\\midrule",
            *body,
            "\\bottomrule",
            "\\end{tabular}",
            *(f"\\par{{\\footnotesize {latex_text(note)}.}}" for note in table.notes),
        ]
    )


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a header and rows of cells as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(csv_cell, row) for row in rows)
    return text.getvalue()


def as_csv(table: FindingTable) -> str:
    """Return a benchmark's table in CSV, with columns for the bounds of each interval."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    sure = any(table.cell(row, c).ci95 for row in table.rows for c in table.columns)
    ends = ("", " low", " high") if sure else ("",)
    names = [f"{column.title}{end}" for column in table.columns for end in ends]
    writer.writerow(map(csv_cell, ["table", "judge", "items", *names]))
    for row in table.rows:
        values = (x for c in table.columns for x in _ends(table.cell(row, c))[: len(ends)])
        writer.writerow(map(csv_cell, [table.title, row.keys[0], _kind(row), *values]))
    for note in table.notes:
        writer.writerow(map(csv_cell, [table.title, f"note: {note}"]))
    return text.getvalue().rstrip("\n")


def _ends(cell: Quantity) -> list[str]:
    """Return a value and the ends of its interval, each empty where it is unknown."""
    values = (cell.value, *(cell.ci95 or (None, None)))
    return [f"{x:.6g}" if isinstance(x, (int, float)) else "" for x in values]


#: The forms of a table, by their names.
FORMS: Mapping[str, Callable[[FindingTable], str]] = {
    "latex": latex,
    "csv": as_csv,
    "markdown": markdown,
}


def name(row: FindingRow) -> str:
    """Return a row's name, with a mark if it is from the paper or its judge had other items."""
    return f"{row.keys[0]} ({_kind(row)})" if _kind(row) else row.keys[0]


def _kind(row: FindingRow) -> str:
    """Return of which items a row is; empty for those that all judges were asked."""
    return "".join(row.keys[1:])


def texts(table: FindingTable, row: FindingRow, best: str) -> Iterator[str]:
    """Yield the texts of a row's cells; `best` is the format for the best value of a column."""
    for column in table.columns:
        cell = table.cell(row, column)
        value = column.spell(cell.value)
        text = best.format(value) if cell.best else value
        yield f"{text} [{', '.join(map(column.spell, cell.ci95))}]" if cell.ci95 else text
