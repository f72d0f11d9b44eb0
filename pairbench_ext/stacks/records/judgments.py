"""Turn rows of recorded judgments into logged samples.

Of a row that is done, only hashes and its place are kept. Files of our own runs in other
tools' forms are made logged samples again, whole: VLMEvalKit's predictions for our tasks, and the
samples that `pairbench export every-eval-ever` writes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from pairbench_ext.core.files import appearing_together, check_file
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.files import folder_of
from pairbench_ext.runs.scoring import Judge, judges_of_records
from pairbench_ext.stacks.leaderboards import LOGGED
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.batches import CUSTOM_ID
from pairbench_ext.stacks.records.columns import (
    KINDS,
    Columns,
    columns_of,
)
from pairbench_ext.stacks.records.converter import (
    Converter,
    Imported,
    LoggedSample,
    names_person,
    people_rows,
)
from pairbench_ext.stacks.records.labels import labels_of
from pairbench_ext.stacks.records.memory import InMemory, rows_of_table
from pairbench_ext.stacks.records.people import Labels
from pairbench_ext.stacks.records.profile import FILE, Sample
from pairbench_ext.stacks.records.readings import (
    are_groups,
    ask,
    consistent,
    describe,
    readings,
    share_read,
    summary,
)
from pairbench_ext.stacks.records.reshaped import reshaped
from pairbench_ext.stacks.records.tables import (
    Row,
    Rows,
    Source,
    encodings_of,
    judges_of,
    sources_of,
)
from pairbench_ext.stacks.records.understood import not_understood
from pairbench_ext.stacks.vlmevalkit import dataset as kit

_SAMPLED = 20_000  # rows by which columns are told apart


def import_judgments(
    paths: Sequence[Path],
    out: Path,
    given: Columns,
    *,
    people: Sequence[Path] = (),
    overwrite: bool = False,
    accept: bool = False,
    typed: Sequence[str] = (),
) -> Imported:
    """Write recorded judgments as logged samples: `out/JUDGE/samples_TASK.jsonl`.

    Args:
        paths: files and folders. Those of our own tasks that VLMEvalKit wrote, and those that we
            wrote for Every Eval Ever, are made logged samples again.
        out: the folder to write to.
        given: what is known of the columns; evidence tells the rest.
        people: files of people's labels, joined by the items' columns.
        overwrite: replace samples that are there.
        accept: go on where few of the recorded values are understood.
        typed: the command, without what says which column is what, for the questions.

    Raises:
        QuestionError: if several readings fit, or too few values are understood.
        RecordError: if nothing can be read, or two rows contradict each other.
    """
    done = Imported(given)
    sources = sources_of(paths, given.files)
    done.lines += encodings_of(sources)
    logged = [logged_samples(source, done.lines) for source in sources]
    others = [source for source, samples in zip(sources, logged, strict=True) if not samples]
    ours = [(s, samples) for s, samples in zip(sources, logged, strict=True) if samples]
    names = judges_of(others, paths, given.files) if others else []
    work = Work(_of_people(others, names), names, people, typed)
    made = chain(_once(ours, done), _in_parts(work, paths, done) if others else ())
    with appearing_together(out) as scratch:
        _write(made, scratch, out, paths, done, overwrite=overwrite)
        if not done.files:
            raise RecordError(f"{paths[0]}: the file has no judgment; {'; '.join(done.notes)}")
        if not accept:
            _check_understood(done, given, typed)
    return done


def _of_people(sources: Sequence[Source], names: Sequence[str]) -> Sequence[Source]:
    """Return files that say who judged, where some have the names of people."""
    if not any(map(names_person, names)) or all(map(names_person, names)):
        return sources
    named = zip(sources, names, strict=True)
    return [source._replace(known={"judge": name, **source.known}) for source, name in named]


def _write(
    made: Iterable[LoggedSample], scratch: Path, out: Path, paths: Sequence[Path], done: Imported,
    *, overwrite: bool,
) -> None:  # fmt: skip
    """Write samples to a folder that becomes `out`, a file for each judge and task."""
    files: dict[tuple[str, str], tuple[Path, BinaryIO, bool]] = {}
    with ExitStack() as opened:
        for judge, task, sample in made:
            if (judge, task) not in files:
                file = Path(folder_of(judge)) / f"samples_{task}.jsonl"
                check_file(out / file, paths, overwrite=overwrite)
                (scratch / file).parent.mkdir(exist_ok=True)
                opening = opened.enter_context((scratch / file).open("ab"))
                files[judge, task] = out / file, opening, folder_of(judge) != judge
            path, writing, renamed = files[judge, task]
            if renamed:  # the name that people know
                sample = {**sample, "trial": {**sample["trial"], "judge": judge}}
            number = done.files[path] = done.files.get(path, 0) + 1
            done.sources[path].add(done.source)
            writing.write(_encoded({"doc_id": number - 1, **sample}) + b"\n")


def _encoded(sample: Mapping[str, Any]) -> bytes:
    """Return a sample as JSON; half a surrogate pair, which has no encoding, is a question mark."""
    try:
        return to_json(sample)  # a fifth of the time
    except PydanticSerializationError:
        return json.dumps(sample, ensure_ascii=False, separators=(",", ":")).encode(
            errors="replace"
        )


def _check_understood(done: Imported, given: Columns, typed: Sequence[str]) -> None:
    """Stop where too few of the recorded values are understood.

    Raises:
        QuestionError: naming the column, the share, the commonest such values and what to type.
    """
    for name, share in done.not_understood().items():
        kind = done.kind_of(name)
        raise not_understood(f"`{name}`", share, done.unknown[name], kind, given, typed)


def _once(
    logged: Sequence[tuple[Source, Iterator[LoggedSample]]], done: Imported
) -> Iterator[LoggedSample]:
    """Yield the samples of runs of ours; two runs of a judge on a task are none."""
    earlier: dict[tuple[str, str], Source] = {}
    for source, samples in logged:
        done.source = source.path
        for judge, task, sample in samples:
            other = earlier.setdefault((judge, task), source)
            if other is not source:
                raise RecordError(
                    f"{source.path} and {other.path}: both hold judgments of {judge} on {task}; "
                    "import them one by one"
                )
            yield judge, task, sample


class Work(NamedTuple):
    """The files to import, and how to ask the user about them.

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
        """Return the first rows of each file, and the most rows taken from one file."""
        most = max(200, _SAMPLED // len(self.sources))
        return [list(islice(source.rows(), most)) for source in self.sources], most


def _every(work: Work, heads: Sequence[Sequence[Row]], most: int) -> list[Iterable[Row]]:
    """Return all rows of each file; those of a small one are known from its head."""
    both = zip(work.sources, heads, strict=True)
    return [head if len(head) < most else source.rows() for source, head in both]


def _in_parts(work: Work, paths: Sequence[Path], done: Imported) -> Iterator[LoggedSample]:
    """Yield the samples of files; those with other columns and another kind are read apart."""
    parts = _by_columns(work) if len(work.sources) > 1 else []
    kinds = [_kind_alone(part, done.columns) for part in parts] if len(parts) > 1 else []
    if len({*kinds}) < 2 or not all(kinds):
        yield from _converted(work, paths, done)
        return
    given, every = done.columns, list[Columns]()
    for part, kind in zip(parts, kinds, strict=True):
        done.columns = replace(given, kind=kind, task=f"{given.task}_{kind}")
        yield from _converted(part, paths, done)
        every += done.groups
    done.groups = every


def _by_columns(work: Work) -> list[Work]:
    """Return the files by the columns of their first rows."""
    parts = defaultdict[frozenset[str], list[tuple[Rows, str]]](list)
    for source, name in zip(work.sources, work.names, strict=True):
        first = next(source.rows(), None)
        fields = first.fields if isinstance(first, Record) else {}
        parts[frozenset(fields)].append((source, name))
    both = (zip(*part, strict=True) for part in parts.values())
    return [work._replace(sources=sources, names=names) for sources, names in both]


def _kind_alone(work: Work, given: Columns) -> str:
    """Return the kind of judgment in files by themselves; empty if that is not clear."""
    sampled, _ = _sampled(work.head()[0])
    try:
        groups = _decided(Sample(sampled), work, Imported(given)) if sampled else []
    except RecordError:
        return ""
    return groups[0].kind if len(groups) == 1 else ""


def _converted(work: Work, paths: Sequence[Path], done: Imported) -> Iterator[LoggedSample]:
    """Yield the samples of others' records; what is found out about them goes to `done`."""
    heads, most = work.head()
    sampled, problems = _sampled(heads)
    if not sampled:
        _without_rows(problems, work, done)
        return
    if changed := reshaped(work.sources, sampled, done.lines):
        work = work._replace(sources=changed)
        heads, most = work.head()
        sampled, _ = _sampled(heads)
    given = done.columns
    done.groups = _decided(Sample(sampled), work, done)
    columns = done.columns = done.groups[0]
    if columns.files != given.files:
        named = sources_of(paths, columns.files)
        work = work._replace(sources=named, names=judges_of(named, paths, columns.files))
        heads, most = work.head()
    converters = list[Converter]()
    for each in done.groups:
        labels = _labels(work, sampled, each, given, _every(work, heads, most))
        done.lines.append(str(summary(each, sampled, work.names, labels)))
        own = labels.anew() if labels else None
        converters.append(Converter(replace(done, columns=each), own))
    for source, rows, name in zip(work.sources, _every(work, heads, most), work.names, strict=True):
        done.source = source.path
        folder = source.path if source.path.is_dir() else source.path.parent
        for row in rows:
            for converter in converters:
                yield from converter.samples(row, name, folder)
    done.lines += [line for converter in converters for line in converter.lines_of_labels()]


def _sampled(
    heads: Sequence[Sequence[Row]],
) -> tuple[list[Mapping[str, Any]], list[RecordError]]:
    """Return the first rows, each with the number of its file, and what could not be read."""
    rows = [(n, row) for n, head in enumerate(heads) for row in head]
    sampled: list[Mapping[str, Any]] = [
        {**row.fields, FILE: n} for n, row in rows if isinstance(row, Record)
    ]
    return sampled, [row for _, row in rows if isinstance(row, RecordError)]


def _without_rows(problems: Sequence[RecordError], work: Work, done: Imported) -> None:
    """Keep why rows beside files of our own cannot be read.

    Raises:
        RecordError: if there are no such files.
    """
    if not done.files:
        name = work.names[0]
        raise RecordError(str(problems[0]) if problems else f"{name}: the file has no row")
    for problem in problems:
        done.note_unread(problem)


def _decided(sample: Sample, work: Work, done: Imported) -> list[Columns]:
    """Return the one reading of a file, or one for each of several kinds of judgment.

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
    done.lines += [*describe(settled, sample), *_unread(settled[0], sample)]
    if len(settled) > 1:
        settled = [replace(each, task=f"{each.task}_{each.kind}") for each in settled]
    return settled


def _unread(columns: Columns, sample: Sample) -> list[str]:
    """Return a line that says how replies are declared, if none of them can be read."""
    if columns.said or share_read(columns, sample.rows) != 0:
        return []
    name = columns["reply"][0]
    return [
        f"no reply in `{name}`, such as {sample[name].examples(2)}, says "
        f"{KINDS[columns.kind][0]}: all are counted as unreadable. If they say something else, "
        "name the column or the kind: --columns verdict=COLUMN, reply=COLUMN or kind=KIND"
    ]


def _labels(
    work: Work,
    sampled: Sequence[Mapping[str, Any]],
    columns: Columns,
    given: Columns,
    every: Iterable[Iterable[Row]],
) -> Labels | None:
    """Return people's labels that stand in files, or in rows of their own among all rows."""
    if work.people:
        named = columns.with_roles(people=given["people"])
        return labels_of(work.people, sampled, named, typed=work.typed)
    if columns["annotator"] or columns["who"]:
        rows = chain.from_iterable(every)
        return Labels(people_rows(columns, rows), said=False)
    return None


def judgments(
    data: Any,
    *,
    columns: Columns | str | Sequence[str] = (),
    values: str | Mapping[str, str] = "",
    name: str = "judge",
    accept: bool = False,
    said: list[str] | None = None,
    **roles: str | Sequence[str],
) -> list[Judge]:
    """Return the judges whose judgments a table in memory holds.

    Args:
        data: a pandas or polars frame, an Arrow table, or a list of mappings.
        columns: which column is what, as `--columns` says it; evidence tells the rest.
        values: what values mean, as `--values` says it, `0=first,1=second`, or by value.
        name: of the judge, where no column names it.
        accept: go on where few of the recorded values are understood.
        said: gets a line for each column that is read, and for what was left out.
        **roles: the column, or columns, of a role: `verdict="winner"`, `people=["ann", "bob"]`;
            `kind="pair"` and `each="judge"` likewise.

    Raises:
        QuestionError: if several readings fit; it shows them.
        RecordError: if nothing can be read, or two rows contradict each other.

    >>> rows = [{"id": n, "verdict": "AB"[n % 2], "human": "A"} for n in range(8)]
    >>> [judge] = judgments(rows, name="gpt")
    >>> judge.name, judge.runs["judgments"].numbers["accuracy"]
    ('gpt', 0.5)
    """
    if not isinstance(columns, Columns):
        named = [columns] if isinstance(columns, str) else list(columns)
        more = (f"{role}={'+'.join(map(str, own)) if isinstance(own, (list, tuple)) else own}"
                for role, own in roles.items())  # fmt: skip
        if isinstance(values, Mapping):
            values = ",".join(f"{value}={meaning}" for value, meaning in values.items())
        columns = columns_of([*filter(None, named), *more], values)
    done = Imported(columns)
    work = Work([InMemory(rows_of_table(data))], [name])
    made = defaultdict[tuple[str, str], list[Record]](list)
    for judge, task, sample in _converted(work, (), done):
        place = f"{name}, judgment {len(made[judge, task]) + 1}"
        made[judge, task].append(Record(place, sample))
    if not accept:
        _check_understood(done, columns, work.typed)
    if not made:
        raise RecordError(f"{name}: the file has no judgment; {'; '.join(done.notes)}")
    if said is not None:
        said += [*done.lines, *done.left_out()]
    return judges_of_records(made)


def logged_samples(source: Source, lines: list[str]) -> Iterator[LoggedSample] | None:
    """Return the samples in a file that our own runs wrote; None if it is another file.

    Args:
        source: the file.
        lines: what is to be said of it goes here.

    Raises:
        RecordError: if it holds answers of a batch of ours, which `import batch` reads.
    """
    first = next(source.rows(), None)
    fields = first.fields if isinstance(first, Record) else {}
    if f"metadata.{LOGGED}" in fields:
        return _of_every_eval_ever(source)
    if CUSTOM_ID.fullmatch(str(fields.get("custom_id"))):
        raise RecordError(
            f"{source.path}: the file holds answers to the requests of `pairbench export "
            "openai-batch`; give all result files to `pairbench import batch`"
        )
    if kit.is_prediction(fields):
        return _of_vlmevalkit(source, lines)
    return None


def _of_every_eval_ever(source: Source) -> Iterator[LoggedSample]:
    for row in source.rows():
        if isinstance(row, RecordError):
            raise row
        try:
            sample = dict(json.loads(row.text(f"metadata.{LOGGED}")))
        except (TypeError, ValueError) as error:
            raise RecordError(
                f"{row.where}: the metadata hold no logged sample ({error})"
            ) from error
        yield row.text("model_id"), row.text("evaluation_name"), sample


def _of_vlmevalkit(source: Source, lines: list[str]) -> Iterator[LoggedSample]:
    predictions = kit.read_predictions(source.path)
    name, counts = kit.task_of(source.path, predictions), Counter[str]()
    task, model = open_task(name), kit.model_of(source.path, name)
    for sample in kit.samples(task, predictions, counts):
        yield model, name, sample
    parts = [f"{counts['answered']:,} of {len(task):,} trials answered"]
    if counts["failed"]:
        parts.append(
            f"{counts['failed']:,} requests failed; the benchmark says how failures are scored"
        )
    if stale := len(predictions) - counts.total():
        parts.append(
            f"{stale:,} predictions belong to requests that the task does not make, and were not "
            "used"
        )
    lines.append(f"{source.path}: {'; '.join(parts)}")
