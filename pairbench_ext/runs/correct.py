"""Judges' mean verdicts, corrected by people's labels of some of the items.

Labels are first checked against the verdicts: coded the other way round, or of items that were not
drawn at random, they correct nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from pairbench_ext.core.benchmark import TIE
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.people_labels import LabelRow, LabelsOf, PeopleLabels, field_of
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.corrected import (
    Mask,
    Sample,
    labels_needed,
)
from pairbench_ext.statistics.estimate import Codes, Estimate, FloatArray, combined
from pairbench_ext.statistics.label_checks import agreement_z, drawn_p

_ROUNDING = 1e-12
_ALPHA, _Z = 0.05, 1.959963984540054  # two-sided


@dataclass(frozen=True)
class Corrected:
    """What people would say on average, estimated in several ways.

    Attributes:
        task, judge, part: which; the part is empty where a task has one only.
        system: which of those judged, or "A - B" for a difference; empty for all items.
        items, labelled: how many there are, and how many have a label.
        unread: items without a usable verdict; the mean verdict stands in.
        verdicts: the judge's mean verdict, uncorrected.
        people: the mean of the labels alone.
        corrected: by prediction-powered inference.
        error_rates: by the judge's error rates; undefined for labels others than 0 and 1.
        needed: labels for the half width that was asked for, with the judge; NaN if none was.
        remarks: what speaks against the numbers, or is missing for them.
    """

    task: str
    judge: str
    part: str
    system: str
    items: int
    labelled: int
    unread: int
    verdicts: float
    people: Estimate
    corrected: Estimate
    error_rates: Estimate
    needed: float = math.nan
    remarks: tuple[str, ...] = ()

    @property
    def saved(self) -> float:
        """How many labels more would give as small a standard error without the judge."""
        error = self.corrected.standard_error
        if not error > _ROUNDING:
            return math.nan
        return self.labelled * ((self.people.standard_error / error) ** 2 - 1)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        shown = ("task", "judge", "part", "system", "items", "labelled", "unread", "verdicts")
        estimates = {
            name: {"value": estimate.value, "ci95": estimate.interval}
            for name in ("people", "corrected", "error_rates")
            for estimate in [getattr(self, name)]
        }
        return {
            **{name: getattr(self, name) for name in shown},
            **estimates,
            "weight_of_judge": self.corrected.trust,
            "labels_saved": self.saved,
            "labels_needed": self.needed,
            "remarks": self.remarks,
        }


def correct(
    judges: Sequence[Judge],
    labels: Sequence[Path],
    *,
    by: str | None = None,
    strata: str | None = None,
    half_width: float | None = None,
) -> list[Corrected]:
    """Estimate what people would say of all items that judges gave verdicts on.

    Of ratings that is the mean; of choices between two, the share for the first one of the data, a
    tie counting half.

    Args:
        judges: whose verdicts are corrected.
        labels: files of people's labels, as `people_labels.PeopleLabels` reads them.
        by: a field that names the system judged: each is estimated, and their differences.
        strata: a field within which labels were drawn at random.
        half_width: of an interval, to say how many labels it needs.

    Raises:
        RecordError: if a file cannot be read, a label names no item of any run, nothing is
            labelled, or labels in numbers contradict the judges: they may be the other way round.
    """
    people = PeopleLabels(labels)
    parts: list[LabelledPart] = []
    for side in side_by_side(judges):
        for judge in side.judges.values():
            labels_of = people.of(side.benchmark, judge.outcomes)
            if labels_of is not None:
                parts += labelled_parts(judge, labels_of, (by, strata))
    people.check_used()
    if not any(part.labelled.any() for part in parts):
        raise RecordError(f"{labels[0]}: no label of an item of these runs")
    check_coding(parts)
    return [row for part in parts for row in _corrected(part, half_width)]


def _corrected(part: LabelledPart, half_width: float | None) -> list[Corrected]:
    labels, clusters, scale = part.labels, part.clusters, part.scale
    unread = np.isnan(part.verdicts)
    mean = 0.0 if unread.all() else np.nanmean(part.verdicts)
    verdicts = np.where(unread, mean, part.verdicts)
    drawn = None if np.isnan(part.probabilities).all() else part.probabilities
    if drawn is not None and np.isnan(drawn[part.labelled]).any():
        raise RecordError(f"{part.where[0]}: some labels have a probability, some have none")
    strata = codes_of(stratum for _, stratum in part.groups)[1]

    def estimated(estimate: Callable[[Sample], Estimate], among: Mask) -> Estimate:
        of_strata = [among & (strata == stratum) for stratum in np.unique(strata[among])]
        made = [
            estimate(Sample(labels, verdicts, clusters, stratum, drawn, scale))
            for stratum in of_strata
        ]
        if len(made) == 1:
            return made[0]
        return combined(made, [stratum.sum() / among.sum() for stratum in of_strata])

    systems = np.array([system for system, _ in part.groups])
    rows: dict[str, Corrected] = {}
    for system in dict.fromkeys(systems.tolist()):
        among = systems == system
        labelled = among & part.labelled
        rows[system] = Corrected(
            *part.where,
            system,
            int(among.sum()),
            int(labelled.sum()),
            int((unread & among).sum()),
            float(verdicts[among].mean()),
            estimated(lambda sample: sample.prediction_powered_mean(trust=0), among),
            estimated(Sample.prediction_powered_mean, among),
            estimated(Sample.error_rate_mean, among),
            _needed(half_width, labels[labelled], verdicts[labelled], int(among.sum()), scale),
            () if rows else tuple(remarks(part)),
        )
    return [*rows.values(), *(_difference(*pair) for pair in combinations(rows.values(), 2))]


def _needed(
    half_width: float | None,
    labels: FloatArray,
    verdicts: FloatArray,
    n: int,
    scale: Interval | None,
) -> float:
    if half_width is None or len(labels) < 3:
        return math.nan
    varies = labels.std() > 0 and verdicts.std() > 0
    correlation = float(np.corrcoef(labels, verdicts)[0, 1]) if varies else 0.0
    # Labels that do not vary may still: as if one at each end of the scale were seen, too.
    seen = labels if labels.std() > 0 else np.append(labels, scale or ())
    deviation = float(seen.std(ddof=1))
    return labels_needed(half_width, deviation, correlation, n) if deviation > 0 else math.nan


def _difference(first: Corrected, second: Corrected) -> Corrected:
    return Corrected(
        first.task,
        first.judge,
        first.part,
        f"{first.system} - {second.system}",
        first.items + second.items,
        first.labelled + second.labelled,
        first.unread + second.unread,
        first.verdicts - second.verdicts,
        first.people - second.people,
        first.corrected - second.corrected,
        first.error_rates - second.error_rates,
    )


@dataclass(frozen=True, eq=False)
class LabelledPart:
    """The items of one part of one judge's task, and what it and people said of them, as numbers.

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
        rows: of its labels.
    """

    where: tuple[str, str, str]
    scale: Interval | None
    rated: bool
    verdicts: FloatArray
    labels: FloatArray
    probabilities: FloatArray
    clusters: Codes
    groups: list[tuple[str, Hashable]]
    rows: list[tuple[LabelRow, ...]]

    @property
    def labelled(self) -> Mask:
        """Whether an item has a label."""
        return ~np.isnan(self.labels)

    @property
    def z(self) -> float:
        """How far the judge agrees with labels, in standard errors; NaN where nobody can say."""
        known = self.labelled & ~np.isnan(self.verdicts)
        if not known.any():
            return math.nan
        clusters = codes_of(self.clusters[known].tolist())[1]
        return agreement_z(self.labels[known], self.verdicts[known], clusters)

    @property
    def agreeing(self) -> tuple[int, int]:
        """With how many labels of choices the judge agrees, of those where neither ties."""
        sides = (self.labels - 0.5) * (self.verdicts - 0.5)
        return int((sides > 0).sum()), int((np.abs(sides) > 0).sum())

    @property
    def coded(self) -> list[int]:
        """The items with a label that is a number, and so may be the other way round."""
        numbered = [any(self.rated or r.label in ("0", "1") for r in rows) for rows in self.rows]
        return [int(place) for place in np.flatnonzero(self.labelled & numbered)]


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
    scale = judge.benchmark.outcome.scale
    for part, by_item in judge.parts.items():
        items = list(by_item.values())
        rated = any(outcomes[0].kind == "rated" for outcomes in items)
        groups = [[field_of(outcomes[0], name) for name in fields] for outcomes in items]
        people = [labels(outcomes[0]) for outcomes in items]
        verdicts = [_mean(rated, [x.option for x in of_item if x.usable]) for of_item in items]
        yield LabelledPart(
            (*where, part),
            (scale and Interval(*scale)) if rated else Interval(0.0, 1.0),
            rated,
            np.array(verdicts),
            np.array([_mean(rated, of_item.answers) for of_item in people]),
            np.array([of_item.probability for of_item in people]),
            codes_of(outcomes[0].cluster for outcomes in items)[1],
            [("" if system is None else str(system), stratum) for system, stratum in groups],
            [of_item.rows for of_item in people],
        )


def _mean(rated: bool, answers: Sequence[Any]) -> float:
    """The mean rating; of choices, the share for the first option of the data, a tie half."""
    if not rated:
        answers = [0.5 if answer == TIE else 1.0 - answer for answer in answers]
    return float(np.mean(answers)) if answers else math.nan


def check_coding(parts: Sequence[LabelledPart]) -> None:
    """Stop where labels in numbers contradict all judges: the codes may be the other way round.

    Raises:
        RecordError: saying what 1 means, with a row that contradicts.
    """
    against = [part for part in parts if part.z < -_Z and part.coded]
    if not against or any(part.z > _Z for part in parts):
        return
    part = min(against, key=lambda part: part.z)
    item = max(part.coded, key=lambda item: abs(part.labels[item] - part.verdicts[item]))
    verdict, row = part.verdicts[item], part.rows[item][0]
    example = f"{row.where}: item {row.item!r}, label {row.fields['label']}"
    if part.rated:
        mean = np.nanmean(part.labels)
        raise RecordError(
            f"labels and verdicts contradict each other ({_name(part)}): labels fall where "
            f"verdicts rise. Higher labels must be better, as for the judge. {example}; the judge "
            f"says {verdict:g}. Reverse the labels if 1 is their best; if they are right, "
            f"this judge is of no use here: the mean of the labels is {mean:.3f}"
        )
    agreed, decided = part.agreeing
    raise RecordError(
        f"labels and verdicts contradict each other ({_name(part)}): they agree on {agreed} of "
        f"{counted(decided, 'item')}. 1 means that the second option of the data is better, 0 "
        f"that the first is. {example}; the judge prefers the "
        f"{'first' if verdict > 0.5 else 'second'}. Reverse the labels if they are "
        "the other way round; if they are right, write first and second for 0 and 1"
    )


def _name(part: LabelledPart) -> str:
    return ", ".join(filter(None, part.where))


def remarks(part: LabelledPart) -> Iterator[str]:
    """What speaks against the labels of a part, or is missing, in words."""
    labelled, groups, verdicts = part.labelled, part.groups, part.verdicts
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
    if np.isnan(part.probabilities).all():
        read, strata = ~np.isnan(verdicts), codes_of(groups)[1]
        p = drawn_p(labelled[read], verdicts[read], part.clusters[read], strata[read])
        if p <= _ALPHA:
            means = verdicts[read & labelled].mean(), verdicts[read & ~labelled].mean()
            yield (
                f"labelled items are not like the others: the judge's mean verdict is "
                f"{means[0]:.3f} on them, {means[1]:.3f} on the rest (p = {p:.2g}). No correction "
                "holds unless items were drawn at random, within --strata, or with the "
                "probabilities in a column `probability`"
            )
