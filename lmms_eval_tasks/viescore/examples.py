"""Rated examples of one's own for the 1-shot tasks: a JSON file that the user writes.

    {"PQ":  {"images": ["a.jpg"], "score": [5, 5], "reasoning": "..."},
     "tie": {"images": ["b.jpg", "c.jpg"], "text": "What if the man had a hat?",
             "score": [5, 10], "reasoning": "..."}}

`PQ` is the example for PQ of every task; a task's name that for its SC. Images are files in the
folder of the JSON file or below, in the order in which the task shows its own: what the image was
made from, then the image.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from lmms_eval_tasks.viescore.judgments import HIGHEST, JUDGED, Aspect
from lmms_eval_tasks.viescore.prompts import Shot
from lmms_eval_tasks.viescore.tasks import Task
from pairbench_ext.core.records import Record, RecordError, file_in
from pairbench_ext.core.sources import SourceError


class Example(NamedTuple):
    """A rated example: its image files, and what the prompt says of it."""

    images: tuple[Path, ...]
    shot: Shot


def read_examples(file: Path, task: Task) -> dict[Aspect, Example]:
    """The examples for SC and PQ of a task.

    Raises:
        SourceError: if there is no such file.
        RecordError: naming file and field of what is missing or not as described.
    """
    try:
        read = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(
            f"no rated example for one shot: {file} cannot be read ({error.strerror or error}); "
            "write it (see lmms_eval_tasks/viescore/README.md) or name another in VIESCORE_EXAMPLES"
        ) from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{file}: not JSON ({error})") from error
    record = Record(str(file), read if isinstance(read, dict) else {})
    names: dict[Aspect, str] = {"SC": task.name, "PQ": "PQ"}
    return {
        aspect: _example(
            Record(f"{file}, {names[aspect]!r}", record.get(names[aspect], dict)),
            file.parent,
            1 + (len(task.conditions) if aspect == "SC" else 0),
            task.sub_scores_of(aspect),
            aspect == "SC",
        )
        for aspect in JUDGED
    }


def _example(record: Record, folder: Path, images: int, sub_scores: int, has_text: bool) -> Example:
    names = record.get("images", list)
    if len(names) != images or not all(isinstance(name, str) for name in names):
        raise RecordError(
            f"{record.where}: field 'images' must be {images} paths, not {names!r:.60}"
        )
    score = record.get("score", list)
    if len(score) != sub_scores or not all(_is_sub_score(one) for one in score):
        raise RecordError(
            f"{record.where}: field 'score' must be {sub_scores} numbers from 0 to {HIGHEST}, "
            f"not {score!r:.60}"
        )
    text = record.get("text", str) if has_text else ""
    shot = Shot(images, text, tuple(score), record.get("reasoning", str))
    return Example(tuple(file_in(folder, name, "images", record.where) for name in names), shot)


def _is_sub_score(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= HIGHEST
