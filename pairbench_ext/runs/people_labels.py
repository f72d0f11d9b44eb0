"""People's labels of items, from files: CSV, JSON lines, or the ratings of `pairbench rate`.

A file of labels has the fields `item` and `label`. It may have `probability`, with which the item
was drawn to be labelled; `first` and `second`, the names of the two systems, in the order of the
data; and fields of the items, such as `condition`.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.core.benchmark import TIE, Benchmark
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import RecordError, read_jsonl, reason_of
from pairbench_ext.runs.task_outcomes import item_text

_PLACES = ("first", "second")
_COLUMNS = {"item", "label", "probability", *_PLACES}
#: What a label is, for help texts and errors.
LABEL = (
    "a number for ratings; for choices, 0 or first or A if the first option of the data is better, "
    "1 or second or B if the second one is, tie, or the name of a system (columns first, second)"
)


class LabelRow(NamedTuple):
    """One label of one item.

    Attributes:
        where: file and line.
        fields: all fields as text, without spaces around them.
    """

    where: str
    fields: Mapping[str, str]

    @property
    def item(self) -> str:
        """The item, as `item_text` writes it."""
        return self.fields["item"]

    @property
    def label(self) -> str:
        """The label in lower case; a whole number without decimals."""
        label = self.fields["label"].lower()
        return label.removesuffix(".0")

    def fits(self, outcome: Outcome) -> bool:
        """Whether all fields besides those of labels are those of an outcome."""
        try:
            names = self.fields.keys() - _COLUMNS
            return all(str(outcome[n]).strip() == self.fields[n] for n in names)
        except KeyError as error:
            raise RecordError(f"{self.where}: items have no field {error}") from None

    def number(self, field: str, low: float, high: float) -> float:
        """The number in a field, which must be from `low` to `high`."""
        try:
            value = float(self.fields[field])
        except ValueError:
            value = math.nan
        if not low <= value <= high or math.isinf(value) or (field == "probability" and not value):
            ends = "" if math.isinf(low) else f" from {low:g} to {high:g}"
            raise RecordError(
                f"{self.where}: {field} must be a number{ends}, not {self.fields[field]!r:.40}"
            )
        return value


class ItemLabels(NamedTuple):
    """What people say of an outcome's item.

    Attributes:
        answers: options in the order of the data, from 0, or `TIE`; or ratings.
        probability: with which the item was drawn to be labelled; NaN where no file says.
        rows: the rows of files of labels; a rating of `pairbench rate` is in none.
    """

    answers: tuple[Any, ...] = ()
    probability: float = math.nan
    rows: tuple[LabelRow, ...] = ()


LabelsOf: TypeAlias = Callable[[Outcome], ItemLabels]


class PeopleLabels:
    """The labels in files, for the items of any runs.

    Args:
        files: .csv; or JSON lines, of labels or of `pairbench rate`.

    Raises:
        RecordError: if a file cannot be read, or a row has no item or no label.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._rows: dict[str, list[LabelRow]] = {}
        self._ratings: list[Path] = []
        self._known: set[str] = set()
        self._studied = False
        for file in files:
            rows = _rows_of(file)
            if rows is None:
                self._ratings.append(file)
            for row in rows or ():
                self._rows.setdefault(row.item, []).append(row)

    def of(self, benchmark: Benchmark, outcomes: Sequence[Outcome]) -> LabelsOf | None:
        """A function from an outcome of a run to its item's labels; None if no item has any.

        Raises:
            RecordError: if a rating study cannot be read; from the function, if a label is none of
                the item's options, or not on the benchmark's scale.
        """
        items = {item_text(outcome.item).strip() for outcome in outcomes}
        self._known |= items
        people, raters = benchmark.answers.people, None
        if self._ratings and people is not None and people.files is not None:
            raters = people.files(self._ratings)
            self._studied = True
        if raters is None and not items & self._rows.keys():
            return None

        def labels_of(outcome: Outcome) -> ItemLabels:
            rows = self._rows.get(item_text(outcome.item).strip(), ())
            fitting = tuple(row for row in rows if row.fits(outcome))
            answers = [*raters(outcome).values()] if raters else []
            answers += [_answer(benchmark, outcome, row) for row in fitting]
            drawn = [r.number("probability", 0, 1) for r in fitting if r.fields.get("probability")]
            return ItemLabels(tuple(answers), drawn[0] if drawn else math.nan, fitting)

        return labels_of

    def check_used(self) -> None:
        """Whether all labels are of outcomes that `of` was called with.

        Raises:
            RecordError: naming the first row whose item is not there, or a rating study that none
                of the benchmarks has.
        """
        if self._ratings and not self._studied:
            raise RecordError(
                f"{self._ratings[0]}: no fields item and label, and the benchmarks of these runs "
                "have no other files of people's ratings"
            )
        for item, [row, *_] in self._rows.items():
            if item not in self._known:
                raise RecordError(
                    f"{row.where}: no item {item!r} in the runs, which have items such as "
                    f"{min(self._known)!r}"
                )


