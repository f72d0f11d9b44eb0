"""Plan a run: its size, and the smallest difference between two judges that it can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL.Image import Image

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Number, Request, Task, TaskTrials
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.texts import did_you_mean
from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.comparisons import Comparison, Comparisons
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.groups import leaves
from pairbench_ext.runs.scoring import read_judges
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.statistics import power as stats
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Combination, effective_freedom
from pairbench_ext.statistics.seeds import generator

CHARACTERS = 4  # of English text to a token
SIDE = 28  # pixels of an image to a token, as Qwen2-VL and its followers have it
ASSUMED = f"one per {CHARACTERS} characters, one per {SIDE} x {SIDE} pixels of an image (assumed)"
TRIALS, REQUESTS = 48, 600  # that are looked at
_MOST_ROUNDS = 10_000
_LARGEST = {"share": 1.0, "correlation": 2.0}  # difference that there can be


@dataclass(frozen=True)
class Wanted:
    """The significance level, and the difference or margin between judges, to plan a run for.

    Attributes:
        alpha: the significance level of the tests.
        difference: the difference between two judges to find; None if the user names none.
        margin: how much worse a new judge may be and still pass the gate; None if the user
            names none.
    """

    alpha: float = stats.ALPHA
    difference: float | None = None
    margin: float | None = None


@dataclass(frozen=True)
class Detectable:
    """The smallest difference between two judges that a given number of items can show.

    Attributes:
        task: the task, or the group.
        number: the name of the number; empty for any share of items that a judge gets right.
        items: the number of items that both judges are asked.
        paired: the smallest difference that these items can show.
        items_paired: how many items are needed to show the wanted difference.
        items_margin: how many items are needed to show that an equally good judge is less than
            the margin worse.
        basis: the assumption or the data behind these values, as text.
        discordant: the assumed share of items on which exactly one of the two judges is right.
    """

    task: str
    number: str
    items: int
    paired: float
    items_paired: int | None
    items_margin: int | None
    basis: str
    discordant: float = math.nan


def by_share(task: str, items: int, discordant: float, wanted: Wanted) -> Detectable:
    """Return the smallest difference that items can show, given a share of discordant items.

    Raises:
        ValueError: if the share of discordant items or the difference is impossible.
    """
    alpha, same, margin = wanted.alpha, None, None
    if wanted.margin is not None:
        margin = stats.margin_items(discordant, wanted.margin)
    if wanted.difference is not None:
        same = stats.mcnemar_items(discordant, wanted.difference, alpha=alpha)
    return Detectable(
        task,
        "",
        items,
        stats.mcnemar_detectable(items, discordant, alpha=alpha),
        same,
        margin,
        f"share of discordant items {discordant:g} (assumed)",
        discordant,
    )


def by_runs(
    planned: Mapping[str, int], runs: Sequence[Path], numbers: Sequence[str], wanted: Wanted
) -> list[Detectable]:
    """Return the smallest differences between judges that a run can show, from two judges' logs.

    Standard errors are the jackknife's over the items of the runs. They shrink with the square
    root of the number of items.

    Args:
        planned: the number of planned items, keyed by task.
        runs: folders or files with the logs of two judges.
        numbers: names of the numbers to plan for; by default those with an interval, for which
            high or low values are better.
        wanted: the difference, the margin and the significance level to plan for.

    Raises:
        RecordError: if the logs are not of two judges, or hold none of the planned tasks.
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
        raise RecordError(f"--runs: the logs hold {tasks}, but none of the planned tasks")
    return rows


def unseen_of(interval: Interval, error: StandardError) -> float:
    """Return an interval's half-width minus 1.96 standard errors, but at least 0."""
    return max(0.0, (interval.high - interval.low) / 2 - stats.Z95 * error.size)


