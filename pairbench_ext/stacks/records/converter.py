"""Turn rows into judgments: what each rater said of each item.

A value is kept in the order of the two systems by name, or, without names, of the item's first and
second answer; the order says whether it was shown so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.cells import (
    WORDS,
    empty,
    number,
    plain,
    says_nothing,
    several,
    text_of,
)
from pairbench_ext.stacks.records.columns import EACH_ROW, ROLES, Columns
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.people import Labels, named
from pairbench_ext.stacks.records.raters import Said, people_of, told
from pairbench_ext.stacks.records.tables import Row, image_in

#: A judge, a task, and a sample as the harness logs it.
LoggedSample: TypeAlias = tuple[str, str, dict[str, Any]]

VALUE = 120  # characters of a value whose meaning can be said
_OTHER = "(the other)"
_LONGEST = 80  # characters of a cell whose meaning is kept
_UNUSABLE = "counted as unreadable"
_OWN = {"turned", "reverse", "task", "prompt"}  # of a row, which are not logged
_LEAST = 0.95  # of the recorded values, understood


@dataclass
class Imported:
    """The judgments and counts that were made.

    Attributes:
        columns: which column is what; of several kinds of judgment, of the first.
        groups: that of each kind.
        lines: how that was found, and what else is to be said.
        files: the logged samples, and how many there are in each.
        notes: what became of rows that say nothing or nothing new, with their places.
        counts: how many values of each column were understood, were missing, or were neither.
        unknown: by column, the values that were not understood.
    """

    columns: Columns
    groups: list[Columns] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    files: dict[Path, int] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unknown: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def note(self, what: str, where: str) -> None:
        """Count a row by what became of it; later rows with another example join the first."""
        begin = what.partition(", such as")[0]
        known = (note for note in self.notes if note.startswith(begin))
        self.notes.setdefault(next(known, what), []).append(where)

    def note_unread(self, problem: RecordError) -> None:
        """Note why a row cannot be used."""
        self.note(f"left out, {str(problem).removeprefix(f'{problem.where}: ')}", problem.where)

    def kind_of(self, name: str) -> str:
        """Return the kind of judgment that a column holds."""
        kinds = (c.kind for c in self.groups if name in (*c.said, *c["people"]))
        return next(kinds, self.columns.kind)

    def not_understood(self) -> dict[str, float]:
        """Return the columns with too few understood values, and the share that is understood."""
        shares = {
            name: counts["understood"] / (counts["understood"] + counts["unknown"])
            for name, counts in self.counts.items()
            if counts["unknown"]
        }
        return {name: share for name, share in shares.items() if share < _LEAST}


class Judgment(NamedTuple):
    """One rater's judgment in one row.

    Attributes:
        rater: who.
        reply: the words; None where they are not recorded.
        value: what was recorded; None for nothing.
        said: of which column, order, criterion and repeat.
    """

    rater: str
    reply: Any
    value: Any
    said: Said


class Converter:
    """Turn rows into judgments and samples, and detect repeats.

    Args:
        done: with the columns' roles; gets what cannot be read.
        labels: of people, from files of their own or rows of their own.
    """

    def __init__(self, done: Imported, labels: Labels | None = None) -> None:
        self._done, self._labels = done, labels
        columns = self._columns = done.columns
        every = said_of(columns)
        values = columns["verdict"] or columns["winner"]
        none = ("",) * len(every)
        both = zip((*values, *none), (*columns["reply"], *none), strict=False)
        self._said = [(said, *names) for said, names in zip(every, both, strict=False)]
        self._in_orders = bool(columns["order"]) or any(said.order for said in every)
        self._people = people_of(columns["people"], every)
        self._seen: dict[int, tuple[int, int | str, str]] = {}
        self._repeats: Counter[int] = Counter()
        self._known: dict[tuple[Any, ...], Any] = {}
        self._places: dict[str, str] = {}
        self._rows, self._file = 0, ""
        more = {role: names for role, names in columns.roles.items() if role not in ROLES}
        self._more = {role: names[0] for role, names in more.items() if names}
        said = {*columns["reply"], *columns.said, *columns["people"], *columns["judge"]}
        named = re.findall(r"{(\w+)}", columns.task)
        names = (n for own in columns.roles.values() for n in own if n not in said)
        self._of_item = tuple(dict.fromkeys([*names, *named]))
        self._last: tuple[Any, dict[str, Any]] = (), {}
        self._truths: dict[tuple[Any, ...], Any] = {}
        self._always = {
            "benchmark": columns.benchmark or f"judgments_{columns.kind}",
            "scale": columns.scale if columns.kind == "rating" else None,
            "options": _options(columns),
            "answer": str(columns.asks) if columns.asks else None,
            "labels": columns.labels if columns.kind in ("category", "yesno") else None,
        }

    def samples(self, row: Row, file: str, folder: Path) -> Iterator[LoggedSample]:
        """Yield the samples of a row; none if it cannot be used."""
        self._rows = self._rows + 1 if file == self._file else 1
        self._file = file
        if isinstance(row, RecordError):
            self._done.note_unread(row)
            return
        columns, fields = self._columns, row.fields
        item = columns.item(fields) if columns["item"] else f"row {self._rows}"
        if not item:
            self._done.note(f"left out, no {' or '.join(columns['item'])}", row.where)
            return
        if columns["who"] and _is_person(columns, fields):
            return
        facts = self._item(row, item, folder)
        prompt, task = facts["prompt"], facts["task"]
        for judgment in self._judgments(fields, file):
            sample = self._sample(judgment, row, facts, task)
            if sample is not None:
                yield judgment.rater, task, {"input": prompt, **sample}

    def lines_of_labels(self) -> list[str]:
        """Return what is to be said of people's labels that are not in the rows."""
        return self._labels.lines() if self._labels else []

    def _item(self, row: Record, item: str, folder: Path) -> dict[str, Any]:
        """What is known of a row's item besides what was said of it; rows of one item share it."""
        key = item, *map(row.fields.get, self._of_item)
        if key != self._last[0]:
            self._last = key, self._facts(row, item, folder)
        return self._last[1]

    def _facts(self, row: Record, item: str, folder: Path) -> dict[str, Any]:
        columns, fields = self._columns, row.fields
        systems, turned = systems_of(columns, fields)
        turned = turned and columns.kind == "pair"
        lengths = [len(t) for t in texts(columns, fields, "first_answer", "second_answer")]
        longer = None
        if len(lengths) == 2 and lengths[0] != lengths[1]:
            longer = int(lengths[1] > lengths[0]) ^ turned
        facts: dict[str, Any] = {
            **self._always,
            "item": item,
            "systems": systems,
            "turned": turned,
            "reverse": turned ^ (columns.reverse(fields) and not columns.as_shown),
            "longer": longer,
            "pictures": [image_in(folder, name) for name in texts(columns, fields, "image")],
            "task": columns.task.format_map({**fields, "kind": columns.kind}),
            "prompt": "\n".join(texts(columns, fields, "prompt")),
        }
        for role in ("aspect", "source", "cluster"):
            facts[role] = "/".join(texts(columns, fields, role)) or None
        return {**facts, **{role: fields.get(name) for role, name in self._more.items()}}

    def _judgments(self, fields: Mapping[str, Any], file: str) -> Iterator[Judgment]:
        """Yield what each rater said in a row."""
        by_row = "/".join(texts(self._columns, fields, "judge"))
        scores = self._columns["scores"]
        for said, name, words in self._said:
            value = [fields.get(score) for score in scores] if scores else fields.get(name)
            reply = fields.get(words)
            if by_row and len(self._said) > 1 and empty(value) and empty(reply):
                continue
            rater = "/".join(filter(None, (by_row, said.rater))) or file
            parts = self._parts(reply, value, fields)
            for repeat, (part, each) in enumerate(parts):
                own = said._replace(repeat=repeat) if len(parts) > 1 else said
                yield Judgment(rater, part, each, own)

    def _parts(self, reply: Any, value: Any, fields: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Return the replies and values of a row: several where they are lists."""
        replied = reply if isinstance(reply, list) else [reply]
        listed = not empty(value) and self._says(value, fields) is None
        parts = (
            several(value)
            if listed and (isinstance(value, list) or not self._columns["reply"])
            else []
        )
        if len(parts) > 1 and all(self._says(part, fields) is None for part in parts):
            parts = []  # a text that looks like a list
        return list(zip_longest(replied, parts or [value]))

    def _says(self, cell: Any, fields: Mapping[str, Any]) -> Any:
        """Return what a value says; a text is looked at once."""
        if not isinstance(cell, str) or len(cell) > _LONGEST:
            return self._columns.says(cell, fields)
        key = cell, *map(fields.get, self._columns.two)
        if key not in self._known:
            self._known[key] = self._columns.says(cell, fields)
        return self._known[key]

    def _recorded(self, judgment: Judgment, fields: Mapping[str, Any], where: str) -> Any:
        """Return what the recorded value says; what it does not say is counted."""
        columns, cell = self._columns, judgment.value
        name = judgment.said.column
        if self._failed(fields):
            self._done.counts[name]["missing"] += 1
            self._done.note(f"{_UNUSABLE}, an error is written beside the value", where)
            return None
        said = None if empty(cell) else self._says(cell, fields)
        if (
            said is not None
            and columns.kind in ("choice", "category")
            and said >= _options(columns)
        ):
            said = None
        kind = "understood" if said is not None else "missing" if _missing(cell) else "unknown"
        self._done.counts[name][kind] += 1
        if kind == "unknown":
            self._done.unknown[name][text_of(cell).strip()[: VALUE + 1]] += 1
        return said

    def _failed(self, fields: Mapping[str, Any]) -> bool:
        cells = self._remarks(fields)
        return any(isinstance(x, str) and WORDS["failed"].fullmatch(x[:200].lower()) for x in cells)

    def _remarks(self, fields: Mapping[str, Any]) -> list[Any]:
        return [fields.get(name) for name in self._columns["remark"]]

    def _sample(
        self, judgment: Judgment, row: Record, facts: Mapping[str, Any], task: str
    ) -> dict[str, Any] | None:
        """Return a judgment's logged sample; None if it says again what an earlier one says."""
        said, where = judgment.said, row.where
        reverse, repeat = self._place_of(said, row.fields, facts)
        recorded, extracted = self._value(judgment, row, turned=reverse ^ facts["turned"])
        words = text_of(judgment.value if extracted else judgment.reply)
        aspect = said.aspect or facts["aspect"]
        question = (judgment.rater, task, facts["item"], aspect, reverse)
        if self._columns["repeat"] == (EACH_ROW,):
            repeat = self._repeats[hash(question)]
            self._repeats[hash(question)] += 1
        if self._again((*question, repeat), (words, recorded), where, judgment.rater):
            self._done.note("left out: they repeat earlier ones", where)
            return None
        people = self._labels_of(row, facts, aspect)
        truth = self._truth(people, facts)
        known = (truth, facts["source"], facts["cluster"], facts["systems"], *people.items())
        self._again((task, facts["item"], aspect), known, where, "")
        trial = {
            **facts, "aspect": aspect, "order": "rev" if reverse else "fwd", "repeat": repeat,
            "people": people, "truth": truth, "recorded": recorded, "extracted": extracted or None,
            "remark": "; ".join(text_of(x) for x in self._remarks(row.fields) if not empty(x)),
        }  # fmt: skip
        kept = {k: value for k, value in trial.items() if (value or value == 0) and k not in _OWN}
        target = "" if truth is None else text_of(truth)
        return {"target": target, "filtered_resps": [words], "trial": kept}

    def _place_of(
        self, said: Said, fields: Mapping[str, Any], facts: Mapping[str, Any]
    ) -> tuple[bool, int | None]:
        """Return whether a judgment was in reverse order, and which of several answers it is.

        An answer without places is asked again in the other order.
        """
        reverse = facts["turned"] ^ (said.order == "rev") if said.order else facts["reverse"]
        repeats = [int(number(fields.get(name)) or 0) for name in self._columns["repeat"]]
        repeat = said.repeat if said.repeat is not None else next(iter(repeats), None)
        if self._columns.kind in ("pair", "rating") or not (reverse or self._in_orders):
            return reverse, repeat
        return False, 2 * (repeat or 0) + reverse

    def _value(self, judgment: Judgment, row: Record, *, turned: bool) -> tuple[Any, bool]:
        """Return what was recorded, as shown, and whether it is all there is."""
        recorded = self._recorded(judgment, row.fields, row.where) if self._columns.said else None
        if self._columns["winner"] and recorded in (0, 1) and self._columns.kind == "pair":
            recorded ^= turned
        extracted = self._is_extracted(judgment, recorded, row.where)
        if extracted and recorded is None:
            shown = "empty" if empty(judgment.value) else f"{text_of(judgment.value)!r:.40}"
            self._done.note(f"{_UNUSABLE}, the value says nothing, such as {shown}", row.where)
        return recorded, extracted

    def _is_extracted(self, judgment: Judgment, recorded: Any, where: str) -> bool:
        """Return whether the value is all that is recorded."""
        if not self._columns["reply"]:
            return True
        if recorded is None or not (empty(judgment.reply) or _missing(judgment.reply)):
            return False
        self._done.note("without a reply: the recorded value counts", where)
        return True

    def _labels_of(
        self, row: Record, facts: Mapping[str, Any], aspect: str | None
    ) -> dict[str, Any]:
        """Return what people said, by rater: options in the order of the systems, or ratings."""
        made = self._in_row(row, facts, aspect) if not self._columns["annotator"] else {}
        for rater, cell in (self._labels.of(facts["item"], aspect) if self._labels else {}).items():
            said = self._label("people's labels", cell, row)
            if said is not None:
                made[rater] = self._turned(said, facts)
        return made

    def _in_row(self, row: Record, facts: Mapping[str, Any], aspect: str | None) -> dict[str, Any]:
        fields, names = row.fields, self._people
        raters = [(n, fields[n]) for n, of in names.items()
                  if of in ("", aspect) and not empty(fields.get(n))]  # fmt: skip
        if len(names) == 1 and raters and self._says(raters[0][1], fields) is None:
            parts = several(raters[0][1])
            raters = [(str(n), x) for n, x in enumerate(parts, start=1)] or raters
        made = {}
        for name, cell in raters:
            said = self._label(name, cell, row)
            if said is not None:
                made[name] = self._turned(said, facts)
        return made

    def _turned(self, said: Any, facts: Mapping[str, Any]) -> Any:
        return said ^ facts["turned"] if self._columns.kind == "pair" and said != TIE else said

    def _label(self, name: str, cell: Any, row: Record) -> Any:
        """Return what a label says; one that says nothing is counted."""
        said = self._says(cell, row.fields)
        kind = "understood" if said is not None else "missing" if says_nothing(cell) else "unknown"
        self._done.counts[name][kind] += 1
        if kind == "unknown":
            self._done.unknown[name][text_of(cell).strip()[: VALUE + 1]] += 1
            why = f"people's label says nothing, such as {text_of(cell)!r:.40}"
            self._done.note(f"{_UNUSABLE}, {why}", row.where)
        return said

    def _truth(self, people: Mapping[str, Any], facts: Mapping[str, Any]) -> Any:
        """What people say together: the mean, or what most say; the chosen one is the better."""
        columns = self._columns
        pair = columns.kind == "pair"
        if not people:
            sides = [*columns["scores"], *columns["first"], *columns["first_answer"]]
            chosen = pair and any("chosen" in name for name in sides)
            return int(facts["turned"]) if chosen else None
        if columns.kind == "rating":
            return sum(people.values()) / len(people)
        [(most, votes), *others] = Counter(people.values()).most_common(2)
        divided = bool(others) and others[0][1] == votes
        return (TIE if pair else None) if divided else most

    def _again(self, key: tuple[Any, ...], said: Any, where: str, rater: str) -> bool:
        """Return whether a row says again what an earlier one says.

        Raises:
            RecordError: if it says something else.
        """
        now = hash(said)
        file, place = self._place(where)
        earlier = self._seen.setdefault(hash(key), (now, place, file))
        if earlier[0] != now:
            what = f"the judgment of {rater}" if rater else "what is known"
            item = key[2] if rater else key[1]
            raise RecordError(
                f"{where} and {earlier[2]}{earlier[1]}: {what} of item {item!r} differs between "
                "them; name the column that tells them apart: --columns item=A+B, or order=, "
                "repeat=, judge=, aspect="
            )
        return earlier[1:] != (place, file) or not rater

    def _place(self, where: str) -> tuple[str, int | str]:
        """A row's place in little memory: the file's part, which is shared, and its number."""
        begin, _, last = where.rpartition(" ")
        file = self._places.setdefault(begin, f"{begin} ")
        return file, int(last) if last.isdecimal() else last


def _options(columns: Columns) -> Any:
    if columns.kind == "category":
        return len(columns.labels)
    return columns.options if columns.kind in ("choice", "ranking") else None


def _missing(cell: Any) -> bool:
    return says_nothing(cell) or plain(cell) in ("null", "none", "nan", "n/a")


def _is_person(columns: Columns, fields: Mapping[str, Any]) -> bool:
    """Return whether a row says that a person judged."""
    words = [text_of(fields[n]) for n in columns["who"] if not empty(fields.get(n))]
    return any(columns.values.get(word) == "person" or names_person(word) for word in words)


@cache
def names_person(word: str) -> bool:
    """Return whether a word names people, not a model."""
    of = factors(word)
    return bool(WORDS["person"].fullmatch(plain(word))) and not (of.machine or of.model)


def said_of(columns: Columns) -> list[Said]:
    """Return the meaning of each column of values, or of replies."""
    names = columns["verdict"] or columns["winner"] or columns["reply"] or columns["scores"][:1]
    made = told(names, columns["people"], columns.each)
    return made if made is not None else told(names, (), "judge") or []


def texts(columns: Columns, fields: Mapping[str, Any], *roles: str) -> list[str]:
    """Return the cells of a row's columns in some roles, as texts."""
    known = columns.roles
    names = [name for role in roles if role in known for name in known[role]]
    return [text_of(fields[name]) for name in names if not empty(fields.get(name))]


def systems_of(columns: Columns, fields: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return a row's two systems, ordered by name, and whether that reverses them."""
    if not (columns["first"] or columns["second"]):
        return tuple(texts(columns, fields, "system")), False
    two = (columns["first"] or ("",)), (columns["second"] or ("",))
    systems = tuple(text_of(fields.get(name) or _OTHER) for [name] in two)
    turned = systems[0] > systems[1] and columns.by_name
    return (systems[::-1] if turned else systems), turned


def people_rows(
    columns: Columns, rows: Iterable[Row]
) -> dict[tuple[str, str | None], dict[str, Any]]:
    """Return labels, from people among the judges or from annotators' rows."""
    found: dict[tuple[str, str | None], dict[str, Any]] = defaultdict(dict)
    who = next(role for role in ("annotator", "judge", "who") if columns[role])
    names = columns["people"] if columns["annotator"] else columns.said
    for row in rows:
        if isinstance(row, RecordError):
            continue
        fields = row.fields
        if not columns["annotator"] and not _is_person(columns, fields):
            continue
        item, aspect = columns.item(fields), "/".join(texts(columns, fields, "aspect")) or None
        person = "/".join(texts(columns, fields, who))
        for cell in (fields.get(name) for name in names):
            if item and not empty(cell):
                found[item, aspect].setdefault(person, named(cell, fields, columns))
    return found
