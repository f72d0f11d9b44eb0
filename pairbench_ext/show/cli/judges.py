"""The judges that a command is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pairbench_ext.runs.files import JudgeRun, describe, judge_runs
from pairbench_ext.runs.ranking_table import best_first
from pairbench_ext.runs.scoring import Judge, read_judges
from pairbench_ext.show.cli.console import errors
from pairbench_ext.show.cli.options import benchmarks_named


def runs_of(runs: Sequence[Path], benchmark: str | None = None) -> list[JudgeRun]:
    """Return the judges of folders and files, not read yet, and say which files do not count.

    Raises:
        RecordError: if a path or folder has no samples.
        typer.BadParameter: if there is no such benchmark.
    """
    judges = judge_runs(runs, benchmarks_named(benchmark))
    for line in describe([file for judge in judges for file in judge.passed_over]):
        errors.print(line)
    return judges


def judges_of(
    runs: Sequence[Path], benchmark: str | None, rule: str | None = None, pool: str | None = None
) -> list[Judge]:
    """Return the judges of folders and files, the best first.

    Raises:
        RecordError: likewise, or if a file cannot be used.
        typer.BadParameter: if there is no such benchmark.
    """
    judges = runs_of(runs, benchmark)
    return best_first(read_judges(judges, rule=rule, pool=pool))
