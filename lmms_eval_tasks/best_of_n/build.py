"""`pairbench build best-of-n`: make candidates from models' logged answers to any task.

The harness logs a sample with what the task's `process_results` made of it: a number
("exact_match": 1.0), numbers of all its replies, or what the number is made of later on
({"parsed_pred": "B", "answer": "B"}). So a candidate's score is a field
of the sample, or whether two fields are equal.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from PIL import Image

from lmms_eval_tasks.best_of_n.logged import Candidate, Logged, read_logged
from pairbench_ext.core.files import appearing_together, check_new_folder
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.files import in_folder, task_name
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import argument, option

TABLE = "candidates.jsonl"
_IMAGES = "images"


def build_best_of_n(
    logs: Annotated[
        list[Path],
        argument(
            "Logged samples of one task, or folders of them: from several models, several "
            "runs, or one run with repeats."
        ),
    ],
    out: Annotated[Path, option("New folder into which the data are written.")],
    score: Annotated[
        str,
        option(
            "Field with the score of a reply, from 0 to 1, such as exact_match or "
            "average.score. Two fields joined by a comma, such as "
            "mmmu_acc.parsed_pred,mmmu_acc.answer, score 1 if their values are equal, else 0."
        ),
    ],
    n: Annotated[
        int | None,
        option("Number of candidate answers per question. Default: all replies.", "--n", min=2),
    ] = None,
    task: Annotated[
        str | None, option("The task to use, if folders hold samples of several tasks.")
    ] = None,
    include_path: Annotated[
        Path | None, option("Folder of task files, as for `lmms-eval --include_path`.")
    ] = None,
) -> None:
    """Build best-of-N data from logged samples: questions, candidate answers, their scores.

    The candidates of a question are all replies to one document, in the order of the files, without
    failed requests. No model is run.

    pairbench build best-of-n runs --task mmstar --score average.score --out candidates
    """
    with fail_on(ValueError, OSError):
        files = [file for path in logs for file in _files(path, task)]
        check_new_folder(out, files)
        logged = read_logged(files)
        enough = [asked for asked in logged if len(asked.candidates) >= (n or 2)]
        if not enough:
            raise RecordError(
                f"{files[0]}: no question has {n or 2} replies. Give logs of several models or "
                "runs of one task, or of a task with repeats"
            )
        rows = _write(enough, out, score.split(","), n, task or task_name(files[0]), include_path)
    matter = sum(len(set(row["correct"])) > 1 for row in rows)
    console.print(
        f"{out / TABLE}: {counted(len(rows), 'question')} with "
        f"{counted(sum(len(row['candidates']) for row in rows), 'candidate')}. In {matter} of "
        "the questions, candidates have unequal scores, so that the judge's pick matters"
    )
    console.print(
        f"left out: {counted(len(logged) - len(enough), 'question')} with too few replies, "
        f"{counted(len(enough) - len(rows), 'question')} without an image, "
        f"{counted(sum(asked.failed for asked in logged), 'request')} that failed"
    )
    console.print(f"Next: BEST_OF_N_DATA={out / TABLE} lmms-eval --model ... --tasks best_of_n")


def _files(path: Path, task: str | None) -> list[Path]:
    """Return the sample files at a path: the file itself, or all in the folder.

    Raises:
        RecordError: if a folder holds none.
    """
    if not path.is_dir():
        return [path]
    files = [file for file in in_folder(path) if task in (None, task_name(file))]
    if not files:
        raise RecordError(f"{path}: the harness logged no samples here; run it with --log_samples")
    return files


def _write(
    questions: Sequence[Logged],
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
    from pairbench_ext.harness.documents import LoggedDocs

    docs = LoggedDocs(task, include_path)
    rows = []
    with appearing_together(out) as scratch:
        (scratch / _IMAGES).mkdir()
        for number, question in enumerate(questions):
            candidates = question.candidates[:n]
            worth = [_worth(candidate, fields) for candidate in candidates]
            stem = f"{number:05d}_{re.sub('[^A-Za-z0-9-]', '_', question.id)[:40]}"
            images = _save(docs.images(candidates[0].sample), scratch / _IMAGES, stem)
            row = {
                "id": question.id,
                "query": question.query,
                "image": [f"{_IMAGES}/{name}" for name in images],
                "candidates": [candidate.text for candidate in candidates],
                "correct": worth,
                "ground_truth": question.target,
                "files": [str(candidate.file) for candidate in candidates],
            }
            if images:
                rows.append(row)
        if not rows:
            raise RecordError(f"task {task}: no question has an image, but judges need one")
        lines = (json.dumps(row) + "\n" for row in rows)
        (scratch / TABLE).write_text("".join(lines), encoding="utf-8")
    return rows


def _save(images: Sequence[Image.Image], folder: Path, stem: str) -> list[str]:
    """Write images as PNG, without loss, and return their names."""
    names = [f"{stem}_{number}.png" for number in range(len(images))]
    for name, image in zip(names, images, strict=True):
        (image if image.mode in ("RGB", "RGBA", "L") else image.convert("RGB")).save(folder / name)
    return names


def _worth(candidate: Candidate, fields: Sequence[str]) -> float:
    """Return a reply's score from 0 to 1; of two fields, 1 if they hold the same text, else 0.

    White space at the ends and letter case do not count.

    Raises:
        RecordError: naming the sample and the field that is not there, or no such number.
    """
    sample = candidate.sample
    value = _value(sample, fields[0])
    if isinstance(value, list) and len(value) == candidate.of:
        value = value[candidate.number]
    elif candidate.of > 1:
        raise RecordError(
            f"{sample.where}: the sample has one {fields[0]!r} for {candidate.of} replies, "
            "because the harness does not log a score for each reply. Run the task several times, "
            "with one reply per question, and give all the logs"
        )
    if len(fields) > 1:
        values = (value, *(_value(sample, field) for field in fields[1:]))
        return float(len({str(value).strip().casefold() for value in values}) == 1)
    if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
        raise RecordError(
            f"{sample.where}: {fields[0]!r} must be true, false or a number from 0 to 1, "
            f"not {value!r:.60}"
        )
    return float(value)


def _value(sample: Record, path: str) -> Any:
    """Return the value of a sample's field, such as "mmmu_acc" or "mmmu_acc.answer" within it."""
    value: Any = sample.fields
    for name in path.strip().split("."):
        if not isinstance(value, Mapping) or name not in value:
            present = sorted(value) if isinstance(value, Mapping) else value
            raise RecordError(
                f"{sample.where}: the sample has no field {path!r}, only {present!s:.200}"
            )
        value = value[name]
    return value
