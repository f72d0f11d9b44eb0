"""Turn judges' verdicts and people's labels into numbers; check that labels are not reversed."""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairbench_ext.core.benchmark import TIE
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.label_checks import Question, questions_of
from pairbench_ext.runs.people_labels import LabelsOf, field_of, is_yes_no
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.corrected import Mask
from pairbench_ext.statistics.estimate import Codes, FloatArray
from pairbench_ext.statistics.label_checks import agreement_z

_Z = 1.959963984540054  # two-sided, 5%


@dataclass(frozen=True, eq=False)
class LabelledPart:
    """The items of one part of a task, with verdicts and labels as numbers.

    That is the mean rating; of choices, the share for the first option of the data, a tie counting
    half.

    Attributes:
        where: task, judge and part.
        scale: of labels; None where it is not known.
        rated: whether labels are ratings, else choices.
        verdicts: shape (n,): the judge's; NaN without any.
        labels: shape (n,): people's; NaN without any.
        probabilities: shape (n,): with which an item was drawn to be labelled; NaN where no file
            says.
        clusters: shape (n,), from 0.
        groups: of each item the system that made it, empty where nobody asks, and its stratum.
        questions: what was asked, and what was said.
        is_yes_no: whether choices are between yes and no.
        remark: how labels were taken, where they leave that open.
        drawn: whether it is known that labelled items were drawn at random.
    """

    where: tuple[str, str, str]
    scale: Interval | None
    rated: bool
    verdicts: FloatArray
    labels: FloatArray
    probabilities: FloatArray
    clusters: Codes
    groups: list[tuple[str, Hashable]]
    questions: list[Question]
    is_yes_no: bool = False
    remark: str = ""
    drawn: bool = False

    @property
    def name(self) -> str:
        """Return the names of the task, of the judge and of the part of the task."""
        return ", ".join(filter(None, self.where))

    @property
    def labelled(self) -> Mask:
        """Return, for each item, whether people labelled it."""
        return ~np.isnan(self.labels)

    @property
    def z(self) -> float:
        """Return the z-score of the judge's agreement with people's labels; NaN if unknown."""
        compared = self.labelled & ~np.isnan(self.verdicts)
        if not compared.any():
            return math.nan
        clusters = codes_of(self.clusters[compared].tolist())[1]
        return agreement_z(self.labels[compared], self.verdicts[compared], clusters)

    @property
    def agreeing(self) -> tuple[int, int]:
        """Return how many labels agree with the judge, and how many were compared, without ties."""
        sides = (self.labels - 0.5) * (self.verdicts - 0.5)
        return int((sides > 0).sum()), int((np.abs(sides) > 0).sum())

    @property
    def coded(self) -> list[int]:
        """Return the indices of items with numeric labels, which may be coded in reverse."""
        rows = [question.labels.rows for question in self.questions]
        numbered = [self.rated or any(r.label in ("0", "1") for r in of_item) for of_item in rows]
        return [int(x) for x in np.flatnonzero(self.labelled & numbered) if rows[x]]

    @property
    def first(self) -> str:
        """Return the answer that counts as 1 in the mean: a system, `yes`, or the first option."""
        systems = {question.outcomes[0].systems for question in self.questions}
        if len(systems) == 1 and (two := next(iter(systems))):
            return two[0]
        if self.is_yes_no:
            return "yes"
        return (
            "the first option"
            if systems == {()}
            else "the system whose name comes first in the alphabet"
        )

    @property
    def mean_of(self) -> str:
        """Return in words what the mean verdict is: a mean rating, or the share of one answer."""
        return "rating" if self.rated else f"share for {self.first}"

    @property
    def codes(self) -> tuple[str, str]:
        """Return the meaning of the labels 1 and 0."""
        if self.is_yes_no:
            return "yes", "no"
        return "that the second option is better", "that the first option is better"

    @property
    def words(self) -> str:
        """Return words that can be written instead of the labels 1 and 0."""
        return "no and yes" if self.is_yes_no else "first and second"


