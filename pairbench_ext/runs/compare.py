"""Compare judges: is one better than another, and is the difference significant?

Tasks are matched by name and items by what their benchmark calls an item; items that only one judge
was asked are left out of a comparison, counted and named. `statistics.difference` compares two
judges on one number. P-values are adjusted by Holm's method: those of headlines over all pairs of
judges and all groups, or tasks that are in none; all others behind their headline.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Number
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.completeness import Completeness
from pairbench_ext.runs.groups import whole_groups
from pairbench_ext.runs.scoring import (
    Judge,
    Run,
    files_document,
    runs_by_task,
    shared_benchmark,
)
from pairbench_ext.runs.task_outcomes import (
    TaskOutcomes,
    Value,
    check_same_truths,
    chosen_numbers,
    item_text,
)
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Combination, Resampled
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.multiple import compact_letters, holm_behind_gates
from pairbench_ext.statistics.noise import NoiseSplit

ALPHA = 0.05
_NAMED = 3  # items that only one judge has


class Advantage(NamedTuple):
    """By how much one judge is better than another by a number; negative where it is worse.

    Attributes:
        value: NaN where it is undefined.
        ci95: its interval; NaN, NaN where there is none.
        differs: whether it is significant, all comparisons together.
    """

    value: float
    ci95: Interval
    differs: bool


@dataclass(frozen=True)
class Comparison:
    """One number of two judges.

    Attributes:
        task: the task, or group of tasks.
        number: its name.
        better: "higher", "lower", or None if neither is.
        a, b: the judges.
        difference: of a, less that of b, over the items of both; NaN where one is undefined.
        ci95: its interval; NaN, NaN for numbers that cannot be resampled.
        p: of the test that the difference is 0; NaN likewise.
        p_holm: the same, adjusted for all headlines together, or for all numbers that are tested
            behind the same headline.
        test: how p was computed.
        items: how many both judges were asked.
        clusters: how many there are to resample.
        only_a, only_b: how many only one of them was asked.
        named_a, named_b: the first few of these.
        uneven: how many items have not as many answers of both.
        headline: whether it is the headline of its group, or of a task that is in none; all else
            is tested only where its headline differs.
    """

    task: str
    number: str
    better: str | None
    a: str
    b: str
    difference: float
    ci95: Interval
    p: float
    test: str
    items: int
    clusters: int
    only_a: int = 0
    only_b: int = 0
    named_a: tuple[str, ...] = ()
    named_b: tuple[str, ...] = ()
    uneven: int = 0
    p_holm: float = math.nan
    headline: bool = True

    @property
    def differs(self) -> bool:
        """Whether the difference is significant at 5%, all comparisons together."""
        return self.p_holm <= ALPHA

    def advantage(self, judge: str) -> Advantage:
        """Of one of the two judges over the other one."""
        sign = (1 if judge == self.a else -1) * (-1 if self.better == "lower" else 1)
        low, high = sorted(sign * end for end in self.ci95)  # NaN, NaN stays so
        return Advantage(sign * self.difference, Interval(low, high), self.differs)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        made = asdict(self)
        del made["better"], made["ci95"]
        return {**made, "ci95_low": self.ci95.low, "ci95_high": self.ci95.high}


@dataclass(frozen=True)
class Ranking:
    """One number of all judges.

    Attributes:
        task, number: which.
        title: of the number.
        values: by judge, the best one first.
        unclear: judges with too few items for an interval, or for one of a share that tells
            something.
        letters: by judge; judges that share a letter do not differ significantly. Empty unless all
            pairs were compared.
    """

    task: str
    number: str
    title: str
    values: Mapping[str, Value]
    letters: Mapping[str, str]
    unclear: frozenset[str] = frozenset()

    @property
    def best(self) -> str | None:
        """The judge that is significantly better than every other one; None if there is none."""
        first, *others = self.values
        shared = {letter for judge in others for letter in self.letters.get(judge, "")}
        alone = self.letters and others and not shared & set(self.letters[first])
        return first if alone else None

    def document(self) -> dict[str, Any]:
        """For JSON."""
        judges = [
            {"judge": judge, **value.document(), "letters": self.letters.get(judge, "")}
            for judge, value in self.values.items()
        ]
        return {"task": self.task, "number": self.number, "judges": judges}


@dataclass(frozen=True)
class Comparisons:
    """All comparisons of some judges.

    Attributes:
        judges: that were compared.
        every: the comparisons, adjusted together.
        rankings: of each number and task.
        noise: by task: the name of the headline number, and its noise by judge.
        asked: by task, by judge: how much of the task its file holds.
        unmeasured: by task, the judges of whom no sample has an outcome; they are left out.
    """

    judges: tuple[Judge, ...]
    every: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    noise: Mapping[str, tuple[str, Mapping[str, NoiseSplit]]]
    asked: Mapping[str, Mapping[str, Completeness]] = field(default_factory=dict)
    unmeasured: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "asked": asked_document(self.asked),
            "unmeasured": {task: list(names) for task, names in self.unmeasured.items()},
            "passed_over": [
                {"file": str(file), "why": why}
                for judge in self.judges
                for file, why in judge.passed_over
            ],
            "comparisons": [comparison.document() for comparison in self.every],
            "rankings": [ranking.document() for ranking in self.rankings],
            "noise": [
                {"task": task, "number": number, "judge": judge, **split.document()}
                for task, (number, splits) in self.noise.items()
                for judge, split in splits.items()
            ],
            "files": files_document(self.judges),
        }


def asked_document(asked: Mapping[str, Mapping[str, Completeness]]) -> dict[str, Any]:
    """How much each judge's files hold of each task, for JSON."""
    return {
        task: {judge: part.document() for judge, part in by_judge.items()}
        for task, by_judge in asked.items()
    }


