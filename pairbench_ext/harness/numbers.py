"""Hand a benchmark's metrics to lmms-eval.

The harness hands each metric's aggregation the values that `process_results` gave for it, one per
sample. All numbers follow from the same readings, so every value carries its reading along, and the
numbers are computed once, for whichever metric is asked for first. What is logged is another
matter: plain numbers, and only where a number is a mean over trials.
"""

import math
import threading
from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from loguru import logger

from pairbench_ext.core.benchmark import Benchmark, Number, Reading, TaskTrials
from pairbench_ext.core.readers import NOT_OF_REWARDS, rewarded
from pairbench_ext.core.registry import folder_of
from pairbench_ext.runs.groups import group_rule, sum_of_defined
from pairbench_ext.runs.samples import LEFT_OUT
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.means import NestedMean, Sums

Result = TypeVar("Result")

SCORE, CLUSTER = "score", "cluster"  # `score_key` and `cluster_key` of the task files


class SampleValue(dict[str, Any]):
    """The value that one sample adds to one metric.

    It holds value and cluster for the harness's standard errors (nothing, where the number is not a
    mean over trials), and carries its reading.
    """

    __slots__ = ("reading", "sums")

    def __init__(self, sums: Sums, cluster: Any, reading: Reading) -> None:
        totals, counts = zip(*sums.values(), strict=True) if sums else ((), ())
        super().__init__({SCORE: sum(totals) / sum(counts), CLUSTER: cluster} if sums else {})
        self.sums = sums
        self.reading = reading

    def __reduce__(self) -> tuple[Any, ...]:
        return SampleValue, (self.sums, self.get(CLUSTER), self.reading)


@dataclass(frozen=True)
class SampleResults:
    """What `process_results` returns for a sample: fields to log, and a value per metric.

    It logs by `dict.update`, which asks for `keys`, and aggregates what `items` gives.
    (`tests/pairbench_ext/harness/test_numbers.py` sees both.)
    """

    logged: Mapping[str, Any]
    values: Mapping[str, SampleValue]

    def keys(self) -> KeysView[str]:
        """Return the names of the fields to log."""
        return self.logged.keys()

    def __getitem__(self, name: str) -> Any:
        """Return the logged value of the field with this name."""
        return self.logged[name]

    def items(self) -> ItemsView[str, SampleValue]:
        """Return the sample's value for each metric, keyed by the metric's name."""
        return self.values.items()


def printed_numbers(benchmark: Benchmark) -> list[Number]:
    """Return the metrics that lmms-eval prints in its table of results, the main one first.

    They are those of the benchmark's first section and of the headline's section, those that have
    an interval, and coverage, without counts. `pairbench score` has all numbers and the intervals.
    """
    sections = [number.section for number in benchmark.numbers[:1]]
    sections += [each.section for each in benchmark.numbers if each.name == benchmark.headline]
    chosen = [
        number
        for number in benchmark.numbers
        if number.kind != "count"
        and (number.section in sections or number.interval or number.name == "coverage")
    ]
    return sorted(chosen, key=lambda number: number.name != benchmark.headline)


def sample_results(
    benchmark: Benchmark,
    trials: TaskTrials[Any] | None,
    reading: Reading,
    logged: Mapping[str, Any],
) -> SampleResults:
    """Return the fields that a sample logs, and the value that it adds to each metric."""
    carried = replace(reading, log={}, rows=())
    cluster = reading.outcomes[0].cluster if reading.outcomes else None
    undefined = NOT_OF_REWARDS if rewarded(reading.outcomes) else ()
    of_numbers = {
        number.name: SampleValue(
            {} if number.name in undefined else number.sums(reading.outcomes), cluster, carried
        )
        for number in benchmark.numbers
        if _applies(number, trials)
    }
    scores = {name: value[SCORE] for name, value in of_numbers.items() if value.sums}
    printed = [number.name for number in printed_numbers(benchmark)]
    values = {LEFT_OUT: SampleValue({}, cluster, carried)}
    values |= {name: of_numbers[name] for name in printed if name in of_numbers}
    if benchmark.headline in scores:
        scores = {SCORE: scores[benchmark.headline], **scores}
    return SampleResults({**scores, CLUSTER: cluster, **logged}, values)


def _applies(number: Number, trials: TaskTrials[Any] | None) -> bool:
    try:
        return trials is None or number.when is None or bool(number.when(trials))
    except Exception:  # noqa: BLE001  (a number too many, rather than no task at all)
        return True


def _weigh(values: Sequence[SampleValue]) -> None:
    """Have the harness's means and standard errors be over outcomes, as the numbers are.

    The harness counts samples alike, of however many outcomes of whatever parts they are. The
    number is a mean of ratios of sums, whose standard error is that of its linear terms.
    """
    means = [value for value in values if value.sums]
    for value, term in zip(means, NestedMean([v.sums for v in means]).terms(), strict=True):
        value[SCORE] = term


