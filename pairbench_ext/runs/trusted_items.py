"""A judge's verdict on each item, with its confidence and people's label.

The confidence of a verdict is the agreement of all answers behind it: of one judge in both orders
and all repeats, and of further judges. It is counted in whole answers, so that equal items have
equal confidence. Where a judge's own confidence is recorded with each answer, its mean over all
answers counts, 0 for those that say something else.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.outcomes import TIE, Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.label_checks import Question, questions_of
from pairbench_ext.runs.people_labels import LabelsOf, field_of
from pairbench_ext.runs.task_outcomes import TaskOutcomes, verdict

_DIGITS = 9  # of distances of ratings: more are rounding


class TrustedItem(NamedTuple):
    """A judge's verdict on one item, with its confidence and people's label.

    Attributes:
        question: what was asked, and what people say.
        verdict: the system's name, or as the benchmark labels it; None where there is none.
        confidence: in [0, 1], how far all answers agree with the verdict; NaN without one.
        agreement: the share of people who say the same; NaN where nobody was asked.
        cluster: that it belongs to.
        group: which has a promise of its own.
        stratum: within which labels were drawn.
        others: of each further judge, the share of people who say what it says; NaN likewise.
    """

    question: Question
    verdict: Any
    confidence: float
    agreement: float
    cluster: Hashable
    group: str = ""
    stratum: str = ""
    others: tuple[float, ...] = ()

    @property
    def item(self) -> str:
        """Return the name of the item, without its criterion."""
        return self.question.item

    @property
    def criterion(self) -> str:
        """Return the question asked about the item; empty if there is only one question."""
        return self.question.criterion

    @property
    def name(self) -> str:
        """Return the name of the item, with its criterion."""
        return self.question.name


def trusted_items(
    judges: Sequence[TaskOutcomes],
    labels_of: LabelsOf,
    *,
    by: str | None = None,
    strata: str | None = None,
    within: float | None = None,
    drawn: Collection[str] = (),
) -> list[TrustedItem]:
    """Return the first judge's verdict on each item, with its confidence and people's label.

    Args:
        judges: the judge, then further judges.
        labels_of: what people say of an outcome's item.
        by: a field of the items by which they are grouped; None for one group of all.
        strata: a field within which labels were drawn; None for one stratum.
        within: how far a rating may be from people's; None for a tenth of the scale.
        drawn: names of questions that were drawn to be labelled: people who gave none of these a
            label disagree.

    Raises:
        RecordError: if items have no such field, or are texts.
    """
    judge, *others = judges
    if any(x.kind == "text" for x in judge.outcomes):
        raise RecordError(
            f"{judge.task_name}: agreement with people cannot be promised for rankings and texts; "
            "`pairbench score` compares them with people's answers"
        )
    width = _width(judges)
    near = width / 10 if within is None else within
    answers, items = judge.benchmark.answers, []
    for part, questions in questions_of(judge, labels_of).items():
        for question, asked in zip(questions, judge.parts[part], strict=True):
            outcomes, labels = question.outcomes, question.labels.answers
            first, judged = outcomes[0], verdict(outcomes)
            of_others = [other.parts.get(part, {}).get(asked, []) for other in others]
            mine, *theirs = (
                _agreement(of_judge, labels, near, half=not answers.ties)
                for of_judge in (outcomes, *of_others)
            )
            if question.name in drawn and judged is not None and not labels:
                mine = 0.0
            rated = first.kind == "rated"
            items.append(
                TrustedItem(
                    question,
                    judged if rated or judged is None else answers.named(first, judged),
                    _confidence(judged, [outcomes, *filter(None, of_others)], width),
                    mine,
                    first.cluster,
                    _text_of(first, by),
                    _text_of(first, strata),
                    tuple(theirs),
                )
            )
    return items


def _text_of(outcome: Outcome, name: str | None) -> str:
    return "" if name is None else str(field_of(outcome, name))


def _agreement(
    outcomes: Sequence[Outcome], labels: Sequence[Any], within: float, *, half: bool
) -> float:
    """The share of people's labels that say what outcomes of an item do; NaN where nothing is said.

    Args:
        outcomes: of one judge.
        labels: of people.
        within: how far a rating may be from people's.
        half: whether a label of a tie agrees half, where the judge had to decide.
    """
    judged = verdict(outcomes) if outcomes else None
    if judged is None or not labels:
        return math.nan
    if outcomes[0].kind == "rated":
        return float(abs(judged - np.mean(labels)) <= within + 1e-9)
    return float(np.mean([0.5 if half and x == TIE else x == judged for x in labels]))


def _confidence(judged: Any, by_judge: Sequence[Sequence[Outcome]], width: float) -> float:
    """Return how far the answers of all judges agree with a verdict; NaN without one."""
    if judged is None:
        return math.nan
    [outcomes, *others] = by_judge
    if not others and None not in [x.measured.get("confidence") for x in outcomes]:
        confidences = [x.measured["confidence"] * (x.option == judged) for x in outcomes]
        return float(round(sum(confidences) / len(confidences), _DIGITS))
    if outcomes[0].kind == "rated":
        return _closeness(by_judge, width)
    shares = (
        Fraction(Counter(x.option for x in answers)[judged], len(answers)) for answers in by_judge
    )
    return float(sum(shares, Fraction(0)) / len(by_judge))


def _closeness(by_judge: Sequence[Sequence[Outcome]], width: float) -> float:
    """Return 1 less the distance of the farthest ratings of an item, in parts of the scale."""
    ratings = [float(x.option) for answers in by_judge for x in answers if x.usable]
    far = round((max(ratings) - min(ratings)) / width, _DIGITS) if width > 0 else 0.0
    return max(0.0, 1 - far)


def _width(judges: Sequence[TaskOutcomes]) -> float:
    """Return the width of the scale of ratings: as declared, or the range of all ratings."""
    scale = judges[0].benchmark.outcome.scale
    if scale is not None:
        return scale[1] - scale[0]
    outcomes = [x for judge in judges for x in judge.outcomes if x.kind == "rated" and x.usable]
    ratings = [float(x.option) for x in outcomes]
    return max(ratings) - min(ratings) if ratings else 0.0
