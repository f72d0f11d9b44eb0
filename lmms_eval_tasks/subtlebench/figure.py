"""Draw accuracy by type of difference, and heat maps of accuracy on controlled sets."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lmms_eval_tasks.subtlebench.items import TYPES
from lmms_eval_tasks.subtlebench.numbers import accuracy, accuracy_by_cell, part, random_guess
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.charts import ChartRow, draw_forest, draw_heat_map
from pairbench_ext.show.figures.style import BLUE, GREY, heading, run_names, saved_figure
from pairbench_ext.statistics.shares import Share

Tables: TypeAlias = Mapping[str, OutcomeTable]

_ROW = 0.34  # inches
_MAP_WIDTH, _MAPS_PER_LINE = 4.1, 3
_NAME_WIDTH = 44


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw the accuracies of one or more runs and write the picture to a file.

    Runs of controlled sets are heat maps of the accuracy in every cell (Figure 5). All others share
    a row of panels: accuracy by type of difference with 95% intervals.

    Raises:
        ValueError: if the picture cannot be written.
    """
    names = run_names(runs, _NAME_WIDTH)
    tables = {name: run.table for name, run in zip(names, runs, strict=True)}
    maps = {name: cells for name, table in tables.items() if (cells := accuracy_by_cell(table))}
    others = {name: table for name, table in tables.items() if name not in maps}
    heights = []
    if others:
        heights.append(1.3 + len(TYPES) * _ROW)
    if maps:
        tallest = max(map(len, maps.values()))
        heights.append((1.35 + 0.4 * tallest) * math.ceil(len(maps) / _MAPS_PER_LINE))
    width = max(2 + 3.6 * len(others), _MAP_WIDTH * min(len(maps), _MAPS_PER_LINE) + 0.6)
    with saved_figure(path, (width, sum(heights)), title=heading(runs, width)) as figure:
        areas = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        if others:
            _draw_types(areas[0], others)
        if maps:
            _draw_maps(areas[-1], maps, tables)


def _draw_types(area: Any, tables: Tables) -> None:
    """Draw a panel for each run, with a row for each type; a line is what random guesses reach."""
    present = {category for table in tables.values() for category in table.labels("category")}
    panels = area.subplots(1, len(tables), sharex=True, squeeze=False)[0]
    for axes, (name, table) in zip(panels, tables.items(), strict=True):
        parts = {line: part(table, "category", line) for line in TYPES if line in present}
        parts["all"] = table
        shares = {line: accuracy(answers) for line, answers in parts.items()}
        rows = [ChartRow(key, share.value, *share.interval, BLUE) for key, share in shares.items()]
        draw_forest(axes, rows, named=axes is panels[0])
        for place, answers in enumerate(parts.values()):
            guess = random_guess(answers)
            axes.plot([guess] * 2, [-place - 0.4, 0.4 - place], color=GREY, lw=1.4)
        axes.set(xlim=(-0.03, 1.03), title=name)
    panels[0].set_xlabel(
        "accuracy by type of difference; bars: 95% intervals, grey: random guessing"
    )


def _draw_maps(
    area: Any, maps: Mapping[str, Mapping[str, Mapping[str, Share]]], tables: Tables
) -> None:
    across = min(len(maps), _MAPS_PER_LINE)
    panels = area.subplots(math.ceil(len(maps) / across), across, squeeze=False).ravel()
    for axes, (name, cells) in zip(panels, maps.items(), strict=False):
        columns = list(dict.fromkeys(column for line in cells.values() for column in line))
        shares = np.array(
            [[line[c].value if c in line else math.nan for c in columns] for line in cells.values()]
        )
        draw_heat_map(axes, shares, list(cells), columns, text=_per_cent)
        axes.set_title(name)
        axes.tick_params(axis="x", labelrotation=25)
        overall = f"all {_per_cent(accuracy(tables[name]).value)}%"
        guess = f"random guesses {_per_cent(random_guess(tables[name]))}%"
        axes.text(1, 1.015, f"{overall}, {guess}", transform=axes.transAxes, ha="right", color=GREY)
    for axes in panels[len(maps) :]:
        axes.set_visible(False)


def _per_cent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.0f}"
