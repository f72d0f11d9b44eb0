"""The smallest difference between two judges that a task's items can show, and items for one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Group
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.comparisons import Comparison, Comparisons
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.groups import leaves
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.statistics import power as stats


@dataclass(frozen=True)
class Wanted:
    """What is asked of a plan.

    Attributes:
        power: the chance that a difference is found.
        alpha: level of the test.
        difference: that is to be found; None if none is named.
        margin: of a gate, how much worse a judge may be; None if none is named.
    """

    power: float = stats.POWER
    alpha: float = stats.ALPHA
    difference: float | None = None
    margin: float | None = None


@dataclass(frozen=True)
class Detectable:
    """What a number of items can show; NaN, or None, where it cannot be said.

    Attributes:
        task: the task, or the group.
        number: which number; empty for any share that is right or wrong once per item.
        items: that both judges, or each of two, are asked about.
        paired: the smallest difference, of judges on the same items.
        unpaired: the same on different items.
        items_paired: how many items show the difference that is wanted.
        items_unpaired: the same, for each judge.
        items_margin: how many items show that a judge as good as another one is less than the
            margin worse.
        basis: what it follows from.
        discordant: share of discordant items that it follows from.
    """

    task: str
    number: str
    items: int
    paired: float
    unpaired: float
    items_paired: int | None
    items_unpaired: int | None
    items_margin: int | None
    basis: str
    discordant: float = math.nan


def by_share(
    task: str, items: int, discordant: float, accuracy: float, wanted: Wanted
) -> Detectable:
    """From a stated share of discordant items, and a stated accuracy.

    Raises:
        ValueError: if there can be no such share, accuracy or difference.
    """
    how = wanted.power, wanted.alpha
    same = other = margin = None
    if wanted.margin is not None:
        margin = stats.margin_items(discordant, wanted.margin, wanted.power)
    if wanted.difference is not None:
        same = stats.mcnemar_items(discordant, wanted.difference, *how)
        other = stats.unpaired_items(accuracy, wanted.difference, *how)
    return Detectable(
        task,
        "",
        items,
        stats.mcnemar_detectable(items, discordant, *how),
        stats.unpaired_detectable(items, accuracy, *how),
        same,
        other,
        margin,
        f"{discordant:g} of the items discordant, accuracy {accuracy:g} (assumed)",
        discordant,
    )


def by_runs(
    planned: Mapping[str, int], runs: Sequence[Path], numbers: Sequence[str], wanted: Wanted
) -> list[Detectable]:
    """From the samples that two judges logged, for every number that `compare` resamples.

    The standard error of a difference is that of its interval; it shrinks with the root of the
    number of items.

    Args:
        planned: items by task.
        runs: of two judges: folders or files.
        numbers: which; by default those with an interval of which one end is better.
        wanted: what is asked.

    Raises:
        RecordError: if these are not two judges, or have none of the tasks that are planned.
    """
    judges = read_judges(judge_runs(runs))
    if len(judges) != 2:
        raise RecordError(f"--runs: two judges are needed, {len(judges)} given")
    compared = compare(judges, numbers=numbers)
    rows = []
    for comparison in compared.every:
        n = _planned_clusters(comparison, planned, compared)
        if n is not None and not math.isnan(comparison.p):
            rows.append(_by_interval(comparison, n, compared, wanted))
    if not rows:
        tasks = ", ".join(dict.fromkeys(comparison.task for comparison in compared.every))
        raise RecordError(f"--runs: they have {tasks}, none of the tasks that are planned")
    return rows


def _by_interval(
    comparison: Comparison, n: int, compared: Comparisons, wanted: Wanted
) -> Detectable:
    values = next(
        r.values
        for r in compared.rankings
        if (r.task, r.number) == (comparison.task, comparison.number)
    )
    apart = math.hypot(
        *(stats.standard_error(values[judge].ci95) for judge in (comparison.a, comparison.b))
    )
    (same, items_same), (other, items_other) = (
        _by_error(error, comparison.result.clusters, n, wanted)
        for error in (stats.standard_error(comparison.ci95), apart)
    )
    gate = replace(wanted, alpha=stats.ALPHA, difference=wanted.margin)
    error = stats.standard_error(comparison.ci95)
    _, items_margin = _by_error(error, comparison.result.clusters, n, gate)
    return Detectable(
        comparison.task,
        comparison.number,
        n,
        same,
        other,
        items_same,
        items_other,
        items_margin,
        f"measured on {comparison.result.clusters:,} items of {comparison.a} and {comparison.b}",
    )


def _by_error(error: float, had: int, n: int, wanted: Wanted) -> tuple[float, int | None]:
    """The smallest difference, and the items for one, from a standard error of so many items."""
    if not error > 0:
        return math.nan, None
    how = wanted.power, wanted.alpha
    smallest = stats.detectable_by_error(error, had, n, *how)
    if wanted.difference is None:
        return smallest, None
    return smallest, stats.items_by_error(error, had, wanted.difference, *how)


def _planned_clusters(
    comparison: Comparison, planned: Mapping[str, int], compared: Comparisons
) -> int | None:
    """How many items a comparison of tasks, or of a group's tasks together, will be of."""
    if comparison.task in planned:
        return planned[comparison.task]
    groups = [
        group
        for benchmark in registry.every_benchmark()
        for group in benchmark.tasks
        if isinstance(group, Group)
    ]
    members = leaves(comparison.task, groups)
    if comparison.task in members or not members <= set(planned):
        return None
    had = {c.task: c.result.clusters for c in compared.every if c.task in members}
    # Tasks of a group may share their items.
    return round(
        comparison.result.clusters * sum(planned[task] for task in had) / max(1, sum(had.values()))
    )
