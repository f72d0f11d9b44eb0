"""`pairbench build best-of-n`: candidates from what models answered to any task of the harness.

The harness logs a sample with what the task's `process_results` made of it: a number
("exact_match": 1.0), numbers of all its replies, or what the number is made of later on
({"parsed_pred": "B", "answer": "B"}). So a worth is a field of the sample, or that two are equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from PIL import Image

from lmms_eval_tasks.preference.candidates import Candidates, Origin, are_logged, read_logged
from pairbench_ext.core.files import appearing_together
from pairbench_ext.core.outputs import check_new_folder
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.files import in_folder, task_name
from pairbench_ext.show.cli.console import console, fail_on

TABLE = "candidates.jsonl"
_IMAGES = "images"
#: What the harness and the model wrapper log of every sample, whatever its task.
_EVERY = {"doc_id", "doc", "target", "input", "arguments", "resps", "filtered_resps", "trial"}
_EVERY |= {"token_counts", "doc_hash", "input_media", "cluster", "agentic_trace"}


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
    """Build best-of-N data from logged samples: candidates, what they are worth, and images.

    The candidates of a question are all replies to one document, in the order of the files; those
    of failed requests are none. No model is run.

    pairbench build best-of-n runs/llava runs/qwen --task mmstar --out candidates
    """
    with fail_on(ValueError, OSError):
        files = [file for path in logs for file in _files(path, task)]
        check_new_folder(out, files)
        logged = read_logged(files)
        given = list(zip(logged.questions, logged.origins, strict=True))
        enough = [(asked, origins) for asked, origins in given if len(origins) >= (n or 2)]
        if not enough:
            raise RecordError(
                f"{files[0]}: no question has {n or 2} replies; give logs of several models or "
                "runs of one task, or of a task with repeats"
            )
        fields = equal.split(",") if equal else [score or _only_score(enough[0][1][0].record)]
        rows = _write(enough, out, fields, n, task or task_name(files[0]), include_path)
    matter = sum(len(set(row["correct"])) > 1 for row in rows)
    console.print(
        f"{out / TABLE}: {counted(len(rows), 'question')} with "
        f"{counted(sum(len(row['candidates']) for row in rows), 'candidate')}; {matter} of them "
        "with candidates of unequal worth, where a judge's pick matters"
    )
    console.print(
        f"left out: {counted(len(given) - len(enough), 'question')} with too few replies, "
        f"{counted(len(enough) - len(rows), 'question')} without an image, "
        f"{counted(logged.failed, 'request')} that failed"
    )
    console.print(f"Next: BEST_OF_N_DATA={out / TABLE} lmms-eval --model ... --tasks best_of_n")


def _files(path: Path, task: str | None) -> list[Path]:
    """The files of samples that a path is or holds.

    Raises:
        RecordError: if there are none.
    """
    inside = in_folder(path) if path.is_dir() else [path]
    files = [file for file in inside if not path.is_dir() or task in (None, task_name(file))]
    if not files or not all(map(are_logged, files)):
        raise RecordError(f"{path}: no samples logged by the harness; run it with --log_samples")
    return files


def _write(
    questions: Sequence[tuple[Candidates, Sequence[Origin]]],
    out: Path,
    fields: Sequence[str],
    n: int | None,
    task: str,
    include_path: Path | None,
) -> list[dict[str, Any]]:
    """Write the questions that have an image, and return their rows.

    Raises:
        RecordError: naming file, line and field of what is not as described, or if no question is
            left.
    """
    from pairbench_ext.harness.logged_docs import LoggedDocs

    docs = LoggedDocs(task, include_path)
    rows = []
    with appearing_together(out) as scratch:
        (scratch / _IMAGES).mkdir()
        for number, (question, origins) in enumerate(questions):
            worth = [_worth(origin, fields) for origin in origins[:n]]
            stem = f"{number:05d}_{re.sub('[^A-Za-z0-9-]', '_', question.id)[:40]}"
            images = _save(docs.images(origins[0].record), scratch / _IMAGES, stem)
            if images:
                rows.append(_row(question, worth, images, n))
        if not rows:
            raise RecordError(f"task {task}: a judge is to see an image, but no question has one")
        lines = (json.dumps(row) + "\n" for row in rows)
        (scratch / TABLE).write_text("".join(lines), encoding="utf-8")
    return rows


def _row(
    question: Candidates, worth: Sequence[float], images: Sequence[str], n: int | None
) -> dict[str, Any]:
    return {
        "id": question.id,
        "query": question.query,
        "image": [f"{_IMAGES}/{name}" for name in images],
        "candidates": list(question.texts[:n]),
        "correct": list(worth),
        "ground_truth": question.record.fields["ground_truth"],
        "files": question.record.fields["files"][:n],
    }


def _save(images: Sequence[Image.Image], folder: Path, stem: str) -> list[str]:
    """Write images as PNG, without loss, and return their names."""
    names = [f"{stem}_{n}.png" if len(images) > 1 else f"{stem}.png" for n in range(len(images))]
    for name, image in zip(names, images, strict=True):
        plain = image if image.mode in ("RGB", "RGBA", "L") else image.convert("RGB")
        plain.save(folder / name)
    return names


def _only_score(record: Record) -> str:
    """The only field of a sample that is a score: a number in [0, 1], or a list of them.

    Raises:
        RecordError: if there is none, or several, naming them.
    """
    scores = [
        f"{name}.score" if isinstance(value, Mapping) else name
        for name, value in record.fields.items()
        if name not in _EVERY
        and _are_scores(value.get("score") if isinstance(value, Mapping) else value)
    ]
    if len(scores) != 1:
        raise RecordError(
            f"{record.where}: {len(scores)} fields are a number from 0 to 1, {scores}; name one "
            "(--score average.score), or two whose equality is the score (--equal one,other)"
        )
    return scores[0]


def _are_scores(value: Any) -> bool:
    values = value if isinstance(value, list) and value else [value]
    return all(isinstance(score, (bool, int, float)) and 0 <= score <= 1 for score in values)


def _worth(origin: Origin, fields: Sequence[str]) -> float:
    """What a reply is worth: its score, or 1 if the two fields are the same text, else 0.

    White space at the ends and letter case do not count.

    Raises:
        RecordError: naming the sample and the field that is not there, or no such number.
    """
    value = _value(origin.record, fields[0])
    if isinstance(value, list) and len(value) == origin.of:
        value = value[origin.number]
    elif origin.of > 1:
        raise RecordError(
            f"{origin.record.where}: one {fields[0]!r} of {origin.of} replies; the harness does "
            "not log what each is worth"
        )
    if len(fields) == 2:
        texts = {str(one).strip().casefold() for one in (value, _value(origin.record, fields[1]))}
        return float(len(texts) == 1)
    if isinstance(value, list) or not _are_scores(value):
        raise RecordError(
            f"{origin.record.where}: {fields[0]!r} must be true, false or a number from 0 to 1, "
            f"not {value!r:.60}"
        )
    return float(value)


def _value(record: Record, path: str) -> Any:
    """The value of a field of a sample, or of one within it: "mmmu_acc.answer"."""
    value: Any = record.fields
    for name in path.strip().split("."):
        if not isinstance(value, Mapping) or name not in value:
            known = sorted(set(value) - _EVERY) if isinstance(value, Mapping) else value
            raise RecordError(f"{record.where}: no {path!r} in the sample, only {known!s:.200}")
        value = value[name]
    return value
