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
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from pydantic_core import PydanticSerializationError, to_json

from pairbench_ext.core.files import appearing_together, check_file
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.files import folder_of
from pairbench_ext.runs.scoring import Judge, judges_of_records
from pairbench_ext.stacks.leaderboards import LOGGED
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.batches import CUSTOM_ID
from pairbench_ext.stacks.records.columns import KINDS, Columns, columns_of
from pairbench_ext.stacks.records.converter import (
    Converter,
    Imported,
    LoggedSample,
    names_person,
    people_rows,
)
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.labels import labels_of
from pairbench_ext.stacks.records.memory import InMemory, rows_of_table
from pairbench_ext.stacks.records.parts import (
    Work,
    check_files,
    decided,
    every_row,
    parts_of,
    sampled_of,
)
from pairbench_ext.stacks.records.people import NO_ITEM, Labels
from pairbench_ext.stacks.records.profile import Sample
from pairbench_ext.stacks.records.readings import summary
from pairbench_ext.stacks.records.reshaped import reshaped
from pairbench_ext.stacks.records.tables import Row, Source, encodings_of, judges_of, sources_of
from pairbench_ext.stacks.records.understood import not_understood
from pairbench_ext.stacks.vlmevalkit import dataset as kit

#: A sample, with the file, or folder of files with one row each, that it was made from.
Placed: TypeAlias = tuple[Path, LoggedSample]


_UNNAMED = "judge"


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
    samples = chain(_once(ours), _in_parts(work, paths, done) if others else ())
    with appearing_together(out) as scratch:
        _write(samples, scratch, out, paths, done, overwrite=overwrite)
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
    return [source._replace(of_path={"judge": name, **source.of_path}) for source, name in named]


def _write(
    samples: Iterable[Placed], scratch: Path, out: Path, paths: Sequence[Path], done: Imported,
    *, overwrite: bool,
) -> None:  # fmt: skip
    """Write samples to a folder that becomes `out`, a file for each judge and task."""
    files: dict[tuple[str, str], tuple[Path, BinaryIO, bool]] = {}
    with ExitStack() as opened:
        for source, (judge, task, sample) in samples:
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
            done.sources[path].add(source)
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


def _once(logged: Sequence[tuple[Source, Iterator[LoggedSample]]]) -> Iterator[Placed]:
    """Yield the samples of runs of ours; two runs of a judge on a task are none."""
    earlier: dict[tuple[str, str], Source] = {}
    for source, samples in logged:
        for judge, task, sample in samples:
            other = earlier.setdefault((judge, task), source)
            if other is not source:
                raise RecordError(
                    f"{source.path} and {other.path}: both hold judgments of {judge} on {task}; "
                    "import them one by one"
                )
            yield source.path, (judge, task, sample)


def _in_parts(work: Work, paths: Sequence[Path], done: Imported) -> Iterator[Placed]:
    """Yield the samples of files; those of several kinds of judgment are read apart."""
    given, every = done.columns, list[Columns]()
    parts = parts_of(work, given)
    for kind, part in parts if len(parts) > 1 else [("", work)]:
        task = f"{given.task}_{kind}" if kind in KINDS else given.task
        if len(parts) > 1:
            done.columns = replace(given, kind=kind if kind in KINDS else "", task=task)
        yield from _converted(part, paths, done)
        every += done.groups
    done.groups = every


