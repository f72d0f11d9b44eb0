"""Accuracy over the cells of a controlled set: how hard it gets along two axes.

Paper: VLM-SubtleBench, Section 4.4 and Figure 5. Every item of such a set is in one cell, which has
one value of each axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.subtlebench.choice_accuracy import accuracy_with_interval
from lmms_eval_tasks.subtlebench.choices import ChoiceTable, Value
from lmms_eval_tasks.subtlebench.sets.axes import label
from pairbench_ext.core.outcome_table import Name
from pairbench_ext.statistics.shares import Share


@dataclass(frozen=True)
class CellGrid:
    """Accuracy in every cell.

    Attributes:
        axes: their names, in the order of the data.
        values: the values of each axis, sorted, numbers before texts.
        shares: by one value of each axis: share of right answers, with its interval by bootstrap
            over the pairs of images, and the number of answers. Cells without answers are missing.
    """

    axes: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    shares: Mapping[tuple[Value, ...], Share]

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """Accuracies, one dimension per axis; NaN in cells without answers."""
        matrix = np.full([len(values) for values in self.values], np.nan)
        for cell, found in self.shares.items():
            place = tuple(values.index(v) for v, values in zip(cell, self.values, strict=True))
            matrix[place] = found.value
        return matrix


def accuracy_by_cell(table: ChoiceTable) -> list[CellGrid]:
    """Accuracy in every cell; unusable answers are wrong.

    Args:
        table: the answers; those to items of no controlled set have no cell.

    Returns:
        A grid for each set of axes; none if no item is in a cell.
    """
    by_axes: dict[frozenset[str], dict[Name, dict[str, Value]]] = {}
    for choice in table.rows:
        if choice.cell:
            cell = dict(choice.cell)
            by_axes.setdefault(frozenset(cell), {}).setdefault(choice.item, cell)
    return [_grid(table, cells) for cells in by_axes.values()]


def cells_table(table: ChoiceTable) -> dict[str, dict[str, Share | None]]:
    """Accuracy by cell: a line for the values of all axes but the last, by those of the last one.

    Returns:
        None in cells without answers; nothing if no item is in a cell.
    """
    lines: dict[str, dict[str, Share | None]] = {}
    for grid in accuracy_by_cell(table):
        for *line, value in product(*grid.values):
            cell = dict(zip(grid.axes, (*line, value), strict=True))
            last = {grid.axes[-1]: cell.pop(grid.axes[-1])}
            lines.setdefault(label(cell), {})[label(last)] = grid.shares.get((*line, value))
    return lines


def _grid(table: ChoiceTable, cells: Mapping[Name, Mapping[str, Value]]) -> CellGrid:
    axes = tuple(next(iter(cells.values())))
    keys = {item: tuple(cell[axis] for axis in axes) for item, cell in cells.items()}
    answers: dict[tuple[Value, ...], ChoiceTable] = {
        key: table.where(lambda choice, key=key: keys.get(choice.item) == key)  # type: ignore[misc]
        for key in dict.fromkeys(keys.values())
    }
    return CellGrid(
        axes=axes,
        values=tuple(_sorted(column) for column in zip(*answers, strict=True)),
        shares={key: accuracy_with_interval(part) for key, part in answers.items()},
    )


def _sorted(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(sorted(set(values), key=lambda v: (isinstance(v, str), v)))  # never text < number
