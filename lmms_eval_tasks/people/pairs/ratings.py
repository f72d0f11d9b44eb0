"""People's ratings of pairs: one score by one rater, all that hold, and raters x pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.people import events
from lmms_eval_tasks.people.events import Collected, Given, Reader
from lmms_eval_tasks.people.pairs.pool import Key
from pairbench_ext.core.records import RecordError


@dataclass(frozen=True)
class Rating(Given):
    """The score that a rater gave to a pair, a `Key`.

    Attributes:
        kind: what kind of pair, such as "identical".
        features: the transformations of its split; the split's name where the file does not say.
    """

    kind: str
    features: tuple[str, ...]


def collect(paths: Sequence[Path], reader: Reader[Rating]) -> Collected[Rating]:
    """Return the ratings that hold, of all files of a study.

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
            known = first.setdefault((rating.key, field), rating) if value else rating
            if value != getattr(known, field):
                raise RecordError(
                    f"{known.where} and {rating.where}: the same pair with another {field!r} "
                    f"({getattr(known, field)!r}, {value!r}); they were rated on different data: "
                    "score them apart"
                )


def matrix(ratings: Iterable[Given]) -> tuple[list[str], list[Any], npt.NDArray[np.float64]]:
    """Return ratings as raters x pairs.

    Returns:
        The raters and the pairs, sorted, and an array of shape (raters, pairs), NaN for gaps.
    """
    held = {(rating.rater, rating.key): rating.score for rating in ratings}
    raters, keys = sorted({rater for rater, _ in held}), sorted({key for _, key in held})
    values = np.full((len(raters), len(keys)), np.nan)
    rows = {rater: place for place, rater in enumerate(raters)}
    columns = {key: place for place, key in enumerate(keys)}
    for (rater, key), score in held.items():
        values[rows[rater], columns[key]] = score
    return raters, keys, values
