"""The authors' own rated examples for 1-shot: images of ImagenHub's museum, found in a local one.

Source: github.com/TIGER-AI-Lab/VIEScore, `paper_implementation`: which images, in
`imagen_museum/__init__.py`; their texts and scores, in `_questions/prompts_1shot`.

They are where the museum has them (`ImagenHub_Text-Guided_IE/input/sample_139276_1.jpg`), or below
`_examples`, where `pairbench build viescore` puts those of image models that are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lmms_eval_tasks.viescore.examples import Example
from lmms_eval_tasks.viescore.judgments import Aspect
from lmms_eval_tasks.viescore.museum_files import SUFFIXES
from lmms_eval_tasks.viescore.prompts import Shot
from lmms_eval_tasks.viescore.tasks import Name, Task, find_task
from pairbench_ext.core.sources import SourceError

FOLDER = "_examples"


class Rated(NamedTuple):
    """A rated example.

    Attributes:
        task: in whose folder its images are.
        sample: their uid, without suffix.
        folders: of its images, in the order in which they are shown.
        shot: what the prompt says of it.
    """

    task: Name
    sample: str
    folders: tuple[str, ...]
    shot: Shot

    def files(self, root: Path) -> list[Path | None]:
        """Its images in a museum, each where there is one."""
        return [_file(root, find_task(self.task), name, self.sample) for name in self.folders]


_HAT = Rated(
    "tie",
    "sample_139276_1",
    ("input", "Prompt2prompt"),
    Shot(
        2,
        "What if the man had a hat?",
        (5, 10),
        "The hat exists but does not suit well. The hat also looks distorted. But it is a good edit because only a hat is added and the background is persevered.",
    ),
)
_SC: Mapping[Name, Rated] = {
    "t2i": Rated(
        "t2i",
        "sample_149",
        ("UniDiffuser",),
        Shot(
            1,
            "A pink and a white frisbee are on the ground.",
            (5,),
            "White frisbee not present in the image.",
        ),
    ),
    "mie": _HAT,
    "tie": _HAT,
    "cig": Rated(
        "cig",
        "sample_79_control_hed",
        ("input", "ControlNet"),
        Shot(
            2,
            "the bridge is red, Golden Gate Bridge in San Francisco, USA",
            (5, 5),
            "The bridge is red. But half of the bridge is gone.",
        ),
    ),
    "sdig": Rated(
        "sdig",
        "sample_123",
        ("input", "SuTI"),
        Shot(
            2,
            "a red cartoon figure eating a banana",
            (10, 5),
            "The red cartoon figure is eating a banana. The red cartoon figure looks partially resemble to the subject.",
        ),
    ),
    "sdie": Rated(
        "sdie",
        "sample_66",
        ("input", "token", "DreamEdit"),
        Shot(
            3,
            None,
            (5, 10),
            "The monster toy looks partially resemble to the token subject. The edit is minimal.",
        ),
    ),
    "mcic": Rated(
        "mcic",
        "sample_9",
        ("input", "CustomDiffusion"),
        Shot(
            2,
            "A digital illustration of a cat beside a wooden pot",
            (5, 5, 10),
            "The cat is not beside the wooden pot. The pot looks partially resemble to the subject pot. The cat looks highly resemble to the subject cat.",
        ),
    ),
}
_PQ = Rated(
    "tie",
    "sample_187866_1",
    ("CycleDiffusion",),
    Shot(
        1,
        "",
        (5, 5),
        "The image gives an unnatural feeling on hands of the girl. There is also minor distortion on the eyes of the girl.",
    ),
)


def rated_examples(task: Task) -> dict[Aspect, Rated]:
    """The examples for SC and PQ of a task."""
    return {"SC": _SC[task.name], "PQ": _PQ}


def find_examples(root: Path, task: Task) -> dict[Aspect, Example]:
    """The examples for SC and PQ of a task, with their images in a museum.

    Raises:
        SourceError: naming the images that are not there.
    """
    found = {aspect: rated.files(root) for aspect, rated in rated_examples(task).items()}
    if missing := list(_missing(task, found)):
        raise SourceError(
            f"{root} lacks images of the authors' rated examples for one shot: "
            f"{', '.join(missing)}. `pairbench build viescore --museum DOWNLOAD --out {root}` puts "
            "them there from a download of ImagenHub's museum; examples of your own go into "
            f"{root / 'examples.json'} or a file that VIESCORE_EXAMPLES names"
        )
    return {
        aspect: Example(tuple(file for file in found[aspect] if file), rated.shot)
        for aspect, rated in rated_examples(task).items()
    }


def _missing(task: Task, found: Mapping[Aspect, Iterable[Path | None]]) -> Iterator[str]:
    for aspect, rated in rated_examples(task).items():
        for name, file in zip(rated.folders, found[aspect], strict=True):
            if file is None:
                yield f"{find_task(rated.task).folder}/{name}/{rated.sample}.jpg"


def _file(root: Path, task: Task, folder: str, sample: str) -> Path | None:
    for place in (root, root / FOLDER):
        for name in task.folder_names:
            for suffix in SUFFIXES:
                file = place / name / folder / f"{sample}{suffix}"
                if file.is_file():
                    return file
    return None
