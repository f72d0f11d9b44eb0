"""Ratings on disk, and reading them: events as of `lmms_eval_tasks.people.events`.

A rating is a `score`, a whole number from 1 to 10, for the pair `config`, `split`, `row`, `pair`,
of `kind`, under `condition`. Ratings from elsewhere need no more than `rater`, these six fields and
`score`. Ours also have `features`; `content`, a digest of what was shown; `study`, `round` and
`time`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
from annotated_types import Interval

from lmms_eval_tasks.pairbench.pairs import Kind
from lmms_eval_tasks.pairbench.rate.pairs import Key
from lmms_eval_tasks.pairbench.ratings import HIGHEST, LOWEST
from lmms_eval_tasks.people import events
from lmms_eval_tasks.people.events import Collected, Given, Reader
from pairbench_ext.core.answers import RatersOf
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import Record, RecordError


@dataclass(frozen=True)
class Rating(Given):
    """The score, 1 to 10, that a rater gave to a pair, a `Key`.

    Attributes:
        kind: what kind of pair, of `KINDS`.
        features: the transformations of its split; the split's name where the file does not say.
    """

    kind: str
    features: tuple[str, ...]


def collect(paths: Sequence[Path]) -> Collected[Rating]:
    """Return the ratings that hold, of all files of a study.

    Raises:
        RecordError: as `people.events.collect`, or if raters did not see the same under the name of
            one pair.
    """
    collected = events.collect(paths, READER)
    _check_same_pairs(collected.ratings)
    return collected


def raters_of(paths: Sequence[Path]) -> RatersOf:
    """Return a function from an outcome to the ratings of its pair, by rater.

    Raises:
        RecordError: as `collect`.
    """
    by_pair: dict[Key, dict[str, float]] = {}
    for rating in collect(paths).ratings:
        by_pair.setdefault(rating.key, {})[rating.rater] = float(rating.score)

    def raters(outcome: Outcome) -> Mapping[str, float]:
        row, pair = item if isinstance(item := outcome.item, tuple) else (None, None)
        key = Key(outcome["config"], outcome["split"], row, pair, outcome["condition"])
        return by_pair.get(key, {})

    return raters


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


def matrix(ratings: Iterable[Rating]) -> tuple[list[str], list[Key], npt.NDArray[np.float64]]:
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


@dataclass(frozen=True)
class _Line:
    """What a line says besides the pair that it is of."""

    rater: str
    score: Annotated[int, Interval(ge=LOWEST, le=HIGHEST)]
    kind: Kind
    features: tuple[str, ...] = ()
    content: str = ""


def _rating(record: Record) -> Rating:
    key, line = from_record(Key, record), from_record(_Line, record)
    features = line.features or (key.split,)
    return Rating(line.rater, key, line.score, line.content, record.where, line.kind, features)


READER = Reader(_rating, Key)
