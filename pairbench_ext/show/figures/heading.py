"""What every picture says of itself: the benchmark, whose answers they are, to which tasks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.core.natural_order import by_value
from pairbench_ext.runs.completeness import judge_of
from pairbench_ext.runs.files import task_name
from pairbench_ext.show.figures.style import shared_parts

if TYPE_CHECKING:
    from pairbench_ext.runs.scoring import Run

_MOST = 3  # names that are listed
_PER_INCH = 11  # letters of a heading


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Runs in the order of a picture: as given, but run2 before run10 where a shell listed them.

    Raises:
        ValueError: if there is none.
    """
    if not runs:
        raise ValueError("there is no run to draw")
    return by_value(runs, lambda run: run.name)


def heading(runs: Sequence[Run], width: float) -> str:
    """The benchmark, the judge or judges, the data, and what the names in a picture leave out.

    Args:
        runs: of one benchmark.
        width: of the picture in inches.
    """
    parts = [
        runs[0].benchmark.title,
        _listed("judge", [judge_of(run.file) for run in runs]),
        _listed("task", [_task(run.file) for run in runs]),
    ]
    said = " ".join(parts)
    shared = [
        part
        for part in shared_parts([run.name for run in runs])
        if part.rstrip("\u2026") not in said
    ]
    text = " \u00b7 ".join([*parts, *(f"names: {part}" for part in shared)])
    return textwrap.fill(text, max(30, int(_PER_INCH * width)))


def _task(file: Path) -> str:
    return task_name(file) if "samples_" in file.name else "plain rows"


def _listed(noun: str, names: Sequence[str]) -> str:
    """Names, or how many there are and how they begin."""
    every = list(dict.fromkeys(names))
    if len(every) == 1:
        return f"{noun} {every[0]}"
    if len(every) <= _MOST:
        return f"{noun}s {', '.join(every)}"
    return " ".join([f"{len(every)} {noun}s", *shared_parts(every)])
