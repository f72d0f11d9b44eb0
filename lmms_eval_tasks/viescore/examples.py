"""The authors' rated examples for the 1-shot tasks: images of ImagenHub's museum.

Source: github.com/TIGER-AI-Lab/VIEScore, `paper_implementation`: the images are those of
`imagen_museum/__init__.py`, texts and scores those of `_questions/prompts_1shot`. They are found in
a local museum, or in a folder `_examples` in it that is laid out alike.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.viescore.museum import find_image
from lmms_eval_tasks.viescore.scores import JUDGED, Aspect
from lmms_eval_tasks.viescore.tasks import TASKS, Task
from pairbench_ext.core.sources import SourceError

_EXAMPLES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "authors_examples.json").read_text(encoding="utf-8")
)


class Example(NamedTuple):
    """A rated example.

    Attributes:
        images: its files; they are shown before the images to rate.
        text: its prompt, instruction or subject, which is not shown for PQ; None if it is the same
            as that of the image to rate.
        score: its sub-scores.
        reasoning: their rationale.
    """

    images: tuple[Path, ...]
    text: str | None
    score: tuple[float, ...]
    reasoning: str


def find_examples(root: Path, task: Task) -> dict[Aspect, Example]:
    """Return the examples for SC and PQ of a task, with their images in a museum.

    Raises:
        SourceError: naming the images that are not there.
    """
    examples: dict[Aspect, Example] = {}
    missing = []
    for aspect in JUDGED:
        described = _EXAMPLES[task.name if aspect == "SC" else aspect]
        beside, sample = TASKS[described["task"]], described["sample"]
        files = {name: find_image(root, beside, name, sample) for name in described["folders"]}
        missing += [f"{beside.folder}/{name}/{sample}.jpg" for name in files if not files[name]]
        images = tuple(file for file in files.values() if file)
        score = tuple(described["score"])
        examples[aspect] = Example(images, described["text"], score, described["reasoning"])
    if missing:
        raise SourceError(
            f"{root} lacks images of the authors' rated examples for one shot: "
            f"{', '.join(missing)}. Copy them from ImagenHub's museum into {root / '_examples'}"
        )
    return examples
