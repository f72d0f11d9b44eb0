"""Questions to pick from, made of logged samples: candidates, what each is worth, and the images.

OUT/candidates.jsonl    a question a line, as BEST_OF_N_DATA reads it
OUT/images/             what each question is about
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from lmms_eval_tasks.preference.candidates import Candidates, Logged, Origin
from pairbench_ext.core.files import appearing_together
from pairbench_ext.core.records import Record, RecordError

TABLE = "candidates.jsonl"
_IMAGES = "images"

#: What a reply is worth, from 0 to 1.
WorthOf = Callable[[Origin], float]
#: Writes the images of a sample as files whose names begin so; what they are called.
ImagesOf = Callable[[Record, Path, str], Sequence[str]]


class Built(NamedTuple):
    """What was built, and what was left out.

    Attributes:
        table: the file of candidates.
        questions, candidates: how many it has.
        right: questions with a candidate that is worth more than another one.
        too_few: questions with fewer candidates than asked for.
        without_image: questions about no image.
        failed: requests that failed; they are no candidates.
    """

    table: Path
    questions: int
    candidates: int
    right: int
    too_few: int
    without_image: int
    failed: int


def build_questions(
    logged: Logged, out: Path, worth_of: WorthOf, images_of: ImagesOf, n: int | None = None
) -> Built:
    """Write the questions of logged samples.

    Args:
        logged: the samples.
        out: the folder to make.
        worth_of: what a reply is worth.
        images_of: the images of a sample.
        n: take the first n candidates of each question, and no question with fewer; all by default.

    Raises:
        RecordError: naming file, line and field of what is not as described, or if no question is
            left.
    """
    enough = [
        (question, origins[0].record, [worth_of(origin) for origin in origins[:n]])
        for question, origins in zip(logged.questions, logged.origins, strict=True)
        if len(question.texts) >= (n or 2)
    ]
    rows = []
    with appearing_together(out) as scratch:
        (scratch / _IMAGES).mkdir()
        for number, (question, record, correct) in enumerate(enough):
            stem = f"{number:05d}_{_safe(question.id)}"
            images = images_of(record, scratch / _IMAGES, stem)
            if images:
                rows.append(_row(question, correct, images, n))
        if not rows:
            raise RecordError(_nothing(logged, enough, n))
        lines = (json.dumps(row) + "\n" for row in rows)
        (scratch / TABLE).write_text("".join(lines), encoding="utf-8")
    return Built(
        table=out / TABLE,
        questions=len(rows),
        candidates=sum(len(row["candidates"]) for row in rows),
        right=sum(len(set(row["correct"])) > 1 for row in rows),
        too_few=len(logged.questions) - len(enough),
        without_image=len(enough) - len(rows),
        failed=logged.failed,
    )


def _row(
    question: Candidates, correct: Sequence[float], images: Sequence[str], n: int | None
) -> dict[str, Any]:
    return {
        "id": question.id,
        "query": question.query,
        "image": [f"{_IMAGES}/{name}" for name in images],
        "candidates": list(question.texts[:n]),
        "correct": list(correct),
        "ground_truth": question.record.fields["ground_truth"],
        "files": question.record.fields["files"][:n],
    }


def _nothing(logged: Logged, enough: Sequence[Any], n: int | None) -> str:
    where = logged.questions[0].record.where if logged.questions else "the samples"
    if enough:
        return f"{where}: none of the questions has an image; a judge is to see what is asked about"
    most = max((len(question.texts) for question in logged.questions), default=0)
    return (
        f"{where}: no question has {n or 2} replies, but {most} at most; give logs of several "
        "models or runs of the same task, or of a task with repeats"
    )


def _safe(name: str) -> str:
    """A name of which any file system makes a file name.

    >>> _safe("a/b c")
    'a_b_c'
    """
    return re.sub(r"[^A-Za-z0-9-]", "_", name)[:40]


def save_images(images: Sequence[Image.Image], folder: Path, stem: str) -> list[str]:
    """Write images as PNG, without loss; what the files are called."""
    names = []
    for number, image in enumerate(images):
        name = f"{stem}_{number}.png" if len(images) > 1 else f"{stem}.png"
        plain = image if image.mode in ("RGB", "RGBA", "L") else image.convert("RGB")
        plain.save(folder / name)
        names.append(name)
    return names
