"""Turn rows of tables into judgments: what each rater said about each item.

A value is kept in the order of the two systems by name, or, without names, of the item's first and
second answer; the order says whether it was shown so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, repeat, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.stacks.records.cells import (
    WORDS,
    empty,
    number,
    plain,
    says_nothing,
    several,
    text_of,
)
from pairbench_ext.stacks.records.columns import EACH_ROW, Columns
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.facts import Facts, ItemFacts, options_of_kind, texts
from pairbench_ext.stacks.records.people import Labels, named
from pairbench_ext.stacks.records.raters import ValueColumn, columns_of_values, people_of
from pairbench_ext.stacks.records.tables import Row

#: A judge, a task, and a sample as the harness logs it.
LoggedSample: TypeAlias = tuple[str, str, dict[str, Any]]
#: Columns of values, and whether a value of each was understood, missing or unknown.
Counts: TypeAlias = tuple[tuple[str, str], ...]

VALUE = 120  # characters of a value whose meaning can be said
_LONGEST = 80  # characters of a cell whose meaning is kept
_MOST = 20_000  # rows of different values, whose meaning is kept
_UNUSABLE = "counted as unreadable"
LEAST = 0.95  # of the recorded values, understood


@dataclass
class Imported:
    """The judgments made from rows, and how many rows were left out.

    Attributes:
        columns: which column is what; of several kinds of judgment, of the first.
        groups: that of each kind.
        lines: how that was found, and what else is to be said.
        files: the logged samples, and how many there are in each.
        sources: the files, or folders of files with one row each, that each file was made from.
        notes: what became of rows that say nothing or nothing new, with their places.
        counts: how many values of each column were understood, were missing, or were neither.
        unknown: by column, the values that were not understood.
    """

    columns: Columns
    groups: list[Columns] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    files: dict[Path, int] = field(default_factory=dict)
    sources: dict[Path, set[Path]] = field(default_factory=lambda: defaultdict(set))
    notes: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unknown: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def note(self, what: str, where: str) -> None:
        """Add a remark on a row; rows with an equal remark are counted together."""
        begin = what.partition(", such as")[0]
        alike = (note for note in self.notes if note.startswith(begin))
        self.notes.setdefault(next(alike, what), []).append(where)

    def note_unread(self, problem: RecordError) -> None:
        """Add the remark that a row is left out, with the reason."""
        self.note(f"left out, {str(problem).removeprefix(f'{problem.where}: ')}", problem.where)

    def left_out(self) -> list[str]:
        """Return a line for each remark, with the number of rows it is about and where they are."""
        return [f"{counted(len(where), 'row')} {what}: {listed(where, 3)}"
                for what, where in self.notes.items()]  # fmt: skip

    def kind_of(self, name: str) -> str:
        """Return the kind of judgment that a column holds, such as "pair" or "rating"."""
        kinds = (c.kind for c in self.groups if name in (*c.said, *c["people"]))
        return next(kinds, self.columns.kind)

    def not_understood(self) -> dict[str, float]:
        """Return the columns with too few understood values, and each column's understood share."""
        shares = {
            name: counts["understood"] / (counts["understood"] + counts["unknown"])
            for name, counts in self.counts.items()
            if counts["unknown"]
        }
        return {name: share for name, share in shares.items() if share < LEAST}


class Judgment(NamedTuple):
    """One rater's judgment, as recorded in one row.

    Attributes:
        rater: who.
        reply: the words; None where they are not recorded.
        value: what was recorded; None for nothing.
        column: of which column, order, criterion and repeat.
    """

    rater: str
    reply: Any
    value: Any
    column: ValueColumn


class People(NamedTuple):
    """What people said about an item.

    Attributes:
        labels: by rater, in the order of the systems.
        truth: what they say together.
        counts: what is counted of their values.
    """

    labels: Mapping[str, Any]
    truth: Any
    counts: Counts


class Judged(NamedTuple):
    """The content of a judgment, without the item that it is about.

    Attributes:
        rater: who.
        column: of which column, order, criterion and repeat.
        words: the reply, or the value where that is all; None for the row's own reply.
        recorded: the value, as shown.
        reverse: whether it was in reverse order.
        repeat: which of several answers it is.
        aspect: the criterion.
        trial: what is logged of it.
        counts: what is counted of its value.
        people: what people said; None where labels of their own have to be looked up.
    """

    rater: str
    column: ValueColumn
    words: str | None
    recorded: Any
    reverse: bool
    repeat: int | None
    aspect: str | None
    trial: Mapping[str, Any]
    counts: Counts
    people: People | None


