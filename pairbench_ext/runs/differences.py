"""Make a table of the differences between judges."""

import math
from collections.abc import Sequence
from dataclasses import replace

from pairbench_ext.core.findings import FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.runs.comparisons import Comparison, unit_of

_DIFFERENCE = Measure(
    "difference",
    "A minus B",
    "Number of judge A minus number of judge B, on the items that both were asked.",
    reference=0.0,
    digits=3,
    main=True,
)
_COLUMNS = (
    Measure("p", "p", "p-value of the hypothesis that the difference is 0.", "p"),
    Measure("p_holm", "p (Holm)", "The p-value adjusted for all comparisons together.", "p"),
    Measure("differs", "Significant", "Whether p (Holm) is at most 0.05.", "text"),
    Measure("items", "Items", "Items that both judges were asked.", "count"),
    Measure("only_a", "Only A", "Items that only the first judge was asked.", "count"),
    Measure("only_b", "Only B", "Items that only the second judge was asked.", "count"),
)


def differences_table(
    title: str, comparisons: Sequence[Comparison], *, detail: bool = False
) -> FindingTable:
    """Return a table of the differences between pairs of judges, with intervals and tests."""
    rows = tuple(map(_row, comparisons))
    columns = (replace(_DIFFERENCE, unit=unit_of(comparisons)), *_COLUMNS)
    names = ("Task", "Number", "A", "B")
    return FindingTable("differences", title, names, columns, rows, detail=detail)


def _row(pair: Comparison) -> FindingRow:
    tested = not math.isnan(pair.p)
    cells = {
        "difference": Quantity(pair.difference, pair.ci95, pair.items),
        "p": Quantity(pair.p),
        "p_holm": Quantity(pair.p_holm),
        "differs": Quantity(("yes" if pair.differs else "no") if tested else None),
        "items": Quantity(pair.items),
        "only_a": Quantity(pair.only_a or None),
        "only_b": Quantity(pair.only_b or None),
    }
    return FindingRow((pair.task, pair.number, pair.a, pair.b), cells)
