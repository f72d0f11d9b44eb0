"""Numbers of a run by cluster, to be resampled or weighted, and the sources of their noise."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pairbench_ext.core.benchmark import Benchmark, Number, Reading
from pairbench_ext.core.limit_items import strata_of, weights_of
from pairbench_ext.core.outcomes import each_once
from pairbench_ext.statistics.combination import Clustered, clustered_interval
from pairbench_ext.statistics.intervals import SumStatistic
from pairbench_ext.statistics.noise import NoiseSplit, noise_split

_SAME = 1e-9  # how near the number its value by cluster must be


def clustered(
    benchmark: Benchmark,
    task: str,
    number: Number,
    table: Any,
    outcomes: Iterable[Any],
    weights: Mapping[Hashable, float] | None = None,
) -> Clustered | None:
    """A number by cluster, with names that are the same in all tasks that share their sources.

    Args:
        benchmark: whose it is.
        task: the task's name.
        number: which.
        table: of the outcomes.
        outcomes: that it is of.
        weights: of the clusters; rank statistics are not weighted.

    Returns:
        None where the number cannot be resampled: it is not the mean of a value per trial and
        declares no clusters, or under the options used it differs from its value by cluster.
    """
    by_cluster = _by_cluster(number, table, outcomes)
    if by_cluster is None:
        return None
    by_cluster = _weighted(by_cluster, weights or {}) or by_cluster
    source = benchmark.source_of(task)
    return Clustered(tuple((source, name) for name in by_cluster.names), by_cluster.statistic)


def _by_cluster(number: Number, table: Any, outcomes: Iterable[Any]) -> Clustered | None:
    value = float(number.of(table))
    if math.isnan(value):
        return None
    if number.clustered is not None:
        made = number.clustered(table)
    else:
        made = number.clustered_outcomes(each_once(outcomes))
    if made is None or not abs(made.statistic.estimate() - value) <= _SAME:
        return None
    return made


def cluster_weights(readings: Iterable[Reading]) -> dict[Hashable, float]:
    """The weight of each cluster of a run (`limit_items`); empty where all weigh the same."""
    strata = strata_of(readings)
    return weights_of(strata, strata)


def weighted_numbers(
    benchmark: Benchmark, table: Any, readings: Sequence[Reading]
) -> dict[str, float]:
    """The numbers of a run of a part of the items that weights change: see `weighted_table`."""
    weights = cluster_weights(readings)
    outcomes = (outcome for reading in readings for outcome in reading.outcomes)
    return weighted_table(benchmark, table, outcomes, weights)


def weighted_table(
    benchmark: Benchmark, table: Any, outcomes: Iterable[Any], weights: Mapping[Hashable, float]
) -> dict[str, float]:
    """Means and other functions of sums, with the ends of their intervals, over weighted clusters.

    Args:
        benchmark: whose they are.
        table: of the outcomes.
        outcomes: of a run.
        weights: of the clusters that they are of; empty where all weigh the same.

    Returns:
        The numbers that weights change: functions of sums over clusters.
    """
    made: dict[str, float] = {}
    every = list(outcomes) if weights else []
    for number in benchmark.numbers if weights else ():
        if number.kind == "count":
            continue
        by_cluster = _by_cluster(number, table, every)
        weighted = None if by_cluster is None else _weighted(by_cluster, weights)
        if weighted is None:
            continue
        made[number.name] = weighted.statistic.estimate()
        if number.interval is not None:
            made |= zip(number.ends, clustered_interval(weighted), strict=True)
    return made


def _weighted(part: Clustered, weights: Mapping[Hashable, float]) -> Clustered | None:
    """A statistic of sums over weighted clusters; None for others, and without weights."""
    statistic = part.statistic
    known = [weights.get(name) for name in part.names]
    if not weights or None in known or not isinstance(statistic, SumStatistic):
        return None
    factor = np.array(known, dtype=np.float64).reshape(-1, *(1,) * (statistic.sums.ndim - 1))
    return Clustered(part.names, replace(statistic, sums=statistic.sums * factor))


def noise_of(benchmark: Benchmark, outcomes: Iterable[Any]) -> NoiseSplit | None:
    """Where the noise of the headline number is from; None where nothing was asked twice."""
    if benchmark.headline is None or benchmark.outcome.kind != "chosen":
        return None
    value = benchmark.number(benchmark.headline).per_trial
    assert value is not None
    known = [
        (x, (outcome.item, *outcome.variant.values()), outcome.repeat, outcome.cluster)
        for outcome in each_once(outcomes)
        if outcome.kind == "chosen" and (x := value(outcome)) is not None
    ]
    return noise_split(*zip(*known, strict=True)) if known else None
