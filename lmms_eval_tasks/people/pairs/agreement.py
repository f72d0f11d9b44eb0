"""A study in numbers: means and spreads (Table 10), and how far raters agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lmms_eval_tasks.people.pairs.ratings import Rating, matrix
from pairbench_ext.statistics.agreement import (
    Ceiling,
    Coefficient,
    Spread,
    krippendorff_alpha,
    leave_one_out,
    spread,
)

ALL = "all"


class CellName(NamedTuple):
    """Pairs whose ratings are averaged, as in PairBench's Table 10.

    Attributes:
        config: config of the data set.
        feature: what its split changes; several are joined by "+".
        kind: kind of pair.
        condition: under which they were scored.
    """

    config: str
    feature: str
    kind: str
    condition: str


class Summary(NamedTuple):
    """The agreement of raters.

    Attributes:
        raters: their names.
        ratings: number of ratings by each.
        pairs: number of different pairs, conditions crossed.
        overlapping: number of those that two raters or more rated.
        alpha: Krippendorff's alpha over all pairs and under each condition, by its name or `ALL`.
        ceiling: the leave-one-rater-out ceiling, likewise; raters in the order of `raters`.
    """

    raters: Sequence[str]
    ratings: Sequence[int]
    pairs: int
    overlapping: int
    alpha: Mapping[str, Coefficient]
    ceiling: Mapping[str, Ceiling]


def spreads(
    ratings: Iterable[Rating], kinds: Sequence[str], conditions: Sequence[str]
) -> dict[CellName, Spread]:
    """Return mean and standard deviation of each cell; kinds and conditions in the order given."""
    scores: dict[CellName, list[int]] = {}
    for rating in ratings:
        key, feature = rating.key, "+".join(rating.features)
        cell = CellName(key.config, feature, rating.kind, key.condition)
        scores.setdefault(cell, []).append(rating.score)

    def place(cell: CellName) -> tuple[str, int, str, int]:
        kind, condition = kinds.index(cell.kind), conditions.index(cell.condition)
        return cell.config, kind, cell.feature, condition

    return {cell: spread(scores[cell]) for cell in sorted(scores, key=place)}


def summarise(ratings: Iterable[Rating], conditions: Sequence[str]) -> Summary:
    """Return the agreement of the raters over all pairs, and under each condition alone."""
    raters, keys, values = matrix(ratings)
    rated = ~np.isnan(values)
    parts = {
        part: values[:, [part in (ALL, key.condition) for key in keys]]
        for part in (ALL, *conditions)
    }
    return Summary(
        raters=raters,
        ratings=rated.sum(axis=1).tolist(),
        pairs=len(keys),
        overlapping=int(np.sum(rated.sum(axis=0) > 1)),
        alpha={part: krippendorff_alpha(scores) for part, scores in parts.items()},
        ceiling={part: leave_one_out(scores) for part, scores in parts.items()},
    )
