"""Turn rows of recorded judgments into logged samples.

Of a row that is done, only hashes and its place are kept. Files of our own runs in other
tools' forms are made logged samples again, whole: VLMEvalKit's predictions for our tasks, and the
samples that `pairbench export every-eval-ever` writes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

from pairbench_ext.core.files import appearing_together, check_file
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.files import folder_of
from pairbench_ext.runs.scoring import Judge, judges_of_records
from pairbench_ext.stacks.leaderboards import LOGGED
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.batches import CUSTOM_ID
from pairbench_ext.stacks.records.columns import Columns, QuestionError, columns_of
from pairbench_ext.stacks.records.converter import (
    Converter,
    Imported,
    LoggedSample,
    people_rows,
)
from pairbench_ext.stacks.records.nested import flat_rows
from pairbench_ext.stacks.records.people import Labels, labels_of
from pairbench_ext.stacks.records.profile import FILE, Sample
from pairbench_ext.stacks.records.readings import ask, describe, readings, summary
from pairbench_ext.stacks.records.tables import (
    Row,
    Source,
    encodings_of,
    judges_of,
    sources_of,
)
from pairbench_ext.stacks.records.tools import as_known
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
    work = Work(others, judges_of(others, paths, given.files) if others else (), people, typed)
    made = chain(_once(ours), _converted(work, paths, done) if others else ())
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    with appearing_together(out) as scratch, ExitStack() as opened:
        files: dict[tuple[str, str], tuple[Path, BinaryIO]] = {}
        for judge, task, sample in made:
            if (judge, task) not in files:
                file = Path(folder_of(judge)) / f"samples_{task}.jsonl"
                check_file(out / file, paths, overwrite=overwrite)
                (scratch / file).parent.mkdir(exist_ok=True)
                opening = opened.enter_context((scratch / file).open("ab"))
                files[judge, task] = out / file, opening
            if folder_of(judge) != judge:  # the name that people know
                sample = {**sample, "trial": {**sample["trial"], "judge": judge}}
            path, writing = files[judge, task]
            number = done.files[path] = done.files.get(path, 0) + 1
            # Half a surrogate pair, which no encoding has, becomes a question mark.
            line = encode({"doc_id": number - 1, **sample})
            writing.write(line.encode(errors="replace") + b"\n")
        if not files:
            raise RecordError(f"{paths[0]}: no judgment in it; {'; '.join(done.notes)}")
        if not accept:
            _check_understood(done, typed)
    return done


def _check_understood(done: Imported, typed: Sequence[str]) -> None:
    """Stop where too few of the recorded values are understood.

    Raises:
        QuestionError: naming the column, the share, the commonest such values and what to type.
    """
    for name, share in done.not_understood().items():
        unknown = done.unknown[name].most_common(3)
        shown = listed([f"{text!r} ({count:,} times)" for text, count in unknown], 3)
        meaning = {"pair": "tie", "yesno": "no"}.get(done.columns.kind, "")
        values = "".join(f" or say what they mean, such as --values '{unknown[0][0]}={meaning}',"
                         for _ in range(bool(meaning)))  # fmt: skip
        raise QuestionError(
            f"`{name}`: {share:.0%} of its recorded values are understood, fewer than 95%; not "
            f"understood: {shown}. Name another column,{values} or count these as unreadable:\n"
            f"   {' '.join([*typed, '--accept'])}"
        )


def _once(logged: Sequence[tuple[Source, Iterator[LoggedSample]]]) -> Iterator[LoggedSample]:
    """Yield the samples of runs of ours; two runs of a judge on a task are none."""
    earlier: dict[tuple[str, str], Source] = {}
    for source, samples in logged:
        for judge, task, sample in samples:
            other = earlier.setdefault((judge, task), source)
            if other is not source:
                raise RecordError(
                    f"{source.path} and {other.path}: both are of {judge} on {task}; import them "
                    "one by one"
                )
            yield judge, task, sample


class Rows(Protocol):
    """A set of rows that are read together."""

    @property
    def folder(self) -> Path:
        """Return the folder for images that rows name."""

    def rows(self) -> Iterator[Row]:
        """Return all rows."""


class Work(NamedTuple):
    """The files to convert, and how to ask questions about them.

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
        """Return the first rows of each file, and the most rows that a file may have."""
        most = max(200, _SAMPLED // len(self.sources))
        return [list(islice(source.rows(), most)) for source in self.sources], most


def _converted(work: Work, paths: Sequence[Path], done: Imported) -> Iterator[LoggedSample]:
    """Yield the samples of others' records; what is found out about them goes to `done`."""
    heads, most = work.head()
    rows = [(n, row) for n, head in enumerate(heads) for row in head]
    sampled = [{**row.fields, FILE: n} for n, row in rows if isinstance(row, Record)]
    if not sampled:
        _without_rows([row for _, row in rows if isinstance(row, RecordError)], work, done)
        return
    given = done.columns
    columns = done.columns = _decided(Sample(sampled), work, done)
    labels = _labels(work, sampled, columns, given)
    made = summary(columns, sampled, work.names, labels)
    done.lines.append(f"{made.text}" + f" ({made.meanings})" * bool(made.meanings))
    if columns.files != given.files:
        named = sources_of(paths, columns.files)
        work = work._replace(sources=named, names=judges_of(named, paths, columns.files))
        heads, most = work.head()
    labels = _labels(work, sampled, columns, given)  # which of them are used is counted anew
    converter = Converter(done, labels)
    for source, name, head in zip(work.sources, work.names, heads, strict=True):
        for row in head if len(head) < most else source.rows():  # all of a small file is known
            yield from converter.samples(row, name, source.folder)
    if labels:
        done.lines += labels.lines()


def _without_rows(problems: Sequence[RecordError], work: Work, done: Imported) -> None:
    """Keep why rows beside files of our own cannot be read.

    Raises:
        RecordError: if there are no such files.
    """
    if not done.files:
        name = work.names[0]
        raise RecordError(str(problems[0]) if problems else f"{name}: no row in it")
    for problem in problems:
        done.note_unread(problem)


def _decided(sample: Sample, work: Work, done: Imported) -> Columns:
    """Return the one reading of a file.

    Raises:
        QuestionError: if there are several.
    """
    given = done.columns
    # What is named for people is a column of their files, where there are such files.
    found = readings(sample, given.with_roles(people=()) if work.people else given)
    if len(found) != 1 or found[0] is None:
        raise ask(found, sample, given, work.names, work.typed)
    done.lines += describe(found[0], sample)
    return found[0]


def _labels(
    work: Work, sampled: Sequence[Mapping[str, Any]], columns: Columns, given: Columns
) -> Labels | None:
    """Return people's labels that stand in files or rows of their own."""
    if work.people:
        named = columns.with_roles(people=given["people"])
        return labels_of(work.people, sampled, named)
    if columns["annotator"] or columns["who"]:
        rows = (row for source in work.sources for row in source.rows())
        return Labels(people_rows(columns, rows), said=False)
    return None


class InMemory(NamedTuple):
    """Rows in memory, instead of a file.

    Attributes:
        made: the rows, each a mapping.
        folder: where images that they name may be.
    """

    made: Sequence[Mapping[str, Any]]
    folder: Path = Path()

    def rows(self) -> Iterator[Row]:
        """Yield all rows, flattened."""
        placed = ((f"row {n}", dict(row)) for n, row in enumerate(self.made, start=1))
        for place, row in as_known(placed):
            yield from (Record(place, flat) for flat in flat_rows(row))


def judgments(
    data: Any,
    *,
    columns: Columns | str | Sequence[str] = (),
    values: str = "",
    name: str = "judge",
    accept: bool = False,
    **roles: str | Sequence[str],
) -> list[Judge]:
    """Return the judges in a table in memory.

    Args:
        data: a pandas or polars frame, an Arrow table, or a list of mappings.
        columns: which column is what, as `--columns` says it; evidence tells the rest.
        values: what values mean, as `--values` says it: `0=first,1=second`.
        name: of the judge, where no column names it.
        accept: go on where few of the recorded values are understood.
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
        said = [columns] if isinstance(columns, str) else list(columns)
        more = (f"{role}={own if isinstance(own, str) else '+'.join(own)}"
                for role, own in roles.items())  # fmt: skip
        columns = columns_of([*filter(None, said), *more], values)
    done = Imported(columns)
    work = Work([InMemory(_rows_of(data))], [name])
    made = defaultdict[tuple[str, str], list[Record]](list)
    for judge, task, sample in _converted(work, (), done):
        place = f"{name}, judgment {len(made[judge, task]) + 1}"
        made[judge, task].append(Record(place, sample))
    if not accept:
        _check_understood(done, work.typed)
    if not made:
        raise RecordError(f"{name}: no judgment in it; {'; '.join(done.notes)}")
    return judges_of_records(made)


def _rows_of(data: Any) -> Sequence[Mapping[str, Any]]:
    """Return the rows of a table as mappings."""
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        return data
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as error:
        kind = type(data).__name__
        raise RecordError(
            f"data is a {kind}: give a pandas or polars frame, an Arrow table, or a list of dicts"
        ) from error
    return list(frame.iter_rows(named=True))


def logged_samples(source: Source, lines: list[str]) -> Iterator[LoggedSample] | None:
    """Return the samples of a file of our own runs; None if it is none.

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
            f"{source.path}: answers to `pairbench export openai-batch`; give all its result files "
            "to `pairbench import batch`"
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
            raise RecordError(f"{row.where}: no logged sample in its metadata ({error})") from error
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
            f"{counts['failed']:,} requests failed, scored as the benchmark scores failures"
        )
    if stale := len(predictions) - counts.total():
        parts.append(
            f"{stale:,} predictions are for requests that the task does not make; not used"
        )
    lines.append(f"{source.path}: {'; '.join(parts)}")
