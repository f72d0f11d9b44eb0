"""Judges' mean verdicts, corrected by people's labels of some of the items."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairbench_ext.core.benchmark import TIE, Benchmark
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.task_outcomes import by_part, item_text
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.corrected import (
    Estimate,
    FloatArray,
    Mask,
    Sample,
    combined,
    labels_needed,
)

_ROUNDING = 1e-12
_COLUMNS = {"item", "label", "probability"}


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
        labels: CSV files of labels, or files of `pairbench rate`.
        by: a field that names the system judged: each is estimated, and their differences.
        strata: a field within which labels were drawn at random.
        half_width: of an interval, to say how many labels it needs.

    Raises:
        RecordError: if a file cannot be read, a label names no item of any run, or nothing is
            labelled.
    """
    rows = [row for file in labels if file.suffix == ".csv" for row in _rows_of(file)]
    ratings = [file for file in labels if file.suffix != ".csv"]
    made: list[Corrected] = []
    known: set[str] = set()
    for judge in judges:
        for task, run in judge.runs.items():
            items = {item_text(outcome.item) for outcome in run.outcomes}
            known |= items
            fitting = [row for row in rows if row.fields["item"] in items]
            if not (fitting or ratings):
                continue  # labels are of another task
            parts = _parts(_Labels(run.benchmark, fitting, ratings), run.outcomes, (by, strata))
            for part, of_part in parts.items():
                where = task or run.benchmark.name, judge.name, part
                made += _corrected(where, of_part, half_width)
    for row in rows:
        if row.fields["item"] not in known:
            raise RecordError(
                f"{row.where}: no item {row.fields['item']!r} in the runs, which have items such "
                f"as {min(known)!r}"
            )
    if not any(each.labelled for each in made):
        raise RecordError(f"{labels[0]}: no label of an item of these runs")
    return made


class _Item(NamedTuple):
    """What a judge and people said of one item, as numbers; NaN where they said nothing."""

    verdict: float
    label: float
    probability: float
    cluster: Hashable
    system: str
    stratum: Hashable


def _parts(
    labels: _Labels, outcomes: Sequence[Outcome], fields: Sequence[str | None]
) -> dict[str, list[_Item]]:
    if any(x.kind == "text" or (x.kind == "chosen" and x.options != 2) for x in outcomes):
        raise RecordError(
            "only ratings and choices between two can be corrected: the mean of other answers "
            "says nothing"
        )
    return {
        part: [_item(labels, of_item, fields) for of_item in items.values()]
        for part, items in by_part(outcomes).items()
    }


def _item(labels: _Labels, outcomes: Sequence[Outcome], fields: Sequence[str | None]) -> _Item:
    first = outcomes[0]
    try:
        system, stratum = (None if name is None else first[name] for name in fields)
    except KeyError as error:
        known = ", ".join(sorted({*first.facets, *first.variant}))
        raise RecordError(f"items have no field {error}; known: {known}") from None
    verdicts = [_number(outcome.kind, outcome.option) for outcome in outcomes if outcome.usable]
    of_people, probability = labels.of(first)
    return _Item(
        float(np.mean(verdicts)) if verdicts else math.nan,
        float(np.mean(of_people)) if of_people else math.nan,
        probability,
        first.cluster,
        "" if system is None else str(system),
        stratum,
    )


def _number(kind: str, answer: Any) -> float:
    """A rating; or 1 for the first option of the data, 0 for the second, 0.5 for a tie."""
    if kind == "rated":
        return float(answer)
    return 0.5 if answer == TIE else 1.0 - answer


class _Labels:
    """People's labels of the items of a task.

    A CSV file has the columns `item` and `label`; it may have `probability`, with which the item
    was drawn to be labelled, and fields of the items, such as `condition`.

    Args:
        benchmark: of the task.
        rows: of CSV files.
        ratings: files of `pairbench rate`.

    Raises:
        RecordError: if a file of ratings cannot be read.
    """

    def __init__(self, benchmark: Benchmark, rows: Sequence[_Row], ratings: Sequence[Path]) -> None:
        names = [str(name).lower() for name in benchmark.answers.labels[:2]] or ["0", "1"]
        self._options = {**{name: place for place, name in enumerate(names)}, "tie": TIE}
        self._rows: dict[str, list[_Row]] = {}
        for row in rows:
            self._rows.setdefault(row.fields["item"], []).append(row)
        people = benchmark.people
        if ratings and (people is None or people.files is None):
            raise RecordError(f"{ratings[0]}: labels of {benchmark.name} are read from .csv files")
        self._raters = people.files(ratings) if people and people.files and ratings else None

    def of(self, outcome: Outcome) -> tuple[list[float], float]:
        """The labels of an outcome's item, and the probability of being labelled or NaN."""
        rows = [row for row in self._rows.get(item_text(outcome.item), []) if row.fits(outcome)]
        rated = self._raters(outcome).values() if self._raters else ()
        labels = [_number(outcome.kind, answer) for answer in rated]
        labels += [self._label(outcome.kind, row) for row in rows]
        drawn = [row.number("probability") for row in rows if row.fields.get("probability")]
        return labels, drawn[0] if drawn else math.nan

    def _label(self, kind: str, row: _Row) -> float:
        if kind == "rated":
            return row.number("label")
        label = row.fields["label"].strip().lower()
        if label not in self._options:
            known = ", ".join(self._options)
            raise RecordError(f"{row.where}: label must be {known}, not {label!r:.40}")
        return _number(kind, self._options[label])


