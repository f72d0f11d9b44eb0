"""VLM-SubtleBench in one picture: accuracy by type, letters, and heat maps of controlled sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lmms_eval_tasks.subtlebench.items import TYPES
from lmms_eval_tasks.subtlebench.numbers import (
    CellGrid,
    accuracy,
    accuracy_by,
    accuracy_by_cell,
    by_letter,
    part,
    random_guess,
)
from lmms_eval_tasks.subtlebench.scenes import Value
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.runs.scoring import Run
from pairbench_ext.show.figures.heading import heading, in_order
from pairbench_ext.show.figures.heat_map import draw_heat_map
from pairbench_ext.show.figures.style import (
    GREY,
    INK,
    RULE,
    SERIES,
    light_grid,
    row_height,
    saved_figure,
    short_names,
    wrapped,
)
from pairbench_ext.statistics.shares import Share

_ALL = "all"
_ROW = 0.34  # inches
_MAP_WIDTH, _MAPS_PER_LINE = 4.1, 3
_NAME_WIDTH = 44
_KEY_WIDTH, _MOST_COLUMNS = 100, 4  # letters across the picture; columns of its key
_NOT_RUNS = 2  # of what the key explains: guesses, and right options


class _Map(NamedTuple):
    """A heat map: the run that it is of, and its cells."""

    name: str
    table: OutcomeTable
    cells: CellGrid


def save_figure(runs: Sequence[Run], path: Path) -> None:
    """Draw one or several runs and write the picture.

    Runs of controlled sets are heat maps of the accuracy in every cell (Figure 5). All others share
    two panels: accuracy by type of difference with 95% intervals and what random guesses reach, and
    how often each letter was chosen and right.

    Args:
        runs: of multiple choice.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if there is no run or the picture cannot be written.
    """
    runs = in_order(runs)
    names = short_names([run.name for run in runs])
    named = {name: run.table for name, run in zip(names, runs, strict=True)}
    maps = [
        _Map(name, table, cells)
        for name, table in named.items()
        for cells in accuracy_by_cell(table)
    ]
    drawn = {one.name for one in maps}
    others = {name: table for name, table in named.items() if name not in drawn}
    blocks = [
        *([_panels_height(others)] if others else []),
        *([_maps_height(maps)] if maps else []),
    ]
    across = min(len(maps), _MAPS_PER_LINE)
    width = max(9.2 if others else 0.0, _MAP_WIDTH * across + 0.6)
    with saved_figure(path, (width, sum(blocks)), title=heading(runs, width)) as figure:
        parts = figure.subfigures(len(blocks), 1, height_ratios=blocks, squeeze=False)[:, 0]
        if others:
            _draw_panels(parts[0], others)
        if maps:
            _draw_maps(parts[-1], maps)


def _panels_height(runs: Mapping[str, OutcomeTable]) -> float:
    rows = len(_types(runs)) + 1
    names = [wrapped(name, _NAME_WIDTH) for name in runs]
    key = -(-(len(names) + _NOT_RUNS) // _key_columns(names)) * row_height(names, 0.2)
    return 0.9 + rows * max(_ROW, 0.16 * len(runs)) + key


def _key_columns(names: Sequence[str]) -> int:
    """As many as the picture is wide enough for."""
    longest = max(len(line) for name in names for line in name.split("\n"))
    return max(1, min(_MOST_COLUMNS, _KEY_WIDTH // (longest + 6)))


def _types(runs: Mapping[str, OutcomeTable]) -> list[str]:
    present = {name for table in runs.values() for name in table.labels("category")}
    return [name for name in TYPES if name in present]


def _draw_panels(area: Any, runs: Mapping[str, OutcomeTable]) -> None:
    left, right = area.subplots(1, 2, width_ratios=(2.1, 1))
    _draw_types(left, runs)
    _draw_letters(right, runs)
    columns = _key_columns([wrapped(name, _NAME_WIDTH) for name in runs])
    area.legend(loc="outside lower left", ncols=min(columns, len(runs) + _NOT_RUNS))


def _draw_types(axes: Any, runs: Mapping[str, OutcomeTable]) -> None:
    """A line a type: every run's accuracy with its interval, and random guesses."""
    lines = [*_types(runs), _ALL]
    step = 0.7 / len(runs)
    for number, (name, table) in enumerate(runs.items()):
        shares = accuracy_by(table, "category")
        shares[_ALL] = accuracy(table)
        shift = (number - (len(runs) - 1) / 2) * step
        colour, marker = SERIES[number % len(SERIES)]
        places = [place for place, line in enumerate(lines) if line in shares]
        values = [shares[lines[place]] for place in places]
        heights = np.array(places) + shift
        axes.errorbar(
            [100 * share.value for share in values],
            heights,
            xerr=100 * np.array([_bars(share) for share in values]).T,
            fmt=marker,
            ms=5,
            lw=1.1,
            color=colour,
            label=wrapped(name, _NAME_WIDTH),
        )
    for place, line in enumerate(lines):
        guesses = [_guess(table, line) for table in runs.values()]
        guess = 100 * np.nanmean(guesses)
        label = "random guesses" if place == 0 else None
        axes.plot([guess] * 2, [place - 0.38, place + 0.38], color=GREY, lw=1.4, label=label)
    axes.axhline(len(lines) - 1.5, color=RULE, lw=0.8)
    axes.set_yticks(range(len(lines)), lines)
    axes.set(xlim=(0, 102), ylim=(len(lines) - 0.45, -0.55), xlabel="accuracy, per cent")
    axes.set_title("Accuracy by type of difference, 95% intervals")
    light_grid(axes, "x")


