"""What a judge and people said of each item, as numbers, and what speaks against the labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from pairbench_ext.core.benchmark import TIE
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.people_labels import LabelRow, LabelsOf
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.label_checks import agreement_z, drawn_p

_ALPHA, _Z = 0.05, 1.959963984540054  # two-sided


class LabelledItem(NamedTuple):
    """What a judge and people said of one item, as numbers; NaN where they said nothing.

    Attributes:
        verdict: the judge's mean rating; of choices, the share for the first option of the data, a
            tie counting half.
        label: people's, likewise.
        probability: with which the item was drawn to be labelled; NaN where no file says.
        cluster: that it belongs to.
        system: that made it; empty where nobody asks.
        stratum: within which it was drawn.
        rows: of its labels.
    """

    verdict: float
    label: float
    probability: float
    cluster: Hashable
    system: str
    stratum: Hashable
    rows: tuple[LabelRow, ...]


@dataclass(frozen=True)
class LabelledPart:
    """The items of one part of one judge's task.

    Attributes:
        where: task, judge and part.
        scale: of labels; NaN where it is not known.
        rated: whether labels are ratings, else choices.
        items: all of them.
    """

    where: tuple[str, str, str]
    scale: Interval
    rated: bool
    items: tuple[LabelledItem, ...]

    @property
    def labelled(self) -> list[LabelledItem]:
        """The items with a label."""
        return [item for item in self.items if not math.isnan(item.label)]

    @property
    def z(self) -> float:
        """How far the judge agrees with labels, in standard errors; NaN where nobody can say."""
        known = [item for item in self.labelled if not math.isnan(item.verdict)]
        if not known:
            return math.nan
        clusters = codes_of(item.cluster for item in known)[1]
        labels, verdicts = np.array([(item.label, item.verdict) for item in known]).T
        return agreement_z(labels, verdicts, clusters)

    @property
    def agreeing(self) -> tuple[int, int]:
        """With how many labels of choices the judge agrees, of those where neither ties."""
        sides = [(item.label - 0.5) * (item.verdict - 0.5) for item in self.labelled]
        return sum(side > 0 for side in sides), sum(side > 0 or side < 0 for side in sides)

    @property
    def coded(self) -> list[LabelledItem]:
        """The items with a label that is a number, and so may be the other way round."""
        return [
            x for x in self.labelled if any(self.rated or r.label in ("0", "1") for r in x.rows)
        ]


def labelled_parts(
    judge: TaskOutcomes, labels: LabelsOf, fields: Sequence[str | None]
) -> Iterator[LabelledPart]:
    """The items of a judge by part: ratings by condition or aspect, choices together.

    Args:
        judge: on one task.
        labels: of people.
        fields: that name the system judged and the stratum; None where nobody asks.

    Raises:
        RecordError: if items are neither ratings nor choices between two, or have no such field.
    """
    if any(x.kind == "text" or (x.kind == "chosen" and x.options != 2) for x in judge.outcomes):
        raise RecordError(
            "only ratings and choices between two can be corrected: the mean of other answers "
            "says nothing"
        )
    where = judge.task or judge.benchmark.name, judge.judge
    scale = Interval(*judge.benchmark.outcome.scale or (math.nan, math.nan))
    for part, items in judge.parts.items():
        rated = any(of_item[0].kind == "rated" for of_item in items.values())
        made = tuple(_item(labels, of_item, fields) for of_item in items.values())
        yield LabelledPart((*where, part), scale if rated else Interval(0.0, 1.0), rated, made)


def field_of(outcome: Outcome, name: str | None) -> Any:
    """A field that names the system or the stratum of an item; None where nobody asks.

    Raises:
        RecordError: if items have no such field, naming those that they have.
    """
    try:
        return None if name is None else outcome[name]
    except KeyError as error:
        known = ", ".join(sorted({*outcome.facets, *outcome.variant}))
        raise RecordError(f"items have no field {error}; known: {known}") from None


def _item(
    labels: LabelsOf, outcomes: Sequence[Outcome], fields: Sequence[str | None]
) -> LabelledItem:
    first = outcomes[0]
    system, stratum = (field_of(first, name) for name in fields)
    verdicts = [_number(outcome.kind, outcome.option) for outcome in outcomes if outcome.usable]
    answers, probability, rows = labels(first)
    of_people = [_number(first.kind, answer) for answer in answers]
    return LabelledItem(
        float(np.mean(verdicts)) if verdicts else math.nan,
        float(np.mean(of_people)) if of_people else math.nan,
        probability,
        first.cluster,
        "" if system is None else str(system),
        stratum,
        rows,
    )


def _number(kind: str, answer: Any) -> float:
    """A rating; or 1 for the first option of the data, 0 for the second, 0.5 for a tie."""
    if kind == "rated":
        return float(answer)
    return 0.5 if answer == TIE else 1.0 - answer


def check_coding(parts: Sequence[LabelledPart]) -> None:
    """Stop where labels in numbers contradict all judges: the codes may be the other way round.

    Raises:
        RecordError: saying what 1 means, with a row that contradicts.
    """
    against = [part for part in parts if part.z < -_Z and part.coded]
    if not against or any(part.z > _Z for part in parts):
        return
    part = min(against, key=lambda part: part.z)
    item = max(part.coded, key=lambda item: abs(item.label - item.verdict))
    row = item.rows[0]
    example = f"{row.where}: item {row.item!r}, label {row.fields['label']}"
    if part.rated:
        mean = np.mean([item.label for item in part.labelled])
        raise RecordError(
            f"labels and verdicts contradict each other ({_name(part)}): labels fall where "
            f"verdicts rise. Higher labels must be better, as for the judge. {example}; the judge "
            f"says {item.verdict:g}. Reverse the labels if 1 is their best; if they are right, "
            f"this judge is of no use here: the mean of the labels is {mean:.3f}"
        )
    agreed, decided = part.agreeing
    raise RecordError(
        f"labels and verdicts contradict each other ({_name(part)}): they agree on {agreed} of "
        f"{counted(decided, 'item')}. 1 means that the second option of the data is better, 0 "
        f"that the first is. {example}; the judge prefers the "
        f"{'first' if item.verdict > 0.5 else 'second'}. Reverse the labels if they are "
        "the other way round; if they are right, write first and second for 0 and 1"
    )


def _name(part: LabelledPart) -> str:
    return ", ".join(filter(None, part.where))


def remarks(part: LabelledPart) -> Iterator[str]:
    """What speaks against the labels of a part, or is missing, in words."""
    labelled = np.array([not math.isnan(item.label) for item in part.items])
    groups = [(item.system, item.stratum) for item in part.items]
    counts = Counter(group for group, known in zip(groups, labelled, strict=True) if known)
    for group in dict.fromkeys(groups):
        if counts[group] < 2:
            named = ", ".join(str(name) for name in group if name)
            yield (
                f"{f'{named}: ' if named else ''}{counted(counts[group], 'label')} of "
                f"{counted(groups.count(group), 'item')}; an estimate needs at least 2, on items "
                "of different clusters, and a useful one 10"
            )
    if part.z < -_Z:
        yield "labels and verdicts contradict each other: where one is high, the other is low"
    elif not part.rated:
        agreed, decided = part.agreeing
        if decided and binomtest(agreed, decided, alternative="less").pvalue < _ALPHA / 2:
            yield (
                f"labels and verdicts agree on {agreed} of {counted(decided, 'item')}: is 0, first "
                "or A the first option of the data?"
            )
    if all(math.isnan(item.probability) for item in part.items):
        verdicts = np.array([item.verdict for item in part.items])
        read = ~np.isnan(verdicts)
        clusters = codes_of(item.cluster for item in part.items)[1]
        p = drawn_p(labelled[read], verdicts[read], clusters[read], codes_of(groups)[1][read])
        if p <= _ALPHA:
            means = verdicts[read & labelled].mean(), verdicts[read & ~labelled].mean()
            yield (
                f"labelled items are not like the others: the judge's mean verdict is "
                f"{means[0]:.3f} on them, {means[1]:.3f} on the rest (p = {p:.2g}). No correction "
                "holds unless items were drawn at random, within --strata, or with the "
                "probabilities in a column `probability`"
            )
