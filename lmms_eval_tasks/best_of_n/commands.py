"""`pairbench build best-of-n`: candidates from what models answered to any task of the harness."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.best_of_n.build import (
    Built,
    WorthOf,
    build_questions,
    save_images,
)
from lmms_eval_tasks.best_of_n.logged_worth import (
    Field,
    chosen_score,
    worth_by_equality,
    worth_by_score,
)
from lmms_eval_tasks.preference.candidates import (
    Logged,
    are_logged,
    check_once,
    read_logged,
)
from pairbench_ext.core.natural_order import by_value
from pairbench_ext.core.outputs import check_new_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.files import in_folder, task_name
from pairbench_ext.show.cli.console import console, fail_on


def build_best_of_n(
    logs: Annotated[
        list[Path],
        typer.Argument(
            help="Samples that the harness logged of one task, or folders of them: of several "
            "models or runs, or of one run with repeats."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    score: Annotated[
        str | None,
        typer.Option(
            help="The field that says what a reply is worth, from 0 to 1, such as exact_match or "
            "average.score; the only such one by default."
        ),
    ] = None,
    equal: Annotated[
        str | None,
        typer.Option(
            help="Two fields instead; a reply is worth 1 where they are the same: "
            "mmmu_acc.parsed_pred,mmmu_acc.answer."
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", help="Candidates of every question; all replies by default.", min=2),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="The task, where folders hold samples of several.")
    ] = None,
    include_path: Annotated[
        Path | None, typer.Option(help="Folder of task files, as the harness takes it.")
    ] = None,
) -> None:
    """Best-of-N data from logged samples: candidates, what their task says they are worth, images.

    The candidates of a question are all replies to one document, in the order of the files; those
    of failed requests are none. No model is run.

    pairbench build best-of-n runs/llava runs/qwen --task mmstar --out candidates
    """
    fields = _two_fields(equal)
    if fields and score is not None:
        raise typer.BadParameter("--score and --equal are two ways to say one thing: give one")
    with fail_on(ValueError, OSError):
        files = _files(logs, task)
        check_new_folder(out, files)
        logged = read_logged(files)
        docs = _Docs(task or task_name(files[0]), include_path)
        built = build_questions(logged, out, _worth(logged, score, fields), docs.images, n)
    for line in _said(built):
        console.print(line)
    console.print(f"Next: BEST_OF_N_DATA={built.table} lmms-eval --model ... --tasks best_of_n")


class _Docs:
    """The task's own documents, loaded when they are first needed."""

    def __init__(self, task: str, include_path: Path | None) -> None:
        from pairbench_ext.harness.logged_docs import LoggedDocs

        self._docs = LoggedDocs(task, include_path)

    def images(self, record: Record, folder: Path, stem: str) -> Sequence[str]:
        """Write the images that a sample's request showed."""
        return save_images(self._docs.images(record), folder, stem)


def _files(logs: Sequence[Path], task: str | None) -> list[Path]:
    """The files of samples, those of folders in natural order.

    Raises:
        RecordError: naming what is not there, holds no such samples, or is given twice.
    """
    found: list[Path] = []
    for path in by_value(logs, str):
        if path.is_dir():
            inside = [file for file in in_folder(path) if task in (None, task_name(file))]
            if not inside:
                of = f" of {task}" if task else ""
                raise RecordError(f"{path}: no samples{of} in it; run lmms-eval with --log_samples")
            found += inside
        else:
            found.append(path)
    check_once(found)
    for file in found:
        if not are_logged(file):
            raise RecordError(f"{file}: no samples logged by the harness (--log_samples)")
    return found


def _two_fields(equal: str | None) -> tuple[Field, Field] | None:
    if equal is None:
        return None
    parts = [part.strip() for part in equal.split(",")]
    if len(parts) != 2 or not all(parts):
        raise typer.BadParameter(f"--equal takes two fields and a comma, not {equal!r}")
    return Field(parts[0]), Field(parts[1])


def _worth(
    logged: Logged,
    score: str | None,
    fields: tuple[Field, Field] | None,
) -> WorthOf:
    """What a reply is worth, as the options say.

    Raises:
        RecordError: if they say nothing and the samples have not just one score.
    """
    if fields is not None:
        return partial(worth_by_equality, given=fields[0], expected=fields[1])
    records = [origin.record for origins in logged.origins for origin in origins]
    if not records:
        raise RecordError("no sample has a reply; there is nothing to pick from")
    own = Field(score) if score is not None else chosen_score(records)
    return partial(worth_by_score, score=own)


def _said(built: Built) -> list[str]:
    lines = [
        f"{built.table}: {counted(built.questions, 'question')} with "
        f"{counted(built.candidates, 'candidate')}; {built.right} of them with candidates of "
        "unequal worth, where a judge's pick matters"
    ]
    left_out = (
        (built.too_few, "question", "with too few replies"),
        (built.without_image, "question", "without an image"),
        (built.failed, "request", "that failed"),
    )
    said = [f"{counted(count, noun)} {why}" for count, noun, why in left_out if count]
    return [*lines, *([f"left out: {', '.join(said)}"] if said else [])]
