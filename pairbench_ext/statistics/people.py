r"""Compare a judge with people who rated the same items: agreement, and its noise ceiling.

-   Kappa of the judge with each person, and of the people with each other (`kappa`), which takes
    each one's own base rates into account.
-   Spearman's correlation of the judge with the mean of all people but one, averaged over who is
    left out, beside the ceiling: that of the person who was left out with the same mean. Both see
    the same targets, so a judge that is as good as a person reaches the ceiling. (With the mean of
    all people, which is less noisy, a judge correlates more; that is given, too.)
-   The alternative annotator test (`alternative_annotator`), and how often a constant judge would
    win that always says the value that suits the people best: on a scale, a judge that always says
    something in the middle is near to everybody without having looked.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from pairbench_ext.statistics.agreement import mean_of_raters
from pairbench_ext.statistics.alternative_annotator import (
    EPSILON,
    AltTest,
    alternative_annotator_test,
)
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Mean
from pairbench_ext.statistics.correlation import correlation
from pairbench_ext.statistics.intervals import unseen_share
from pairbench_ext.statistics.kappa import FloatArray, Kappa, Scale, cohen_kappa
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.seeds import generator

_CORRELATIONS = ("with_mean", "with_others", "ceiling")
_GROUPS, _LEAST_GROUPS = 40, 5  # of a jackknife
_NEAR_1 = 1 - 1e-9  # whose z is finite


class Correlations(NamedTuple):
    """Spearman's correlations between a judge and people, averaged over people and strata.

    Attributes:
        with_mean: of the judge with the mean of all people.
        with_others: of the judge with the mean of all people but one.
        ceiling: of that one with the same mean.
        undefined: how many of the single correlations are (a judge or a person who says the same
            of all items of a stratum); the means leave them out.
        single: how many there are.
    """

    with_mean: float
    with_others: float
    ceiling: float
    undefined: int
    single: int


class AgainstPeople(NamedTuple):
    """The agreement of a judge with people, and of people with each other.

    Attributes:
        items: that the judge rated and at least one person.
        silent: that people rated and the judge did not, or its reply could not be used.
        unrated: that the judge rated and nobody else.
        kappas: of the judge with each person.
        kappa: their mean, of those that are defined.
        people_kappa: mean over pairs of people, on the same items; NaN for a single one.
        correlations: of numbers; None for labels.
        alt_test: whether the judge may replace a person.
        constant: winning rate in the same test of a judge that always says the same; NaN if nobody
            is tested.
        intervals: by name, the 95% interval of "kappa", "people_kappa", and, of numbers, of
            "with_mean", "with_others" and "ceiling"; NaN, NaN where it is undefined.
    """

    items: int
    silent: int
    unrated: int
    kappas: tuple[Kappa, ...]
    kappa: float
    people_kappa: float
    correlations: Correlations | None
    alt_test: AltTest
    constant: float
    intervals: Mapping[str, Interval]


def against_people(
    judge: npt.ArrayLike,
    ratings: npt.ArrayLike,
    scale: Scale = "interval",
    *,
    epsilon: float = EPSILON,
    clusters: npt.ArrayLike | None = None,
    strata: npt.ArrayLike | None = None,
    mean: Mean = mean_of_defined,
) -> AgainstPeople:
    """Measure how well a judge agrees with people who rated the same items.

    Args:
        judge: shape (items,), NaN where it says nothing.
        ratings: shape (people, items), NaN for gaps. Of labels, a number for each.
        scale: "nominal" for labels, "interval" for numbers.
        epsilon: of the alternative annotator test, in [0, 1).
        clusters: shape (items,); which belong together in that test, by any number.
        strata: shape (items,); correlations are within these. All items are one stratum if None.
        mean: over correlations, such as `correlation.fisher_mean`: first over people, then strata.

    Raises:
        ValueError: if shapes do not match, there is no such scale, or epsilon is outside [0, 1).
    """
    if scale not in ("nominal", "interval"):
        raise ValueError(f"scale must be 'nominal' or 'interval', not {scale!r}")
    judged, matrix = np.asarray(judge, dtype=np.float64), np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2 or judged.shape != matrix.shape[1:]:
        raise ValueError(
            f"people's ratings, shape {matrix.shape}, do not match the judge's, {judged.shape}"
        )
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon must be in [0, 1), got {epsilon}")
    rated = (~np.isnan(matrix)).any(axis=0)
    both = rated & ~np.isnan(judged)
    groups = None if clusters is None else np.asarray(clusters)[both]
    layers = np.zeros(len(judged)) if strata is None else np.asarray(strata)
    silent, unrated = int((rated & ~both).sum()), int((~np.isnan(judged) & ~both).sum())
    judged, matrix, layers = judged[both], matrix[:, both], layers[both]
    units = np.arange(len(judged)) if groups is None else groups
    tested = alternative_annotator_test(judged, matrix, scale, epsilon, groups)
    same = np.full(len(judged), _commonest(matrix, scale))
    constant = alternative_annotator_test(same, matrix, scale, epsilon, groups)
    numeric = scale == "interval"

    def agreement(kept: npt.NDArray[np.bool_]) -> dict[str, float]:
        values = judged[kept], matrix[:, kept]
        kappas = _kappas(*values, scale)
        found = _correlations(*values, layers[kept], mean)._asdict() if numeric else {}
        return kappas | {name: found[name] for name in _CORRELATIONS if name in found}

    whole = agreement(np.full(len(judged), True))
    return AgainstPeople(
        len(judged),
        silent,
        unrated,
        tuple(cohen_kappa(judged, person, scale) for person in matrix),
        whole["kappa"],
        whole["people_kappa"],
        _correlations(judged, matrix, layers, mean) if numeric else None,
        tested,
        constant.winning_rate,
        grouped_jackknife(agreement, whole, np.unique(units, return_inverse=True)[1]),
    )


def _kappas(judge: FloatArray, ratings: FloatArray, scale: Scale) -> dict[str, float]:
    """Return the mean kappa of the judge with each person, and of every two people."""
    of_judge = [cohen_kappa(judge, person, scale).value for person in ratings]
    people = [cohen_kappa(x, y, scale).value for x, y in combinations(ratings, 2)]
    return {"kappa": mean_of_defined(of_judge), "people_kappa": mean_of_defined(people)}


def grouped_jackknife(
    statistic: Callable[[npt.NDArray[np.bool_]], Mapping[str, float]],
    whole: Mapping[str, float],
    clusters: npt.NDArray[np.int64],
) -> dict[str, Interval]:
    """Return 95% intervals of correlations and kappas, by a jackknife over groups of clusters.

    Each of at most 40 groups of clusters is left out in turn. Values are averaged as Fisher's
    z = artanh(value), whose distribution is nearer to a normal one, and ends are Student's t with
    one degree less than there are groups. Where no group makes a difference, an end allows for the
    share of unseen clusters in which there is no agreement (Clopper and Pearson, 0 of n).

    Args:
        statistic: values by name, in [-1, 1], of the items that a mask keeps.
        whole: the same of all items.
        clusters: shape (items,): the cluster of each item, from 0.

    Reference: Shao and Tu, "The Jackknife and Bootstrap" (1995), Section 2.3; Tukey (1958).
    """
    n = int(clusters.max(initial=-1)) + 1
    count = min(n, _GROUPS)
    undefined = Interval(math.nan, math.nan)
    if count < _LEAST_GROUPS:
        return dict.fromkeys(whole, undefined)
    # Clusters are dealt out at random, so that no group is a kind of items of its own.
    group = generator(0, "jackknife", n).permutation(n)[clusters] % count
    parts = [statistic(group != left_out) for left_out in range(count)]
    return {name: _jackknifed(value, [x[name] for x in parts], n) for name, value in whole.items()}


def _jackknifed(value: float, left_out: Sequence[float], n: int) -> Interval:
    if math.isnan(value + sum(left_out)):
        return Interval(math.nan, math.nan)
    z, parts = (np.arctanh(np.clip(x, -_NEAR_1, _NEAR_1)) for x in (value, left_out))
    count = len(left_out)
    error = math.sqrt((count - 1) / count * float(((parts - parts.mean()) ** 2).sum()))
    reach = float(scipy.stats.t.ppf(0.975, count - 1)) * error
    unseen = unseen_share(n)
    return Interval(
        min(math.tanh(z - reach), value - unseen * (1 + value)),
        max(math.tanh(z + reach), value + unseen * (1 - value)),
    )


def _commonest(ratings: FloatArray, scale: Scale) -> float:
    """Return the label that people give most often; the mean of numbers."""
    present = ratings[~np.isnan(ratings)]
    if not present.size:
        return math.nan
    if scale == "interval":
        return float(present.mean())
    values, counts = np.unique(present, return_counts=True)
    return float(values[counts.argmax()])


def _correlations(
    judge: FloatArray, ratings: FloatArray, strata: npt.NDArray[np.float64], mean: Mean
) -> Correlations:
    parts = [strata == stratum for stratum in np.unique(strata)]
    pairs_of_parts = [list(_against_others(judge[part], ratings[:, part])) for part in parts]
    whole = [_defined(judge[part], mean_of_raters(ratings[:, part])) for part in parts]
    with_others, ceiling = (
        mean([mean([pair[side] for pair in pairs]) for pairs in pairs_of_parts]) for side in (0, 1)
    )
    single = [*whole, *(value for pairs in pairs_of_parts for pair in pairs for value in pair)]
    undefined = sum(map(math.isnan, single))
    return Correlations(mean(whole), with_others, ceiling, undefined, len(single))


def _against_others(judge: FloatArray, ratings: FloatArray) -> Iterator[tuple[float, float]]:
    """With each person left out: the judge's correlation with the others, and the person's."""
    for place, ratings_of_person in enumerate(ratings if len(ratings) > 1 else ()):
        others = mean_of_raters(np.delete(ratings, place, axis=0))
        shared = ~np.isnan(ratings_of_person) & ~np.isnan(others)
        yield (
            _defined(judge[shared], others[shared]),
            _defined(ratings_of_person[shared], others[shared]),
        )


def _defined(x: FloatArray, y: FloatArray) -> float:
    both = ~np.isnan(x) & ~np.isnan(y)
    return correlation(x[both], y[both]) if both.sum() > 1 else math.nan