def _bars(share: Share) -> tuple[float, float]:
    """How far the interval goes below and above the share; 0 where there is none."""
    if math.isnan(share.interval.low):
        return 0.0, 0.0
    return max(0.0, share.value - share.interval.low), max(0.0, share.interval.high - share.value)


def _guess(table: OutcomeTable, line: str) -> float:
    return random_guess(table if line == _ALL else part(table, "category", line))


def _draw_letters(axes: Any, runs: Mapping[str, OutcomeTable]) -> None:
    """How often each letter was chosen, beside how often it was right, in shares of the answers."""
    letters = [by_letter(table) for table in runs.values()]
    n_letters = max(map(len, letters), default=0)
    step = 0.7 / len(runs)
    for number, counts in enumerate(letters):
        chosen = np.array([one.chosen for one in counts.values()], dtype=np.float64)
        truth = np.array([one.truth for one in counts.values()], dtype=np.float64)
        shift = (number - (len(runs) - 1) / 2) * step
        places = np.arange(len(chosen)) + shift
        total = max(1.0, chosen.sum())
        colour = SERIES[number % len(SERIES)][0]
        axes.barh(places, 100 * chosen / total, step * 0.86, color=colour, alpha=0.75)
        style = {"color": INK, "lw": 1.6, "label": None if number else "right option"}
        for place, share in zip(places, 100 * truth / total, strict=True):
            axes.plot([share] * 2, [place - step * 0.43, place + step * 0.43], **style)
            style["label"] = None
    axes.set_yticks(range(n_letters), [chr(ord("A") + place) for place in range(n_letters)])
    axes.set(ylim=(n_letters - 0.45, -0.55), xlabel="per cent of usable answers")
    axes.set_title("Letters chosen")
    light_grid(axes, "x")


def _maps_height(maps: Sequence[_Map]) -> float:
    tallest = max(len(_lines(one.cells)) for one in maps)
    return (1.35 + 0.4 * tallest) * -(-len(maps) // _MAPS_PER_LINE)


def _lines(cells: CellGrid) -> list[str]:
    """The rows of a heat map: the values of all axes but the last."""
    *values, _ = cells.values
    grids = np.stack(np.meshgrid(*map(np.arange, map(len, values)), indexing="ij"), axis=-1)
    return [
        ", ".join(_value(values[axis][place]) for axis, place in enumerate(places))
        for places in grids.reshape(-1, len(values)).tolist()
    ]


def _draw_maps(area: Any, maps: Sequence[_Map]) -> None:
    across = min(len(maps), _MAPS_PER_LINE)
    down = -(-len(maps) // across)
    panels = area.subplots(down, across, squeeze=False).ravel()
    for axes, (name, table, cells) in zip(panels, maps, strict=False):
        columns = [_value(value) for value in cells.values[-1]]
        keys = product(*cells.values)
        shares = [cells.shares[key].value if key in cells.shares else math.nan for key in keys]
        matrix = np.array(shares).reshape(-1, len(columns))
        draw_heat_map(axes, matrix, _lines(cells), columns, text=_per_cent)
        *others, last = cells.axes
        axes.set(xlabel=last.replace("_", " "), ylabel=", ".join(others).replace("_", " "))
        axes.set_title(wrapped(name, _NAME_WIDTH))
        overall = f"all {_per_cent(accuracy(table).value)}%"
        guess = f"random guesses {_per_cent(random_guess(table))}%"
        axes.text(1, 1.015, f"{overall}, {guess}", transform=axes.transAxes, ha="right", color=GREY)
    for axes in panels[len(maps) :]:
        axes.set_visible(False)


def _per_cent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.0f}"


def _value(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"
