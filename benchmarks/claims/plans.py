"""Claims of `pairbench plan --runs`: the power of the number of items that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import norm

from benchmarks.claims.comparisons import resampled_mmscore
from benchmarks.claims.measured import ALPHA, Array, Generator, Measured
from pairbench_ext.runs.plan import error_of, unseen_of
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import ClusteredCorrelation, pearson
from pairbench_ext.statistics.difference import difference
from pairbench_ext.statistics.power import items_by_error
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_of_clusters

Both = tuple[Resampled, Resampled]
_MANY = 4000


def plans(repetitions: int) -> Iterator[Measured]:
    """Two judges are measured on few items; their true difference is sought on the planned ones."""
    for case, items, both in (
        ("MMScore, errors in .1 and .3 of the ratings", 30, _mmscore(0.1, 0.3)),
        ("MMScore, .05 and .15", 40, _mmscore(0.05, 0.15)),
        ("Spearman's .8 and .7", 60, _correlations(spearman, 0.8, 0.7)),
        ("Spearman's .6 and .3", 40, _correlations(spearman, 0.6, 0.3)),
        ("Pearson's .8 and .7", 60, _correlations(pearson, 0.8, 0.7)),
        ("accuracy .8 and .7, one answer each", 100, _shares(1)),
        ("accuracy .8 and .7, five each", 40, _shares(5)),
        ("accuracy .8 and .7, one to ten each", 60, _shares(0)),
        ("nine confirmations of a pair (CAST), .8 and .7", 40, _shares(9)),
    ):
        rng = generator(0, "plans", case)
        many = [both(rng, _MANY) for _ in range(3)]
        apart = float(np.mean([a.estimate - b.estimate for a, b in many]))
        found, planned = [], []
        for _ in range(repetitions):
            planned.append(_items(*both(rng, items), abs(apart)))
            a, b = both(rng, planned[-1])
            found.append(difference([a], [b]).p <= ALPHA)
        named = f"{case}, measured on {items}, planned {np.median(planned):.0f}"
        yield Measured(named, "found", np.mean(found), least=0.75)


def _items(a: Resampled, b: Resampled, apart: float) -> int:
    """The number of items that `plan` names (`runs.plan`)."""
    error, interval = error_of(Combination([a], [b])), difference([a], [b]).interval
    unseen = unseen_of(interval, error)
    return items_by_error(error.size, error.n, apart, unseen=unseen, freedom=error.freedom)


def _mmscore(*rates: float) -> Callable[[Generator, int], Both]:
    def both(rng: Generator, rows: int) -> Both:
        first, second = (resampled_mmscore(rng, rows, "random", False, rate) for rate in rates)
        return first, second

    return both


def _correlations(
    statistic: Callable[..., float], *truths: float
) -> Callable[[Generator, int], Both]:
    """Ratings of judges whose errors are alike in half of their variance."""

    def both(rng: Generator, n: int) -> Both:
        people, shared = rng.normal(size=(2, n))
        first, second = (_rated(statistic, people, shared + rng.normal(size=n), t) for t in truths)
        return first, second

    return both


def _rated(statistic: Callable[..., float], people: Array, noise: Array, truth: float) -> Resampled:
    n = len(people)
    said = truth * people + np.sqrt((1 - truth**2) / 2) * noise
    values = np.round(2 * said), np.round(2 * people), np.arange(n), n
    return Resampled(Clustered(tuple(range(n)), ClusteredCorrelation(statistic, *values)))


def _shares(each: int) -> Callable[[Generator, int], Both]:
    """Right answers, so many to an item, or one to ten; they are alike within an item."""

    def both(rng: Generator, n: int) -> Both:
        sizes = np.full(n, each) if each else rng.choice([1, 2, 4, 10], n)
        cluster = np.repeat(np.arange(n), sizes)
        ease = rng.normal(size=n)
        first, second = (
            Resampled(mean_of_clusters(_right(rng, ease, cluster, accuracy), cluster))
            for accuracy in (0.8, 0.7)
        )
        return first, second

    return both


def _right(rng: Generator, ease: Array, cluster: Array, accuracy: float) -> Array:
    own = ease + 0.7 * rng.normal(size=len(ease))
    latent = norm.ppf(accuracy) * np.sqrt(2.49) + own[cluster] + rng.normal(size=len(cluster))
    right: Array = (latent > 0).astype(np.float64)
    return right
