"""`pairbench export` for batch APIs and leaderboards, and `pairbench import batch`."""

import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
import yaml

from pairbench_ext.core.files import (
    WriteError,
    appearing_together,
    check_file,
    check_new_folder,
    write_atomically,
)
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.files import judge_runs, task_name
from pairbench_ext.runs.scoring import Run, read_judges
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import OneOrMoreJudges, Overwrite, argument, option
from pairbench_ext.stacks import leaderboards
from pairbench_ext.stacks.plain import batches, open_task, task_names
from pairbench_ext.stacks.plain.tasks import as_line

OutFolder: TypeAlias = Annotated[Path, option("Folder for the logged samples.")]


def openai_batch(
    tasks: Annotated[str, argument("Tasks or groups, separated by commas.")],
    model: Annotated[str, option("Name of the model on the server.")],
    out: Annotated[Path, option("New or empty folder for the batch's files.")],
    limit: Annotated[
        int | None, option("Write only the first N requests of each task.", min=1)
    ] = None,
    body: Annotated[
        str, option("Fields to add to each request, as JSON; null removes a field.")
    ] = "{}",
    after: Annotated[
        list[Path] | None,
        option(
            "File of results that you already have. Requests that it answers are not written "
            "again. Repeatable."
        ),
    ] = None,
) -> None:
    """Write a task's requests as JSON lines for a batch API: OpenAI's, or `vllm run-batch`.

    A file has at most 50,000 requests and 200 MB. Tasks in rounds take one batch per round: export
    again with --after RESULTS until nothing is left to ask.
    """
    fields = _object(body)
    with fail_on(SourceError, RecordError, WriteError, ValueError):
        check_new_folder(out, after or ())
        answers = batches.read_answers(after) if after else None
        named = (name for part in tasks.split(",") for name in task_names(part.strip()))
        lines = chain.from_iterable(
            batches.requests(open_task(name), model, limit=limit, body=fields, after=answers)
            for name in dict.fromkeys(named)
        )
        with appearing_together(out) as scratch:
            written = [out / file.name for file in batches.write_batches(scratch, lines)]
    if not written:
        console.print("all requests have results, so nothing is left to ask")
    for path in written:
        requests = path.read_bytes().count(b"\n")
        console.print(f"{path}: {requests:,} requests, {path.stat().st_size / 1e6:,.1f} MB")


Records: TypeAlias = Annotated[Path, option("New or empty folder for the records.")]


def hub(
    runs: OneOrMoreJudges,
    out: Records,
    number: Annotated[
        str | None,
        option("Number to show on the model page. Default: the benchmark's main number."),
    ] = None,
    data: Annotated[
        str | None, option("The data set's name on the hub. Default: the benchmark's own data set.")
    ] = None,
) -> None:
    """Write runs as `JUDGE/.eval_results/TASK.yaml`, which model pages on Hugging Face show.

    Upload a judge's folder to the repository of its model. Runs must be complete.
    """

    def entry(judge: str, run: Run) -> Iterator[tuple[str, Iterable[bytes]]]:
        results = [leaderboards.eval_results(run, data, number)]
        path = f"{judge}/.eval_results/{task_name(run.file)}.yaml"
        yield path, [yaml.safe_dump(results, sort_keys=False).encode()]

    _write_records(runs, out, entry)


def every_eval_ever(
    runs: OneOrMoreJudges,
    out: Records,
    organization: Annotated[
        str, option("Name of the person or organisation that ran the evaluation.")
    ],
    relationship: Annotated[
        str, option("Relation of the evaluator to the model: first_party, third_party, ...")
    ] = "third_party",
) -> None:
    """Write runs as records of Every Eval Ever, schema 0.3.0: `data/TASK/DEVELOPER/MODEL/ID.json`.

    Writes all numbers that have a better direction, with their intervals, and the samples in
    ID_samples.jsonl. Runs must be complete.
    """

    def record(_: str, run: Run) -> Iterator[tuple[str, Iterable[bytes]]]:
        written = leaderboards.every_eval_ever(run, organization, relationship)
        developer, _, model = written["model_info"]["id"].rpartition("/")
        folder = f"data/{task_name(run.file)}/{Path(developer).name or 'unknown'}/{model}"
        path = f"{folder}/{uuid.uuid4()}"
        samples = {"format": "jsonl", "file_path": f"{path}_samples.jsonl"}
        written |= {"detailed_evaluation_results": {**samples, "total_rows": len(run.readings)}}
        yield f"{path}.json", [f"{json.dumps(written, indent=2)}\n".encode()]
        yield samples["file_path"], map(as_line, leaderboards.every_eval_ever_samples(run, written))

    _write_records(runs, out, record)


def _write_records(
    runs: list[Path], out: Path, write: Callable[[str, Run], Iterator[tuple[str, Iterable[bytes]]]]
) -> None:
    with fail_on(RecordError, WriteError, ValueError):
        check_new_folder(out, runs)
        judges = read_judges(judge_runs(runs))
        all_runs = [(judge.name, run) for judge in judges for run in judge.runs.values()]
        for path, lines in [record for judge_run in all_runs for record in write(*judge_run)]:
            write_atomically(out / path, lines)
            console.print(str(out / path), soft_wrap=True)


def import_batch(
    results: Annotated[
        list[Path], argument("Result files and error files that the batch API wrote.")
    ],
    out: OutFolder,
    overwrite: Overwrite = False,
) -> None:
    """Convert results of a batch API into logged samples, which `pairbench score` reads."""
    with fail_on(SourceError, RecordError, WriteError):
        answers = batches.read_answers(results)
        names = sorted(answers.replies)
        if not names:
            raise RecordError(
                f"{results[0]}: the file answers no requests of `pairbench export openai-batch`; "
                "give the result files that the batch API wrote for these requests"
            )
        for name in names:
            check_file(out / batches.samples_file(name), results, overwrite=overwrite)
        for name in names:
            done = batches.import_task(name, answers, out)
            console.print(f"{done.file}: {done.answered:,} of {done.trials:,} trials answered")
            _warn(done.failed, "request", "failed; the benchmark says how failures are scored")
            _warn(done.unfinished, "trial", "is", _NEXT)
            _warn(done.stale, "answer", "was", "not used: the task makes no such request")
    for reason, count in answers.failures.most_common():
        _warn(count, "request", f"failed: {reason}")
    _warn(answers.cut, "reply", "was", "cut off at the token limit")
    _warn(answers.foreign, "line", "was", "not used: results of other requests")


_NEXT = "unfinished: write the next requests with `pairbench export openai-batch --after`"


def _warn(count: int, *what: str) -> None:
    *words, message = what
    if count:
        errors.print(f"{counted(count, *words)} {message}")


def _object(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(f"not a JSON object: {text}", param_hint="--body") from error
