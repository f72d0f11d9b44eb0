"""What judgments of images say, among several judges and beside human raters."""

from __future__ import annotations

from collections.abc import Sequence

from lmms_eval_tasks.viescore.judgments import JUDGED, Judgment
from pairbench_ext.core.benchmark import Answers, People, Rated
from pairbench_ext.statistics.correlation import fisher_mean


def _answer(one: Judgment) -> Rated:
    """A guess in the place of a reply was not said; the truth is what the raters say on average."""
    said = one.value if one.kind == "judged" else None
    column = JUDGED.index(one.aspect)
    people = {f"rater {n}": rating[column] for n, rating in enumerate(one.ratings, 1)}
    truth = sum(people.values()) / len(people) if people else None
    return Rated(one.sample, one.key, said, truth, one.aspect, people=people)


def _put(judgments: Sequence[Judgment], value: float | None) -> Judgment:
    return judgments[0]._replace(value=value, kind="unusable" if value is None else "judged")


ANSWERS = Answers(
    "rating", _answer, _put, numbers=("closeness", "spearman_sc", "spearman_pq", "spearman_o")
)
PEOPLE = People(stratum=lambda judgment: judgment.key, mean=fisher_mean)
