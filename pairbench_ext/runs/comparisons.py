"""Comparisons and rankings of judges, as `pairbench compare` makes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.core.benchmark import Number
from pairbench_ext.core.findings import Measure, Unit
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.scoring import Judge, files_document
from pairbench_ext.runs.side_by_side import NAMED, Both, SideBySide
from pairbench_ext.runs.task_outcomes import Value, item_text
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.multiple import holm_behind_gates

if TYPE_CHECKING:
    from pairbench_ext.runs.judge_groups import JudgeGroup

ALPHA = 0.05
_LARGE = 0.2  # of all answers


class Advantage(NamedTuple):
    """How much better one judge is than another on one metric; negative if it is worse.

    Attributes:
        comparison: of the two judges.
        sign: 1 where the number's difference is the advantage, -1 where it is the opposite.
        value: NaN where it is undefined.
        differs: whether it is significant, all comparisons together.
    """

    comparison: Comparison
    sign: int
    value: float
    differs: bool

    @property
    def ci95(self) -> Interval:
        """Return the 95% interval of the advantage; (NaN, NaN) if it is unknown."""
        low, high = sorted(self.sign * end for end in self.comparison.ci95)  # NaN, NaN stays so
        return Interval(low, high)


@dataclass(frozen=True)
class Comparison:
    """The comparison of two judges on one metric: the difference, its interval and its test.

    Attributes:
        task: the task, or group of tasks.
        number: its name.
        better: "higher", "lower", or None if neither is.
        a, b: the judges.
        result: the number of a minus that of b, over the items on which they are compared, and its
            test; not tested where the number cannot be resampled.
        p_holm: the p-value, adjusted for all headlines together, or for all numbers that are tested
            behind the same headline.
        items: on how many they are compared: those that all judges were asked.
        only_a, only_b: how many other items each of them was asked.
        named_a, named_b: the first few of these.
        uneven: how many items have different numbers of answers from the two.
        headline: whether it is the headline of its group, or of a task that is in none; all else
            is tested only where its headline differs.
        share: whether the number is one, so that a difference is in percentage points.
    """

    task: str
    number: str
    better: str | None
    a: str
    b: str
    result: Difference
    items: int
    only_a: int = 0
    only_b: int = 0
    named_a: tuple[str, ...] = ()
    named_b: tuple[str, ...] = ()
    uneven: int = 0
    p_holm: float = math.nan
    headline: bool = True
    share: bool = False

    @cached_property
    def difference(self) -> float:
        """Return judge `a`'s value of the metric minus judge `b`'s; NaN if one is undefined."""
        return self.result.value

    @cached_property
    def ci95(self) -> Interval:
        """Return the difference's 95% interval; (NaN, NaN) if the metric cannot be resampled."""
        return self.result.interval

    @cached_property
    def p(self) -> float:
        """Return the p-value of the difference being 0; NaN if the metric cannot be resampled."""
        return self.result.p

    @cached_property
    def differs(self) -> bool:
        """Return whether the difference is significant at 5% after Holm's adjustment."""
        return self.p_holm <= ALPHA

    def advantage(self, judge: str) -> Advantage:
        """Return by how much the given judge is better than the other judge."""
        sign = (1 if judge == self.a else -1) * (-1 if self.better == "lower" else 1)
        return Advantage(self, sign, sign * self.difference, self.differs)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        names = (
            field.name for field in fields(self) if field.name not in ("better", "share", "result")
        )
        return {
            **{name: getattr(self, name) for name in names},
            "difference": self.difference,
            "ci95": self.ci95,
            "p": self.p,
            "test": self.result.method,
            "clusters": self.result.clusters,
            "largest": self.result.largest,
        }


def spell_difference(comparison: Comparison, value: float, ends: Interval) -> str:
    """Return a difference as text: task, metric, value, and the interval if it is known."""
    measure = Measure("", "", unit=unit_of([comparison]), digits=3)
    interval = "" if math.isnan(ends.low) else f" ({measure.spell_interval(ends)})"
    return f"{comparison.task} {comparison.number} {measure.spell(value)}{interval}"