def _answer(benchmark: Benchmark, outcome: Outcome, row: LabelRow) -> Any:
    """A rating, or an option in the order of the data."""
    if outcome.kind == "rated":
        return row.number("label", *(benchmark.outcome.scale or (-math.inf, math.inf)))
    options = options_of(benchmark, outcome, row)
    if row.label not in options:
        raise RecordError(
            f"{row.where}: label {row.fields['label']!r:.40} is none of {', '.join(options)}"
        )
    return options[row.label]


def options_of(benchmark: Benchmark, outcome: Outcome, row: LabelRow) -> dict[str, int]:
    """The labels that a row may have, in lower case, and the option that each stands for."""
    count = max(2, outcome.options)
    options = {str(place): place for place in range(count)}
    options |= {name: place for place, name in enumerate(_PLACES)}
    options |= {chr(ord("a") + place): place for place in range(count)}
    options |= {str(n).lower(): p for p, n in enumerate(benchmark.answers.labels[:count])}
    options["tie"] = TIE
    if benchmark.answers.ties:
        options[str(benchmark.answers.labels[-1]).lower()] = TIE
    systems = [row.fields.get(place, "").lower() for place in _PLACES]
    if all(systems) and len(set(systems)) == len(systems):
        options |= {name: place for place, name in enumerate(systems)}
    return options


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


def _rows_of(file: Path) -> list[LabelRow] | None:
    """The rows of a file of labels; None if it is a file of ratings."""
    if file.suffix.lower() == ".csv":
        rows = list(_csv_rows(file))
    else:
        records = list(read_jsonl(file))
        if records and not {"item", "label"} & records[0].fields.keys():
            return None
        rows = [LabelRow(r.where, {n: _text(v) for n, v in r.fields.items()}) for r in records]
    for row in rows:
        for name in ("item", "label"):
            if name not in row.fields:
                raise RecordError(f"{row.where}: no field {name!r}, only {', '.join(row.fields)}")
            if not row.fields[name]:
                raise RecordError(f"{row.where}: {name!r} is empty")
    return rows


def _csv_rows(file: Path) -> Iterator[LabelRow]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            reader = csv.DictReader(lines)
            names = [name.strip() for name in reader.fieldnames or ()]
            if len(set(names)) < len(names):
                raise RecordError(f"{file}, line 1: columns of the same name in {', '.join(names)}")
            for row in reader:
                where = f"{file}, line {reader.line_num}"
                if None in row or None in row.values():
                    raise RecordError(f"{where}: not as many fields as in the header line")
                yield LabelRow(where, {n.strip(): v.strip() for n, v in row.items()})
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordError(f"{file}: cannot be read ({reason_of(error)})") from error


def _text(value: Any) -> str:
    """A value of JSON as a text; of a list, as items are written."""
    return item_text(tuple(value) if isinstance(value, list) else value).strip()