def _by_interval(
    comparison: Comparison, n: int, compared: Comparisons, wanted: Wanted
) -> Detectable:
    error = _error(comparison, compared)
    unseen = unseen_of(comparison.ci95, error)
    most = _LARGEST.get(_number(comparison, compared).kind, math.inf)
    smallest = math.nan
    if error.size > 0:
        smallest = stats.detectable_by_error(
            error.size, error.n, n, alpha=wanted.alpha, unseen=unseen, freedom=error.freedom
        )

    def items(difference: float | None, alpha: float = wanted.alpha) -> int | None:
        if difference is None or not error.size > 0:
            return None
        return stats.items_by_error(
            error.size, error.n, difference, alpha=alpha, unseen=unseen, freedom=error.freedom
        )

    return Detectable(
        comparison.task,
        comparison.number,
        n,
        smallest if smallest <= most else math.nan,  # no two judges differ by as much
        items(wanted.difference),
        items(wanted.margin, stats.ALPHA),
        f"measured on {error.n:,} items of {comparison.a} and {comparison.b}",
    )


def _number(comparison: Comparison, compared: Comparisons) -> Number:
    return _sides(comparison, compared)[0].benchmark.number(comparison.number)


def _sides(comparison: Comparison, compared: Comparisons) -> list[SideBySide]:
    """Return the judges on the task that was compared, or on all tasks of the group."""
    of_task = [side for side in compared.sides if side.name == comparison.task]
    declared = [task for side in compared.sides for task in side.benchmark.tasks]
    members = leaves(comparison.task, declared)
    return of_task or [side for side in compared.sides if side.name in members]


class StandardError(NamedTuple):
    """A standard error, its degrees of freedom, and the number of items behind it."""

    size: float
    freedom: float
    n: int


def _error(comparison: Comparison, compared: Comparisons) -> StandardError:
    """Return the standard error of a difference, by the jackknife over the items."""
    number = _number(comparison, compared)
    both = [side.both(comparison.a, comparison.b) for side in _sides(comparison, compared)]
    a, b = (
        [task.resampled(number) for task in judge]
        for judge in zip(*((x.a, x.b) for x in both), strict=True)
    )
    first, second = ([part for part in parts if part is not None] for parts in (a, b))
    if len(first) < len(both) or len(second) < len(both):
        return StandardError(math.nan, math.inf, 0)
    return error_of(Combination(first, second, number.over))


def error_of(difference: Combination) -> StandardError:
    """Return the jackknife standard error of a metric, or of a difference between two judges."""
    left, n = difference.left_out(), difference.n_clusters
    size = math.sqrt((n - 1) / n * float(np.nansum((left - np.nanmean(left)) ** 2)))
    return StandardError(size, effective_freedom(left) / 2, n)  # it is estimated itself


def _planned_clusters(
    comparison: Comparison, planned: Mapping[str, int], compared: Comparisons
) -> int | None:
    """Return how many items a comparison of tasks, or of a group's tasks together, will be of."""
    if comparison.task in planned:
        return planned[comparison.task]
    declared = [task for side in compared.sides for task in side.benchmark.tasks]
    members = leaves(comparison.task, declared)
    if comparison.task in members or not members <= set(planned):
        return None
    had = {c.task: c.result.clusters for c in compared.every if c.task in members}
    # Tasks of a group may share their items.
    return round(
        comparison.result.clusters * sum(planned[task] for task in had) / max(1, sum(had.values()))
    )


class PlanError(ValueError):
    """An error: the wanted plan is not possible."""


def tokens_of(request: Request, images: Sequence[Image]) -> int:
    """Estimate how many tokens a request and its images take.

    >>> tokens_of(Request(("Is it red?",)), [])
    3
    """
    text = math.ceil(len(request.system + "".join(request.texts)) / CHARACTERS)
    return text + sum(
        math.ceil(image.width / SIDE) * math.ceil(image.height / SIDE) for image in images
    )


@dataclass(frozen=True)
class Workload:
    """The size of a task, estimated from a sample of its trials.

    Attributes:
        items: asked about; an item is what is resampled as one: with all its votes and orders.
        of_items: that there are.
        trials: of these items.
        requests: what a model is asked; more than trials where these go on in rounds.
        images: shown in all requests together.
        input_tokens: of all requests together.
        reply_tokens: of all replies together, each as long as it may be.
        looked_at: how many trials were looked at.
        in_rounds: whether what is asked depends on the replies.
        left_out: how many trials of those to be looked at could not be shown.
    """

    items: int
    of_items: int
    trials: int
    requests: float
    images: float
    input_tokens: float
    reply_tokens: float
    looked_at: int
    in_rounds: bool
    left_out: int = 0