def unit_of(comparisons: Iterable[Comparison]) -> Unit:
    """Return the unit of differences: percentage points if all compared metrics are shares."""
    return "points" if all(comparison.share for comparison in comparisons) else "difference"


class Own(NamedTuple):
    """A metric's value over all items that a judge was asked, as `pairbench score` prints it."""

    value: Value
    items: int

    def to_dict(self) -> dict[str, Any]:
        """Return the value and its interval for JSON."""
        return {**self.value._asdict(), "items": self.items}


@dataclass(frozen=True)
class Ranking:
    """All judges' values of one metric, with their order and which differences are significant.

    Attributes:
        task, number: which.
        title: of the number.
        better: "higher", "lower", or None if neither is: then judges are in the order given.
        values: by judge, the best one first, on the items that all judges were asked.
        letters: by judge; judges that share a letter do not differ significantly. Empty unless all
            pairs were compared.
        items: how many items all judges were asked; 0 if there is none, and values are of each
            judge's own items.
        own: by judge, the value over all of its own items, where these are more, or an item has
            several answers that `values` count once.
    """

    task: str
    number: str
    title: str
    better: str | None
    values: Mapping[str, Value]
    letters: Mapping[str, str]
    items: int
    own: Mapping[str, Own]

    @cached_property
    def best(self) -> str | None:
        """Return the judge that is significantly better than all others; None if no judge is."""
        if self.better is None:
            return None
        first, *others = self.values
        shared = {letter for judge in others for letter in self.letters.get(judge, "")}
        alone = self.letters and others and not shared & set(self.letters[first])
        return first if alone else None

    def to_dict(self) -> dict[str, Any]:
        """Return the judges' values and which of them do not differ significantly, for JSON."""
        judges = [
            {
                "judge": judge,
                **value._asdict(),
                "letters": self.letters.get(judge, ""),
                "own": self.own.get(judge),
            }
            for judge, value in self.values.items()
        ]
        named = {"task": self.task, "number": self.number, "better": self.better}
        return {**named, "items": self.items, "judges": judges}


@dataclass(frozen=True)
class Comparisons:
    """All comparisons between the given judges.

    Attributes:
        judges: that were compared.
        every: the comparisons, adjusted together.
        rankings: of each number and task.
        tasks: the judges on each task.
        sides: likewise, of tasks that two of them have.
        groups: judges that are ranked together, and the comparison of each pair by the main number.
        stand_ins: the numbers that are compared because no main number is measured; None if one is.
        baseline: the judge that all others are compared with; None where all pairs are.
    """

    judges: tuple[Judge, ...]
    every: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    tasks: tuple[SideBySide, ...]
    sides: tuple[SideBySide, ...]
    groups: tuple[tuple[JudgeGroup, Mapping[tuple[str, str], Comparison]], ...] = ()
    stand_ins: tuple[str, ...] | None = None
    baseline: str | None = None

    @cached_property
    def headlines(self) -> list[Ranking]:
        """Return rankings by main number: one per group of tasks, and one per task in no group.

        Only numbers of which one end is better: others rank nobody.
        """
        tested = {(c.task, c.number) for c in self.every if c.headline and c.better is not None}
        first: dict[str, Ranking] = {}
        for ranking in self.rankings:
            if (ranking.task, ranking.number) in tested:
                first.setdefault(ranking.task, ranking)
        return list(first.values())

    def to_dict(self) -> dict[str, Any]:
        """Return all comparisons for JSON."""
        return {
            "asked": {side.name: side.asked for side in self.sides},
            "unmeasured": {s.name: s.unmeasured for s in self.sides if s.unmeasured},
            "passed_over": [file for judge in self.judges for file in judge.passed_over],
            "comparisons": self.every,
            "rankings": self.rankings,
            "noise": [
                {"task": s.name, "number": s.benchmark.headline, "judge": j, **split.to_dict()}
                for s in self.sides
                for j, split in s.noise.items()
            ],
            "files": files_document(self.judges),
        }


