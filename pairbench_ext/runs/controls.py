"""Compare a run's main numbers with those of controls: judges that ignore the question."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pairbench_ext.core.benchmark import Answers
from pairbench_ext.core.controls import Control
from pairbench_ext.core.findings import FindingTable, Measure, Quantity, plain_table
from pairbench_ext.core.texts import decimal
from pairbench_ext.statistics.means import mean_of_defined

if TYPE_CHECKING:
    from pairbench_ext.core.benchmark import Benchmark, Number
    from pairbench_ext.runs.task_outcomes import TaskOutcomes

_SAME = 5e-4  # values that are printed alike
_Values: TypeAlias = "dict[Control, dict[str, float]]"
#: By benchmark and task: the latest run's benchmark, what it asked, and what controls reached.
_KNOWN: dict[tuple[str, str], tuple[Benchmark, object, _Values]] = {}


@dataclass(frozen=True)
class Reached:
    """A run's score, and the best score of a control (a judge that ignores the question)."""

    number: Number
    score: float
    control: Control
    value: float

    @property
    def best(self) -> float:
        """Return the best possible value of the metric."""
        return 0.0 if self.number.better == "lower" else 1.0

    @property
    def way(self) -> float:
        """Return the run's score, rescaled so that the control has 0 and a perfect judge has 1."""
        rest = self.best - self.value
        return (self.score - self.value) / rest if abs(rest) > _SAME else math.nan

    def describe(self) -> str:
        """Return the comparison of the run with the control in words."""
        control = decimal(self.value, 3)
        says = f"{self.number.name} {decimal(self.score, 3)}; on these items a judge that "
        says += f"{self.control.about} reaches {control}, "
        if math.isnan(self.way):
            return f"{says}the best possible value, so the number says nothing about the judge"
        if self.way < _SAME:
            return f"{says}so the run is no better than that judge"
        return (
            f"{says}and the run is {100 * self.way:.0f}% of the way from {control} to {self.best:g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison of the run with the control for JSON."""
        return {
            "number": self.number.name,
            "score": self.score,
            "control": self.control.name,
            "about": self.control.about,
            "value": self.value,
            "way": self.way,
        }


_COLUMNS = (
    Measure("score", "This run", digits=3),
    Measure("control", "Control", "The best score of a judge that ignores the question.", digits=3),
    Measure(
        "way",
        "Way",
        "Where this run lies between the control's score (0%) and the best possible score (100%).",
        "share",
    ),
    Measure("about", "A judge that", "How this judge answers every question.", "text"),
)


def mean_of(reached_by: Sequence[Sequence[Reached]]) -> tuple[Reached, ...]:
    """Return two means over tasks for each metric: the run's, and the best control judge's.

    A number is left out where a task has no control of it.
    """
    means = []
    for first in reached_by[0] if reached_by else ():
        alike = [each for of_run in reached_by for each in of_run if each.number == first.number]
        if len(alike) == len(reached_by):
            abouts = list(dict.fromkeys(each.control.about for each in alike))
            about = abouts[0] if len(abouts) == 1 else "answers as the best control of each task"
            score, value = (
                sum(values) / len(alike)
                for values in zip(*((each.score, each.value) for each in alike), strict=True)
            )
            control = replace(first.control, about=about)
            means.append(Reached(first.number, score, control, value))
    return tuple(means)


def table_of(named: Mapping[str, Sequence[Reached]], asked: str = "") -> FindingTable:
    """Return a table: for each run, its main numbers beside those of the best control.

    Args:
        named: what controls reach, by the name of the run or of the mean.
        asked: as of a `FindingTable`.
    """
    why = "the control already has the best possible value"
    rows = (
        (label, x.number.name, x.score, x.value, Quantity(max(0.0, x.way), why=why),
         x.control.about)
        for label, of_run in named.items()
        for x in of_run
    )  # fmt: skip
    title = "Scores of judges that ignore the question"
    return plain_table("controls", title, ("Task", "Number"), _COLUMNS, rows, asked=asked)


def reached(run: TaskOutcomes) -> Iterator[Reached]:
    """Yield, for each main number of a run, the control with the best score."""
    numbers = [run.benchmark.number(name) for name in run.benchmark.main]
    defined = [number for number in numbers if not math.isnan(run.number(number))]
    values = _of_controls(run, defined)
    for number in defined:
        of_number = {control: of_each[number.name] for control, of_each in values.items()}
        measured = [control for control, value in of_number.items() if not math.isnan(value)]
        if measured:
            sign = -1 if number.better == "lower" else 1
            highest = max(measured, key=lambda control: sign * of_number[control])
            yield Reached(number, run.number(number), highest, of_number[highest])


def _of_controls(run: TaskOutcomes, numbers: Sequence[Number]) -> _Values:
    """Return the numbers of each control on a run's items; found once for judges asked the same."""
    benchmark, asked = run.benchmark, _asked(run, numbers)
    before = _KNOWN.get((benchmark.name, run.task))
    if before is None or before[0] is not benchmark or before[1] != asked:
        values = {control: of_control(run, control, numbers) for control in benchmark.every_control}
        before = _KNOWN[benchmark.name, run.task] = benchmark, asked, values
    return before[2]


def _asked(run: TaskOutcomes, numbers: Sequence[Number]) -> object:
    """Return a hash of all that a control's numbers depend on; what equals nothing if unknown."""
    if run.benchmark.answers.put is not Answers.put:
        return object()
    options = [*run.options.items(), run.by_item, *(number.name for number in numbers)]
    asked = (
        (x.kind, x.item_and_variant, x.repeat, x.order, x.options, x.truth, x.longer, x.cluster,
         *x.people.items(), *x.facets.items())
        for x in run.table.rows
    )  # fmt: skip
    try:
        return hash((*options, *asked))
    except TypeError:  # a list among them
        return object()


def of_control(run: TaskOutcomes, control: Control, numbers: Sequence[Number]) -> dict[str, float]:
    """Return a control's metrics on a run's items, keyed by name; NaN for an undefined metric."""
    benchmark, asked = run.benchmark, run.table.rows
    follows = "chosen" in {outcome.kind for outcome in asked} - {benchmark.outcome.kind}
    if follows:  # choices that follow from two ratings do so from a control's, too
        asked = [outcome for outcome in run.outcomes if outcome.kind == benchmark.outcome.kind]
    judges = list(control.judges(asked, benchmark.answers.put))
    fitting = [n for n in numbers if control.correlates or n.kind != "correlation"]
    found: dict[str, list[float]] = {number.name: [] for number in numbers}
    for judge in judges if fitting else ():
        answers = list(map(judge, asked))
        table = run.table.answered(benchmark.read.settled(answers) if follows else answers)
        for number in fitting:
            found[number.name].append(float(number.of(table)))
    return {number.name: _of_judges(control, number, found[number.name]) for number in numbers}


def _of_judges(control: Control, number: Number, values: Sequence[float]) -> float:
    """Return the number of a control from those of its judges: the mean of draws, or the best."""
    if control.mean:
        return mean_of_defined(values)
    defined = [value for value in values if not math.isnan(value)]
    return (min if number.better == "lower" else max)(defined, default=math.nan)