def named_tasks(names: Sequence[str]) -> Iterator[tuple[Benchmark, Task]]:
    """Yield the named tasks and all tasks of the named groups, each with its benchmark.

    Raises:
        SourceError: if there is no such task.
    """
    declared_as = {task.name: (b, task) for b in registry.every_benchmark() for task in b.tasks}
    for module in registry.modules("local_tasks").values():  # of the user's own data
        declared_as |= {task.name: (b, task) for b, task in module.local_tasks()}
    declared = [task for _, task in declared_as.values()]
    wanted: dict[str, None] = {}
    for name in names:
        if name not in declared_as:
            meant = did_you_mean(name, declared_as) or "; `pairbench tasks` lists them"
            raise SourceError(f"no task or group {name!r}{meant}")
        members = leaves(name, declared)
        wanted |= dict.fromkeys(task for task in declared_as if task in members)
    for name in wanted:
        benchmark, task = declared_as[name]
        assert isinstance(task, Task)
        yield benchmark, task


def right_or_wrong(benchmark: Benchmark) -> bool:
    """Return whether each item of a benchmark gets one answer that is either right or wrong."""
    return benchmark.outcome.kind == "chosen" and bool(benchmark.outcome.truth)


def workload(trials: TaskTrials[Any], longest: float) -> Workload:
    """Count the requests, images and tokens of a task.

    Items and trials are counted; requests, too, unless they are in rounds. Images and tokens are
    those of some trials, drawn at random, times what all trials are of them.

    Args:
        trials: of the task.
        longest: tokens of the longest reply that the task allows.

    Raises:
        PlanError: if none of those trials can be shown.
        SourceError: if the data are missing or not in the expected form.
    """
    n = len(trials)
    seen, broken, counts, in_rounds, why = 0, 0, np.zeros(4), False, ""
    for number in generator(0, "looked at").permutation(n)[:TRIALS].tolist():
        if counts[0] >= REQUESTS:
            break
        try:
            counted, several = _counts(trials, trials[number], longest)
        except Exception as error:  # noqa: BLE001  (a row may be broken in any way; it is counted)
            broken, why = broken + 1, str(error)
            continue
        seen, counts, in_rounds = seen + 1, counts + counted, in_rounds or several
    if not seen:
        raise PlanError(f"no trial of the task can be prepared: {why or 'the task has no trials'}")
    requests, images, tokens, most = (counts * n / seen).tolist()
    items, of_items = _items(trials)
    return Workload(
        items, of_items, n, requests, images, tokens, most, seen, in_rounds, left_out=broken
    )


def _items(trials: TaskTrials[Any]) -> tuple[int, int]:
    if trials.drawn is not None:
        _, sampled = trials.drawn[0]
        return sampled.items, sampled.of
    items = len({trials.unit_of(request)[0] for request in trials.requests})
    return items, items


def _counts(
    trials: TaskTrials[Any], trial: Mapping[str, Any], longest: float
) -> tuple[np.ndarray[Any, Any], bool]:
    """Return the requests, images, tokens and longest reply of a trial; whether it is in rounds."""
    total = np.zeros(4)
    asked = trials.ask(trial)
    for request in [asked] if isinstance(asked, Request) else _rounds(trials, trial, asked):
        images = request.images()
        most = longest if request.tokens is None else min(longest, request.tokens)
        total += 1, len(images), tokens_of(request, images), most
    return total, not isinstance(asked, Request)


def _rounds(trials: TaskTrials[Any], trial: Mapping[str, Any], asked: Any) -> Iterator[Request]:
    """Yield the requests of a trial in rounds, if replies are as expected."""
    request = next(asked, None)
    for _ in range(_MOST_ROUNDS):
        if request is None:
            break
        yield request
        try:
            request = asked.send(trials.example_reply(trial, request))
        except StopIteration:
            break
    asked.close()
