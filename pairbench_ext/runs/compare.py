"""Compare judges: is one better than another, and is the difference significant?

Tasks are matched by name and items by what their benchmark calls an item. Judges are compared, put
in order and marked on the items that all of them were asked; the others are counted and named. Each
item counts once, however often a judge answered it. `statistics.difference` compares two judges on
one number. P-values are adjusted by Holm's method, in one family for all that is shown: those of
headlines over all pairs of judges and all groups, or tasks that are in none, and of the means that
judges are ranked by; all others behind their headline.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import did_you_mean, listed
from pairbench_ext.runs.comparisons import (
    Comparison,
    Comparisons,
    Own,
    Ranking,
    adjusted,
    compared,
    comparison_of,
)
from pairbench_ext.runs.groups import whole_groups
from pairbench_ext.runs.judge_groups import JudgeGroup, is_control, judge_groups
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import SideBySide, describe_unmeasured, side_by_side, stand_ins
from pairbench_ext.runs.task_outcomes import Value
from pairbench_ext.statistics.multiple import compact_letters

Pair = tuple[str, str]


#: What is wrong with a comparison of fewer than two judges.
TOO_FEW = (
    "at least two judges are needed: give a folder or file of each. `pairbench card` and "
    "`pairbench score` show one"
)


@dataclass
class TaskResult:
    """All comparisons between judges on one task, or on one group of tasks.

    Attributes:
        task: its name.
        benchmark: whose it is.
        headline: the number that is tested first.
        comparisons: by number and pair.
        values: by number, by judge, on the items that all judges were asked.
        own: likewise, over all items of each judge, where they differ from these.
        items: how many all judges were asked.
        members: the tasks of a group; of a task, itself.
    """

    task: str
    benchmark: Benchmark
    headline: str
    members: tuple[str, ...]
    comparisons: list[Comparison] = field(default_factory=list)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    own: dict[str, dict[str, Own]] = field(default_factory=dict)
    items: int = 0


def compare(
    judges: Sequence[Judge],
    *,
    numbers: Sequence[str] = (),
    baseline: str | None = None,
    headlines_alone: bool = False,
    stand_in: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparisons:
    """Compare all pairs of judges, or each judge with a baseline.

    Args:
        judges: at least two.
        numbers: which to compare; by default those with an interval of which one end is better.
        baseline: the judge that all others are compared with; None for all pairs.
        headlines_alone: leave out all numbers that are tested behind a headline.
        stand_in: where no main number is measured, for want of people's labels, compare by those
            that need none.
        progress: is told of each task before it is compared.

    Raises:
        RecordError: if there are fewer than two judges, no task that two of them have, no such
            baseline or number, a run from which no numbers follow, or judges were asked about
            different data.
    """
    pairs = _pairs([judge.name for judge in judges], baseline)
    shared = [s for s in side_by_side(judges) if _shares(s, pairs)]
    if not shared:
        has = "; ".join(f"{judge.name} has {', '.join(judge.runs)}" for judge in judges[:4])
        raise RecordError(f"no two judges ran the same task: {has}")
    check_numbers(shared, numbers)
    found = compare_shared(
        judges,
        numbers=numbers,
        baseline=baseline,
        headlines_alone=headlines_alone,
        stand_in=stand_in,
        progress=progress,
    )
    if not found.every and found.stand_ins != ():
        why = "; ".join(describe_unmeasured(found.sides))
        raise RecordError(f"nothing to compare: {why}") if why else no_such_number(shared, numbers)
    return found


def compare_shared(
    judges: Sequence[Judge],
    *,
    numbers: Sequence[str] = (),
    baseline: str | None = None,
    headlines_alone: bool = True,
    stand_in: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparisons:
    """Compare judges on the items that they share; arguments as for `compare`.

    Raises:
        RecordError: if judges were asked about different data, or no numbers follow from a run.
    """
    names = [judge.name for judge in judges]
    pairs = _pairs(names, baseline) if len(names) > 1 else []
    sides = [side.check_same_truths() for side in side_by_side(judges)]
    shared = [side for side in sides if _shares(side, pairs)]
    instead = stand_ins(shared) if stand_in and not numbers else None
    numbers, alone = instead or numbers, headlines_alone and not instead
    results = []
    for side in tracked([] if instead == () else _of_judges(shared), "comparing"):
        progress(side.task)
        results.append(_compare_task(side, pairs, numbers, headlines_alone=alone))
    results += [*_compare_groups(results, shared, pairs)]
    comparisons = [comparison for result in results for comparison in result.comparisons]
    groups = judge_groups(_of_judges(sides, others=False), numbers)
    places = [_places(group, pairs, results, comparisons) for group in groups]
    every = adjusted(comparisons, _gates(results, bool(numbers)))
    tests = [{pair: every[place] for pair, place in of_pairs.items()} for of_pairs in places]
    return Comparisons(
        judges=tuple(judges),
        every=every,
        rankings=tuple(_rankings(results, every, all_pairs=baseline is None)),
        tasks=tuple(sides),
        sides=tuple(shared),
        groups=tuple(zip(groups, tests, strict=True)),
        stand_ins=instead,
        baseline=pairs[0][1] if baseline else None,
    )


def _of_judges(sides: Sequence[SideBySide], *, others: bool = True) -> Sequence[SideBySide]:
    """Return the tasks that test judges; if wanted, controls where there are no others."""
    shown = [side for side in sides if side.judges and not is_control(side.benchmark)]
    return shown or (sides if others else [])


def _shares(side: SideBySide, pairs: Sequence[Pair]) -> bool:
    """Return whether both judges of a pair have a task."""
    return any({*pair} <= {*side.asked} for pair in pairs)


def _places(
    group: JudgeGroup,
    pairs: Sequence[Pair],
    results: Sequence[TaskResult],
    comparisons: list[Comparison],
) -> dict[Pair, int]:
    """Return where the comparison of each pair of ranked judges stands; it is added if none does.

    The main number of one task, or of all tasks of a benchmark's group, is compared already.
    """
    place_of: dict[Pair, int] = {}
    same = {result.task for result in results if {*result.members} == {*group.tasks}}
    for pair in pairs:
        main = _compared_in_group(group, pair)
        if main is not None and not math.isnan(main.p):
            key = main.number, *pair, main.items
            earlier = (
                place
                for place, c in enumerate(comparisons)
                if c.task in same and (c.number, c.a, c.b, c.items) == key
            )
            place_of[pair] = next(earlier, len(comparisons))
            comparisons += [main] * (place_of[pair] == len(comparisons))
    return place_of


def _compared_in_group(group: JudgeGroup, pair: Pair, name: str = "") -> Comparison | None:
    """Compare two ranked judges by the number of a group; the p-value is raw."""
    number = group.number
    if number is None or not {*pair} <= {*group.judges}:
        return None
    both, tasks = group.both(*pair), listed(group.tasks, 2)
    mean = f"mean of {tasks}" if len(both) > 1 else f"{tasks}, {group.items:,} common items"
    of_task = dict(zip(group.tasks, both, strict=True))
    return comparison_of(name or mean, number, pair, group.difference(*pair), of_task)


def check_numbers(sides: Sequence[SideBySide], numbers: Sequence[str]) -> None:
    """Raise `RecordError` if a requested metric exists in none of the tasks."""
    names = {name for side in sides for number in side.benchmark.numbers for name in number.names}
    unknown = [name for name in numbers if name not in names]
    if unknown:
        raise no_such_number(sides, unknown)


def no_such_number(sides: Sequence[SideBySide], numbers: Sequence[str]) -> RecordError:
    """Return the error for requested metrics that no task measures; it lists measured metrics."""
    wanted = f"the number {' or '.join(numbers)}" if numbers else "a main number"
    names = sorted({n.name for side in sides for n in side.benchmark.numbers if side.measures(n)})
    meant = "".join(did_you_mean(name, names) for name in numbers[:1])
    others = meant or f"; --number NAME chooses others: {listed(names, 12)}"
    others += "; `pairbench report` shows each judge alone" * (not numbers)
    return RecordError(f"no task of these judges measures {wanted}{others}")


def if_comparable(judges: Sequence[Judge]) -> tuple[Comparisons | None, str]:
    """Return the judges' comparisons and an empty text, or None and why they cannot be compared."""
    if len(judges) < 2:
        return None, ""
    try:
        return compare(judges), ""
    except RecordError as error:
        return None, str(error)