def labelled_parts(
    judge: TaskOutcomes, labels: LabelsOf, fields: Sequence[str | None]
) -> Iterator[LabelledPart]:
    """Yield the items of a judge's task in parts: choices as one, ratings by condition or aspect.

    Args:
        judge: on one task.
        labels: of people.
        fields: that name the system judged and the stratum; None where nobody asks.

    Raises:
        RecordError: if items are neither ratings nor choices between two, or have no such field.
    """
    if not can_be_numbers(judge):
        raise RecordError(
            "only ratings and choices between two options can be corrected: other answers have "
            "no meaningful mean"
        )
    for part, questions in questions_of(judge, labels).items():
        yield _part(judge, part, questions, fields)


def _part(
    judge: TaskOutcomes, part: str, questions: list[Question], fields: Sequence[str | None]
) -> LabelledPart:
    first = [question.outcomes[0] for question in questions]
    rated, scale = first[0].kind == "rated", judge.benchmark.outcome.scale
    systems, strata = ([field_of(outcome, name) for outcome in first] for name in fields)
    return LabelledPart(
        (judge.task_name, judge.judge, part),
        (scale and Interval(*scale)) if rated else Interval(0.0, 1.0),
        rated,
        np.array([_mean(rated, _options(question)) for question in questions]),
        np.array([_mean(rated, question.labels.answers) for question in questions]),
        np.array([question.labels.probability for question in questions]),
        codes_of(outcome.cluster for outcome in first)[1],
        [
            ("" if s is None else str(s), stratum)
            for s, stratum in zip(systems, strata, strict=True)
        ],
        questions,
        is_yes_no(judge.benchmark),
    )


def _options(question: Question) -> list[Any]:
    return [outcome.option for outcome in question.outcomes if outcome.usable]


def can_be_numbers(judge: TaskOutcomes) -> bool:
    """Return whether all answers are ratings, or all are choices between two options."""
    return all(x.kind == "rated" or (x.kind == "chosen" and x.options == 2) for x in judge.outcomes)


def _mean(rated: bool, answers: Sequence[Any]) -> float:
    """The mean rating; of choices, the share for the first option of the data, a tie half."""
    if not rated:
        answers = [0.5 if answer == TIE else 1.0 - answer for answer in answers]
    return float(np.mean(answers)) if answers else math.nan


def check_coding(parts: Sequence[LabelledPart]) -> None:
    """Raise an error if numeric labels contradict all judges: 0 and 1 may have been swapped.

    Raises:
        RecordError: saying what 1 means, with a row that contradicts.
    """
    against = [part for part in parts if part.z < -_Z and part.coded]
    if not against or any(part.z > _Z for part in parts):
        return
    part = min(against, key=lambda part: part.z)
    item = max(part.coded, key=lambda item: abs(part.labels[item] - part.verdicts[item]))
    verdict, row = part.verdicts[item], part.questions[item].labels.rows[0]
    example = f"{row.where}: item {row.item!r}, label {row.fields['label']}"
    if part.rated:
        mean = np.nanmean(part.labels)
        raise RecordError(
            f"labels and verdicts contradict each other ({part.name}): items with higher labels "
            f"have lower verdicts. A higher label must mean better, as for the judge. {example}; "
            f"the judge says {verdict:g}. If 1 is the best label, reverse the labels. If the "
            f"labels are right, do not use this judge here: the mean of the labels is {mean:.3f}"
        )
    agreed, decided = part.agreeing
    first, second = part.codes
    raise RecordError(
        f"labels and verdicts contradict each other ({part.name}): they agree on {agreed} of "
        f"{counted(decided, 'item')}. 1 means {first}, 0 means {second}. {example}; the judge says "
        f"{second if (verdict > 0.5) != part.is_yes_no else first}. If the labels are the other "
        f"way round, reverse them. If they are right, write words for 0 and 1, such as {part.words}"
    )
