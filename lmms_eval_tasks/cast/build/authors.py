"""The authors' own 100 pairs, from a copy of their repository (github.com/gautierdag/cast).

In its folder `data`, pair N is `N.json` with `description_0`, `description_1`,
`img_pair_similarity` and the scenes' places in DOCCI's train split, `docci_idx_0` and
`docci_idx_1`; its images are `imgs/N_0.jpg` and `imgs/N_1.jpg`. `data_prompt`, of the same form,
has the pairs that they took examples for prompts from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from loguru import logger

from lmms_eval_tasks.cast.build.pairs import ScenePair
from lmms_eval_tasks.cast.build.scenes import Scene
from pairbench_ext.core.fields import from_mapping
from pairbench_ext.core.left_out import LeftOut, named
from pairbench_ext.core.sources import SourceError


@dataclass(frozen=True)
class _Row:
    """What is read of a pair's file."""

    description_0: str
    description_1: str
    docci_idx_0: int
    docci_idx_1: int
    img_pair_similarity: float | None = None


def is_authors_copy(folder: str | Path) -> bool:
    """Whether a folder is a copy of the authors' repository, or the folder `data` of one."""
    return _data(folder) is not None


def read_authors(folder: str | Path, left_out: LeftOut | None = None) -> list[ScenePair]:
    """The authors' pairs, by number. One that cannot be used is left out, with a warning.

    Args:
        folder: the repository's copy, or its folder `data`.
        left_out: takes the reasons, in place of the warning.

    Raises:
        SourceError: if it is neither, or no pair can be used; the file and the field are named.
    """
    data = _data(folder)
    if data is None:
        raise SourceError(
            f"{folder} is no copy of the authors' repository: no data/0.json and data/imgs in it; "
            "`git clone https://github.com/gautierdag/cast` makes one"
        )
    files = sorted(
        (f for f in data.glob("*.json") if f.stem.isdecimal()), key=lambda f: int(f.stem)
    )
    pairs, broken = [], LeftOut()
    for file in files:
        with broken.unless_usable(str(file)):
            pairs.append(_pair(file))
    if not pairs:
        raise SourceError(broken[0])
    if left_out is not None:
        left_out.extend(broken)
    elif broken:
        logger.warning(f"{len(broken)} pairs cannot be used and are left out: {named(broken)}")
    return pairs


def example_files(folder: str | Path, number: int) -> tuple[Path, Path]:
    """The images of a pair that examples for prompts are taken from.

    Args:
        folder: the repository's copy, or its folder `data`.
        number: of the pair.

    Raises:
        SourceError: if it is neither, or an image is missing.
    """
    data = _data(folder)
    images = (data or Path(folder)).parent / "data_prompt" / "imgs"
    first, second = (images / f"{number}_{side}.jpg" for side in (0, 1))
    for file in (first, second):
        if data is None or not file.is_file():
            raise SourceError(
                f"{folder}: no example of the authors' in it: it is data_prompt/imgs/{file.name} "
                "of their repository; `git clone https://github.com/gautierdag/cast` makes a copy "
                "that CAST_DATA can name"
            )
    return first, second


def _data(folder: str | Path) -> Path | None:
    given = Path(folder).expanduser()
    for data in (given / "data", given):
        if (data / "imgs").is_dir() and any(f.stem.isdecimal() for f in data.glob("*.json")):
            return data
    return None


def _pair(file: Path) -> ScenePair:
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{file}: cannot be read as JSON ({error}); copy it again") from error
    read = from_mapping(_Row, row, str(file))
    first, second = (
        Scene(str(place), file.parent / "imgs" / f"{file.stem}_{side}.jpg", text)
        for side, (place, text) in enumerate(
            ((read.docci_idx_0, read.description_0), (read.docci_idx_1, read.description_1))
        )
    )
    for scene in (first, second):
        if not scene.description.strip():
            raise SourceError(f"{file}: a description is empty")
        if not scene.image.is_file():
            raise SourceError(f"{file}: no image {scene.image}")
    return ScenePair(first, second, read.img_pair_similarity, file.stem)
