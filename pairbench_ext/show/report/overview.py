"""The table of all tasks and judges: a line per task and number, with marks of what differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.compare import Comparisons, compare
from pairbench_ext.runs.files import JudgeRun, owner
from pairbench_ext.runs.scoring import FileReadings, Run, score_file

_NO_COMPARISON = "no task is shared by two judges"


@dataclass(frozen=True)
class JudgeNumber:
    """A number of one judge.

    Attributes:
        value, low, high: the number and its 95% interval; NaN where undefined.
        letters: judges that share one do not differ significantly; empty without comparison.
        best: whether it stands first.
        digits: decimals.
    """

    value: float
    low: float
    high: float
    letters: str = ""
    best: bool = False
    digits: int = 3


@dataclass(frozen=True)
class Line:
    """A number of one task.

    Attributes:
        task, benchmark: which.
        number: its name.
        title: of the number.
        section: of the tables in which `pairbench score` has it.
        better: "higher", "lower", or None.
        cells: one per judge; None where a judge has no such task.
    """

    task: str
    benchmark: str
    number: str
    title: str
    section: str
    better: str | None
    cells: tuple[JudgeNumber | None, ...]


@dataclass(frozen=True)
class Overview:
    """What all judges measured.

    Attributes:
        judges: their names.
        lines: task by task.
        runs: by judge and task, all that was scored.
        compared: what was compared; None where nothing could be.
        note: why not; empty where something was.
    """

    judges: tuple[str, ...]
    lines: tuple[Line, ...]
    runs: Mapping[tuple[str, str], Run]
    compared: Comparisons | None
    note: str

    @property
    def by_judge(self) -> dict[str, list[Run]]:
        """What each judge was scored on."""
        return {j: [run for (name, _), run in self.runs.items() if name == j] for j in self.judges}

    @property
    def tasks(self) -> list[str]:
        """The tasks, in their order."""
        return list(dict.fromkeys(task for _, task in self.runs))


def overview(judges: Sequence[JudgeRun], rule: str | None = None) -> Overview:
    """Score all files and compare the judges.

    Args:
        judges: whose samples to score.
        rule: how replies are read; None for the rule of each run, or else the default.

    Raises:
        RecordError: if a file cannot be scored.
    """
    runs = dict(_scored(judges, rule))
    compared, note = None, _NO_COMPARISON if len(judges) > 1 else ""
    shared = [
        task for task in {t for _, t in runs} if sum((j.name, task) in runs for j in judges) > 1
    ]
    if shared:
        try:
            read = {
                run.file: FileReadings(run.benchmark, run.readings, run.asked)
                for run in runs.values()
            }
            compared = compare(judges, rule=rule, already=read)
            note = ""
        except RecordError as error:
            note = str(error)
    names = tuple(judge.name for judge in judges)
    lines = tuple(_lines(names, runs, compared))
    return Overview(names, lines, runs, compared, note)


def _scored(judges: Sequence[JudgeRun], rule: str | None) -> Iterator[tuple[tuple[str, str], Run]]:
    benchmarks = registry.every_benchmark()
    for judge in judges:
        for task, file in judge.files.items():
            benchmark = owner(benchmarks, Path(file))
            known = rule if rule and _has_rule(benchmark, rule) else None
            yield (judge.name, task), score_file(benchmark, file, rule=known, name=task)


def _has_rule(benchmark: Benchmark, rule: str) -> bool:
    try:
        benchmark.rule_name(rule)
    except ValueError:
        return False
    return True


def _lines(
    judges: Sequence[str], runs: Mapping[tuple[str, str], Run], compared: Comparisons | None
) -> Iterator[Line]:
    letters = {
        (ranking.task, ranking.number): ranking.letters
        for ranking in (compared.rankings if compared else ())
    }
    for task in dict.fromkeys(task for _, task in runs):
        of_task = {judge: runs.get((judge, task)) for judge in judges}
        benchmark = next(run.benchmark for run in of_task.values() if run is not None)
        for number in _shown(benchmark):
            cells = _cells(number, of_task, letters.get((task, number.name), {}))
            if any(cell is not None and not math.isnan(cell.value) for cell in cells):
                names = (number.name, number.title, number.section or "", number.better)
                yield Line(task, benchmark.title, *names, tuple(cells))


def _shown(benchmark: Benchmark) -> list[Number]:
    """Return numbers with an interval, and the headline; the first number if there are none.

    What second questions add is on the benchmark's own page.
    """
    asked = list(benchmark.numbers)
    return [
        number for number in asked if number.ends or number.name == benchmark.headline
    ] or asked[:1]


def _cells(
    number: Number, runs: Mapping[str, Run | None], letters: Mapping[str, str]
) -> list[JudgeNumber | None]:
    values = {
        judge: [float(run.numbers.get(name, math.nan)) for name in (number.name, *number.ends)]
        for judge, run in runs.items()
        if run is not None
    }
    known = [value for value, *_ in values.values() if not math.isnan(value)]
    several = len(known) > 1 and number.better is not None
    best = (min if number.better == "lower" else max)(known) if several else math.nan
    cells: list[JudgeNumber | None] = []
    for judge in runs:
        if judge not in values:
            cells.append(None)
            continue
        value, low, high = (*values[judge], math.nan, math.nan)[:3]
        marks = letters.get(judge, ""), value == best, number.digits
        cells.append(JudgeNumber(value, low, high, *marks))
    return cells
