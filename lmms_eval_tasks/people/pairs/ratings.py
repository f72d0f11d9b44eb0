"""People's ratings of pairs, and how well the raters agree.

One score by one rater, all that hold, raters x pairs; means and spreads (Table 10), and how far
raters agree.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.people import events
from lmms_eval_tasks.people.events import Collected, Given, Reader
from lmms_eval_tasks.people.pairs.study import Key
from pairbench_ext.core.records import RecordError
from pairbench_ext.statistics.agreement import (
    Ceiling,
    Coefficient,
    Spread,
    krippendorff_alpha,
    leave_one_out,
    spread,
)

ALL = "all"


@dataclass(frozen=True)
class Rating(Given):
    """The score that a rater gave to a pair, with the pair's kind and transformations.

    Attributes:
        kind: what kind of pair, such as "identical".
        features: the transformations of its split; the split's name where the file does not say.
    """

    kind: str
    features: tuple[str, ...]


def collect(paths: Sequence[Path], reader: Reader[Rating]) -> Collected[Rating]:
    """Return the ratings in all logs of a study, without ratings that raters took back.

    Raises:
        RecordError: as `people.events.collect`, or if raters did not see the same under the name of
            one pair.
    """
    collected = events.collect(paths, reader)
    _check_same_pairs(collected.ratings)
    return collected


def _check_same_pairs(ratings: Iterable[Rating]) -> None:
    first: dict[tuple[Key, str], Rating] = {}
    for rating in ratings:
        for field in ("kind", "content"):
            value = getattr(rating, field)
            earlier = first.setdefault((rating.key, field), rating) if value else rating
            if value != getattr(earlier, field):
                raise RecordError(
                    f"{earlier.where} and {rating.where}: the same pair has a different {field!r} "
                    f"({getattr(earlier, field)!r}, {value!r}), so it was rated on different data; "
                    "score the two files separately"
                )


def matrix(ratings: Iterable[Given]) -> tuple[list[str], list[Any], npt.NDArray[np.float64]]:
    """Return raters and pairs, sorted, and their scores: a row per rater, NaN for gaps."""
    held = {(rating.rater, rating.key): rating.score for rating in ratings}
    raters, keys = sorted({rater for rater, _ in held}), sorted({key for _, key in held})
    values = np.full((len(raters), len(keys)), np.nan)
    rows = {rater: place for place, rater in enumerate(raters)}
    columns = {key: place for place, key in enumerate(keys)}
    for (rater, key), score in held.items():
        values[rows[rater], columns[key]] = score
    return raters, keys, values


class CellName(NamedTuple):
    """The name of a cell of Table 10: config, feature, kind of pair, and condition."""

    config: str
    feature: str
    kind: str
    condition: str


class Summary(NamedTuple):
    """How many ratings each rater gave, and how well the raters agree.

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
    """Return the mean and standard deviation of the ratings in each cell of Table 10."""
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
    """Return how well the raters agree, over all pairs and under each condition."""
    raters, keys, values = matrix(ratings)
    rated = ~np.isnan(values)
    parts = {x: values[:, [x in (ALL, key.condition) for key in keys]] for x in (ALL, *conditions)}
    return Summary(
        raters=raters,
        ratings=rated.sum(axis=1).tolist(),
        pairs=len(keys),
        overlapping=int(np.sum(rated.sum(axis=0) > 1)),
        alpha={part: krippendorff_alpha(scores) for part, scores in parts.items()},
        ceiling={part: leave_one_out(scores) for part, scores in parts.items()},
    )
