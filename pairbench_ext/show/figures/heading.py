"""The heading of a figure: the benchmark, the judges and the tasks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairbench_ext.core.plurals import listed, plural
from pairbench_ext.runs.completeness import judge_of

if TYPE_CHECKING:
    from pairbench_ext.runs.scoring import Run

_MOST = 3  # names that are listed
_PER_INCH = 11  # letters


def heading(runs: Sequence[Run], width: float) -> str:
    """Return the benchmark, the judges and the tasks of a figure, over as many lines as needed.

    Args:
        runs: of one benchmark.
        width: of the figure in inches.
    """
    judges = dict.fromkeys(run.judge for run in runs)
    if len(judges) == 1:  # the model says more than the folder
        judges = dict.fromkeys(judge_of(run.file) for run in runs)
    tasks = dict.fromkeys(run.task or "plain rows" for run in runs)
    parts = [runs[0].benchmark.title]
    for noun, names in (("judge", judges), ("task", tasks)):
        parts.append(f"{plural(noun, len(names))} {listed(list(names), _MOST)}")
    return textwrap.fill(" \u00b7 ".join(parts), max(30, int(_PER_INCH * width)))