class Converter:
    """Turn rows into judgments and logged samples, and detect rows that repeat others.

    Args:
        done: with the columns' roles; gets what cannot be read.
        labels: of people, from files of their own or rows of their own.
    """

    def __init__(self, done: Imported, labels: Labels | None = None) -> None:
        self._done, self._labels = done, labels
        columns = self._columns = done.columns
        every = said_of(columns)
        values = columns["verdict"] or columns["winner"]
        both = chain(zip_longest(values, columns["reply"], fillvalue=""), repeat(("", "")))
        self._said = [(column, *names) for column, names in zip(every, both, strict=False)]
        self._words = dict(zip(every, columns["reply"], strict=False))
        self._who, self._repeat, self._remark = (columns[r] for r in ("who", "repeat", "remark"))
        self._scores, self._judge, self._reply = (columns[r] for r in ("scores", "judge", "reply"))
        sure = {of.column: _beside(of.column, columns["confidence"]) for of in every}
        self._sure = {column: name for column, name in sure.items() if name}
        self._graded = columns.kind == "pair" and not columns["scores"]
        self._in_orders = bool(columns["order"]) or any(column.order for column in every)
        self._people = {} if columns["annotator"] else people_of(columns["people"], every)
        self._chosen = _is_chosen(columns)
        self._facts = ItemFacts(columns)
        self._options = options_of_kind(columns) if columns.kind in ("choice", "category") else None
        self._seen: dict[int, tuple[int, str]] = {}
        self._repeats: Counter[int] = Counter()
        names = (*columns.said, *self._judge, *self._repeat, *self._people, *self._facts.names)
        self._read = tuple(dict.fromkeys(names))
        self._known: dict[Any, tuple[Facts, Sequence[Judged]]] = {}
        self._noted = False
        self._rows, self._file = 0, ""

    def samples(self, row: Row, file: str, folder: Path) -> Iterator[LoggedSample]:
        """Yield the logged samples made from a row; none if the row cannot be used."""
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
        if self._who and _is_person(columns, fields):
            return
        facts, every = self._in_row(row, file)
        beside, prompt = self._facts.beside(fields, facts, folder)
        for judged in every:
            sample = self._sample(judged, row, item, facts, beside)
            if sample is not None:
                yield judged.rater, facts.task, {"input": prompt, **sample}

    def lines_of_labels(self) -> list[str]:
        """Return remarks on how people's labels, from a separate file, match the judged items."""
        return self._labels.lines() if self._labels else []

    def _in_row(self, row: Record, file: str) -> tuple[Facts, Sequence[Judged]]:
        """Return what a row says, but for its item; once for rows with equal cells."""
        failed = bool(self._remark) and self._failed(row.fields)
        cells = tuple(map(row.fields.get, self._read))
        replies = map(_short, map(row.fields.get, self._reply))
        key = (file, failed, *cells, *map(type, cells), *replies)
        try:
            if key in self._known:
                return self._known[key]
            may_be_kept = len(self._known) < _MOST
        except TypeError:  # a list among the cells
            may_be_kept = False
        self._noted = False
        facts = self._facts.of(row.fields)
        judgments = self._judgments(row.fields, file)
        found = facts, [self._says_in(each, row, facts, failed=failed) for each in judgments]
        if may_be_kept and not self._noted:
            self._known[key] = found
        return found

    def _note(self, what: str, where: str) -> None:
        """Note what became of a row."""
        self._done.note(what, where)
        self._noted = True

    def _judgments(self, fields: Mapping[str, Any], file: str) -> Iterator[Judgment]:
        """Yield what each rater said in a row."""
        by_row = "/".join(texts(self._columns, fields, "judge"))
        scores = self._scores
        for column, name, words in self._said:
            value = [fields.get(score) for score in scores] if scores else fields.get(name)
            reply = fields.get(words)
            if by_row and len(self._said) > 1 and empty(value) and empty(reply):
                continue
            rater = "/".join(filter(None, (by_row, column.rater))) or file
            parts = self._parts(reply, value, fields)
            for number_of, (part, each) in enumerate(parts):
                repeated = column._replace(repeat=number_of) if len(parts) > 1 else column
                yield Judgment(rater, part, each, repeated)

    def _parts(self, reply: Any, value: Any, fields: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Return the replies and values of a row: several where they are lists."""
        listed = isinstance(value, list) or not self._reply
        if isinstance(reply, list) or (listed and self._says(value, fields) is None):
            parts = several(value) if listed and not empty(value) else []
            if len(parts) > 1 and all(self._says(part, fields) is None for part in parts):
                parts = []  # a text that looks like a list
            return list(
                zip_longest(reply if isinstance(reply, list) else [reply], parts or [value])
            )
        return [(reply, value)]

    def _says(self, cell: Any, fields: Mapping[str, Any]) -> Any:
        return None if empty(cell) else self._columns.says(cell, fields)

    def _kind(self, name: str, cell: Any, meaning: Any, *, missing: Callable[[Any], bool]) -> str:
        """Return whether a value was understood; what is unknown is kept."""
        if meaning is not None:
            return "understood"
        if missing(cell):
            return "missing"
        self._done.unknown[name][text_of(cell).strip()[: VALUE + 1]] += 1
        self._noted = True
        return "unknown"

    def _recorded(self, judgment: Judgment, row: Record, *, failed: bool) -> tuple[Any, Counts]:
        """Return what the recorded value says, and how that is counted."""
        name = judgment.column.column
        if not self._columns.said:
            return None, ()
        if failed:
            self._note(f"{_UNUSABLE}, because an error is written beside the value", row.where)
            return None, ((name, "missing"),)
        meaning = self._says(judgment.value, row.fields)
        if meaning is not None and self._options is not None and meaning >= self._options:
            meaning = None
        return meaning, ((name, self._kind(name, judgment.value, meaning, missing=_missing)),)

    def _reply_of(self, judgment: Judgment) -> str | None:
        """Return the words of a reply; None of the row's own, so that equal rows can share it."""
        whole = isinstance(judgment.reply, str) and judgment.column in self._words
        self._noted |= isinstance(judgment.reply, str) and not whole  # a part of the row's list
        return None if whole else text_of(judgment.reply)

    def _failed(self, fields: Mapping[str, Any]) -> bool:
        cells = map(fields.get, self._remark)
        return any(isinstance(x, str) and WORDS["failed"].fullmatch(x[:200].lower()) for x in cells)

    def _says_in(self, judgment: Judgment, row: Record, facts: Facts, *, failed: bool) -> Judged:
        """Return what a judgment says."""
        column = judgment.column
        reverse, repeat = self._place_of(column, row.fields, facts)
        recorded, counts = self._recorded(judgment, row, failed=failed)
        if self._columns["winner"] and recorded in (0, 1) and self._columns.kind == "pair":
            recorded ^= reverse ^ facts.turned
        extracted = self._is_extracted(judgment, recorded, row.where)
        words = text_of(judgment.value) if extracted else self._reply_of(judgment)
        aspect = column.aspect or facts.aspect
        people = None if self._labels else self._people_of(row, "", facts, aspect or column.system)
        strength = self._columns.strength(judgment.value) if self._graded else None
        logged = {"aspect": aspect, "repeat": repeat, "recorded": recorded, "strength": strength,
                  "extracted": extracted or None, **_logged(people)}  # fmt: skip
        order = "rev" if reverse else "fwd"
        trial = {**facts.of_system(column), "order": order, **_known(logged)}
        return Judged(
            judgment.rater, column, words, recorded, reverse, repeat, aspect, trial, counts, people
        )

    def _sample(
        self, judged: Judged, row: Record, item: str, facts: Facts, beside: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Return a judgment's logged sample; None if it says again what an earlier one says."""
        column, fields, where, aspect = judged.column, row.fields, row.where, judged.aspect
        self._add(judged.counts)
        of = column.of(item)
        words = fields[self._words[column]] if judged.words is None else judged.words
        trial = {**judged.trial, **beside, "item": of, **self._beside(fields, column)}
        if column.system:
            trial.setdefault("cluster", item)
        question = (judged.rater, facts.task, of, aspect, judged.reverse)
        repeat = judged.repeat
        if self._repeat == (EACH_ROW,):
            trial["repeat"] = repeat = self._number_of(question)
        if self._again((*question, repeat), (words, judged.recorded), where, judged.rater):
            self._done.note("left out, because earlier rows hold the same judgments", where)
            return None
        people = judged.people
        if people is None:
            people = self._people_of(row, of, facts, aspect or column.system)
            trial |= _known(_logged(people))
        self._add(people.counts)
        shared = (people.truth, *facts.shared, beside.get("cluster"), *people.labels.items())
        self._again((facts.task, of, aspect), shared, where, "")
        target = "" if people.truth is None else text_of(people.truth)
        return {"target": target, "filtered_resps": [words], "trial": trial}

    def _add(self, counts: Counts) -> None:
        for name, kind in counts:
            self._done.counts[name][kind] += 1

    def _number_of(self, question: tuple[Any, ...]) -> int:
        """Return how many earlier rows ask the same."""
        self._repeats[hash(question)] += 1
        return self._repeats[hash(question)] - 1

    def _beside(self, fields: Mapping[str, Any], column: ValueColumn) -> dict[str, Any]:
        """Return what is logged beside a verdict: remarks and confidence."""
        if not (self._remark or self._sure):
            return {}
        remark = "; ".join(text_of(x) for x in map(fields.get, self._remark) if not empty(x))
        confidence = number(fields.get(self._sure.get(column.column, "")))
        return _known({"remark": remark, "confidence": confidence})

    def _place_of(
        self, column: ValueColumn, fields: Mapping[str, Any], facts: Facts
    ) -> tuple[bool, int | None]:
        """Return whether a judgment was in reverse order, and which of several answers it is.

        An answer without places is asked again in the other order.
        """
        reverse = facts.turned ^ (column.order == "rev") if column.order else facts.reverse
        repeat = column.repeat
        if repeat is None and self._repeat:
            repeat = int(number(fields.get(self._repeat[0])) or 0)
        if self._columns.kind in ("pair", "rating") or not (reverse or self._in_orders):
            return reverse, repeat
        return False, 2 * (repeat or 0) + reverse

    def _is_extracted(self, judgment: Judgment, recorded: Any, where: str) -> bool:
        """Return whether the value is all that is recorded."""
        if not self._reply:
            if recorded is None:
                shown = "empty" if empty(judgment.value) else f"{text_of(judgment.value)!r:.40}"
                self._note(
                    f"{_UNUSABLE}, because the value is not understood, such as {shown}", where
                )
            return True
        if recorded is None or not (empty(judgment.reply) or _missing(judgment.reply)):
            return False
        self._note("without a reply: the recorded value is used instead", where)
        return True

    def _people_of(self, row: Record, item: str, facts: Facts, aspect: str | None) -> People:
        """Return what people said of an item, in the order of the systems."""
        labels, counts = dict[str, Any](), list[tuple[str, str]]()
        for name, rater, cell in self._cells_of(row.fields, item, aspect):
            meaning = self._says(cell, row.fields)
            counts.append((name, self._kind(name, cell, meaning, missing=says_nothing)))
            if counts[-1][1] == "unknown":
                why = f"people's label is not understood, such as {text_of(cell)!r:.40}"
                self._note(f"{_UNUSABLE}, {why}", row.where)
            if meaning is not None:
                placed = self._columns.kind == "pair" and meaning != TIE
                labels[rater] = meaning ^ facts.turned if placed else meaning
        return People(labels, self._truth(labels, facts), tuple(counts))

    def _cells_of(
        self, fields: Mapping[str, Any], item: str, aspect: str | None
    ) -> Iterator[tuple[str, str, Any]]:
        """Yield the column, the rater and the value of people's labels."""
        names = self._people
        cells = [(n, n, fields[n]) for n, of in names.items()
                 if of in ("", aspect) and not empty(fields.get(n))]  # fmt: skip
        alone = sum(of in ("", aspect) for of in names.values()) == 1
        if alone and cells and self._says(cells[0][2], fields) is None:
            parts = enumerate(several(cells[0][2]), start=1)
            cells = [(str(n), str(n), part) for n, part in parts] or cells
        yield from cells
        if self._labels:
            others = self._labels.of(item, aspect).items()
            yield from (("people's labels", rater, cell) for rater, cell in others)

    def _truth(self, people: Mapping[str, Any], facts: Facts) -> Any:
        """What people say together: the mean, or what most say; the chosen one is the better."""
        if not people:
            return int(facts.turned) if self._chosen else None
        votes = tuple(people.values())
        if self._columns.kind == "rating":
            return sum(votes) / len(votes)
        [(most, count), *others] = Counter(votes).most_common(2)
        divided = bool(others) and others[0][1] == count
        tie = TIE if self._columns.kind == "pair" else None
        return tie if divided else most

    def _again(self, key: tuple[Any, ...], content: Any, where: str, rater: str) -> bool:
        """Return whether a row says again what an earlier one says.

        Raises:
            RecordError: if it says something else.
        """
        now = hash(content)
        before, place = self._seen.setdefault(hash(key), (now, where))
        if before != now:
            what = f"the judgment of {rater}" if rater else "what is known"
            item = key[2] if rater else key[1]
            raise RecordError(
                f"{where} and {place}: {what} of item {item!r} differs between "
                "these rows. Name the column that tells them apart: --columns item=A+B, or "
                "order=, repeat=, judge= or aspect="
            )
        return place != where


def _is_chosen(columns: Columns) -> bool:
    """Return whether the first of the two is the chosen one, by the names of columns."""
    sides = (*columns["scores"], *columns["first"], *columns["first_answer"])
    return columns.kind == "pair" and any("chosen" in name for name in sides)


def _beside(name: str, others: Sequence[str]) -> str:
    """Return the one of several columns that is of the same judge, order and repeat as a column."""
    if len(others) < 2:
        return others[0] if others else ""
    of = {n: attrgetter("order", "repeat", "number", "model")(factors(n)) for n in (name, *others)}
    return next((other for other in others if of[other] == of[name]), "")


def _logged(people: People | None) -> dict[str, Any]:
    return {"people": people.labels, "truth": people.truth} if people else {}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values without those that say nothing."""
    return {name: of for name, of in values.items() if of or of == 0}


def _short(reply: Any) -> Any:
    """Return a reply; its type if it is a text that is no sign of a missing answer."""
    there = isinstance(reply, str) and (len(reply) > _LONGEST or not _missing(reply))
    return str if there and reply.strip() else reply


def _missing(cell: Any) -> bool:
    return says_nothing(cell) or plain(cell) in ("null", "none", "nan", "n/a")


def _is_person(columns: Columns, fields: Mapping[str, Any]) -> bool:
    """Return whether a row says that a person judged."""
    words = [text_of(fields[n]) for n in columns["who"] if not empty(fields.get(n))]
    return any(columns.values.get(word) == "person" or names_person(word) for word in words)


@cache
def names_person(word: str) -> bool:
    """Return whether a word stands for people, not for a model."""
    of = factors(word)
    named = of.person or WORDS["person"].fullmatch(plain(word))
    return bool(named) and not (of.machine or of.model)


def said_of(columns: Columns) -> list[ValueColumn]:
    """Return the rater, criterion and order of each column that holds verdicts or replies."""
    names = columns["verdict"] or columns["winner"] or columns["reply"] or columns["scores"][:1]
    found = columns_of_values(names, columns["people"], columns.each)
    return found if found is not None else columns_of_values(names, (), "judge") or []


def people_rows(
    columns: Columns, rows: Iterable[Row]
) -> dict[tuple[str, str | None], dict[str, Any]]:
    """Return people's labels by item and criterion, taken from rows in which a person judged."""
    found: dict[tuple[str, str | None], dict[str, Any]] = defaultdict(dict)
    roles = [role for role in ("annotator", "judge", "who") if columns[role]]
    every = _labelled(columns)
    for fields in _rows_of_people(columns, rows):
        item = columns.item(fields)
        aspect = "/".join(texts(columns, fields, "aspect")) or None
        who = next((role for role in roles if texts(columns, fields, role)), "who")
        person = "/".join(texts(columns, fields, who))
        for column in (each for each in every if not empty(fields.get(each.column))):
            rater = f"{person} #{column.repeat + 1}" if column.repeat else person
            label = named(fields[column.column], fields, columns)
            of_item = found[column.of(item), column.aspect or aspect]
            if who == "who" and rater in of_item:  # nobody has a name: another person
                rater = f"{person} #{len(of_item) + 1}"
            of_item.setdefault(rater, label)
    return found


def _rows_of_people(columns: Columns, rows: Iterable[Row]) -> Iterator[Mapping[str, Any]]:
    for fields in (row.fields for row in rows if isinstance(row, Record)):
        if columns.item(fields) and (columns["annotator"] or _is_person(columns, fields)):
            yield fields


def _labelled(columns: Columns) -> list[ValueColumn]:
    """Return the meaning of each column of people's labels in rows of their own."""
    every = said_of(columns)
    if not columns["annotator"]:
        return every
    return [ValueColumn(n, aspect=of) for n, of in people_of(columns["people"], every).items()]