def _converted(work: Work, paths: Sequence[Path], done: Imported) -> Iterator[Placed]:
    """Yield the samples of others' records; what is found out about them goes to `done`."""
    heads, most = work.head()
    sampled, problems = sampled_of(heads)
    if not sampled:
        _without_rows(problems, work, done)
        return
    if changed := reshaped(
        work.sources, sampled, done.lines, done.columns.names(*done.columns.roles)
    ):
        work = work._replace(sources=changed)
        heads, most = work.head()
        sampled, _ = sampled_of(heads)
    given = done.columns
    done.groups = decided(Sample(sampled), work, done)
    check_files(work, heads, done.groups, given)
    columns = done.columns = done.groups[0]
    if columns.files != given.files:
        named = sources_of(paths, columns.files)
        work = work._replace(sources=named, names=judges_of(named, paths, columns.files))
        heads, most = work.head()
    converters = list[Converter]()
    if work.names == [_UNNAMED] and not columns["judge"]:
        work = work._replace(names=[_named_by(columns) or _UNNAMED])
    for each in done.groups:
        labels = _labels(work, sampled, each, given, every_row(work, heads, most))
        done.lines.append(str(summary(each, sampled, work.names, labels)))
        unused_labels = labels.anew() if labels else None
        converters.append(Converter(replace(done, columns=each), unused_labels))
    yield from _samples(work, every_row(work, heads, most), converters)
    done.lines += [line for converter in converters for line in converter.lines_of_labels()]


def _named_by(columns: Columns) -> str:
    """Return the model that the only column of judgments is called after: `llava_score`."""
    models = {factors(name).model for name in (*columns.said, *columns["reply"])}
    return models.pop() if len(models) == 1 else ""


def _samples(
    work: Work, every: Iterable[Iterable[Row]], converters: Sequence[Converter]
) -> Iterator[Placed]:
    """Yield the samples that converters make of all rows."""
    for source, rows, name in zip(work.sources, every, work.names, strict=True):
        path = source.path
        folder = path if path.is_dir() else path.parent
        for row in rows:
            for converter in converters:
                yield from ((path, sample) for sample in converter.samples(row, name, folder))


def _without_rows(problems: Sequence[RecordError], work: Work, done: Imported) -> None:
    """Keep why rows beside files of our own cannot be read.

    Raises:
        RecordError: if there are no such files.
    """
    if not done.files:
        [source, *_] = work.sources
        place = "data" if isinstance(source, InMemory) else source.path
        raise RecordError(str(problems[0]) if problems else f"{place}: there is no row")
    for problem in problems:
        done.note_unread(problem)


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
        if not columns["item"]:
            raise RecordError(f"{work.names[0]}: {NO_ITEM}")
        rows = chain.from_iterable(every)
        return Labels(people_rows(columns, rows), say=False)
    return None


def judgments(
    data: Any,
    *,
    columns: Columns | str | Sequence[str] = (),
    values: str | Mapping[str, str] = "",
    name: str = _UNNAMED,
    accept: bool = False,
    remarks: list[str] | None = None,
    **roles: str | Sequence[str],
) -> list[Judge]:
    """Return the judges that a table in memory has judgments of, with these judgments.

    Args:
        data: a pandas or polars frame, an Arrow table, or a list of mappings.
        columns: which column is what, as `--columns` says it; evidence tells the rest.
        values: what values mean, as `--values` says it, `0=first,1=second`, or by value.
        name: of the judge, where no column and no name of a column says it.
        accept: go on where few of the recorded values are understood.
        remarks: gets a line for each column that is read, and for what was left out.
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
        more = (f"{role}={'+'.join(map(str, names)) if isinstance(names, (list, tuple)) else names}"
                for role, names in roles.items())  # fmt: skip
        if isinstance(values, Mapping):
            values = ",".join(f"{value}={meaning}" for value, meaning in values.items())
        columns = columns_of([*filter(None, named), *more], values)
    done = Imported(columns)
    work = Work([InMemory(rows_of_table(data))], [name])
    samples = defaultdict[tuple[str, str], list[Record]](list)
    for _, (judge, task, sample) in _converted(work, (), done):
        place = f"{name}, judgment {len(samples[judge, task]) + 1}"
        samples[judge, task].append(Record(place, sample))
    if not accept:
        _check_understood(done, columns, work.typed)
    if not samples:
        raise RecordError(f"{name}: the file has no judgment; {'; '.join(done.notes)}")
    if remarks is not None:
        remarks += [*done.lines, *done.left_out()]
    return judges_of_records(samples)


def logged_samples(source: Source, lines: list[str]) -> Iterator[LoggedSample] | None:
    """Return a file's logged samples if one of our runs wrote it; None for other files.

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
                f"{row.where}: field 'metadata' holds no logged sample of pairbench ({error})"
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
