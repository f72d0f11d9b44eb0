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
        letters: judges that share one cannot be told apart; empty where nothing was compared.
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
        return {j: [run for (own, _), run in self.runs.items() if own == j] for j in self.judges}

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


def _has_rule(benchmark: object, rule: str) -> bool:
    try:
        benchmark.rule_name(rule)  # type: ignore[attr-defined]
    except ValueError:
        return False
    return True


def _lines(
    judges: Sequence[str], runs: Mapping[tuple[str, str], Run], compared: Comparisons | None
) -> Iterator[Line]:
    letters = {
        (one.task, one.number): one.letters for one in (compared.rankings if compared else ())
    }
    for task in dict.fromkeys(task for _, task in runs):
        own = [runs.get((judge, task)) for judge in judges]
        benchmark = next(run.benchmark for run in own if run is not None)
        for number in _shown(benchmark):
            cells = [_cell(number, run) for run in own]
            if all(cell is None or math.isnan(cell.value) for cell in cells):
                continue
            marks = letters.get((task, number.name), {})
            yield Line(
                task,
                benchmark.title,
                number.name,
                number.title,
                number.section or "",
                number.better,
                tuple(_marked(judges, cells, marks, number.better)),
            )


def _shown(benchmark: Benchmark) -> list[Number]:
    """Numbers with an interval, and the headline; the first number of a benchmark with neither.

    What second questions add is on the benchmark's own page.
    """
    asked = list(benchmark.numbers)
    return [one for one in asked if one.ends or one.name == benchmark.headline] or asked[:1]


def _cell(number: Number, run: Run | None) -> JudgeNumber | None:
    if run is None:
        return None
    low, high = (
        (run.numbers.get(end, math.nan) for end in number.ends)
        if number.ends
        else (math.nan, math.nan)
    )
    value = run.numbers.get(number.name, math.nan)
    return JudgeNumber(float(value), float(low), float(high), digits=number.digits)


def _marked(
    judges: Sequence[str],
    cells: Sequence[JudgeNumber | None],
    letters: Mapping[str, str],
    better: str | None,
) -> Iterator[JudgeNumber | None]:
    known = [cell.value for cell in cells if cell is not None and not math.isnan(cell.value)]
    several = len(known) > 1 and better is not None
    best = (min if better == "lower" else max)(known) if several else math.nan
    for judge, cell in zip(judges, cells, strict=True):
        if cell is None:
            yield None
            continue
        yield JudgeNumber(
            cell.value,
            cell.low,
            cell.high,
            letters.get(judge, ""),
            cell.value == best,
            cell.digits,
        )
