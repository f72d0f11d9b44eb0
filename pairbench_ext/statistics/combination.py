"""Combine statistics of clusters: averages over tasks, or differences between judges.

What is drawn together must be compared together. A `Clustered` says which clusters (source rows,
items, pairs of images) a statistic is of, by name. Resamples depend on the names alone, so that
statistics of the same clusters, such as two judges' on the same items or tasks on the same source
rows, are of the same resamples; a `Combination` weighs several of them.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.bootstrap import End, Interval, cluster_weights
from pairbench_ext.statistics.intervals import (
    ClusterStatistic,
    FloatArray,
    SumStatistic,
    cluster_interval,
    interval_of_draws,
    with_share_unseen,
)
from pairbench_ext.statistics.seeds import stable_hash

RESAMPLES = 1000

Mean: TypeAlias = Callable[[Sequence[float]], float]

_OTHER: dict[End, End] = {"low": "high", "high": "low"}


class Clustered(NamedTuple):
    """A statistic of values in clusters, with the names of these clusters.

    Attributes:
        names: as many as the statistic has clusters, each once.
        statistic: of these.
        interval: its 95% interval by itself, where that is not `cluster_interval`.
        sizes: how many values each of them has, or their weight; None where they are alike.
        by_ends: whether means of such statistics have the mean of the ends of their intervals. That
            holds however they depend on each other, and where all are biased alike.
    """

    names: tuple[Hashable, ...]
    statistic: ClusterStatistic
    interval: Callable[[], Interval] | None = None
    sizes: tuple[float, ...] | None = None
    by_ends: bool = False


def clustered_interval(clustered: Clustered) -> Interval:
    """Return the 95% interval of one statistic of clusters."""
    if clustered.interval is not None:
        return clustered.interval()
    return cluster_interval(clustered.statistic, RESAMPLES)


class Resampled:
    """A statistic of named clusters; statistics with the same clusters use the same resamples."""

    def __init__(self, clustered: Clustered) -> None:
        self.clustered = clustered
        self.names, self.statistic, sizes = clustered.names, clustered.statistic, clustered.sizes
        counts = np.ones(len(self.names)) if sizes is None else np.array(sizes, dtype=np.float64)
        #: Whether each cluster is one value.
        self.single = bool((counts == 1).all())
        #: Shape (n,): which part of all values is each cluster's.
        self.shares: FloatArray = counts / max(1.0, counts.sum())
        #: As the statistic's; a judge is compared with many others on the same clusters.
        self.with_unseen = cache(self.statistic.with_unseen)
        self.with_one_more = cache(self._with_one_more)

    @cached_property
    def estimate(self) -> float:
        """Return the statistic computed from all clusters."""
        return self.statistic.estimate()

    @cached_property
    def drawn(self) -> FloatArray:
        """Return the statistic's value in each bootstrap resample, shape (`RESAMPLES`,)."""
        return self.statistic.resampled(shared_weights(self.names))

    @cached_property
    def left_out(self) -> FloatArray:
        """Return the statistic's value without each cluster in turn: one value per cluster."""
        return self.statistic.left_out()

    @cached_property
    def interval(self) -> Interval:
        """Return the 95% interval of the statistic."""
        return interval_of_draws(self.statistic, self.drawn, self.left_out)

    def _with_one_more(self, share: float, end: End) -> float:
        effects = (1 if end == "low" else -1) * (self.left_out - self.estimate)
        return with_share_unseen(self.statistic, effects, share, end)


