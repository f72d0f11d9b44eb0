"""How firm a judge's verdict on an item is, and whether people agree with it.

The confidence of a verdict is the agreement of all answers behind it: of one judge in both orders
and all repeats, and of further judges.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.people_labels import LabelsOf, field_of
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text, verdict


class TrustedItem(NamedTuple):
    """A judge's verdict on one item, and what is known of it.

    Attributes:
        item: its name, with the condition or aspect of ratings.
        verdict: as the benchmark labels it; None where there is none.
        confidence: in [0, 1], how far all answers agree with the verdict; NaN without one.
        agreement: the share of people who say the same; NaN where nobody was asked.
        cluster: that it belongs to.
        group: within which labels were drawn.
        others: of each further judge, the share of people who say what it says; NaN likewise.
    """

    item: str
    verdict: Any
    confidence: float
    agreement: float
    cluster: Hashable
    group: str
    others: tuple[float, ...]


def trusted_items(
    judges: Sequence[TaskOutcomes],
    labels_of: LabelsOf,
    by: str | None,
    width: float,
    within: float,
) -> list[TrustedItem]:
    """The first judge's verdict on each item, and what is known of it.

    Args:
        judges: the judge, then further judges.
        labels_of: what people say of an outcome's item.
        by: a field of the items by which they are grouped; None for one group of all.
        width: of the scale of ratings.
        within: how far a rating may be from people's.

    Raises:
        RecordError: if items have no such field, or are texts.
    """
    if any(x.kind == "text" for x in judges[0].outcomes):
        raise RecordError(f"{judges[0].where}: verdicts that are texts have no confidence")
    return [
        _item(outcomes, others, labels_of, by, width, within, judges[0])
        for part, items in judges[0].parts.items()
        for item, outcomes in items.items()
        for others in [[judge.parts.get(part, {}).get(item, []) for judge in judges[1:]]]
    ]


def _item(
    outcomes: Sequence[Outcome],
    others: Sequence[Sequence[Outcome]],
    labels_of: LabelsOf,
    by: str | None,
    width: float,
    within: float,
    judge: TaskOutcomes,
) -> TrustedItem:
    first = outcomes[0]
    rated, answers = first.kind == "rated", judge.benchmark.answers
    judged = verdict(outcomes)
    by_judge = [outcomes, *(answers_of for answers_of in others if answers_of)]
    if judged is None:
        confidence = math.nan
    elif rated:
        confidence = _closeness(by_judge, width)
    else:
        confidence = float(np.mean([_share(answers_of, judged) for answers_of in by_judge]))
    labels = labels_of(first).answers

    def agreement(of: Sequence[Outcome]) -> float:
        chosen = verdict(of) if of else None
        if chosen is None or not labels:
            return math.nan
        if rated:
            return float(abs(chosen - np.mean(labels)) <= within + 1e-9)
        half = not answers.ties  # of a tie, where the judge had to decide
        return float(np.mean([0.5 if half and x == TIE else x == chosen for x in labels]))

    group = "" if by is None else str(field_of(first, by))
    return TrustedItem(
        name_of(first),
        judged if rated or judged is None else answers.label(judged),
        confidence,
        agreement(outcomes),
        first.cluster,
        group,
        tuple(map(agreement, others)),
    )


def name_of(outcome: Outcome) -> str:
    """The name of what a verdict is on: the item, with the condition or aspect of ratings."""
    if outcome.kind != "rated":
        return item_text(outcome.item_and_variant)
    return item_text((outcome.item, outcome.condition) if outcome.condition else outcome.item)


def _share(outcomes: Sequence[Outcome], option: Any) -> float:
    """The share of a judge's answers, unreadable ones too, that choose an option."""
    return Counter(outcome.option for outcome in outcomes)[option] / len(outcomes)


def _closeness(by_judge: Sequence[Sequence[Outcome]], width: float) -> float:
    """1 less the distance of the farthest ratings of an item, in parts of the scale."""
    ratings = [float(x.option) for answers in by_judge for x in answers if x.usable]
    return max(0.0, 1 - (max(ratings) - min(ratings)) / width) if width > 0 else 1.0


def width_of(judges: Sequence[TaskOutcomes]) -> float:
    """The range of all ratings, of a task whose scale is not declared; 0 without any."""
    outcomes = [x for judge in judges for x in judge.outcomes if x.kind == "rated" and x.usable]
    ratings = [float(x.option) for x in outcomes]
    return max(ratings) - min(ratings) if ratings else 0.0
