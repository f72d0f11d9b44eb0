"""What MLLM-as-a-Judge measures: agreement with people on pairs, scores and rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from pairbench_ext.core.benchmark import TIE, Answers, Chosen, Number, Rated
from pairbench_ext.core.evidence.choices import choice_evidence
from pairbench_ext.core.evidence.model import Evidence, number_alone
from pairbench_ext.core.evidence.replies import READABLE
from pairbench_ext.core.outcome_numbers import (
    by_field,
    correlation_number,
    count_number,
    mean_number,
)
from pairbench_ext.core.outcome_table import OutcomeTable
from pairbench_ext.statistics.correlation import pearson
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.ranking import levenshtein, spearman


@dataclass(frozen=True)
class Judged:
    """One judgment and people's: labels of two answers, a score, or a ranking; None: unreadable."""

    row: int | str
    item: int | str
    source: str
    image: str
    human: str
    labels: str
    order: Literal["fwd", "rev"] = "fwd"
    said: int | str | None = None

    @property
    def distance(self) -> float:
        """Levenshtein distance of two rankings, by their length; 1 for an unreadable one."""
        said = "" if self.said is None else str(self.said)
        return levenshtein(said, self.human) / max(len(self.human), len(said))


def table(judged: Iterable[Judged]) -> OutcomeTable[Judged]:
    """Judgments, each once."""
    return OutcomeTable(judged, ("row", "order"), {"row": ("item", "source", "image", "human")})


_OPTIONS = {"A": 0, "B": 1, "C": TIE}
_PEOPLE = "people"  # the data have one judgment of several people, not each one's


def _choice(one: Judged) -> Chosen:
    """A judgment of two answers; what people say is the truth."""
    human = _OPTIONS.get(one.human)
    said = None if one.said is None else int(one.said) - 1
    people = {} if human is None else {_PEOPLE: human}
    return Chosen(one.row, 2, human, said, one.order == "rev", people=people)


def _rating(one: Judged) -> Rated:
    human, said = float(one.human), None if one.said is None else float(one.said)
    reverse, people = one.order == "rev", {_PEOPLE: human}
    return Rated(one.image, one.row, said, human, reverse=reverse, people=people)


def _scores(judged: Judged) -> tuple[float, float] | None:
    return None if judged.said is None else (float(judged.said), float(judged.human))


def _closeness(judged: Judged) -> float:
    scores = _scores(judged)
    return 0.0 if scores is None else 1 - abs(scores[0] - scores[1]) / 4


def _over_sources(judged: OutcomeTable[Judged]) -> float:
    return mean_of_defined(list(by_field("source", _PEARSON, "").of(judged).values()))


def _distance_if_read(judged: Judged) -> float | None:
    return None if judged.said is None else judged.distance


def _right(judged: Judged) -> bool:
    choice = _choice(judged)
    return choice.said is not None and choice.option == choice.right


_mean = partial(mean_number, cluster="image")
_PEARSON = correlation_number("pearson", "Pearson, all", pearson, _scores, cluster="image")
_READ = (
    mean_number("coverage", "coverage", lambda judged: judged.said is not None),
    count_number("judgments", "judgments"),
)
NUMBERS = {
    "pair": (
        _mean("accuracy_with_ties", "accuracy, ties too", _right),
        # People's ties are left out; the model's, like unreadable replies, are wrong.
        _mean("accuracy_without_ties", "without", lambda j: None if j.human == "C" else _right(j)),
        mean_number("tie_rate", "says tie", lambda j: j.said == 0, better=None),
        mean_number(
            "first_position_rate", "says A", lambda j: j.said == 1 if j.said else None, better=None
        ),
        *_READ,
    ),
    "score": (
        _mean("closeness", "1 - |difference| / 4", _closeness),
        _PEARSON,
        Number("pearson_by_source", "Pearson, mean of data sets", _over_sources, "correlation"),
        correlation_number("spearman", "Spearman, all", spearman, _scores, cluster="image"),
        *_READ,
    ),
    "batch": (
        _mean("levenshtein", "distance", lambda j: j.distance, better="lower"),
        _mean("levenshtein_readable", "of readable ones", _distance_if_read, better="lower"),
        *_READ,
    ),
}


def _put(judged: Sequence[Judged], said: Any) -> Judged:
    return replace(judged[0], said=said)  # of a panel's scores a mean


def _put_choice(judged: Sequence[Judged], place: int | None) -> Judged:
    return _put(judged, None if place is None else place + 1)


ANSWERS: dict[str, Answers | str] = {
    "pair": Answers("choice", _choice, _put_choice, labels="ABC", ties=True),
    "score": Answers("rating", _rating, _put, numbers=("closeness", "pearson", "spearman")),
    "batch": "its answers are rankings, neither choices nor ratings",
}
CARDS: dict[str, tuple[Evidence, ...]] = {
    "pair": (READABLE, *choice_evidence("accuracy_without_ties", people=True)),
    "score": (READABLE, number_alone("people", "pearson", "correlation", "correlation")),
    "batch": (READABLE, number_alone("people", "levenshtein", "distance of rankings")),
}
