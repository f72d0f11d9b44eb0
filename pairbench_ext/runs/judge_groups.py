"""Group judges that can be ranked together: same kind of question, same items.

A group has one main number. Judges that lack one of its tasks are not ranked in it; they are named,
with what to run.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from pairbench_ext.core.benchmark import TIE, Benchmark, Number
from pairbench_ext.runs.card.choices import BLIND
from pairbench_ext.runs.scoring import Judge, Run
from pairbench_ext.runs.side_by_side import Both, SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes, Value
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Combination, Mean, Resampled
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.means import mean_of_defined

Kind: TypeAlias = Literal["pairs", "yes_no", "options", "ratings", "other"]


@dataclass(eq=False)
class JudgeGroup:
    """Judges that are ranked together, and their tasks.

    Attributes:
        kind: of the questions.
        sides: the tasks, each with all judges that have it.
        judges: those that have all of the tasks.
        lacking: the others, each with the tasks that it lacks.
        number: the main number.
        wanted: names of numbers that judges are ranked by instead, where a benchmark has them.
    """

    kind: Kind
    sides: tuple[SideBySide, ...]
    judges: tuple[str, ...]
    lacking: dict[str, tuple[str, ...]]
    number: Number | None
    wanted: tuple[str, ...] = ()

    @cached_property
    def shown(self) -> tuple[SideBySide, ...]:
        """Return, for each task, the answers of the ranked judges only."""
        ranked = {*self.judges}
        return tuple(x if {*x.judges} <= ranked else x.of(self.judges) for x in self.sides)

    @property
    def criterion(self) -> str:
        """Return the criterion of recorded judgments; empty if they name no criterion."""
        return criterion_of(self.sides[0])

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return the names of the tasks."""
        return tuple(side.name for side in self.sides)

    @property
    def items(self) -> int:
        """Return the number of items that all judges were asked."""
        return sum(len(side.common) for side in self.shown)

    @property
    def chance(self) -> float:
        """Return the value of the main number that a judge would get by guessing."""
        if self.kind in ("ratings", "other"):
            return 0.0
        return mean_of_defined([_chance(side) for side in self.sides])

    @property
    def apart(self) -> bool:
        """Return whether some task has no item that all judges share."""
        return len(self.judges) > 1 and not all(side.common for side in self.shown)

    def outcomes_of(self, judge: str) -> list[TaskOutcomes]:
        """Return a judge's outcomes on items that all judges share; if none are shared, on all."""
        sides = [side.judges if self.apart else side.on_common for side in self.shown]
        return [judges[judge] for judges in sides if judge in judges]

    def reads(self, judge: str) -> bool:
        """Return whether any of a judge's replies can be read."""
        return any(x.usable for of_task in self.outcomes_of(judge) for x in of_task.outcomes)

    def value(self, judge: str) -> Value | None:
        """Return the mean of a judge's main number over the tasks, with its interval."""
        return self.value_of(self.outcomes_of(judge))

    def value_of(self, outcomes: Sequence[TaskOutcomes]) -> Value | None:
        """Return the main number's mean over the tasks; None if it is undefined on any task."""
        numbers = ((x, main_of(x.benchmark, self.wanted)) for x in outcomes)
        values = [x.value(number) for x, number in numbers if number is not None]
        if len(values) < len(self.sides) or any(math.isnan(value.value) for value in values):
            return None
        if len(values) == 1:
            return values[0]
        parts = self._resampled(outcomes)
        if len(parts) == len(values):
            mean = Combination(parts, mean=self._mean)
            return Value(mean.estimate(), mean.interval())
        mean_of = mean_of_defined([value.value for value in values])
        return Value(mean_of, Interval(math.nan, math.nan))

    def both(self, a: str, b: str) -> list[Both]:
        """Return, for each task, two judges' outcomes on the items on which they are compared."""
        return [side.both(a, b) for side in self.shown]

    def difference(self, a: str, b: str) -> Difference:
        """Return the difference of two judges' main numbers, with its test."""
        both = self.both(a, b)
        first = self._resampled([x.a for x in both if x.items])
        second = self._resampled([x.b for x in both if x.items])
        if len(first) == len(second) == len(self.sides):
            return difference(first, second, self._mean)
        return Difference(math.nan)

    @property
    def _mean(self) -> Mean | None:
        """Return the benchmark's mean over tasks; None for the plain one, as over benchmarks."""
        same = len({side.benchmark.name for side in self.sides}) == 1
        return self.number.over if self.number and same else None

    def _resampled(self, outcomes: Sequence[TaskOutcomes]) -> list[Resampled]:
        numbers = [(x, main_of(x.benchmark, self.wanted)) for x in outcomes]
        resampled = [x.resampled(number) for x, number in numbers if number is not None]
        return [part for part in resampled if part is not None]