def score_clusters(
    number: Number, samples: Sequence[dict[str, Any]], readings: Sequence[Reading]
) -> None:
    """Store each cluster's `score` with its first sample; its other samples get no score."""
    clusters: dict[Any, list[int]] = {}
    for place in sorted(range(len(samples)), key=lambda place: samples[place]["doc_id"]):
        if readings[place].outcomes:
            clusters.setdefault(samples[place][CLUSTER], []).append(place)
    sums = {
        cluster: number.sums(outcome for place in places for outcome in readings[place].outcomes)
        for cluster, places in clusters.items()
    }
    measured = [cluster for cluster in clusters if sums[cluster]]
    terms = NestedMean([sums[cluster] for cluster in measured]).terms()
    logged = {clusters[c][0]: round(x, 12) for c, x in zip(measured, terms, strict=True)}
    for place, sample in enumerate(samples):
        if place in logged:
            sample[SCORE] = logged[place]
        else:
            sample.pop(SCORE, None)


class Aggregations:
    """Make an aggregation function for each metric; the first call computes all metrics.

    Readings are compared by content: those gathered from several ranks are new objects for every
    metric. A metric that is asked for again starts anew: it is another run, with warnings of
    its own. Nothing is raised, because the harness would lose all finished tasks.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self._lock = threading.Lock()
        self._readings: tuple[Reading, ...] | None = None
        self._numbers: Mapping[str, float] = {}
        self._given: set[str] = set()

    def metric_list(self) -> list[dict[str, Any]]:
        """Return the `metric_list` of a task's file: each metric with its aggregation function."""
        return [
            {
                "metric": number.name,
                "aggregation": self.aggregation(number.name),
                "higher_is_better": number.better and number.better == "higher",
            }
            for number in printed_numbers(self.benchmark)
        ] + [{"metric": LEFT_OUT, "aggregation": left_out, "higher_is_better": False}]

    def aggregation(self, name: str) -> Callable[[Sequence[SampleValue]], float]:
        """Return the function that aggregates the samples' values of one metric."""

        def aggregate(items: Sequence[SampleValue]) -> float:
            def value() -> float:
                _weigh(items)  # before the harness's standard errors, which come last
                return self._value(name, tuple(item.reading for item in items))

            number = _attempt(self.benchmark, f"{name} is nan", value)
            return math.nan if number is None else number

        aggregate.__name__ = aggregate.__qualname__ = name
        return aggregate

    def _value(self, name: str, readings: tuple[Reading, ...]) -> float:
        with self._lock:
            if name in self._given or readings != self._readings:
                self._readings, self._given = readings, set()
                self._numbers = compute(self.benchmark, readings)
            self._given.add(name)
            return self._numbers.get(name, math.nan)


def left_out(items: Sequence[SampleValue]) -> int:
    """Return how many rows or columns of the data were left out and therefore not asked about."""
    return len({reason for item in items for reason in item.reading.left_out})


def compute(benchmark: Benchmark, readings: Sequence[Reading]) -> Mapping[str, float]:
    """Return all metrics of a run, and log remarks on them. It never raises."""
    run = Run(benchmark, Path("this run"), tuple(readings))
    # What the data lack was said when they were read; what was found while asking, was not.
    unasked = any(reading.left_out and not reading.outcomes for reading in readings)
    _remark(benchmark, lambda: run.remarks_on_samples(left_out=unasked))
    if run.left_out and not run.measured:
        return {}
    if _attempt(benchmark, "all numbers are nan", lambda: run.table) is None:
        return {}
    numbers = {number.name: _value(run, number) for number in printed_numbers(benchmark)}
    _remark(benchmark, run.remarks_on_numbers)
    return numbers


def _remark(benchmark: Benchmark, remarks: Callable[[], Iterable[str]]) -> None:
    for remark in _attempt(benchmark, "remarks are missing", lambda: list(remarks())) or ():
        logger.warning(f"{benchmark.title}: {remark}")


def _value(run: Run, number: Number) -> float:
    value = _attempt(run.benchmark, f"{number.name} is nan", lambda: run.number(number))
    return math.nan if value is None else value


def _attempt(benchmark: Benchmark, effect: str, make: Callable[[], Result]) -> Result | None:
    """Return a function's result; None if it raises, which is logged with its effect."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
        logger.error(
            f"{benchmark.title}: {effect} ({error!r}). The samples are logged; "
            f"to compute numbers from them, run pairbench score {folder_of(benchmark.name)} FILE"
        )
        return None


def group_metrics(benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return the `aggregate_metric_list` of a group's file: how metrics combine over its tasks.

    The harness takes a metric for every name that is part of its own, the last one in the list: so
    longer names come later.
    """
    rules = {number.name: group_rule(number) for number in printed_numbers(benchmark)}
    rules[LEFT_OUT] = sum_of_defined
    return [
        {"metric": name, "aggregation": _over_tasks(rules[name]), "weight_by_size": False}
        for name in sorted(rules, key=len)
    ]


def _over_tasks(
    rule: Callable[[Sequence[float]], float],
) -> Callable[[Sequence[float], Sequence[int], bool], float]:
    def aggregate(values: Sequence[float], sizes: Sequence[int], weight_by_size: bool) -> float:  # noqa: ARG001
        """Return a group's number; tasks without it are left out, and a warning says so."""
        undefined = sum(math.isnan(value) for value in values)
        if 0 < undefined < len(values):
            logger.warning(
                f"a group's number is the mean over only {len(values) - undefined} of its "
                f"{len(values)} tasks, because it is undefined (nan) in the other tasks"
            )
        return rule(values)

    return aggregate
