"""The figure of a benchmark: its own, or the default one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.show.figures.numbers import save_figure

if TYPE_CHECKING:
    from pairbench_ext.runs.scoring import Run


def draw(runs: Sequence[Run], path: Path) -> None:
    """Draw runs of one benchmark to a file: its own figure, or the default one.

    Raises:
        ValueError: if the file's suffix names no kind of picture.
    """
    own = runs[0].benchmark.figure
    (save_figure if own is None else own)(runs, path)
