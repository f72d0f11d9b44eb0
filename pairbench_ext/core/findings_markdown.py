"""Write findings as Markdown, with tables that GitHub can show."""

import re
from collections.abc import Iterator

from pairbench_ext.core.findings import Finding, FindingTable, Measure, Quantity

_SPECIAL = re.compile(r"([\\\\`*_{}\[\]<>#|~@])")
_MOST = 50  # rows of a table


def render(finding: Finding) -> str:
    """Return a finding as Markdown: the first sentence in bold, then the rest and the tables."""
    first, *others = finding.says or ("",)
    lines = [f"**{escaped(first)}**"] if first else []
    lines += [f"- {escaped(line)}" for line in others]
    for table in finding.tables:
        if not table.empty:
            lines += ["", *_table(table.used())]
    lines += ["", *(f"<sub>{escaped(line)}</sub>" for line in finding.notes)]
    return "\n".join(lines).strip() + "\n"


def escaped(text: str) -> str:
    r"""Return a text of unknown origin, escaped so that nothing in it acts as Markdown or HTML.

    >>> print(escaped("a|b <i> 1_000"))
    a\|b \<i\> 1\_000
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("@", "@\u200b")


def _table(table: FindingTable) -> Iterator[str]:
    yield f"**{escaped(table.title)}**"
    yield from ("", *(escaped(line) for line in table.says))
    if table.rows and table.columns:
        titles = [*table.keys, *(column.head for column in table.columns)]
        yield ""
        yield _line(titles)
        yield "|" + " --- |" * len(table.keys) + " ---: |" * len(table.columns)
        for row in table.rows[:_MOST]:
            cells = [_cell(column, table.cell(row, column)) for column in table.columns]
            yield _line([*row.keys, *cells])
        if len(table.rows) > _MOST:
            yield f"\nand {len(table.rows) - _MOST:,} more rows"
    yield from ("", *(escaped(line) for line in table.notes))


def _cell(column: Measure, cell: Quantity) -> str:
    ends = f" ({column.spell_interval(cell.ci95)})" if cell.ci95 else ""
    return column.spell(cell.value) + ("*" if cell.best else "") + ends


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"
