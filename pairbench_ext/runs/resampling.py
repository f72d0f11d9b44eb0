"""A run's numbers by cluster, to be resampled or weighted, and where their noise is from."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pairbench_ext.core.benchmark import Benchmark, Number, Reading
from pairbench_ext.core.limit_items import strata_of, weights_of
from pairbench_ext.core.outcome_table import each_once
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
        None where nothing says how to resample the number: it is not the mean of a value per trial,
        and declares no clusters, or under the options used it is not what these say.
    """
    found = _by_cluster(benchmark, number, table, outcomes)
    if found is None:
        return None
    found = _weighted(found, weights or {}) or found
    source = benchmark.source_of(task)
    return Clustered(tuple((source, name) for name in found.names), found.statistic)


def _by_cluster(
    benchmark: Benchmark, number: Number, table: Any, outcomes: Iterable[Any]
) -> Clustered | None:
    value = float(number.of(table))
    if math.isnan(value):
        return None
    if number.clustered is not None:
        found = number.clustered(table)
    else:
        found = number.clustered_outcomes(each_once(outcomes), benchmark.cluster)
    if found is None or not abs(found.statistic.estimate() - value) <= _SAME:
        return None
    return found


def cluster_weights(benchmark: Benchmark, readings: Iterable[Reading]) -> dict[Hashable, float]:
    """What each cluster of a run weighs (`limit_items`); nothing where all weigh the same."""
    strata = strata_of(readings, benchmark.cluster)
    return weights_of(strata, strata)


def weighted_numbers(
    benchmark: Benchmark, table: Any, readings: Sequence[Reading]
) -> dict[str, float]:
    """The numbers of a run that are not those of its table: of a part of the items, weighted.

    As `weighted_table`.
    """
    weights = cluster_weights(benchmark, readings)
    outcomes = (outcome for reading in readings for outcome in reading.outcomes)
    return weighted_table(benchmark, table, outcomes, weights)


def weighted_table(
    benchmark: Benchmark,
    table: Any,
    outcomes: Iterable[Any],
    weights: Mapping[Hashable, float],
) -> dict[str, float]:
    """Means and other functions of sums, with the ends of their intervals, over weighted clusters.

    Args:
        benchmark: whose they are.
        table: of the outcomes.
        outcomes: of a run.
        weights: of the clusters that they are of; nothing where all weigh the same.

    Returns:
        The numbers for which weights count: those that a sum over clusters is known of.
    """
    found: dict[str, float] = {}
    every = list(outcomes) if weights else []
    for number in benchmark.numbers if weights else ():
        if number.kind == "count":
            continue
        known = _by_cluster(benchmark, number, table, every)
        own = None if known is None else _weighted(known, weights)
        if own is None:
            continue
        found |= {
            name: own.statistic.estimate() for name in number.names if name not in number.ends
        }
        if number.interval is not None:
            found |= zip(number.ends, clustered_interval(own), strict=True)
    return found


def _weighted(one: Clustered, weights: Mapping[Hashable, float]) -> Clustered | None:
    """A statistic of sums over weighted clusters; None for others, and without weights."""
    statistic = one.statistic
    known = [weights.get(name) for name in one.names]
    if not weights or None in known or not isinstance(statistic, SumStatistic):
        return None
    factor = np.array(known, dtype=np.float64).reshape(-1, *(1,) * (statistic.sums.ndim - 1))
    return Clustered(one.names, replace(statistic, sums=statistic.sums * factor))


def noise_of(benchmark: Benchmark, outcomes: Iterable[Any]) -> NoiseSplit | None:
    """Where the noise of the headline number is from; None where nothing was asked twice."""
    if benchmark.repeat is None or benchmark.headline is None:
        return None
    value = benchmark.number(benchmark.headline).per_trial
    assert value is not None
    known = [
        (x, *asked, benchmark.cluster(one))
        for one in each_once(outcomes)
        if (asked := benchmark.repeat(one)) is not None and (x := value(one)) is not None
    ]
    return noise_split(*zip(*known, strict=True)) if known else None
