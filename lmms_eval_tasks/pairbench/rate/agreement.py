"""A study in numbers: means and spreads (Table 10), and how far raters agree."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lmms_eval_tasks.pairbench import published
from lmms_eval_tasks.pairbench.rate.pairs import KINDS
from lmms_eval_tasks.pairbench.rate.ratings import Rating, matrix
from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from pairbench_ext.statistics.agreement import (
    Ceiling,
    Coefficient,
    Spread,
    krippendorff_alpha,
    leave_one_out,
    spread,
)

ALL = "all"
PARTS = (ALL, *CONDITIONS)

# PairBench, Table 10: 76 raters, pairs of ImageNet-100; mean and standard deviation.
PAPER_RATERS = 76
PAPER_ALPHA, PAPER_CEILING = 0.9396, 0.9166


def _table_10() -> dict[str, dict[str, dict[str, tuple[float, float]]]]:
    made: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}
    with (Path(published.__file__).parent / "table_10.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            made.setdefault(row["feature"], {})[row["pair"]] = {
                condition: (float(row[condition]), float(row[f"{condition}_std"]))
                for condition in CONDITIONS
            }
    return made


TABLE_10 = _table_10()  # by feature, kind of pair and condition


class CellName(NamedTuple):
    """One number of Table 10.

    Attributes:
        config: config of the data set.
        feature: what its split changes; several are joined by "+".
        kind: kind of pair.
        condition: "sens" or "inv".
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
        alpha: Krippendorff's alpha over all pairs and under each condition, by `PARTS`.
        ceiling: the leave-one-rater-out ceiling, likewise; raters in the order of `raters`.
    """

    raters: Sequence[str]
    ratings: Sequence[int]
    pairs: int
    overlapping: int
    alpha: Mapping[str, Coefficient]
    ceiling: Mapping[str, Ceiling]


def spreads(ratings: Iterable[Rating]) -> dict[CellName, Spread]:
    """Return mean and standard deviation of each cell of Table 10, in its order."""
    scores: dict[CellName, list[int]] = {}
    for rating in ratings:
        key, feature = rating.key, "+".join(rating.features)
        cell = CellName(key.config, feature, rating.kind, key.condition)
        scores.setdefault(cell, []).append(rating.score)

    def place(cell: CellName) -> tuple[str, int, str, int]:
        kind, condition = KINDS.index(cell.kind), PARTS.index(cell.condition)
        return cell.config, kind, cell.feature, condition

    return {cell: spread(scores[cell]) for cell in sorted(scores, key=place)}


def summarise(ratings: Iterable[Rating]) -> Summary:
    """Return the agreement of the raters over all pairs, and under each condition alone."""
    raters, keys, values = matrix(ratings)
    rated = ~np.isnan(values)
    parts = {part: values[:, [part in (ALL, key.condition) for key in keys]] for part in PARTS}
    return Summary(
        raters=raters,
        ratings=rated.sum(axis=1).tolist(),
        pairs=len(keys),
        overlapping=int(np.sum(rated.sum(axis=0) > 1)),
        alpha={part: krippendorff_alpha(scores) for part, scores in parts.items()},
        ceiling={part: leave_one_out(scores) for part, scores in parts.items()},
    )
