"""Write a paper's table as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.paper_table import PaperTable, Row

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
    """Return a cell that a spreadsheet does not take for a formula.

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
    r"""Return a text escaped for LaTeX.

    >>> print(latex_text("a_b & 5%"))
    a\_b \& 5\%
    """
    return _LATEX.sub(lambda match: _SIGNS.get(match[0], f"\\{match[0]}"), " ".join(text.split()))


def markdown(table: PaperTable, *, intervals: bool = False) -> str:
    """Return the table in Markdown."""
    lines = [["judge", *titles(table)], ["---", *("---:" for _ in table.columns)]]
    lines += [[name(row), *texts(table, row, intervals, best="**{}**")] for row in table.rows]
    escaped = ([text.replace("|", "&#124;") for text in line] for line in lines)
    notes = ["", *(f"Note: {note}." for note in table.notes)] if table.notes else []
    return "\n".join([table.title, "", *(f"| {' | '.join(line)} |" for line in escaped), *notes])


def latex(table: PaperTable, *, intervals: bool = False) -> str:
    """Return the table in LaTeX, for the package booktabs."""
    body: list[str] = []
    for row in table.rows:
        if body and _kind(row) != _kind(table.rows[len(body) - 1]):
            body[-1] += "\n\\midrule"
        cells = texts(table, row, intervals, best="\\textbf{{{}}}")
        body.append(f"{' & '.join([latex_text(name(row)), *cells])} \\\\")
    head = " & ".join(map(latex_text, ("judge", *titles(table))))
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


def as_csv(table: PaperTable, *, intervals: bool = True) -> str:
    """Return the table in CSV; the ends of intervals have columns of their own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ends = ("", " low", " high") if intervals else ("",)
    columns = [f"{column.title}{end}" for column in table.columns for end in ends]
    writer.writerow(map(csv_cell, ["table", "judge", "published", "own items", *columns]))
    for row in table.rows:
        values = chain.from_iterable((c.value, *c.ci95)[: len(ends)] for c in row.cells)
        shown = ("" if math.isnan(value) else f"{value:.6g}" for value in values)
        names = table.title, row.name, "yes" if row.published else "no", str(row.own or "")
        writer.writerow(map(csv_cell, [*names, *shown]))
    for note in table.notes:
        writer.writerow(map(csv_cell, [table.title, f"note: {note}"]))
    return text.getvalue().rstrip("\n")


#: The forms of a table, by their names.
FORMS: Mapping[str, Callable[..., str]] = {"latex": latex, "csv": as_csv, "markdown": markdown}


def name(row: Row) -> str:
    """Return a row's name, marked if it is published, or of a judge's own items."""
    if row.published:
        return f"{row.name} (published)"
    return f"{row.name} (own {counted(row.own, 'item')})" if row.own else row.name


def _kind(row: Row) -> tuple[bool, bool]:
    return row.published, row.own > 0


def titles(table: PaperTable) -> list[str]:
    """Return the titles of the columns of numbers."""
    return [f"{column.title}{' (%)' if column.percent else ''}" for column in table.columns]


def texts(table: PaperTable, row: Row, intervals: bool, best: str) -> Iterator[str]:
    """Yield the cells of a row; `best` formats the best ones."""
    for column, cell in zip(table.columns, row.cells, strict=True):
        scale = 100 if column.percent else 1
        value, low, high = (decimal(scale * v, column.digits) for v in (cell.value, *cell.ci95))
        text = "-" if math.isnan(cell.value) else best.format(value) if cell.best else value
        yield f"{text} [{low}, {high}]" if intervals and not math.isnan(cell.ci95.low) else text
