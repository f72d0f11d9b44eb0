"""Ratings as several judges' are put together, and beside those of a rating study."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lmms_eval_tasks.pairbench.rate.questions import Key
from lmms_eval_tasks.pairbench.rate.ratings import collect
from lmms_eval_tasks.pairbench.ratings import Rating
from pairbench_ext.answers import RatersOf
from pairbench_ext.benchmark import Answers, People


def _question(rating: Rating) -> Hashable:
    return *rating.asked, rating.order


def _value(rating: Rating) -> float | None:
    return rating.value if rating.valid else None


def _saying(ratings: Sequence[Rating], value: float | None) -> Rating:
    shown = [one.order_shown for one in ratings]
    known = False if False in shown else None if None in shown else True
    return replace(ratings[0], value=value, order_shown=known)


def _pair(rating: Rating) -> Key:
    return Key(rating.config, rating.split, rating.row, rating.pair, rating.condition)  # type: ignore[arg-type]


def _of_files(paths: Sequence[Path]) -> RatersOf:
    """The ratings of studies, by pair.

    Raises:
        RecordError: as `collect`.
    """
    by_pair: dict[Key, dict[str, float]] = {}
    for one in collect(paths).ratings:
        by_pair.setdefault(one.key, {})[one.rater] = float(one.score)

    def raters(rating: Rating) -> Mapping[str, float]:
        return by_pair.get(_pair(rating), {})

    return raters


ANSWERS = Answers(
    "rating", _question, _value, lambda rating: rating.truth, _saying, numbers=("mmscore",)
)
PEOPLE = People(_pair, _value, part=lambda rating: rating.condition, files=_of_files)
