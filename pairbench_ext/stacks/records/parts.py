"""Decide which files of judgments are read together, and how their columns are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.stacks.records.cells import WORDS, empty, last, name_weight
from pairbench_ext.stacks.records.columns import KINDS, Columns, QuestionError
from pairbench_ext.stacks.records.converter import Imported
from pairbench_ext.stacks.records.evidence import is_count, without_role
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.profile import FILE, Column, Sample
from pairbench_ext.stacks.records.readings import (
    are_groups,
    ask,
    command,
    consistent,
    describe,
    options_of,
    readings,
    share_read,
)
from pairbench_ext.stacks.records.tables import Row, Rows

_SAMPLED = 20_000  # rows by which columns are told apart
_FEW_ROWS = 50  # by which files of the same columns are compared
_MOST_FILES = 60  # that are compared


class Work(NamedTuple):
    """The files to import, and the user's command, which is repeated in questions to the user.

    Attributes:
        sources: the rows, by file.
        names: of the judges of the files.
        people: files of people's labels.
        typed: the command, for the questions.
    """

    sources: Sequence[Rows]
    names: Sequence[str]
    people: Sequence[Path] = ()
    typed: Sequence[str] = ()

    def head(self) -> tuple[list[list[Row]], int]:
        """Return the first rows of each file, and the limit on how many rows are taken per file."""
        most = max(200, _SAMPLED // len(self.sources))
        return [list(islice(source.rows(), most)) for source in self.sources], most

    def each(self) -> list[Work]:
        """Return one `Work` per file, with the command that imports this file alone."""
        both = zip(self.sources, self.names, strict=True)
        return [
            self._replace(sources=[source], names=[name], typed=self._typed_for(source.path))
            for source, name in both
        ]

    def _typed_for(self, path: Path) -> list[str]:
        """Return the command with one of its files instead of all."""
        files = {str(of) for source in self.sources for of in (source.path, *source.path.parents)}
        before = ["", *self.typed]
        of = [word in files and not past.startswith("--") for past, word in
              zip(before, self.typed, strict=False)]  # fmt: skip
        if True not in of:
            return [*self.typed]
        first = of.index(True)
        rest = [word for word, named in zip(self.typed, of, strict=True) if not named]
        return [*rest[:first], str(path), *rest[first:]]


def every_row(work: Work, heads: Sequence[Sequence[Row]], most: int) -> list[Iterable[Row]]:
    """Return all rows of each file, without reading again what was read whole before."""
    both = zip(work.sources, heads, strict=True)
    return [head if len(head) < most else source.rows() for source, head in both]


def parts_of(work: Work, given: Columns) -> list[tuple[str, Work]]:
    """Return groups of files that are read together, and each group's kind of judgment.

    Raises:
        QuestionError: on a file that fits none of the kinds of the others.
    """
    if given.kind or len(work.sources) < 2:
        return [("", work)]
    parts = [part for group in _by_columns(work) for part in _by_kind(group, given)]
    kinds = {kind for kind, _ in parts}
    return parts if len(kinds) > 1 and all(kinds) else [("", work)]


def _by_columns(work: Work) -> list[Work]:
    """Return the files by the columns of their first rows."""
    parts = defaultdict[frozenset[str], list[tuple[Rows, str]]](list)
    for source, name in zip(work.sources, work.names, strict=True):
        first = next(source.rows(), None)
        fields = first.fields if isinstance(first, Record) else {}
        parts[frozenset(fields)].append((source, name))
    both = (zip(*part, strict=True) for part in parts.values())
    return [work._replace(sources=sources, names=names) for sources, names in both]


def _by_kind(work: Work, given: Columns) -> list[tuple[str, Work]]:
    """Return files of the same columns by the kind that each is of by itself."""
    if not _may_differ(work):
        return [(_kind(_alone(work, given)), work)]
    parts = defaultdict[str, list[Work]](list)
    clear = dict[str, Columns]()
    for part in work.each():
        groups = _alone(part, given)
        clear.update({of.kind: of for of in groups} if len(groups) == 1 else {})
        parts[_kind(groups)].append(part)
    for part in parts.pop("", ()) if clear else ():
        parts[_fitting(part, clear, given)].append(part)
    return [(kind, _together(work, members)) for kind, members in parts.items()]


def _may_differ(work: Work) -> bool:
    """Return whether the columns of several files hold values of other kinds."""
    few = 1 < len(work.sources) <= _MOST_FILES
    return few and len({*map(_kinds_of_columns, work.each())}) > 1


def _kind(groups: Sequence[Columns]) -> str:
    return "+".join(each.kind for each in groups)


def _together(work: Work, parts: Sequence[Work]) -> Work:
    """Return the work on the files of some parts."""
    sources = [source for part in parts for source in part.sources]
    return work._replace(sources=sources, names=[name for part in parts for name in part.names])


def _kinds_of_columns(work: Work) -> frozenset[tuple[str, frozenset[str]]]:
    """Return the kinds of judgment that the columns of a file may hold, by a few rows."""
    rows = (row.fields for source in work.sources for row in islice(source.rows(), _FEW_ROWS)
            if isinstance(row, Record))  # fmt: skip
    sample = Sample(list(rows))
    return frozenset((name, frozenset(sample.kinds(name, Columns()))) for name in sample)


def _alone(work: Work, given: Columns) -> list[Columns]:
    """Return the readings of files by themselves; none if that is not clear."""
    sampled, _ = sampled_of(work.head()[0])
    try:
        return decided(Sample(sampled), work, Imported(given)) if sampled else []
    except RecordError:
        return []


def _fitting(work: Work, clear: Mapping[str, Columns], given: Columns) -> str:
    """Return the kind of other files by which the values of an unclear one are read.

    Raises:
        QuestionError: if there is none.
    """
    sample = Sample(sampled_of(work.head()[0])[0])
    for kind, columns in clear.items():
        of = replace(columns, labels=())
        if all(columns.kind in sample.kinds(name, of) for name in columns.said if name in sample):
            return kind
    raise _by_itself(work, given)


def check_files(
    work: Work, heads: Sequence[Sequence[Row]], groups: Sequence[Columns], given: Columns
) -> None:
    """Check that each of several files has judges' values or people's labels.

    Raises:
        QuestionError: on the first that has none, by itself.
    """
    names = {n for c in groups for n in (*c.said, *c["reply"], *c["people"])}
    for part, head in zip(work.each(), heads, strict=True):
        rows = [row.fields for row in head if isinstance(row, Record)]
        if rows and all(empty(row.get(name)) for row in rows for name in names):
            raise _by_itself(part, given)


def _by_itself(work: Work, given: Columns) -> QuestionError:
    """Return the question about a file that cannot be read together with others."""
    [source] = work.sources
    sampled, _ = sampled_of(work.head()[0])
    begin = f"{source.path} cannot be read together with the other files. By itself: "
    try:
        groups = decided(Sample(sampled), work, Imported(given))
    except QuestionError as error:
        return QuestionError(f"{begin}{error}")
    kinds = " and ".join(KINDS[each.kind][0] for each in groups)
    return QuestionError(f"{begin}it holds {kinds}:\n   {command(work.typed, [])}")


def sampled_of(
    heads: Sequence[Sequence[Row]],
) -> tuple[list[Mapping[str, Any]], list[RecordError]]:
    """Return the first rows, each with its file's number, and errors for unreadable rows."""
    rows = [(n, row) for n, head in enumerate(heads) for row in head]
    sampled: list[Mapping[str, Any]] = [
        {**row.fields, FILE: n} for n, row in rows if isinstance(row, Record)
    ]
    return sampled, [row for _, row in rows if isinstance(row, RecordError)]


