"""Correct a judge's mean verdict with people's labels of some items.

Labels are first checked against the verdicts: coded the other way round, or of items that were not
drawn at random, they correct nothing.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.label_checks import not_drawn
from pairbench_ext.runs.label_draws import Draw, draws_of
from pairbench_ext.runs.labelled_parts import LabelledPart, check_coding, labelled_parts
from pairbench_ext.runs.people_labels import PeopleLabels
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.corrected import Mask, Sample, labels_needed
from pairbench_ext.statistics.estimate import Estimate, FloatArray, combined

_ROUNDING = 1e-12
_ALPHA, _Z = 0.05, 1.959963984540054  # two-sided


@dataclass(frozen=True)
class Corrected:
    """Estimates of people's mean label over all items, made by several methods.

    Attributes:
        task, judge, part: their names; the part is empty if the task has only one.
        system: the judged system, or "A - B" for a difference; empty for all items.
        items, labelled: the number of items, and the number of items with a label.
        unread: items whose verdict is unreadable; the mean verdict replaces it.
        verdicts: the judge's mean verdict, uncorrected.
        people: the mean of the labels alone.
        corrected: by prediction-powered inference.
        error_rates: by the judge's error rates; undefined for labels others than 0 and 1, and
            where all of these items are labelled.
        needed: labels for the half width that was asked for, with the judge; NaN if none was.
        remarks: what speaks against the numbers, or is missing for them.
        population: whose mean is estimated, `these items` or `future items`.
        mean_of: what the mean is of: ratings, or the share for a system, for yes, ...
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
    population: str = "these items"
    mean_of: str = ""

    @property
    def saved(self) -> float:
        """Return how many more labels would give the same standard error without the judge."""
        error = self.corrected.standard_error
        alone = self.people.standard_error
        if not min(error, alone) > _ROUNDING:
            return math.nan
        ratio = (error / alone) ** 2
        others = 1 / self.items if self.population == "these items" else 0.0
        return 1 / (others + ratio * (1 / self.labelled - others)) - self.labelled

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates for JSON."""
        shown = (
            "task", "judge", "part", "system", "population", "mean_of", "items", "labelled",
            "unread", "verdicts",
        )  # fmt: skip
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
    tasks: Sequence[TaskOutcomes],
    people: PeopleLabels,
    *,
    by: str | None = None,
    strata: str | None = None,
    half_width: float | None = None,
    future: bool = False,
) -> list[Corrected]:
    """Estimate people's mean label over all items, from a judge's verdicts and a few labels.

    Of ratings that is the mean; of choices between two, the share for the first one of the data, a
    tie counting half.

    Args:
        tasks: what each judge said on each task.
        people: labels of items that were drawn at random, within the strata.
        by: a field that names the system judged: each is estimated, and their differences.
        strata: a field within which labels were drawn at random.
        half_width: of an interval, to say how many labels it needs.
        future: whether to estimate the mean of all items that there could be, of which these are a
            sample; so it is where items were drawn with unequal probabilities.

    Raises:
        RecordError: if nothing is labelled, labels were not drawn at random, or labels in numbers
            contradict the judges: they may be the other way round.
    """
    draws = draws_of(people.paths)
    fields = by, strata or next((draw.strata for draw in draws if draw.strata), None)
    parts = [p for task in tasks for p in _parts_of(task, people, draws, fields)]
    if not any(part.labelled.any() for part in parts):
        raise people.missing()
    check_coding(parts)
    _check_drawn(parts)
    return [row for part in parts for row in _corrected(part, half_width, future)]


def _parts_of(
    task: TaskOutcomes, people: PeopleLabels, draws: Sequence[Draw], fields: Sequence[str | None]
) -> Iterator[LabelledPart]:
    """Yield the parts of a judge's task that has labels."""
    labels_of = people.of(task)
    if labels_of is not None:
        remark = people.remark(task)
        drawn = any([bool(draw.of(task.task_name, task, labels_of)) for draw in draws])  # noqa: C419  (checks each)
        for part in labelled_parts(task, labels_of, fields):
            yield replace(part, remark=remark, drawn=drawn)


def _check_drawn(parts: Sequence[LabelledPart]) -> None:
    """Stop where labels are not of items drawn at random, unless their probabilities are known."""
    tested = [part for part in parts if not part.drawn and np.isnan(part.probabilities).all()]
    for part in tested:
        found = not_drawn(part.questions, part.groups, parts=len(tested))
        if found is not None:
            raise RecordError(f"{part.name}: {found.describe()}")


