"""Judges' mean verdicts, corrected by people's labels of some of the items."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.labelled_items import (
    LabelledPart,
    check_coding,
    labelled_parts,
    remarks,
)
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import side_by_side
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.corrected import (
    Mask,
    Sample,
    labels_needed,
)
from pairbench_ext.statistics.estimate import Estimate, FloatArray, combined

_ROUNDING = 1e-12


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