def decided(sample: Sample, work: Work, done: Imported) -> list[Columns]:
    """Return how to read a file's columns, once for each kind of judgment that the file has.

    Raises:
        QuestionError: if there are several.
    """
    given = done.columns
    # What is named for people is a column of their files, where there are such files.
    found = readings(sample, given.with_roles(people=()) if work.people else given)
    found = consistent(found, sample, work.names)
    settled = [each for each in found if each is not None]
    if len(settled) != len(found) or not (len(found) == 1 or are_groups(found)):
        raise ask(found, sample, given, work.names, work.typed)
    if not work.people and "people" not in given.roles:
        _check_people(settled, sample, work)
    done.lines += [*describe(settled, sample), *_unread(settled[0], sample)]
    if len(settled) > 1:
        settled = [replace(each, task=f"{each.task}_{each.kind}") for each in settled]
    return settled


def _check_people(found: Sequence[Columns], sample: Sample, work: Work) -> None:
    """Ask about columns that are called after people, where nothing is read as people's."""
    if any(columns.names("people", "who", "annotator") for columns in found):
        return
    unused = set.intersection(*({*without_role(sample, columns)} for columns in found))
    if names := [name for name in sample if name in unused and _may_be_labels(sample[name])]:
        settled = found[0].with_roles(people=())
        raise QuestionError(
            f"{listed([f'`{n}`' for n in names], 4)}, such as {sample[names[0]].examples(2)}: this "
            "is called after people, and is not understood. If it holds labels, name it, with what "
            "its values mean: --columns people=COLUMN --values VALUE=MEANING. To go on without:\n"
            f"   {command(work.typed, options_of(settled, settled))}"
        )


def _may_be_labels(column: Column) -> bool:
    """Return whether a column called after people may hold their labels: no ids, times, remarks."""
    name, part = column.name, last(column.name)
    of_other = any(name_weight(name, role) for role in ("item", "judge", "prompt", "remark"))
    texts = column.is_text and not all(text[:1] in "[{" for text in column.counts)
    other = of_other or texts or is_count(name) or bool(WORDS["no_value"].fullmatch(part))
    return factors(name).person and column.distinct > 1 and not other


def _unread(columns: Columns, sample: Sample) -> list[str]:
    """Return a line that says how replies are declared, if none of them can be read."""
    if columns.said or share_read(columns, sample.rows) != 0:
        return []
    name = columns["reply"][0]
    return [
        f"no reply in `{name}`, such as {sample[name].examples(2)}, says {KINDS[columns.kind][0]}, "
        "so all are unreadable. If they say something else, name the column or the kind of "
        "judgment: --columns verdict=COLUMN, reply=COLUMN or kind=KIND"
    ]
