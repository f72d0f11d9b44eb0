"""Clusters: groups of values that are not independent, such as questions on the same image."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Name = TypeVar("Name", bound=Hashable)


def codes_of(names: Iterable[Name]) -> tuple[list[Name], npt.NDArray[np.int64]]:
    """Return the distinct names, and the index of each given name among the distinct names.

    >>> names, codes = codes_of(["b", 7, "b"])
    >>> names, codes.tolist()
    (['b', 7], [0, 1, 0])
    """
    place: dict[Name, int] = {}
    codes = [place.setdefault(name, len(place)) for name in names]
    return list(place), np.array(codes, dtype=np.int64)


def sums_of(codes: npt.NDArray[np.int64], rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the sum of each cluster's rows, shape (clusters, columns).

    Args:
        codes: shape (n,); numbers of clusters, from 0.
        rows: shape (n, columns).
    """
    sums = np.zeros((int(codes.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums


def variance_of_mean(values: npt.NDArray[np.float64], clusters: npt.NDArray[np.int64]) -> float:
    """Return the variance of the mean of values that come in independent clusters.

    With m clusters g of in all n values it is m / (m - 1) sum_g (sum of x - mean(x) in g)^2 / n^2.

    Args:
        values: shape (n,).
        clusters: shape (n,); numbers of at least two clusters, from 0.
    """
    m = int(clusters.max()) + 1
    totals = np.bincount(clusters, values - values.mean(), m) / len(values)
    return float(np.sum(totals**2)) * m / (m - 1)
