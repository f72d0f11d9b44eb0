"""Figure 3 of VL-RewardBench: by how much the better answers are longer than the worse ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lmms_eval_tasks.preference.lengths import Lengths, LengthSummary
from pairbench_ext.show.figures.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    light_grid,
    saved_figure,
    two_digits,
)

_MOST_BINS = 40


def save_lengths(
    lengths: Lengths, found: Mapping[str, LengthSummary], title: str, path: Path
) -> None:
    """Draw a row per group and one for all: the differences, and the better answers' lengths.

    Args:
        lengths: of the pairs.
        found: what they come to, by group.
        title: above all panels.
        path: where to, in the format that its suffix says.

    Raises:
        ValueError: if the picture cannot be written.
    """
    edges = _edges(lengths.difference), _edges(lengths.better)
    with saved_figure(path, (9, 0.6 + 1.5 * len(found)), title=title) as figure:
        rows = figure.subplots(len(found), 2, squeeze=False, sharex="col")
        for (left, right), (name, summary) in zip(rows, found.items(), strict=True):
            own = lengths.of(name)
            longer = two_digits(summary.longer_better.value)
            said = f"median {summary.median:g}, longer is better: {longer}"
            _draw(left, own.difference, edges[0], BLUE, f"{name}, {summary.pairs} pairs: {said}")
            left.axvline(0, color=GREY, lw=1, ls=(0, (3, 2)))
            left.axvline(summary.median, color=INK, lw=1)
            _draw(right, own.better, edges[1], ORANGE, "")
        rows[0][1].set_title("the better answers")
        rows[-1][0].set_xlabel(f"{lengths.unit} of the better less those of the worse answer")
        rows[-1][1].set_xlabel(lengths.unit)


def _edges(counts: Any) -> Any:
    """Of bars as wide as a whole number, for all but the outermost hundredth."""
    low, high = map(round, np.percentile(counts, (0.5, 99.5)).tolist())
    width = max(1, -(-(high - low) // _MOST_BINS))
    return np.arange(low, high + 2 * width, width) - 0.5


def _draw(axes: Any, counts: Any, edges: Any, colour: str, title: str) -> None:
    """A histogram; what is beyond its ends is in the outermost bars."""
    axes.hist(np.clip(counts, edges[0], edges[-1] - 0.5), bins=edges, color=colour)
    axes.set_title(title)
    light_grid(axes, "y")
