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
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from pairbench_ext.core.benchmark import TIE
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
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
from pairbench_ext.statistics.estimate import Estimate, FloatArray, combined
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
    if not any(part.labelled for part in parts):
        raise RecordError(f"{labels[0]}: no label of an item of these runs")
    check_coding(parts)
    return [row for part in parts for row in _corrected(part, half_width)]


def _corrected(part: LabelledPart, half_width: float | None) -> list[Corrected]:
    items = part.items
    verdicts, labels, probabilities = np.array(
        [(item.verdict, item.label, item.probability) for item in items]
    ).T
    unread = np.isnan(verdicts)
    verdicts = np.where(unread, 0.0 if unread.all() else np.nanmean(verdicts), verdicts)
    drawn = None if np.isnan(probabilities).all() else probabilities
    if drawn is not None and np.isnan(drawn[~np.isnan(labels)]).any():
        raise RecordError(f"{part.where[0]}: some labels have a probability, some have none")
    clusters = codes_of(item.cluster for item in items)[1]
    strata = codes_of(item.stratum for item in items)[1]
    scale = None if math.isnan(part.scale.low) else part.scale

    def estimated(estimate: Callable[[Sample], Estimate], among: Mask) -> Estimate:
        of_strata = [among & (strata == stratum) for stratum in np.unique(strata[among])]
        made = [
            estimate(Sample(labels, verdicts, clusters, stratum, drawn, scale))
            for stratum in of_strata
        ]
        if len(made) == 1:
            return made[0]
        return combined(made, [stratum.sum() / among.sum() for stratum in of_strata])

    systems = np.array([item.system for item in items])
    rows: dict[str, Corrected] = {}
    for system in dict.fromkeys(systems.tolist()):
        among = systems == system
        labelled = among & ~np.isnan(labels)
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
