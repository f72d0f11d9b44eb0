r"""Kappa of two or more raters: agreement beyond chance, with each rater's own base rate.

Two raters who both say "A" nine times of ten agree on 82% of items by chance alone. Kappa takes
away what raters with these base rates, but no knowledge of the items, would have in common:

    kappa = 1 - D_o / D_e
    D_o = mean over items of d(x_i, y_i),  D_e = mean over all pairs of items of d(x_i, y_j)

d is 0 or 1 for labels (Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and
Psychological Measurement 20, 1960) and the squared difference for numbers (Cohen, "Weighted Kappa",
Psychological Bulletin 70, 1968), where kappa is Lin's concordance (Biometrics 45, 1989).
Krippendorff's alpha (`agreement`) takes one base rate for all raters instead, so that raters who
differ in theirs agree less by it.
"""

import math
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import SumStatistic

FloatArray: TypeAlias = npt.NDArray[np.float64]
Scale: TypeAlias = Literal["nominal", "interval"]


class Kappa(NamedTuple):
    """A kappa: the agreement beyond chance between two or more raters.

    Attributes:
        value: kappa, at most 1; 0 is chance. NaN where nothing is to agree on: no item that two
            rated, or raters who always say one and the same.
        n: how many items two raters have, summed over pairs of raters.
    """

    value: float
    n: int


def cohen_kappa(x: npt.ArrayLike, y: npt.ArrayLike, scale: Scale = "nominal") -> Kappa:
    """Return Cohen's kappa of two raters, over the items that both rated.

    Args:
        x: shape (n,); of labels, a number for each; NaN where the rater says nothing.
        y: of the other rater.
        scale: what differences mean: labels are equal or not, numbers are near or far (quadratic
            weights).

    Raises:
        ValueError: if the ratings are not paired.

    >>> round(cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0]).value, 3)
    0.5
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            f"ratings of two raters must be paired, got {first.shape} and {second.shape}"
        )
    return joint_kappa(np.stack([first, second]), scale)


def joint_kappa(ratings: npt.ArrayLike, scale: Scale = "nominal") -> Kappa:
    """Return the kappa of any number of raters, where each rater has a base rate of its own.

    D_o and D_e are summed over all pairs of raters, each over the items that both rated. For two
    raters it is Cohen's kappa; for more without gaps, Conger's ("Integration and Generalization of
    Kappas for Multiple Raters", Psychological Bulletin 88, 1980).

    Args:
        ratings: shape (raters, items), NaN for gaps.
        scale: as in `cohen_kappa`.

    Raises:
        ValueError: if the ratings are no matrix, or one is infinite.
    """
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2 or np.isinf(matrix).any():
        raise ValueError("ratings must be a matrix (raters, items) of finite numbers, or NaN")
    observed = expected = 0.0
    n = 0
    for first, second in combinations(matrix, 2):
        both = ~np.isnan(first) & ~np.isnan(second)
        x, y = first[both], second[both]
        observed += float(_distance(x, y, scale).sum())
        expected += len(x) * _by_chance(x, y, scale)
        n += len(x)
    return Kappa(1 - observed / expected if expected > 0 else math.nan, n)


def _distance(x: FloatArray, y: FloatArray, scale: Scale) -> FloatArray:
    return np.asarray(x != y if scale == "nominal" else (x - y) ** 2, dtype=np.float64)


def _by_chance(x: FloatArray, y: FloatArray, scale: Scale) -> float:
    """Return the mean distance of any of x and any of y."""
    if not len(x):
        return 0.0
    if scale == "interval":
        return float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    values, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    shares = [np.bincount(part, minlength=len(values)) / len(x) for part in np.split(codes, 2)]
    return float(1 - shares[0] @ shares[1])


def clustered_kappa(
    answers: Sequence[Hashable],
    right: Sequence[Hashable],
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable],
) -> Clustered:
    """Return Cohen's kappa of two raters as a statistic of clusters, which can be resampled.

    Agreement by chance is that of each stratum's own base rates, weighted by its size: whoever
    follows what strata differ in agrees by chance. With one stratum it is Cohen's kappa.

    Args:
        answers: n labels; one of its own for an answer that cannot be read.
        right: n labels of the other rater.
        clusters: of each item.
        strata: of each item.

    >>> kappa = clustered_kappa("aabb", "aaba", range(4), "ssss")
    >>> kappa.statistic.estimate()
    0.5
    """
    names, cluster = codes_of(clusters)
    groups, stratum = codes_of(strata)
    labels, codes = codes_of([*right, *answers])
    truth, answer = np.split(codes, 2)
    n = len(labels)
    counts = np.zeros((len(names), len(groups), 2 * n + 1))
    np.add.at(counts, (cluster, stratum, truth), 1)
    np.add.at(counts, (cluster, stratum, n + answer), 1)
    np.add.at(counts[:, :, 2 * n], (cluster, stratum), truth == answer)

    def of(sums: npt.NDArray[np.float64]) -> FloatArray:
        by_truth, by_answer, same = sums[..., :n], sums[..., n:-1], sums[..., -1].sum(axis=-1)
        sizes = by_truth.sum(axis=-1)
        total = sizes.sum(axis=-1)
        chance = (by_truth * by_answer).sum(axis=-1) / np.where(sizes > 0, sizes, 1)
        rest = total - chance.sum(axis=-1)
        defined = rest > 1e-9 * total
        return np.where(defined, 1 - (total - same) / np.where(defined, rest, 1), np.nan)

    ends = [counts.sum(axis=0) for _ in range(2)]
    ends[0][:, -1], ends[1][:, -1] = 0, ends[1][:, :n].sum(axis=1)
    return Clustered(tuple(names), SumStatistic(counts, of, *ends))