class _Row(NamedTuple):
    """A row of a file of labels."""

    where: str
    fields: Mapping[str, str]

    def fits(self, outcome: Outcome) -> bool:
        """Whether all fields besides those of labels are those of an outcome."""
        try:
            return all(str(outcome[n]) == self.fields[n] for n in self.fields.keys() - _COLUMNS)
        except KeyError as error:
            raise RecordError(f"{self.where}: items have no field {error}") from None

    def number(self, column: str) -> float:
        """The number in a column; a probability must be in (0, 1]."""
        try:
            value = float(self.fields[column])
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or (column == "probability" and not 0 < value <= 1):
            raise RecordError(
                f"{self.where}: {column} cannot be {self.fields[column]!r:.40}; a number is "
                "expected, and a probability in (0, 1]"
            )
        return value


def _rows_of(file: Path) -> Iterator[_Row]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, ValueError, csv.Error) as error:
        raise RecordError(f"{file}: cannot be read: {error}") from error
    for number, row in enumerate(rows, start=2):
        if None in row or not row.get("item") or not row.get("label"):
            raise RecordError(
                f"{file}, line {number}: each line needs an item and a label, and no more fields "
                "than the first line names"
            )
        yield _Row(f"{file}, line {number}", row)


def _corrected(
    where: tuple[str, str, str], items: Sequence[_Item], half_width: float | None
) -> list[Corrected]:
    verdicts, labels, probabilities = np.array(
        [(item.verdict, item.label, item.probability) for item in items]
    ).T
    unread = np.isnan(verdicts)
    verdicts = np.where(unread, 0.0 if unread.all() else np.nanmean(verdicts), verdicts)
    drawn = None if np.isnan(probabilities).all() else probabilities
    if drawn is not None and np.isnan(drawn[~np.isnan(labels)]).any():
        raise RecordError(f"{where[0]}: some labels have a probability, some have none")
    clusters = codes_of(item.cluster for item in items)[1]
    strata = codes_of(item.stratum for item in items)[1]

    def estimated(estimate: Callable[[Sample], Estimate], among: Mask) -> Estimate:
        parts = [among & (strata == stratum) for stratum in np.unique(strata[among])]
        made = [estimate(Sample(labels, verdicts, clusters, part, drawn)) for part in parts]
        if len(made) == 1:
            return made[0]
        return combined(made, [part.sum() / among.sum() for part in parts])

    systems = np.array([item.system for item in items])
    rows: dict[str, Corrected] = {}
    for system in dict.fromkeys(systems.tolist()):
        among = systems == system
        labelled = among & ~np.isnan(labels)
        rows[system] = Corrected(
            *where,
            system,
            int(among.sum()),
            int(labelled.sum()),
            int((unread & among).sum()),
            float(verdicts[among].mean()),
            estimated(lambda sample: sample.prediction_powered_mean(trust=0), among),
            estimated(Sample.prediction_powered_mean, among),
            estimated(Sample.error_rate_mean, among),
            _needed(half_width, labels[labelled], verdicts[labelled], int(among.sum())),
        )
    return [*rows.values(), *(_difference(*pair) for pair in combinations(rows.values(), 2))]


def _needed(half_width: float | None, labels: FloatArray, verdicts: FloatArray, n: int) -> float:
    if half_width is None or len(labels) < 3:
        return math.nan
    varies = labels.std() > 0 and verdicts.std() > 0
    correlation = float(np.corrcoef(labels, verdicts)[0, 1]) if varies else 0.0
    return labels_needed(half_width, float(labels.std(ddof=1)), correlation, n)


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
