"""Samples of rows, row by row, as the columns' roles say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.cells import empty, number, plain, several, text_of
from pairbench_ext.stacks.records.columns import ROLES, Columns
from pairbench_ext.stacks.records.people import Labels
from pairbench_ext.stacks.records.tables import Row, image_in

#: A judge, a task, and a sample as the harness logs it.
LoggedSample: TypeAlias = tuple[str, str, dict[str, Any]]

_OTHER = "(the other)"
_LONGEST = 80  # characters of a cell whose meaning is kept
_NO_REPLY = {"null", "none", "nan", "n/a"}
_UNUSABLE = "counted as unusable"
_NOTHING: tuple[Any, ...] = (None, "", (), [], {})


@dataclass
class Imported:
    """What was made.

    Attributes:
        columns: which column is what.
        lines: how that was found, and what else is to be said.
        files: the logged samples, and how many there are in each.
        notes: what became of rows that say nothing or nothing new, with their places.
    """

    columns: Columns
    lines: list[str] = field(default_factory=list)
    files: dict[Path, int] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def note(self, what: str, where: str) -> None:
        """Keep what became of a row; what differs only in its example is counted with the first."""
        begin = what.partition(", such as")[0]
        known = (note for note in self.notes if note.startswith(begin))
        self.notes.setdefault(next(known, what), []).append(where)

    def note_unread(self, problem: RecordError) -> None:
        """Keep why a row cannot be used."""
        self.note(f"left out, {str(problem).removeprefix(f'{problem.where}: ')}", problem.where)


class Converter:
    """Makes samples of rows, and keeps what has been seen.

    Args:
        done: with the columns' roles; gets what cannot be read.
        labels: of people, from files of their own.
        sampled: some rows.
    """

    def __init__(
        self,
        done: Imported,
        labels: Labels | None = None,
        sampled: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._done, self._labels = done, labels
        self._as_shown = _change_places(done.columns, sampled)
        self._columns = done.columns
        self._seen: dict[int, tuple[int, str]] = {}
        self._known: dict[tuple[Any, ...], Any] = {}
        self._rows, self._file = 0, ""

    def samples(self, row: Row, file: str, folder: Path) -> Iterator[LoggedSample]:
        """The samples of a row, each with its judge and task; none if it cannot be used."""
        self._rows = self._rows + 1 if file == self._file else 1
        self._file = file
        if isinstance(row, RecordError):
            self._done.note_unread(row)
            return
        fields, columns = row.fields, self._columns
        item = columns.item(fields) if columns["item"] else f"row {self._rows}"
        if not item:
            self._done.note(f"left out, no {' or '.join(columns['item'])}", row.where)
            return
        if self._labels:
            fields = {**fields, **self._labels.of(item)}
        trial, swapped = self._trial(Record(row.where, fields), item, folder)
        task = columns.task.format_map({**fields, "kind": columns.kind})
        facts = tuple(map(trial.get, ("truth", "source", "cluster", "systems")))
        facts += tuple(trial["people"].items())
        self._again((task, item, trial["aspect"]), facts, row.where, "what is known")
        prompt = "\n".join(self._texts(fields, "prompt"))
        target = "" if trial["truth"] is None else text_of(trial["truth"])
        for judge, reply, value, repeat in self._answers(fields, file):
            recorded = None if empty(value) else self._says(value, fields)
            if columns["winner"] and swapped != (trial["order"] == "rev"):
                recorded = 1 - recorded if recorded in (0, 1) else recorded
            if columns.kind == "choice" and recorded is not None and recorded >= columns.options:
                recorded = None
            extracted = not columns["reply"]
            if (
                recorded is not None
                and not extracted
                and (empty(reply) or plain(reply) in _NO_REPLY)
            ):
                self._done.note("without a reply: their value is taken as it is", row.where)
                extracted = True
            if extracted and recorded is None:
                shown = "empty" if empty(value) else f"{text_of(value)!r:.40}"
                self._done.note(f"{_UNUSABLE}, the value says nothing, such as {shown}", row.where)
            said = text_of(value if extracted else reply)
            own = {**trial, "recorded": recorded, "extracted": extracted or None}
            own["repeat"] = repeat if repeat is not None else trial["repeat"]
            key = (judge, task, item, trial["aspect"], trial["order"], own["repeat"])
            if self._again(key, (said, recorded), row.where, f"the judgment of {judge}"):
                self._done.note("left out: they repeat earlier ones", row.where)
                continue
            kept = {key: value for key, value in own.items() if value not in _NOTHING}
            sample = {"input": prompt, "target": target, "filtered_resps": [said], "trial": kept}
            yield judge, task, sample

    def _says(self, cell: Any, fields: Mapping[str, Any]) -> Any:
        """What a value says; a text is looked at once."""
        if not isinstance(cell, str) or len(cell) > _LONGEST:
            return self._columns.says(cell, fields)
        key = cell, *map(fields.get, self._columns.two)
        if key not in self._known:
            self._known[key] = self._columns.says(cell, fields)
        return self._known[key]

    def _texts(self, fields: Mapping[str, Any], *roles: str) -> list[str]:
        names = [name for role in roles for name in self._columns[role]]
        return [text_of(fields[name]) for name in names if not empty(fields.get(name))]

    def _trial(self, row: Record, item: str, folder: Path) -> tuple[dict[str, Any], bool]:
        """What is known of a row besides the answer, and whether its systems are swapped."""
        columns, fields = self._columns, row.fields
        systems = shown = tuple(self._texts(fields, "system"))
        if columns["first"] or columns["second"]:
            two = (columns["first"] or ("",)), (columns["second"] or ("",))
            systems = tuple(text_of(fields.get(name) or _OTHER) for [name] in two)
            systems, shown = tuple(sorted(systems)), systems  # one order for all of the data
        swapped = len(systems) == 2 and shown != systems
        reverse = swapped ^ (columns.reverse(fields) and not self._as_shown)
        lengths = [len(text) for text in self._texts(fields, "first_answer", "second_answer")]
        longer = None
        if len(lengths) == 2 and lengths[0] != lengths[1]:
            longer = int(lengths[1] > lengths[0]) ^ swapped
        people = self._people(row, swapped)
        repeats = [number(fields.get(name)) or 0 for name in columns["repeat"]]
        trial: dict[str, Any] = {
            "benchmark": columns.benchmark or f"judgments_{columns.kind}",
            "item": item,
            "systems": systems,
            "order": "rev" if reverse else "fwd",
            "repeat": int(repeats[0]) if repeats else None,
            "longer": longer,
            "people": people,
            "truth": self._truth(people, swapped),
            "pictures": [image_in(folder, name) for name in self._texts(fields, "image")],
            "scale": columns.scale if columns.kind == "rating" else None,
            "options": columns.options if columns.kind in ("choice", "ranking") else None,
        }
        for role in ("aspect", "source", "cluster"):
            trial[role] = "/".join(self._texts(fields, role)) or None
        more = {role: names[0] for role, names in columns.roles.items() if role not in ROLES}
        return {**trial, **{role: fields.get(name) for role, name in more.items()}}, swapped

    def _people(self, row: Record, swapped: bool) -> dict[str, Any]:
        """What people said, by rater: options in the order of the data, or ratings."""
        names, fields = self._columns["people"], row.fields
        raters = [(name, fields[name]) for name in names if not empty(fields.get(name))]
        if len(names) == 1 and raters and self._says(raters[0][1], fields) is None:
            parts = several(raters[0][1])
            raters = [(str(n), x) for n, x in enumerate(parts, start=1)] or raters
        people = {}
        for name, cell in raters:
            said = self._says(cell, fields)
            if said is None:
                why = f"people's label says nothing, such as {text_of(cell)!r:.40}"
                self._done.note(f"{_UNUSABLE}, {why}", row.where)
            else:
                place = self._columns.kind == "pair" and said != TIE
                people[name] = said ^ swapped if place else said
        return people

    def _truth(self, people: Mapping[str, Any], swapped: bool) -> Any:
        """What people say together: the mean, or what most say; the chosen one is the better."""
        pair = self._columns.kind == "pair"
        if not people:
            sides = [*self._columns["scores"], *self._columns["first"]]
            sides += self._columns["first_answer"]
            return int(swapped) if pair and any("chosen" in name for name in sides) else None
        if self._columns.kind == "rating":
            return sum(people.values()) / len(people)
        [(most, votes), *others] = Counter(people.values()).most_common(2)
        divided = bool(others) and others[0][1] == votes
        return (TIE if pair else None) if divided else most

    def _answers(
        self, fields: Mapping[str, Any], file: str
    ) -> Iterator[tuple[str, Any, Any, int | None]]:
        """Judge, words, value and number of each answer in a row."""
        columns = self._columns
        replies, values = columns["reply"], columns["verdict"] or columns["winner"]
        count = max(len(replies), len(values), 1)
        for n in range(count):
            reply = fields.get(replies[n]) if n < len(replies) else None
            value = fields.get(values[n]) if n < len(values) else None
            if columns["scores"]:
                value = [fields.get(name) for name in columns["scores"]]
            judge = (replies or values)[n] if count > 1 else None
            judge = judge or "/".join(self._texts(fields, "judge")) or file
            replied = reply if isinstance(reply, list) else [reply]
            listed = not empty(value) and self._says(value, fields) is None
            every = list(zip_longest(replied, (listed and several(value)) or [value]))
            for repeat, (words, said) in enumerate(every):
                yield judge, words, said, repeat if len(every) > 1 else None

    def _again(self, key: tuple[Any, ...], said: Any, where: str, what: str) -> bool:
        """Whether a row says again what an earlier one says.

        Raises:
            RecordError: if it says something else.
        """
        now = hash(said), where
        earlier = self._seen.setdefault(hash(key), now)
        if earlier[0] != now[0]:
            raise RecordError(
                f"{where} and {earlier[1]}: {what} of item {key[-4] if len(key) > 3 else key[1]!r} "
                "differs between them; name the column that tells them apart: --columns item=A+B, "
                "or order=, repeat=, judge=, aspect="
            )
        return earlier is not now


def _change_places(columns: Columns, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the two systems of an item change columns: so these have the order that was shown."""
    first: dict[str, tuple[str, ...]] = {}
    for row in rows if len(columns.two) == 2 else ():
        two = tuple(text_of(row.get(name)) for name in columns.two)
        if two != first.setdefault(columns.item(row), two) == two[::-1]:
            return True
    return False