def _pairs(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(names) < 2:
        raise RecordError(TOO_FEW)
    if baseline is None:
        return list(combinations(names, 2))
    fitting = [name for name in names if baseline in (name, name.rpartition("/")[2])]
    if len(fitting) != 1:
        raise RecordError(f"no judge is called {baseline!r}; the judges are {', '.join(names)}")
    return [(name, fitting[0]) for name in names if name != fitting[0]]


def _compare_task(
    side: SideBySide, pairs: Sequence[Pair], numbers: Sequence[str], *, headlines_alone: bool
) -> TaskResult:
    chosen = side.numbers(numbers)[: 1 if headlines_alone else None]
    shared = [(a, b) for a, b in pairs if a in side.judges and b in side.judges]
    result = TaskResult(side.name, side.benchmark, chosen[0].name if chosen else "", (side.name,))
    result.items = len(side.common)
    shown = side.on_common if side.common else side.judges
    for number in chosen:
        result.values[number.name] = {name: j.value(number) for name, j in shown.items()}
        result.own[number.name] = {
            name: Own(judge.value(number), len(judge.items))
            for name, judge in side.judges.items()
            if judge is not shown[name]
        }
        result.comparisons += [compared(side, number, a, b) for a, b in shared]
    return result


def _groups(sides: Sequence[SideBySide]) -> Iterator[tuple[str, list[SideBySide]]]:
    for name in dict.fromkeys(side.benchmark.name for side in sides):
        by_task = {side.name: side for side in sides if side.benchmark.name == name}
        for group, members in whole_groups(next(iter(by_task.values())).benchmark, by_task).items():
            yield group, [by_task[task] for task in members]


def _compare_groups(
    results: Sequence[TaskResult], sides: Sequence[SideBySide], pairs: Sequence[Pair]
) -> Iterator[TaskResult]:
    """Yield the comparisons of each group of tasks that can be compared."""
    tasks = {result.task for result in results}
    for name, members in _groups([side for side in sides if side.name in tasks]):
        group = _compare_group(name, members, results, pairs)
        if group.comparisons:
            yield group


def _compare_group(
    name: str, sides: Sequence[SideBySide], results: Sequence[TaskResult], pairs: Sequence[Pair]
) -> TaskResult:
    """The means over the tasks of a group, with intervals from its tasks' joint resamples."""
    tasks = tuple(side.name for side in sides)
    members = [result for result in results if result.task in tasks]
    result = TaskResult(name, sides[0].benchmark, members[0].headline, tasks)
    full = [judge for judge in sides[0].names if all(judge in side.judges for side in sides)]
    sides = [side if {*side.judges} <= {*full} else side.of(full) for side in sides]
    for number in map(result.benchmark.number, members[0].values):
        if number.kind == "count" or any(number.name not in member.values for member in members):
            continue
        group = JudgeGroup("other", tuple(sides), tuple(full), {}, number, (number.name,))
        result.items = 0 if group.apart else group.items
        for judge in full:
            _add_means(result, group, number.name, judge)
        found = (_compared_in_group(group, pair, name) for pair in pairs)
        result.comparisons += [c for c in found if c is not None and c.result.mean is not None]
    return result


def _add_means(result: TaskResult, group: JudgeGroup, number: str, judge: str) -> None:
    """Add a judge's mean over the tasks: on common items, and over its own where these differ."""
    shown, on_own = group.outcomes_of(judge), [side.judges[judge] for side in group.sides]
    value = group.value(judge)
    if value is not None:
        result.values.setdefault(number, {})[judge] = value
    of_own = None if on_own == shown else group.value_of(on_own)
    if of_own is not None:
        items = sum(len(of_task.items) for of_task in on_own)
        result.own.setdefault(number, {})[judge] = Own(of_own, items)


def _gates(results: Sequence[TaskResult], named: bool) -> dict[tuple[str, str], tuple[str, str]]:
    """Return what must differ first: a task's headline, and a group's mean before its tasks.

    Args:
        results: of tasks, then of groups.
        named: whether the user named the numbers; each of them is then a headline.
    """
    gates: dict[tuple[str, str], tuple[str, str]] = {}
    for result in results:
        for number in () if named else result.values:
            if number != result.headline:
                gates[result.task, number] = result.task, result.headline
    for group in results:
        for task in group.members if len(group.members) > 1 else ():
            for number in group.values if named else [group.headline]:
                gates[task, number] = group.task, number
    return gates


def _rankings(
    results: Sequence[TaskResult], comparisons: Sequence[Comparison], *, all_pairs: bool
) -> Iterator[Ranking]:
    tested: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        if not math.isnan(comparison.p):
            tested.setdefault((comparison.task, comparison.number), []).append(comparison)
    for result in results:
        for name in result.values:
            decided = tested.get((result.task, name), [])
            yield _ranking(result, result.benchmark.number(name), decided, all_pairs=all_pairs)


def _ranking(
    result: TaskResult, number: Number, decided: Sequence[Comparison], *, all_pairs: bool
) -> Ranking:
    """Return the judges by one number, the best first, with letters if all pairs were tested.

    They are in their own order where neither end of the number is better.
    """
    values = result.values[number.name]
    sign = {"higher": -1, "lower": 1, None: 0}[number.better]
    ranked = sorted(values, key=lambda j: (math.isnan(values[j].value), sign * values[j].value))
    letters = {}
    if all_pairs and result.items and len(decided) == math.comb(len(ranked), 2):
        letters = compact_letters(ranked, [(c.a, c.b) for c in decided if c.differs])
    return Ranking(
        result.task,
        number.name,
        number.title,
        number.better,
        {judge: values[judge] for judge in ranked},
        letters,
        result.items,
        result.own.get(number.name, {}),
    )
