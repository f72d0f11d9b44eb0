"""Read files of people's labels in any layout, and match labels with items by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pairbench_ext.core.records import Record, RecordError, read_jsonl
from pairbench_ext.core.texts import counted, listed
from pairbench_ext.runs.label_rows import PLACES, LabelFile, LabelRow, answers_of, is_of_questions
from pairbench_ext.runs.people_labels import PeopleLabels, each_sort, kind_of_answer, words_of
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text
from pairbench_ext.stacks.records.cells import empty, says_nothing, text_of
from pairbench_ext.stacks.records.columns import Columns
from pairbench_ext.stacks.records.converter import LEAST
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.label_columns import LabelColumns
from pairbench_ext.stacks.records.label_values import Asked, Meanings, cell_text
from pairbench_ext.stacks.records.memory import InMemory
from pairbench_ext.stacks.records.people import NO_ITEM, Labels
from pairbench_ext.stacks.records.profile import FILE, Sample
from pairbench_ext.stacks.records.readings import of_tool
from pairbench_ext.stacks.records.tables import Source, encodings_of, kind_of, sources_of
from pairbench_ext.stacks.records.understood import not_understood

_SAMPLED = 2_000  # rows by which columns are told
_NAMED = 200  # rows by which it is told which file has a column
_OF_JUDGES = {"reply", "verdict", "winner", "scores"}
_LINES = ("", ".jsonl", ".ndjson")


def people_labels(
    files: Sequence[Path | InMemory],
    tasks: Sequence[TaskOutcomes],
    given: Columns | None = None,
    *,
    accept: bool = False,
    typed: Sequence[str] = (),
) -> PeopleLabels:
    """Return people's labels for tasks, from files or else from the judgments' own rows.

    Args:
        files: in any form that `import judgments` reads, or of `pairbench rate`; or tables.
        tasks: what every judge said on every task.
        given: what is known of their columns; what they do not have is of other files.
        accept: go on where few of the labels are understood.
        typed: the command, for questions.

    Raises:
        QuestionError: if several columns may be labels, or labels are not understood.
        RecordError: naming file and row.
    """
    asked = _asked(tasks) if files else Asked({})
    if files and all(task.benchmark.outcome.kind == "text" for task in tasks):
        raise RecordError(
            f"{files[0]}: the judge gives rankings or texts, and this command cannot use labels "
            "of these; use `pairbench import judgments FILE --people LABELS --out judges`"
        )
    reader = _Reader(asked, given or Columns(), accept, typed)
    return PeopleLabels([reader.read(file) for file in files], tasks)


def _asked(tasks: Sequence[TaskOutcomes]) -> Asked:
    kinds, words = defaultdict[str, dict[str, None]](dict), defaultdict[str, set[str]](set)
    criteria, systems, fields = set[str](), set[str](), set[str]()
    for task in tasks:
        for outcome in task.outcomes:
            kind = kind_of_answer(task.benchmark, outcome)
            kinds[item_text(outcome.item).strip()][kind] = None
        for outcome in each_sort(task):
            words[kind_of_answer(task.benchmark, outcome)] |= words_of(task.benchmark, outcome)
            criteria.add(outcome.criterion)
            systems.update(outcome.systems)
            fields.update(outcome.facets, outcome.variant)
    every = [task.benchmark.answers.people for task in tasks]
    return Asked(
        {item: tuple(of) for item, of in kinds.items()}, words, criteria - {""}, systems, fields,
        studies=any(people is not None and people.files is not None for people in every),
    )  # fmt: skip


def labels_of(
    files: Sequence[Path],
    judgments: Sequence[Mapping[str, Any]],
    columns: Columns,
    *,
    typed: Sequence[str] = (),
) -> Labels:
    """Return people's labels from files, for the items whose judgments are being imported.

    Args:
        files: as for `people_labels`.
        judgments: some rows of the judgments.
        columns: of the judgments; what it has for people is a column of these files.
        typed: the command, for questions.

    Raises:
        RecordError, QuestionError: likewise.
    """
    if not columns["item"]:
        raise RecordError(f"{files[0]}: {NO_ITEM}")
    asked = _asked_in(judgments, columns)
    reader = _Reader(asked, columns, False, typed, judged=True)
    found = defaultdict[tuple[str, str | None], dict[str, Any]](dict)
    for row in chain.from_iterable(reader.read(file).rows or () for file in files):
        by_rater = found[row.item, row.fields.get("criterion") or None]
        rater = row.fields.get("rater") or "label"
        before = sum(name.partition(" #")[0] == rater for name in by_rater)
        if before and not row.fields.get("criterion"):
            _check_criteria(row, rater, asked.criteria)
        placed = row.label in PLACES and row.systems
        label = row.systems[PLACES.index(row.label)] if placed else row.fields["label"]
        by_rater[rater + f" #{before + 1}" * bool(before)] = label
    return Labels(found)


def _check_criteria(row: LabelRow, rater: str, criteria: Collection[str]) -> None:
    """Stop at a second label of an item, where each may be of another criterion."""
    if len(criteria) > 1:
        raise RecordError(
            f"{row.where}: {rater} labels item {row.item!r} twice, and no column names the "
            f"criterion ({listed(sorted(criteria), 3)}). Name that column: --columns aspect=COLUMN"
        )


def _asked_in(judgments: Sequence[Mapping[str, Any]], columns: Columns) -> Asked:
    items = dict.fromkeys(filter(None, map(columns.item, judgments)), (columns.kind,))
    criteria, *systems = ({text_of(row[n]) for row in judgments if n and not empty(row.get(n))}
                          for n in ("".join(columns["aspect"][:1]), *columns.two))  # fmt: skip
    two = columns.two if columns.by_name else ()
    return Asked(items, {}, criteria, set().union(*systems), key=columns["item"], two=two)


def names_in(files: Sequence[Path]) -> set[str]:
    """Return the names of the columns that occur in the first rows of files."""
    sources = sources_of(files) if files else ()
    rows = (row for source in sources for row in islice(source.rows(), _NAMED))
    return {name for row in rows if not isinstance(row, RecordError) for name in row.fields}


@dataclass(frozen=True)
class _Reader:
    """Reads files of labels, of questions that were asked."""

    asked: Asked
    given: Columns
    accept: bool = False
    typed: Sequence[str] = ()
    judged: bool = False  # whether what is given is of the judgments, but for the labels

    def read(self, file: Path | InMemory) -> LabelFile:
        """Return the labels of a file; none if it is a rating study, read by a benchmark."""
        if isinstance(file, InMemory):
            return self._table(Path("labels"), [file])
        if kind_of(file) in _LINES:
            first = next((set(record.fields) for record in read_jsonl(file)), set[str]())
            if is_of_questions(first):
                return LabelFile(file, list(answers_of(read_jsonl(file))))
            if self.asked.studies and not {"item", "label"} & first:
                return LabelFile(file, None)
        sources = sources_of([file])
        table = self._table(file, sources)
        return table._replace(notes=(*encodings_of(sources), *table.notes))

    def _table(self, file: Path, sources: Sequence[Source | InMemory]) -> LabelFile:
        rows: list[Record] = []
        for row in chain.from_iterable(source.rows() for source in sources):
            if isinstance(row, RecordError):
                raise row
            rows.append(row)
        if not rows:
            raise RecordError(f"{file}: the file has no row")
        sample = Sample([{**x.fields, FILE: 0} for x in rows[:: len(rows) // _SAMPLED + 1]])
        given = self._given(sample)
        names = tuple(dict.fromkeys(name for row in sample.rows for name in row if name != FILE))
        finder = LabelColumns(file, self.asked, sample, names, given, self.given, self.typed)
        columns = finder.found()
        read = _Labels(self.asked, columns, finder.known(), _of_people(rows, given))
        self._check(file, read)
        return LabelFile(file, read.labels, tuple(read.notes(file, finder.free(columns))))

    def _given(self, sample: Sample) -> Columns:
        """Return what is declared of columns that this file has, but what judges said there."""
        given = self.given
        roles = ("people", "annotator") if self.judged else {*given.roles} - _OF_JUDGES
        there = {role: tuple(n for n in given[role] if n in sample) for role in roles}
        return of_tool(sample, replace(given, roles={r: n for r, n in there.items() if n}))

    def _check(self, file: Path, read: _Labels) -> None:
        """Stop where too few labels are understood."""
        unknown = read.unknown.total()
        count = len(read.labels) + unknown
        if self.accept or unknown <= (1 - LEAST) * count:
            return
        what = f"{file}: {listed([f'`{name}`' for name in read.columns['people']], 3)}"
        kind = next(iter(self.asked.every_kind), "")
        raise not_understood(what, 1 - unknown / count, read.unknown, kind, self.given, self.typed)


def _of_people(rows: list[Record], given: Columns) -> list[Record]:
    """Return rows without those of models, in files that say which are."""
    who = given["who"]
    persons = [row for row in rows if who and row.fields.get(who[0]) == "person"]
    return persons or rows


@dataclass
class _Labels:
    """The labels in some rows.

    Attributes:
        asked: what they are of.
        columns: of the rows.
        beside: further columns, which have the names that they are known by.
        rows: all of them.
        labels: those that are understood.
        unknown: how often each other one stands there.
    """

    asked: Asked
    columns: Columns
    beside: Sequence[str]
    rows: Sequence[Record]
    labels: list[LabelRow] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        meanings = Meanings(self.asked, self.columns, [row.fields for row in self.rows])
        for row in self.rows:
            cells = {name: row.fields.get(name) for name in self.columns["people"]}
            filled = {name: cell for name, cell in cells.items() if not says_nothing(cell)}
            of_row = self._of_row(row) if filled else {}
            for name, cell in filled.items():
                label = meanings.of(of_row["item"], cell, row.fields)
                if label is None:
                    self.unknown[cell_text(cell)] += 1
                else:
                    fields = {**of_row, **self._of_column(name, of_row), "label": label}
                    self.labels.append(LabelRow(row.where, fields))

    def _of_row(self, row: Record) -> dict[str, str]:
        """Return all that is known of a row's labels.

        Raises:
            RecordError: if it names no item.
        """
        first = self.asked.item(cell_text(row.fields.get(self.columns["item"][0])))
        alone = len(self.columns["item"]) == 1 and self.asked.has(first)
        item = first if alone else self.asked.item(self.columns.item(row.fields).strip())
        if not item:
            raise RecordError(f"{row.where}: 'item' is empty")
        names = {name: name for name in self.beside}
        names |= dict(zip(PLACES, self.columns.two, strict=False))
        roles = {"rater": "annotator", "criterion": "aspect"}
        names |= {n: self.columns[role][0] for n, role in roles.items() if self.columns[role]}
        cells = {role: cell_text(row.fields.get(name)) for role, name in names.items()}
        return {"rater": "", "criterion": "", **cells, "item": item}

    def _of_column(self, name: str, of_row: Mapping[str, str]) -> dict[str, str]:
        """Return who said what a column of several holds, and under which criterion."""
        every, rater = self.columns["people"], of_row["rater"]
        if len(every) == 1:
            return {}
        rest = factors(name).rest
        criterion = next((c for c in self.asked.criteria if c.lower() in (rest, name.lower())), "")
        alone = criterion and sum(factors(n).rest == rest for n in every) == 1
        who = rater if alone else f"{rater}/{name}" if rater else name
        return {"rater": who, "criterion": of_row["criterion"] or criterion}

    def notes(self, file: Path, left: Sequence[str]) -> Iterator[str]:
        """Yield which columns were chosen where names do not tell, and what was left out.

        Args:
            file: their own.
            left: columns that are not used.
        """
        titles = {"people": "label", "annotator": "rater", "aspect": "criterion"}
        roles = {titles.get(role, role): names for role, names in self.columns.roles.items()}
        other = {role: n for role, n in roles.items() if n and n != (role,)}
        if other:
            every = (f"{role} is {listed([f'`{n}`' for n in x], 4)}" for role, x in other.items())
            yield f"{file}: {', '.join(every)}"
        if left:
            yield f"{file}: columns that were not used: {listed([f'`{name}`' for name in left], 6)}"
        yield from self._left_out(file)

    def _left_out(self, file: Path) -> Iterator[str]:
        labels = self.columns["people"]
        silent = sum(all(says_nothing(x.fields.get(n)) for n in labels) for x in self.rows)
        if silent:
            yield f"{file}: {counted(silent, 'row')} without a label"
        if self.unknown:
            shown = listed([f"{text!r:.40}" for text in self.unknown], 3)
            unknown = counted(self.unknown.total(), "label")
            yield f"{file}: {unknown} not understood and left out: {shown}"
