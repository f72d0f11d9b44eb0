"""`pairbench export openai-batch` and `pairbench import batch`: half price for paid judges."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core.files import WriteError, appearing_together
from pairbench_ext.core.outputs import check_file, check_new_folder
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite
from pairbench_ext.stacks.plain import open_task, task_names
from pairbench_ext.stacks.plain.batches import (
    Answers,
    import_task,
    read_answers,
    requests,
    samples_file,
    write_batches,
)


def openai_batch(
    tasks: Annotated[str, typer.Argument(help="Tasks or groups, separated by commas.")],
    model: Annotated[str, typer.Option(help="As the server calls it.")],
    out: Annotated[Path, typer.Option(help="The folder for the batch's files; new or empty.")],
    limit: Annotated[
        int | None, typer.Option(help="The first trials of each task only.", min=1)
    ] = None,
    body: Annotated[
        str, typer.Option(help="More fields of each request, as JSON; null removes a field.")
    ] = "{}",
    after: Annotated[
        list[Path] | None,
        typer.Option(help="Results so far: only what they leave open is asked. Repeat for more."),
    ] = None,
) -> None:
    """Write a task as JSON lines for a batch API: OpenAI's, or `vllm run-batch`.

    A file has at most 50,000 requests and 200 MB. Tasks in rounds take one batch per round: export
    again with --after RESULTS until nothing is left to ask.
    """
    fields = _object(body)
    with fail_on(SourceError, RecordError, WriteError, ValueError):
        check_new_folder(out, after or ())
        answers = read_answers(after) if after else None
        opened = [open_task(name) for name in _names(tasks)]
        lines = chain.from_iterable(
            requests(task, model, limit=limit, body=fields, after=answers) for task in opened
        )
        with appearing_together(out) as scratch:
            written = [out / file.name for file in write_batches(scratch, lines)]
    if not written:
        console.print("nothing is left to ask")
    for path in written:
        with path.open("rb") as file:
            count = sum(1 for _ in file)
        console.print(f"{path}: {count:,} requests, {path.stat().st_size / 1e6:,.1f} MB")


def import_batch(
    results: Annotated[list[Path], typer.Argument(help="Result files, files of errors included.")],
    out: Annotated[Path, typer.Option(help="The folder for the logged samples.")],
    overwrite: Overwrite = False,
) -> None:
    """Make logged samples of a batch's results: `pairbench score` and all else reads them."""
    with fail_on(SourceError, RecordError, WriteError):
        answers = read_answers(results)
        if not answers.replies:
            raise RecordError(
                f"{results[0]}: no results of our requests; pass what the batch API wrote for "
                "files of `pairbench export openai-batch`"
            )
        for name in sorted(answers.replies):
            check_file(out / samples_file(name), results, overwrite=overwrite)
        for name in sorted(answers.replies):
            done = import_task(name, answers, out)
            console.print(f"{done.file}: {done.answered:,} of {done.trials:,} trials answered")
            _say(done.failed, "have a failed request, which counts as the benchmark says")
            _say(done.unfinished, "ask on: export again with --after")
            _say(done.stale, "answers are to something else than the task asks; they are not used")
    _say_of_all(answers)


def _say_of_all(answers: Answers) -> None:
    for reason, count in answers.failures.most_common():
        errors.print(f"{count:,} failed: {reason}")
    _say(answers.cut, "replies ended at their limit of tokens")
    _say(answers.foreign, "lines are results of other requests; they are not used")


def _say(count: int, what: str) -> None:
    if count:
        errors.print(f"{count:,} {what}")


def _names(tasks: str) -> list[str]:
    named = (name for part in tasks.split(",") if part.strip() for name in task_names(part.strip()))
    return list(dict.fromkeys(named))


def _object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"not JSON ({error})", param_hint="--body") from error
    if not isinstance(fields, dict):
        raise typer.BadParameter('an object such as {"n": 1} is expected', param_hint="--body")
    return fields