def _chance(side: SideBySide) -> float:
    """Return the accuracy of guesses; a tie is one more guess where a tie is right."""
    ties = TIE in side.truth
    return mean_of_defined([1 / (answer.options + ties) for answer in side.first])


def kind_of(side: SideBySide) -> Kind:
    """Return what a task asks for: a choice between two or more options, yes or no, or a rating."""
    if side.benchmark.outcome.kind == "rated":
        return "ratings"
    if side.benchmark.outcome.kind != "chosen":
        return "other"
    if {str(label).lower() for label in side.benchmark.answers.labels} >= {"yes", "no"}:
        return "yes_no"
    counts = {answer.options for answer in side.first if answer.kind == "chosen"}
    return "pairs" if counts <= {2} else "options"


def criterion_of(side: SideBySide) -> str:
    """Return the criterion of a task's judgments; empty if they name no criterion."""
    return next((j.criterion for j in side.judges.values() if isinstance(j, Run)), "")


def is_control(benchmark: Benchmark) -> bool:
    """Return whether a benchmark hides the images, and so tests the data, not the judges."""
    return any(evidence.title == BLIND for evidence in benchmark.card)


def main_of(benchmark: Benchmark, wanted: Sequence[str] = ()) -> Number | None:
    """Return the metric by which a benchmark's judges are ranked."""
    named = (number for number in benchmark.every_number if {*wanted} & {*number.names})
    return next(named, benchmark.ranked_by)


def judge_groups(sides: Sequence[SideBySide], wanted: Sequence[str] = ()) -> list[JudgeGroup]:
    """Return groups of judges that can be ranked together, the largest first, then by name.

    Tasks of one kind stand together if the same judges have them; each criterion by itself. A task
    that only some of a group's judges have, at least two, joins it: the others are named as lacking
    it. Judges of one task stand apart if they share no item with the others.
    """
    by_kind: dict[tuple[object, ...], list[SideBySide]] = {}
    for side in (part for whole in sides for part in whole.sharing):
        number = main_of(side.benchmark, wanted)
        design = side.benchmark.design(side.task)
        key = kind_of(side), number and (number.kind, number.better), design, criterion_of(side)
        by_kind.setdefault(key, []).append(side)
    groups = [group for alike in by_kind.values() for group in _groups(alike, wanted)]
    groups = [group for group in groups if group.judges]
    return sorted(groups, key=lambda group: (-len(group.judges), -group.items, min(group.judges)))


def _groups(sides: Sequence[SideBySide], wanted: Sequence[str]) -> Iterator[JudgeGroup]:
    by_judges: dict[frozenset[str], list[SideBySide]] = {}
    for side in sides:
        by_judges.setdefault(frozenset(side.asked), []).append(side)
    left = sorted(by_judges, key=len, reverse=True)
    while left:
        largest, *others = left
        inner, joined = largest, [largest]
        for judges in others:  # a smaller set within it: its tasks are what the others lack
            if judges < inner and len(judges) > 1:
                inner, joined = judges, [*joined, judges]
        left = [judges for judges in left if judges not in joined]
        of_group = [side for judges in joined for side in by_judges[judges]]
        yield _group(of_group, largest, inner, tuple(wanted))


def _group(
    sides: Sequence[SideBySide],
    every: frozenset[str],
    full: frozenset[str],
    wanted: tuple[str, ...],
) -> JudgeGroup:
    names = dict.fromkeys(name for side in sides for name in side.asked)
    wanted = wanted or tuple(_fitting(sides))
    return JudgeGroup(
        kind_of(sides[0]),
        tuple(sides),
        tuple(name for name in names if name in full),
        {
            name: tuple(side.name for side in sides if name not in side.asked)
            for name in names
            if name in every - full
        },
        main_of(sides[0].benchmark, wanted),
        wanted,
    )


def _fitting(sides: Sequence[SideBySide]) -> Iterator[str]:
    """Yield other numbers to rank by, where ratings of some judges tie, and of others never do."""
    return (side.swapped[1].name for side in sides if side.swapped)


def runs_in(group: JudgeGroup, judge: Judge) -> list[Run]:
    """Return a judge's runs of the tasks of a group."""
    tasks = {side.task for side in group.sides}
    return [run for task, run in judge.runs.items() if task in tasks]
