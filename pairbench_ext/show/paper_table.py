"""A paper's table as text: Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from pairbench_ext.core.decimals import decimal
from pairbench_ext.runs.paper_table import PaperTable, Row

_LATEX = re.compile(r"[\\{}$&#^_~%]")
_SIGNS = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}


def markdown(table: PaperTable, *, intervals: bool = False) -> str:
    """Return the table in Markdown."""
    lines = [["judge", *titles(table)], ["---", *("---:" for _ in table.columns)]]
    lines += [[name(row), *texts(table, row, intervals, best="**{}**")] for row in table.rows]
    escaped = ([text.replace("|", "&#124;") for text in line] for line in lines)
    return "\n".join([table.title, "", *(f"| {' | '.join(line)} |" for line in escaped)])


def latex(table: PaperTable, *, intervals: bool = False) -> str:
    """Return the table in LaTeX, for the package booktabs."""
    body: list[str] = []
    for row in table.rows:
        if body and not row.published and table.rows[len(body) - 1].published:
            body[-1] += "\n\\midrule"
        cells = texts(table, row, intervals, best="\\textbf{{{}}}")
        body.append(f"{' & '.join([_escaped(name(row)), *cells])} \\\\")
    head = " & ".join(map(_escaped, ("judge", *titles(table))))
    return "\n".join(
        [
            f"% {table.title}; needs \\usepackage{{booktabs}}",
            f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
            "\\toprule",
            f"{head} \\\\",
            "\\midrule",
            *body,
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def as_csv(table: PaperTable, *, intervals: bool = True) -> str:
    """Return the table in CSV; the ends of intervals have columns of their own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ends = ("", " low", " high") if intervals else ("",)
    columns = [f"{column.title}{end}" for column in table.columns for end in ends]
    writer.writerow(["table", "judge", "published", *columns])
    for row in table.rows:
        values = chain.from_iterable((c.value, *c.ci95)[: len(ends)] for c in row.cells)
        shown = ("" if math.isnan(value) else f"{value:.6g}" for value in values)
        writer.writerow([table.title, row.name, "yes" if row.published else "no", *shown])
    return text.getvalue().rstrip("\n")


#: The forms of a table, by their names.
FORMS: Mapping[str, Callable[..., str]] = {"latex": latex, "csv": as_csv, "markdown": markdown}


def name(row: Row) -> str:
    """Return a row's name, marked if it is of the published table."""
    return f"{row.name} (published)" if row.published else row.name


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


def _escaped(text: str) -> str:
    return _LATEX.sub(lambda match: _SIGNS.get(match[0], f"\\{match[0]}"), text)