def adjusted(
    every: Sequence[Comparison], gates: Mapping[tuple[str, str], tuple[str, str]] | None = None
) -> tuple[Comparison, ...]:
    """The comparisons with their p-values adjusted (`statistics.multiple.holm_behind_gates`).

    Args:
        every: the comparisons.
        gates: by task and number, the task and number that must differ first, for the same judges.
    """
    waits = gates or {}
    places = {(c.task, c.number, c.a, c.b): n for n, c in enumerate(every) if not math.isnan(c.p)}

    def gate_of(comparison: Comparison) -> int | None:
        gate = waits.get((comparison.task, comparison.number))
        while gate is not None:
            place = places.get((*gate, comparison.a, comparison.b))
            if place is not None:
                return place
            gate = waits.get(gate)
        return None

    found = [gate_of(comparison) for comparison in every]
    p_values = holm_behind_gates([comparison.p for comparison in every], found)
    return tuple(
        replace(comparison, p_holm=p, headline=gate is None)
        for comparison, p, gate in zip(every, p_values, found, strict=True)
    )


def _gates(
    results: Sequence[TaskResult], groups: Sequence[tuple[TaskResult, Sequence[str]]], named: bool
) -> dict[tuple[str, str], tuple[str, str]]:
    """What must differ first: a task's headline, and a group's mean before its tasks.

    Args:
        results: of tasks.
        groups: of groups, with the names of their tasks.
        named: whether the user named the numbers; each of them is then a headline.
    """
    gates: dict[tuple[str, str], tuple[str, str]] = {}
    for result in (*results, *(group for group, _ in groups)):
        for number in () if named else result.values:
            if number != result.headline:
                gates[result.task, number] = result.task, result.headline
    for group, tasks in groups:
        for task in tasks:
            for number in group.values if named else [group.headline]:
                gates[task, number] = group.task, number
    return gates


