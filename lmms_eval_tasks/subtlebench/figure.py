"""VLM-SubtleBench in one picture: accuracy by type, and heat maps of controlled sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lmms_eval_tasks.subtlebench.items import TYPES
from lmms_eval_tasks.subtlebench.numbers import (
    accuracy,
    accuracy_by,
    accuracy_by_cell,
    part,
    random_guess,
)
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.heat_map import draw_heat_map
from pairbench_ext.show.figures.style import (
    GREY,
    SERIES,
    light_grid,
    saved_figure,
    short_names,
    wrapped,
)
from pairbench_ext.statistics.shares import Share

Tables: TypeAlias = Mapping[str, OutcomeTable]

_ALL = "all"
_ROW = 0.34  # inches
_MAP_WIDTH, _MAPS_PER_LINE = 4.1, 3
_NAME_WIDTH = 44


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw one or several runs and write the picture.

    Runs of controlled sets are heat maps of the accuracy in every cell (Figure 5). All others share
    a panel: accuracy by type of difference with 95% intervals, and what random guesses reach.

    Args:
        runs: of multiple choice.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the picture cannot be written.
    """
    runs = in_order(runs)
    names = [wrapped(name, _NAME_WIDTH) for name in short_names([run.name for run in runs])]
    tables = {name: run.table for name, run in zip(names, runs, strict=True)}
    maps = {name: cells for name, table in tables.items() if (cells := accuracy_by_cell(table))}
    others = {name: table for name, table in tables.items() if name not in maps}
    heights = []
    if others:
        heights.append(1.3 + 0.2 * len(others) + len(TYPES) * max(_ROW, 0.16 * len(others)))
    if maps:
        tallest = max(map(len, maps.values()))
        heights.append((1.35 + 0.4 * tallest) * math.ceil(len(maps) / _MAPS_PER_LINE))
    width = max(9.2 if others else 0.0, _MAP_WIDTH * min(len(maps), _MAPS_PER_LINE) + 0.6)
    with saved_figure(path, (width, sum(heights)), title=heading(runs, width)) as figure:
        areas = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        if others:
            _draw_types(areas[0].subplots(), others)
            areas[0].legend(loc="outside lower left", ncols=2)
        if maps:
            _draw_maps(areas[-1], maps, tables)


def _draw_types(axes: Any, tables: Tables) -> None:
    """Draw a line for each type: every run's accuracy with its interval, and random guesses."""
    present = {category for table in tables.values() for category in table.labels("category")}
    lines = [*(name for name in TYPES if name in present), _ALL]
    for number, (name, table) in enumerate(tables.items()):
        shares = {**accuracy_by(table, "category"), _ALL: accuracy(table)}
        colour, marker = SERIES[number % len(SERIES)]
        places = [place for place, line in enumerate(lines) if line in shares]
        values = np.array([shares[lines[place]].value for place in places])
        ends = np.array([shares[lines[place]].interval for place in places]).T
        axes.errorbar(
            100 * values,
            np.array(places) + 0.7 * ((number + 0.5) / len(tables) - 0.5),
            xerr=100 * np.nan_to_num(np.abs(ends - values)),
            fmt=marker,
            ms=5,
            lw=1.1,
            color=colour,
            label=name,
        )
    for place, line in enumerate(lines):
        parts = [t if line == _ALL else part(t, "category", line) for t in tables.values()]
        guess = 100 * np.nanmean([random_guess(table) for table in parts])
        label = "random guesses" if place == 0 else None
        axes.plot([guess] * 2, [place - 0.38, place + 0.38], color=GREY, lw=1.4, label=label)
    axes.set_yticks(range(len(lines)), lines)
    axes.set(xlim=(0, 102), ylim=(len(lines) - 0.45, -0.55), xlabel="accuracy, per cent")
    axes.set_title("Accuracy by type of difference, 95% intervals")
    light_grid(axes, "x")


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
