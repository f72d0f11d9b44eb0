"""Turn findings into data frames and Matplotlib figures; both need optional packages."""

from importlib import import_module
from textwrap import fill
from typing import Any

from pairbench_ext.core.extras import MissingPackageError, require
from pairbench_ext.core.findings import Finding, FindingTable, Measure

_ROW, _WIDTH = 0.32, 7.0  # inches
_LETTERS = 36  # of a label, in a line
_BLUE, _GREY = "#0072B2", "#5B6570"


def frame(finding: Finding, table: str | None = None) -> Any:
    """Return tables of a finding as one data frame; see `Finding.to_frame` for the arguments."""
    shown = [t for t in finding.tables if not t.detail] or list(finding.tables)
    tables = shown if table is None else [finding.table(table)]
    records = [record for part in tables for record in part.records()]
    for name in ("pandas", "polars"):
        try:
            library = import_module(name)
        except ModuleNotFoundError:
            continue
        columns = dict.fromkeys(key for record in records for key in record)
        return library.DataFrame({key: [r.get(key) for r in records] for key in columns})
    raise MissingPackageError("a data frame needs pandas or polars: run pip install pandas")


def plot(finding: Finding) -> Any:
    """Return a figure that shows, for each table, the main metric of each row with its interval."""
    drawn = [(table, column) for table in finding.tables if (column := _drawn(table)) is not None]
    if not drawn:
        raise ValueError("this result has no measured number, so there is nothing to draw")
    require("matplotlib", "a figure")
    from matplotlib.figure import Figure

    heights = [0.9 + _ROW * len(table.rows) for table, _ in drawn]
    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    panels = figure.subplots(len(drawn), 1, squeeze=False, height_ratios=heights)
    for [axes], (table, column) in zip(panels, drawn, strict=True):
        _draw(axes, table, column)
    return figure


def _drawn(table: FindingTable) -> Measure | None:
    """Return the column to draw: the main one, or the first number with an interval."""
    numbers = [
        column
        for column in table.columns
        if any(isinstance(table.cell(r, column).value, (int, float)) for r in table.rows)
    ]
    sure = [c for c in numbers if any(table.cell(row, c).ci95 for row in table.rows)]
    main = [column for column in numbers if column.main]
    return None if table.detail else next(iter([*main, *sure, *numbers]), None)


def _draw(axes: Any, table: FindingTable, column: Measure) -> None:
    for place, row in enumerate(table.rows):
        cell = table.cell(row, column)
        if not isinstance(cell.value, (int, float)):
            continue
        if cell.ci95:
            axes.plot(cell.ci95, (place, place), color=_BLUE, lw=2.5, alpha=0.45)
        axes.plot(cell.value, place, "o", color=_BLUE)
    if column.reference is not None:
        axes.axvline(column.reference, color=_GREY, lw=0.8, ls="--", label=column.reference_says)
    if column.scale is not None:
        low, high = column.scale
        axes.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    axes.set_yticks(range(len(table.rows)), _labels(table), parse_math=False)
    axes.set_ylim(len(table.rows) - 0.5, -0.5)
    ends = ", 95% CI" if any(table.cell(row, column).ci95 for row in table.rows) else ""
    axes.set_title(f"{table.title}: {column.title}{ends}", loc="left", fontsize=10,
                   parse_math=False)  # fmt: skip
    axes.locator_params(axis="x", nbins=6)
    axes.spines[["top", "right"]].set_visible(False)


def _labels(table: FindingTable) -> list[str]:
    """Return a name for each row: the keys in which rows differ, the last one if there is none."""
    keys = list(zip(*(row.keys for row in table.rows), strict=True))
    differ = [values for values in keys if len(set(values)) > 1] or keys[-1:]
    return [fill(", ".join(names), _LETTERS) for names in zip(*differ, strict=True)]