def describe_unmeasured(unmeasured: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """By task, the judges that are left out because nothing was measured, in a line each."""
    for task, names in unmeasured.items():
        yield f"{task}: no sample of {', '.join(names)} has an outcome; pairbench score says why"


@dataclass
class TaskResult:
    """The comparisons of judges on one task, or group of tasks.

    Attributes:
        task: its name.
        benchmark: whose it is.
        comparisons: by number and pair.
        values: by number, by judge.
        resampled: by number, by pair of judges: both on the items of both.
        alone: by number, by judge, on all of its items.
        noise: by judge, of the headline number.
        asked: by judge, how much of the task its file holds.
        unmeasured: judges of whom no sample has an outcome; they are left out.
        headline: the number that is tested first.
    """

    task: str
    benchmark: str
    comparisons: list[Comparison] = field(default_factory=list)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    resampled: dict[str, dict[tuple[str, str], tuple[Resampled, Resampled]]] = field(
        default_factory=dict
    )
    alone: dict[str, dict[str, Resampled]] = field(default_factory=dict)
    noise: dict[str, NoiseSplit] = field(default_factory=dict)
    asked: dict[str, Completeness] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()
    headline: str = ""

    def compare(self, number: Number, a: TaskOutcomes, b: TaskOutcomes) -> None:
        """Add the comparison of two judges by a number, on the items of both."""
        common = frozenset(a.items.keys() & b.items.keys())
        only = [[item for item in judge.items if item not in common] for judge in (a, b)]
        value = a.on(common).number(number) - b.on(common).number(number) if common else math.nan
        result = Difference(value, Interval(math.nan, math.nan), math.nan, "none", 0)
        pair = [judge.on(common).resampled(number) if common else None for judge in (a, b)]
        if pair[0] is not None and pair[1] is not None:
            result = difference([pair[0]], [pair[1]])
            self.resampled.setdefault(number.name, {})[a.judge, b.judge] = pair[0], pair[1]
        self.comparisons.append(
            Comparison(
                task=self.task,
                number=number.name,
                better=number.better,
                a=a.judge,
                b=b.judge,
                difference=value,
                ci95=result.interval,
                p=result.p,
                test=result.method,
                items=len(common),
                clusters=result.clusters,
                only_a=len(only[0]),
                only_b=len(only[1]),
                named_a=tuple(map(item_text, only[0][:_NAMED])),
                named_b=tuple(map(item_text, only[1][:_NAMED])),
                uneven=sum(a.items[item] != b.items[item] for item in common),
            )
        )


def compare_task(
    task: str,
    runs: Mapping[str, Run],
    *,
    pairs: Sequence[tuple[str, str]],
    numbers: Sequence[str] = (),
) -> TaskResult:
    """Compare judges on one task.

    Args:
        task: its name; empty for plain rows.
        runs: by judge.
        pairs: of judges, that are compared.
        numbers: as for `compare`.

    Raises:
        RecordError: if no numbers follow from a run, the runs are of several benchmarks, or judges
            were asked about different data.
    """
    benchmark = shared_benchmark(task, runs)
    judges = {name: run.task_outcomes for name, run in runs.items() if run.measured}
    check_same_truths(benchmark, judges)
    result = TaskResult(task or benchmark.name, benchmark.name)
    result.asked = {name: run.asked for name, run in runs.items()}
    result.unmeasured = tuple(name for name in runs if name not in judges)
    for number in chosen_numbers(benchmark, numbers, list(judges.values())):
        result.headline = result.headline or number.name
        result.values[number.name] = {name: judge.value(number) for name, judge in judges.items()}
        alone = {name: judge.resampled(number) for name, judge in judges.items()}
        result.alone[number.name] = {k: v for k, v in alone.items() if v is not None}
        for a, b in pairs:
            if a in judges and b in judges:
                result.compare(number, judges[a], judges[b])
    splits = {name: runs[name].noise for name in judges}
    result.noise = {name: split for name, split in splits.items() if split is not None}
    return result


def compare(
    judges: Sequence[Judge],
    *,
    numbers: Sequence[str] = (),
    baseline: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparisons:
    """Compare judges, each with each other or with a baseline.

    Args:
        judges: at least two.
        numbers: which to compare; by default those with an interval of which one end is better.
        baseline: the judge that all others are compared with; None for all pairs.
        progress: is told of each task before it is compared.

    Raises:
        RecordError: if there are fewer than two judges, no task that two of them have, no such
            baseline or number, or a run from which no numbers follow.
    """
    pairs = _pairs([judge.name for judge in judges], baseline)
    results: list[TaskResult] = []
    for task, runs in _shared_tasks(judges, pairs):
        progress(task)
        results.append(compare_task(task, runs, pairs=pairs, numbers=numbers))
    unmeasured = {result.task: result.unmeasured for result in results if result.unmeasured}
    if not any(result.comparisons for result in results):
        if unmeasured:
            raise RecordError(f"nothing to compare: {'; '.join(describe_unmeasured(unmeasured))}")
        wanted = f"the number {' or '.join(numbers)}" if numbers else "a headline number"
        raise RecordError(
            f"none of the judges' tasks has {wanted} that is measured; --number NAME chooses others"
        )
    made = [(_group_result(name, of), [r.task for r in of]) for name, of in _groups(results)]
    made = [(group, tasks) for group, tasks in made if group.comparisons]
    groups = [group for group, _ in made]
    together = adjusted(
        [c for result in (*results, *groups) for c in result.comparisons],
        _gates(results, made, bool(numbers)),
    )
    return Comparisons(
        tuple(judges),
        together,
        tuple(_rankings([*results, *groups], together, all_pairs=baseline is None)),
        {
            result.task: (str(registry.benchmark_of(result.benchmark).headline), result.noise)
            for result in results
            if result.noise
        },
        {result.task: result.asked for result in results},
        unmeasured,
    )


def _pairs(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(names) < 2:
        raise RecordError("at least two judges are needed: give a folder or file of each")
    if baseline is None:
        return list(combinations(names, 2))
    known = [name for name in names if baseline in (name, name.rpartition("/")[2])]
    if len(known) != 1:
        raise RecordError(f"no judge is called {baseline!r}; the judges are {', '.join(names)}")
    return [(name, known[0]) for name in names if name != known[0]]


def _shared_tasks(
    judges: Sequence[Judge], pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, dict[str, Run]]]:
    """The tasks that both judges of a pair have, and the judges' runs."""
    shared = [
        (task, runs)
        for task, runs in runs_by_task(judges).items()
        if any(set(pair) <= set(runs) for pair in pairs)
    ]
    if not shared:
        has = "; ".join(f"{judge.name} has {', '.join(judge.runs)}" for judge in judges[:4])
        raise RecordError(f"no task that two judges have: {has}")
    return shared


def _groups(results: Sequence[TaskResult]) -> Iterator[tuple[str, list[TaskResult]]]:
    for name in dict.fromkeys(result.benchmark for result in results):
        by_task = {result.task: result for result in results if result.benchmark == name}
        for group, members in whole_groups(registry.benchmark_of(name), by_task).items():
            yield group, [by_task[task] for task in members]


def _group_result(name: str, members: Sequence[TaskResult]) -> TaskResult:
    """The means over the tasks of a group, with intervals from its tasks' joint resamples."""
    made = TaskResult(name, members[0].benchmark, headline=members[0].headline)
    for number in registry.benchmark_of(made.benchmark).numbers:
        if number.kind == "count":
            continue
        alone = [member.alone.get(number.name, {}) for member in members]
        values = {
            judge: Combination([by_judge[judge] for by_judge in alone], mean=number.over)
            for judge in alone[0]
            if all(judge in by_judge for by_judge in alone)
        }
        if values:
            made.values[number.name] = {
                judge: Value(mean.estimate(), mean.interval()) for judge, mean in values.items()
            }
        parts = [member.resampled.get(number.name, {}) for member in members]
        for pair in [pair for pair in parts[0] if all(pair in by_judge for by_judge in parts)]:
            below = [
                comparison
                for member in members
                for comparison in member.comparisons
                if (comparison.number, comparison.a, comparison.b) == (number.name, *pair)
            ]
            a, b = ([part[pair][side] for part in parts] for side in (0, 1))
            made.comparisons.append(_together(name, below, difference(a, b, number.over)))
    return made


def _together(task: str, members: Sequence[Comparison], result: Difference) -> Comparison:
    """The comparison of two judges' means over tasks, from those of the tasks."""
    counts = ("items", "only_a", "only_b", "uneven")
    return replace(
        members[0],
        task=task,
        difference=result.value,
        ci95=result.interval,
        p=result.p,
        test=result.method,
        clusters=result.clusters,
        **{name: sum(getattr(member, name) for member in members) for name in counts},
    )


def _rankings(
    results: Sequence[TaskResult], comparisons: Sequence[Comparison], *, all_pairs: bool
) -> Iterator[Ranking]:
    tested: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        if not math.isnan(comparison.p):
            tested.setdefault((comparison.task, comparison.number), []).append(comparison)
    for result in results:
        for name, values in result.values.items():
            number = registry.benchmark_of(result.benchmark).number(name)
            decided = tested.get((result.task, name), [])
            sign = -1 if number.better != "lower" else 1

            def place(
                judge: str, values: Mapping[str, Value] = values, sign: int = sign
            ) -> tuple[bool, float]:
                return math.isnan(values[judge].value), sign * values[judge].value

            ranked = sorted(values, key=place)
            letters = {}
            if all_pairs and len(decided) == math.comb(len(ranked), 2):
                letters = compact_letters(ranked, [(c.a, c.b) for c in decided if c.differs])
            yield Ranking(
                result.task,
                name,
                number.title,
                {judge: values[judge] for judge in ranked},
                letters,
                frozenset(judge for judge in values if _unclear(values[judge], number)),
            )


def _unclear(value: Value, number: Number) -> bool:
    if number.interval is None or math.isnan(value.value):
        return False
    return value.ci95.tells_nothing if number.kind == "share" else math.isnan(value.ci95.low)
