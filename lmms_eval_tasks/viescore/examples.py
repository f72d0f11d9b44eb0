"""Rated examples for the 1-shot tasks: the authors', or the user's own.

The user's are in a JSON file:

    {"PQ":  {"images": ["a.jpg"], "score": [5, 5], "reasoning": "..."},
     "tie": {"images": ["b.jpg", "c.jpg"], "text": "What if the man had a hat?",
             "score": [5, 10], "reasoning": "..."}}

`PQ` is the example for PQ of every task; a task's name that for its SC. Images are files in the
folder of the JSON file or below, in the order in which the task shows its own: what the image was
made from, then the image.

The authors' (github.com/TIGER-AI-Lab/VIEScore, `paper_implementation`: the images in
`imagen_museum/__init__.py`, texts and scores in `_questions/prompts_1shot`) are images of
ImagenHub's museum, and are found in a local one or in a folder `_examples` in it, laid out alike.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from lmms_eval_tasks.viescore.museum import find_image
from lmms_eval_tasks.viescore.scores import JUDGED, Aspect
from lmms_eval_tasks.viescore.tasks import Task, find_task
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.records import Record, RecordError, file_in
from pairbench_ext.core.sources import SourceError

_AUTHORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "authors_examples.json").read_text(encoding="utf-8")
)


class Example(NamedTuple):
    """A rated example.

    Attributes:
        images: its files; they are shown before the images to rate.
        text: its prompt, instruction or subject; not shown for PQ. None for that of the image to
            rate.
        score: its sub-scores.
        reasoning: their rationale.
    """

    images: tuple[Path, ...]
    text: str | None
    score: tuple[float, ...]
    reasoning: str


@dataclass(frozen=True)
class _Entry:
    """An example in the user's file."""

    images: tuple[str, ...]
    score: tuple[Annotated[int | float, Interval(ge=0, le=10)], ...]
    reasoning: str
    text: str | None = None


def read_examples(file: Path, task: Task) -> dict[Aspect, Example]:
    """Return the user's examples for SC and PQ of a task.

    Raises:
        SourceError: if there is no such file.
        RecordError: naming file and field of what is missing or not as described.
    """
    try:
        entries = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(
            f"no rated example for one shot: {file} cannot be read ({error.strerror or error}); "
            "write it (see lmms_eval_tasks/viescore/README.md) or name another in VIESCORE_EXAMPLES"
        ) from error
    except ValueError as error:
        raise RecordError(f"{file}: not JSON ({error})") from error
    found: dict[Aspect, Example] = {}
    for aspect in JUDGED:
        name = task.name if aspect == "SC" else aspect
        where = f"{file}, {name!r}"
        entry = from_record(_Entry, Record(where, Record(str(file), entries).get(name, dict)))
        images = 1 + (len(task.conditions) if aspect == "SC" else 0)
        for field, wanted in (("images", images), ("score", task.sub_scores_of(aspect))):
            if len(getattr(entry, field)) != wanted:
                raise RecordError(f"{where}: field {field!r} must have {wanted} entries")
        if aspect == "SC" and entry.text is None:
            raise RecordError(f"{where}: no field 'text'")
        paths = tuple(file_in(file.parent, path, "images", where) for path in entry.images)
        found[aspect] = Example(paths, entry.text or "", entry.score, entry.reasoning)
    return found


def find_examples(root: Path, task: Task) -> dict[Aspect, Example]:
    """Return the authors' examples for SC and PQ of a task, with their images in a museum.

    Raises:
        SourceError: naming the images that are not there.
    """
    found: dict[Aspect, Example] = {}
    missing = []
    for aspect in JUDGED:
        known = _AUTHORS[task.name if aspect == "SC" else aspect]
        beside, sample = find_task(known["task"]), known["sample"]
        files = {name: find_image(root, beside, name, sample) for name in known["folders"]}
        missing += [f"{beside.folder}/{name}/{sample}.jpg" for name in files if not files[name]]
        images = tuple(file for file in files.values() if file)
        score = tuple(known["score"])
        found[aspect] = Example(images, known["text"], score, known["reasoning"])
    if missing:
        raise SourceError(
            f"{root} lacks images of the authors' rated examples for one shot: "
            f"{', '.join(missing)}. Copy them from ImagenHub's museum into {root / '_examples'}; "
            f"examples of your own go into {root / 'examples.json'} or a file that "
            "VIESCORE_EXAMPLES names"
        )
    return found