def compared(side: SideBySide, number: Number, a: str, b: str) -> Comparison:
    """Compare two judges by one metric on their common items; the p-value is not adjusted."""
    both = side.both(a, b)
    result = Difference(both.a.number(number) - both.b.number(number) if both.items else math.nan)
    pair = [judge.resampled(number) if both.items else None for judge in (both.a, both.b)]
    if pair[0] is not None and pair[1] is not None:
        result = difference([pair[0]], [pair[1]])
    return comparison_of(side.name, number, (a, b), result, {"": both})


def comparison_of(
    task: str,
    number: Number,
    judges: tuple[str, str],
    result: Difference,
    of_task: Mapping[str, Both],
) -> Comparison:
    """Return the comparison of two judges with a given difference; its p-value is not adjusted."""
    sides = of_task.values()
    only_a, only_b = (
        [f"{of} {item_text(x)}".removeprefix(" ") for of, on in of_task.items() for x in left(on)]
        for left in (attrgetter("only_a"), attrgetter("only_b"))
    )
    return Comparison(
        task,
        number.name,
        number.better,
        *judges,
        result,
        sum(on.items for on in sides),
        len(only_a),
        len(only_b),
        tuple(only_a[:NAMED]),
        tuple(only_b[:NAMED]),
        sum(on.uneven for on in sides),
        share=number.kind == "share",
    )


def adjusted(
    tests: Sequence[Comparison], gates: Mapping[tuple[str, str], tuple[str, str]] | None = None
) -> tuple[Comparison, ...]:
    """Return the comparisons with p-values adjusted by Holm's method (`statistics.multiple`).

    Args:
        tests: the comparisons.
        gates: by task and number, the task and number that must differ first, for the same judges.
    """
    waits = gates or {}
    places = {(c.task, c.number, c.a, c.b): n for n, c in enumerate(tests) if not math.isnan(c.p)}

    def gate_of(comparison: Comparison) -> int | None:
        gate = waits.get((comparison.task, comparison.number))
        while gate is not None:
            place = places.get((*gate, comparison.a, comparison.b))
            if place is not None:
                return place
            gate = waits.get(gate)
        return None

    gate_places = [gate_of(comparison) for comparison in tests]
    p_values = holm_behind_gates([comparison.p for comparison in tests], gate_places)
    return tuple(
        replace(comparison, p_holm=p, headline=gate is None)
        for comparison, p, gate in zip(tests, p_values, gate_places, strict=True)
    )


def describe_large_clusters(tests: Sequence[Comparison]) -> Iterator[str]:
    """Yield a warning for each task in which one cluster holds more than a fifth of the answers."""
    headlines = [(c.task, c.result) for c in tests if c.headline and c.result.largest > _LARGE]
    large = {task: r for task, r in headlines if r.largest * r.clusters > 2}  # of few, each is
    for task, result in large.items():
        yield (
            f"{task}: one of {result.clusters:,} clusters holds {result.largest:.0%} of the "
            "answers; a difference within that cluster alone cannot become significant"
        )


def describe_tests(comparisons: Sequence[Comparison]) -> str:
    """Return a line with the significance level and the tests that were used."""
    tested = [comparison for comparison in comparisons if not math.isnan(comparison.p)]
    headlines = sum(comparison.headline for comparison in tested)
    behind = "; further numbers of a task are tested only if its main number differs significantly"
    methods = dict.fromkeys(x.result.method.replace(", mid-p", "'s (mid-p)") for x in tested)
    return (
        f"significant: p (Holm) of at most {ALPHA:g}, over {counted(headlines, 'comparison')}"
        f"{behind if headlines < len(tested) else ''}; "
        f"tests: {' and '.join(methods) or 'none'}"
    )
