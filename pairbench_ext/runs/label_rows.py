"""People's labels as a file states them, one label per row."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.task_outcomes import item_text

PLACES = ("first", "second")
_SHOWN = ("prompt", "images")  # for people alone
#: The names of columns that say more of a label.
FIELDS = ("task", "probability", *_SHOWN)
_COLUMNS = {"item", "label", "criterion", "rater", *FIELDS, *PLACES}
_WHOLE = re.compile(r"([+-]?\d+)\.0+")


class LabelRow(NamedTuple):
    """One label that a person gave to one item, as a file states it.

    Attributes:
        where: file and line.
        fields: all fields as text, without spaces around them.
        may_decline: whether its label may be none of an item's options: the page of questions lets
            people say that both answers are wrong, or that they cannot tell.
    """

    where: str
    fields: Mapping[str, str]
    may_decline: bool = False

    @property
    def item(self) -> str:
        """Return the name of the labelled item as text."""
        return self.fields["item"]

    @property
    def label(self) -> str:
        """Return the label in lower case; a whole number such as "2.0" becomes "2"."""
        return whole(self.fields["label"].lower())

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the two systems, in the row's order; empty unless it names both."""
        named = tuple(self.fields.get(place, "") for place in PLACES)
        return named if all(named) and len({*named}) == 2 else ()

    def fits(self, outcome: Outcome) -> bool:
        """Return whether the label is for this outcome: the criterion and all further fields match.

        Raises:
            RecordError: if items have no such field.
        """
        if self.fields.get("criterion", "") not in ("", outcome.criterion):
            return False
        try:
            names = self.fields.keys() - _COLUMNS
            return all(str(outcome[n]).strip() == self.fields[n] for n in names)
        except KeyError as error:
            raise RecordError(f"{self.where}: items have no field {error}") from None

    def number(self, field: str, low: float, high: float) -> float:
        """Return the number in a field of the row; it must lie between `low` and `high`."""
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


class LabelFile(NamedTuple):
    """A file of people's labels.

    Attributes:
        path: of the file.
        rows: its labels; None if it holds ratings of a study, which the benchmark reads.
        notes: how it was read, and what was left out.
    """

    path: Path
    rows: Sequence[LabelRow] | None
    notes: tuple[str, ...] = ()


def is_of_questions(fields: Iterable[str]) -> bool:
    """Return whether `pairbench rate questions` wrote a record with these fields."""
    return {"item", "choice", "order"} <= {*fields}


def answers_of(records: Iterable[Record]) -> Iterator[LabelRow]:
    """Yield each rater's last answer to each question, from rows of `pairbench rate questions`."""
    given: dict[tuple[str, ...], list[LabelRow]] = {}
    for record in records:
        text = {name: _text(value) for name, value in record.fields.items()}
        question = tuple(text.get(name, "") for name in ("rater", "task", "item", "order"))
        if text.get("event") == "undo":
            given[question] = given.get(question, [])[:-1]
        elif text.get("event", "rating") == "rating":
            fields = {name: text.get(name, "") for name in ("rater", "task", "item")}
            choice, options = text.get("choice", ""), record.fields.get("options")
            fields["label"] = _in_order(choice, options, text.get("order", ""))
            given.setdefault(question, []).append(LabelRow(record.where, fields, may_decline=True))
    yield from (rows[-1] for rows in given.values() if rows)


def _in_order(choice: str, options: Any, order: str) -> str:
    """Return the letter of an option in the order of the data."""
    if order != "rev" or not isinstance(options, list):
        return choice
    return chr(ord("A") + len(options) - 1 - (ord(choice[:1] or "A") - ord("A")))


def whole(text: str) -> str:
    """Return a text unchanged, but for a whole number such as "2.0", which becomes "2"."""
    match = _WHOLE.fullmatch(text)
    return match[1] if match else text


def draw_file(sheet: Path) -> Path:
    """Return the path of the file that records how a label sheet's questions were drawn."""
    return sheet.with_suffix(".draw.json")


def _text(value: Any) -> str:
    """Return a value of JSON as a text; of a list, as items are written."""
    return item_text(tuple(value) if isinstance(value, list) else value).strip()
