"""From rows that others recorded to logged samples, row by row.

Of a row that is done, only hashes and its place are kept. Files of our own runs in other
tools' forms are made logged samples again, whole: VLMEvalKit's predictions for our tasks, and the
samples that `pairbench export every-eval-ever` writes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from pairbench_ext.core.files import appearing_together, check_file
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.files import folder_of
from pairbench_ext.stacks.leaderboards import LOGGED
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.batches import CUSTOM_ID
from pairbench_ext.stacks.records.columns import FILE, Columns, Sample
from pairbench_ext.stacks.records.converter import Converter, Imported, LoggedSample
from pairbench_ext.stacks.records.guess import Guess
from pairbench_ext.stacks.records.people import Labels
from pairbench_ext.stacks.records.tables import (
    Source,
    encodings_of,
    judges_of,
    sources_of,
)
from pairbench_ext.stacks.vlmevalkit import dataset as kit

_SAMPLED = 20_000  # rows by which columns are told apart


def import_judgments(
    paths: Sequence[Path],
    out: Path,
    given: Columns,
    *,
    people: Sequence[Path] = (),
    overwrite: bool = False,
) -> Imported:
    """Write recorded judgments as logged samples: `out/JUDGE/samples_TASK.jsonl`.

    Args:
        paths: files and folders. Those of our own tasks that VLMEvalKit wrote, and those that we
            wrote for Every Eval Ever, are made logged samples again.
        out: the folder to write to.
        given: what is known of the columns; the rest is guessed.
        people: files of people's labels, joined by the items' columns.
        overwrite: replace samples that are there.

    Raises:
        RecordError: if nothing can be read, two readings fit, or two rows contradict each other.
    """
    done = Imported(given)
    sources = sources_of(paths, given.files)
    done.lines += encodings_of(sources)
    logged = [logged_samples(source, done.lines) for source in sources]
    others = [source for source, samples in zip(sources, logged, strict=True) if not samples]
    ours = [(s, samples) for s, samples in zip(sources, logged, strict=True) if samples]
    made = chain(_once(ours), _converted(others, paths, people, done) if others else ())
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
    return done


def _once(logged: Sequence[tuple[Source, Iterator[LoggedSample]]]) -> Iterator[LoggedSample]:
    """The samples of runs of ours; two runs of a judge on a task are none."""
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


def _converted(
    sources: Sequence[Source], paths: Sequence[Path], people: Sequence[Path], done: Imported
) -> Iterator[LoggedSample]:
    """The samples of others' records; what is found out about them goes to `done`."""
    most = max(200, _SAMPLED // len(sources))
    heads = [list(islice(source.rows(), most)) for source in sources]
    rows = [(n, row) for n, head in enumerate(heads) for row in head]
    sampled = [{**row.fields, FILE: n} for n, row in rows if isinstance(row, Record)]
    if not sampled:
        problems = [row for _, row in rows if isinstance(row, RecordError)]
        if not done.files:
            raise RecordError(str(problems[0]) if problems else f"{paths[0]}: no row in it")
        for problem in problems:  # beside files of our own
            done.note_unread(problem)
        return
    given = done.columns
    # What is named for people is a column of their files, where there are such files.
    guess = Guess(Sample(sampled), given.with_roles(people=()) if people else given)
    done.columns = guess.columns
    done.lines += guess.lines
    labels = None
    if people:
        named = guess.columns.with_roles(people=given["people"])
        labels = Labels(people, sampled, named)
        done.columns = named.with_roles(people=(*guess.columns["people"], *labels.names))
    converter = Converter(done, labels, sampled)
    names = judges_of(sources, paths, done.columns.files)
    for source, name, head in zip(sources, names, heads, strict=True):
        for row in head if len(head) < most else source.rows():  # all of a small file is known
            yield from converter.samples(row, name, source.folder)
    if labels:
        done.lines += labels.lines()


def logged_samples(source: Source, lines: list[str]) -> Iterator[LoggedSample] | None:
    """The samples of a file of our own runs; None if it is none.

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
