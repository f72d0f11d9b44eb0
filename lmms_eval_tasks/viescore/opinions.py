"""Judgments of images as several judges' are put together, and beside those of human raters."""

from __future__ import annotations

from collections.abc import Sequence

from lmms_eval_tasks.viescore.judgments import JUDGED, Judgment
from pairbench_ext.benchmark import Answers, People
from pairbench_ext.statistics.correlation import fisher_mean


def _value(judgment: Judgment) -> float | None:
    """What the judge said; a guess in the place of a reply was not said."""
    return judgment.value if judgment.kind == "judged" else None


def _ratings(judgment: Judgment) -> dict[str, float]:
    column = JUDGED.index(judgment.aspect)
    return {f"rater {n}": one[column] for n, one in enumerate(judgment.ratings, 1)}


def _mean(judgment: Judgment) -> float | None:
    ratings = list(_ratings(judgment).values())
    return sum(ratings) / len(ratings) if ratings else None


def _saying(judgments: Sequence[Judgment], value: float | None) -> Judgment:
    if value is None:
        return judgments[0]._replace(value=None, kind="unusable")
    return judgments[0]._replace(value=value, kind="judged")


ANSWERS = Answers(
    "rating",
    lambda judgment: (*judgment.key, judgment.sample, judgment.aspect),
    _value,
    _mean,
    _saying,
    numbers=("closeness", "spearman_sc", "spearman_pq", "spearman_o"),
)
PEOPLE = People(
    lambda judgment: (*judgment.key, judgment.sample),
    _value,
    _ratings,
    part=lambda judgment: judgment.aspect,
    stratum=lambda judgment: judgment.key,
    mean=fisher_mean,
)
