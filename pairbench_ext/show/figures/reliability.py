"""Reliability diagrams: how often answers of a probability are right, a panel for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pairbench_ext.show.figures.style import BLUE, GREY, light_grid, saved_panels, wrapped
from pairbench_ext.statistics.calibration import Bin

_PER_ROW, _LARGEST = 4, 120


def draw_reliability(runs: Mapping[str, Sequence[Bin]], path: Path) -> None:
    """Draw the bins of runs; dots are as large as their share of answers.

    Args:
        runs: by name.
        path: where to, in the format that its suffix says.
    """
    space = {"wspace": 0.2, "hspace": 0.2}
    with saved_panels(path, len(runs), _PER_ROW, (2.9, 2.9), **space) as panels:
        for axes, (name, bins) in zip(panels, runs.items(), strict=True):
            total = sum(each.n for each in bins)
            x, y = ([each[place] for each in bins] for place in (0, 1))
            axes.plot([0, 1], [0, 1], color=GREY, lw=0.8)
            axes.plot(x, y, color=BLUE, lw=1)
            axes.scatter(x, y, s=[8 + _LARGEST * each.n / total for each in bins], color=BLUE)
            axes.set(xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
            axes.set(xlabel="probability of the likeliest answer", ylabel="right")
            axes.set_title(wrapped(name, 28), fontsize=8)
            light_grid(axes)
