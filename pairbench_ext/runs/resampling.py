"""Numbers of a run by cluster, to be resampled, and the sources of their noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pairbench_ext.core.benchmark import Benchmark, Number
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.noise import NoiseSplit, noise_split

_SAME = 1e-9  # how near the number its value by cluster must be


def clustered(
    benchmark: Benchmark,
    task: str,
    number: Number,
    table: Any,
) -> Clustered | None:
    """A number by cluster, with names that are the same in all tasks that share their sources.

    Args:
        benchmark: whose it is.
        task: the task's name.
        number: which.
        table: of the outcomes.

    Returns:
        None where the number cannot be resampled: its estimator has no clusters, or under the
        options used it differs from its value by cluster.
    """
    value = float(number.of(table))
    if math.isnan(value):
        return None
    made = number.estimator.clusters(table)
    if made is None or not abs(made.statistic.estimate() - value) <= _SAME:
        return None
    source = benchmark.source_of(task)
    sizes = made.sizes
    if sizes is None:
        counts = Counter(outcome.cluster for outcome in table)
        sizes = tuple(counts.get(name, 1) for name in made.names)
    return Clustered(tuple((source, name) for name in made.names), made.statistic, sizes=sizes)


def noise_of(benchmark: Benchmark, outcomes: Iterable[Any]) -> NoiseSplit | None:
    """Where the noise of the headline number is from; None where nothing was asked twice."""
    if benchmark.headline is None or benchmark.outcome.kind != "chosen":
        return None
    headline = benchmark.number(benchmark.headline).mean
    assert headline is not None
    known = [
        (x, outcome.item_and_variant, outcome.repeat, outcome.cluster)
        for outcome in outcomes
        if outcome.kind == "chosen" and (x := headline.per_trial(outcome)) is not None
    ]
    return noise_split(*zip(*known, strict=True)) if known else None