def _corrected(part: LabelledPart, half_width: float | None, future: bool) -> list[Corrected]:
    labels, clusters, scale = part.labels, part.clusters, part.scale
    unread = np.isnan(part.verdicts)
    verdicts = np.where(unread, 0.0 if unread.all() else np.nanmean(part.verdicts), part.verdicts)
    drawn = None if np.isnan(part.probabilities).all() else part.probabilities
    if drawn is not None and np.isnan(drawn[part.labelled]).any():
        raise RecordError(
            f"{part.where[0]}: some labels have a probability, others have none; fill the column "
            "`probability` for every label, or remove it"
        )
    finite = not future and drawn is None
    population = "these items" if finite else "future items"
    strata = codes_of(stratum for _, stratum in part.groups)[1]

    def estimated(estimate: Callable[[Sample], Estimate], among: Mask) -> Estimate:
        of_strata = [among & (strata == stratum) for stratum in np.unique(strata[among])]
        estimates = [
            estimate(Sample(labels, verdicts, clusters, stratum, drawn, scale, finite))
            for stratum in of_strata
        ]
        if len(estimates) == 1:
            return estimates[0]
        return combined(estimates, [stratum.sum() / among.sum() for stratum in of_strata])

    systems = np.array([system for system, _ in part.groups])
    rows: dict[str, Corrected] = {}
    for system in dict.fromkeys(systems.tolist()):
        among = systems == system
        labelled = among & part.labelled
        complete = finite and bool(part.labelled[among].all())
        rows[system] = Corrected(
            *part.where,
            system,
            int(among.sum()),
            int(labelled.sum()),
            int((unread & among).sum()),
            float(verdicts[among].mean()),
            estimated(lambda sample: sample.prediction_powered_mean(trust=0), among),
            estimated(Sample.prediction_powered_mean, among),
            estimated(Sample.undefined if complete else Sample.error_rate_mean, among),
            _needed(
                half_width, labels[labelled], verdicts[labelled], int(among.sum()), scale, finite
            ),
            () if rows else tuple(remarks(part)),
            population,
            part.mean_of,
        )
    return [*rows.values(), *(_difference(*pair) for pair in combinations(rows.values(), 2))]


def _needed(
    half_width: float | None,
    labels: FloatArray,
    verdicts: FloatArray,
    n: int,
    scale: Interval | None,
    finite: bool,
) -> float:
    if half_width is None or len(labels) < 3:
        return math.nan
    varies = labels.std() > 0 and verdicts.std() > 0
    correlation = float(np.corrcoef(labels, verdicts)[0, 1]) if varies else 0.0
    # Labels that do not vary may still: as if one at each end of the scale were seen, too.
    seen = labels if labels.std() > 0 else np.append(labels, scale or ())
    deviation = float(seen.std(ddof=1))
    if not deviation > 0:
        return math.nan
    return labels_needed(half_width, deviation, correlation, n, future=not finite)


def _difference(first: Corrected, second: Corrected) -> Corrected:
    counts, values = ("items", "labelled", "unread"), ("people", "corrected", "error_rates")
    return replace(
        first,
        system=f"{first.system} - {second.system}",
        **{name: getattr(first, name) + getattr(second, name) for name in counts},
        verdicts=first.verdicts - second.verdicts,
        **{name: getattr(first, name) - getattr(second, name) for name in values},
        needed=math.nan,
        remarks=(),
    )


def remarks(part: LabelledPart) -> Iterator[str]:
    """Yield warnings if people's labels in a part of a task are few or contradict the judge."""
    if part.remark:
        yield part.remark
    labelled, groups = part.labelled, part.groups
    counts = Counter(group for group, has_label in zip(groups, labelled, strict=True) if has_label)
    for group in dict.fromkeys(groups):
        if counts[group] < 2:
            named = ", ".join(str(name) for name in group if name)
            yield (
                f"{f'{named}: ' if named else ''}{counted(counts[group], 'label')} for "
                f"{counted(groups.count(group), 'item')}. An estimate needs at least 2 labels, on "
                "items with different images or prompts; 10 labels make it useful"
            )
    if part.z < -_Z:
        yield (
            "people's labels and the judge's verdicts contradict each other: high labels come with "
            "low verdicts"
        )
    elif not part.rated:
        agreed, decided = part.agreeing
        if (
            decided
            and scipy.stats.binomtest(agreed, decided, alternative="less").pvalue < _ALPHA / 2
        ):
            yield (
                f"people's labels and the judge's verdicts agree on {agreed:,} of "
                f"{counted(decided, 'item')}. Check that 1 means "
                f"{part.codes[0]}, and that first or A means {part.first}"
            )