class Combination:
    """The mean of several statistics T_k of clusters, or one such mean minus another.

    Args:
        terms: each T_k, at least one.
        less: the T_k of the mean that is subtracted; none for a mean by itself.
        mean: of the T_k, in place of the plain one, such as `correlation.fisher_mean`. It rises
            with each of them.
    """

    def __init__(
        self, terms: Sequence[Resampled], less: Sequence[Resampled] = (), mean: Mean | None = None
    ) -> None:
        self.sides = tuple(tuple(side) for side in (terms, less) if side)
        self.mean = mean

    @property
    def terms(self) -> tuple[Resampled, ...]:
        """Return all combined statistics T_k; those that are subtracted come last."""
        return tuple(part for side in self.sides for part in side)

    @cached_property
    def names(self) -> tuple[Hashable, ...]:
        """Return the names of all clusters, each once, in their order of first occurrence."""
        kinds = dict.fromkeys(part.names for part in self.terms)
        return tuple(dict.fromkeys(name for names in kinds for name in names))

    @cached_property
    def places(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Return, for each statistic T_k, the indices of its clusters in `names`."""
        place = {name: number for number, name in enumerate(self.names)}
        kinds = {part.names for part in self.terms}
        indices = {names: np.array([place[n] for n in names], dtype=np.int64) for names in kinds}
        return tuple(indices[part.names] for part in self.terms)

    @property
    def n_clusters(self) -> int:
        """Return the number of distinct clusters in all statistics T_k together."""
        return len(self.names)

    @property
    def shares(self) -> FloatArray:
        """Return each cluster's share of all values, averaged over the statistics T_k."""
        shares = np.zeros(self.n_clusters)
        for part, places in zip(self.terms, self.places, strict=True):
            shares[places] += part.shares / len(self.terms)
        return shares

    def _of(self, values: Sequence[FloatArray]) -> FloatArray:
        """Return the combination from each T_k's values, all of one shape (n,)."""
        ends = np.cumsum([len(side) for side in self.sides])
        means = [
            self._mean(values[end - len(side) : end])
            for side, end in zip(self.sides, ends, strict=True)
        ]
        return means[0] if len(means) == 1 else means[0] - means[1]

    def _mean(self, values: Sequence[FloatArray]) -> FloatArray:
        if self.mean is None:
            return sum(values[1:], values[0]) / len(values)
        return np.array([self.mean(row) for row in np.stack(values, axis=1).tolist()])

    def estimate(self) -> float:
        """Return the mean of the statistics T_k, or one such mean minus another."""
        return float(self._of([np.array([part.estimate]) for part in self.terms])[0])

    def resampled(self, weights: npt.NDArray[np.int16]) -> FloatArray:
        """Return the combination's value in each bootstrap resample of all clusters."""
        return self._of(
            [
                part.statistic.resampled(weights[:, places])
                for part, places in zip(self.terms, self.places, strict=True)
            ]
        )

    def drawn(self) -> FloatArray:
        """Return the combination's value in each resample; all T_k use the same resamples.

        Where any two T_k have the same clusters, or none in common, their own resamples are joint:
        each set of clusters is drawn by itself. Otherwise all clusters are drawn at once.
        """
        if sum(map(len, {part.names for part in self.terms})) > self.n_clusters:
            return self.resampled(shared_weights(self.names))
        return self._of([part.drawn for part in self.terms])

    def left_out(self) -> FloatArray:
        """Return the combination's value without each cluster in turn: one value per cluster."""
        values = []
        for part, places in zip(self.terms, self.places, strict=True):
            estimates = np.full(self.n_clusters, part.estimate)
            estimates[places] = part.left_out
            values.append(estimates)
        return self._of(values)

    def shifts(self) -> FloatArray | None:
        """Return each cluster's contribution to a difference of means; their sum is the difference.

        Half of what exchanging a cluster between the two sides changes; of means, the difference
        that it has, at its weight. None unless both sides are sums over the same clusters.
        """
        first, second = self.sides[0], self.sides[-1]
        if not (len(self.sides) == 2 and len(first) == len(second) and self._alike(first, second)):
            return None
        values = []
        for left, right in (*zip(first, second, strict=True), *zip(second, first, strict=True)):
            mine, others = (cast(SumStatistic, part.statistic) for part in (left, right))
            values.append(mine.of(mine.sums.sum(axis=0) - mine.sums + others.sums))
        exchanged_values = []
        for part, places, exchanged in zip(self.terms, self.places, values, strict=True):
            of_all = np.full(self.n_clusters, part.estimate)
            of_all[places] = exchanged
            exchanged_values.append(of_all)
        value = self.estimate()
        parts = (value - self._of(exchanged_values)) / 2
        rest: FloatArray = parts + (value - parts.sum()) * self.shares
        return None if np.isnan(rest).any() else rest

    def weights(self) -> FloatArray:
        """Return the weight of each cluster in the combination; the weights sum to 1.

        Of plain means these are the `shares`; of a macro mean, a group's only cluster weighs as
        much as all of another group. For parts that are no sums of values and counts, the shares.
        """
        weights = np.zeros(self.n_clusters)
        for part, places in zip(self.terms, self.places, strict=True):
            weights[places] += _reach(part) / len(self.terms)
        return weights

    @staticmethod
    def _alike(first: Sequence[Resampled], second: Sequence[Resampled]) -> bool:
        return all(
            isinstance(a.statistic, SumStatistic)
            and isinstance(b.statistic, SumStatistic)
            and a.names == b.names
            and a.statistic.sums.shape == b.statistic.sums.shape
            for a, b in zip(first, second, strict=True)
        )

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:
        """Return the combination's value if clusters that the sample may lack are added."""
        values = []
        first = len(self.sides[0])
        for number, (part, places) in enumerate(zip(self.terms, self.places, strict=True)):
            [at] = np.nonzero(places == cluster)
            # `again` is per cluster of all; a T_k may have fewer.
            more = again * self.n_clusters / max(1, len(places)) if at.size else 0.0
            towards: End = end if number < first else _OTHER[end]
            place = int(at[0]) if at.size else 0
            values.append(np.array([part.with_unseen(place, more, extreme, towards)]))
        return float(self._of(values)[0])

    def with_one_more(self, end: End) -> float:
        """Return the combination's value if one cluster that the sample may lack is added."""
        first, share = len(self.sides[0]), 1 / (self.n_clusters + 1)
        values = []
        for number, part in enumerate(self.terms):
            towards: End = end if number < first else _OTHER[end]
            values.append(np.array([part.with_one_more(share, towards)]))
        return float(self._of(values)[0])

    def interval(self) -> Interval:
        """Return the combination's 95% interval: Student's t with effective degrees of freedom."""
        if all(part.clustered.by_ends for part in self.terms):
            ends = np.array([clustered_interval(part.clustered) for part in self.terms])
            return Interval(*ends.mean(axis=0).tolist())
        left_out = self.left_out()
        return interval_of_draws(self, self.drawn(), left_out, effective_freedom(left_out))


def _reach(part: Resampled) -> FloatArray:
    """How far each cluster moves a statistic, from as low to as high as it can be, as shares."""
    statistic = part.statistic
    if not isinstance(statistic, SumStatistic) or statistic.sums.shape[-1] != 2:
        return part.shares
    counts = statistic.sums[..., 1]
    rest, ends = statistic.sums.sum(axis=0) - statistic.sums, []
    for of_all in (statistic.lowest, statistic.highest):
        shares = of_all[..., 0] / np.where(of_all[..., 1] > 0, of_all[..., 1], 1)
        ends.append(statistic.of(rest + np.stack([shares * counts, counts], axis=-1)))
    reach = np.abs(ends[1] - ends[0])
    total = float(reach.sum())
    return np.asarray(reach / total) if total > 0 else part.shares


def effective_freedom(left_out: FloatArray) -> float:
    """Return the effective degrees of freedom of a variance that mostly comes from few clusters.

    Where most clusters agree on two judges, a few decide how far their difference varies. With the
    kurtosis K of what n clusters add, an estimated variance has the relative variance (K - 1) / n,
    so that of a chi-squared distribution with

        2 n / (K - 1)

    degrees of freedom (n for normal values), at most n - 1 and at least 1. Satterthwaite, "An
    Approximate Distribution of Estimates of Variance Components", Biometrics 2 (1946).

    Args:
        left_out: the statistic with each cluster left out in turn; NaN is left out.
    """
    values = left_out[~np.isnan(left_out)]
    deviations = values - values.mean() if values.size else values
    n, squares = len(values), float(np.sum(deviations**2))
    if n < 2 or squares <= 0:
        return float(max(1, n - 1))
    kurtosis = n * float(np.sum(deviations**4)) / squares**2
    return float(np.clip(2 * n / max(kurtosis - 1, 1e-9), 1, n - 1))


@lru_cache(maxsize=8)
def shared_weights(names: tuple[Hashable, ...]) -> npt.NDArray[np.int16]:
    """Return the weights of `cluster_weights`, with a seed computed from the clusters' names."""
    return cluster_weights(len(names), RESAMPLES, stable_hash(0, *map(repr, names)))
