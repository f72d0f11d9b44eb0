"""PairBench from any pictures: a config with a split for each transformation (Appendix D.1).

Every picture becomes a row: `img1` the original, `img2` an identical copy at 95% of its size,
`img3` the picture under the split's transformation, `img4` another one under the same
transformation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from lmms_eval_tasks.build.jobs import in_order
from lmms_eval_tasks.build.repository import build_repository
from lmms_eval_tasks.pairbench.build.layout import (
    Prompts,
    Row,
    split_file,
    write_card,
    write_split,
    write_templates,
)
from lmms_eval_tasks.pairbench.build.pictures import (
    Picture,
    Selection,
    Usable,
    encode,
    load_picture,
)
from pairbench_ext.core.contents import image_digest
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform, drawn, identical

FORMAT = 3  # raise when the same recipe would give other files
# Distance of two originals by the classical encoder. Of the embedded photographs, no two are nearer
# than 0.40; a copy at 95% of the size is at 0.02 or less, the same scene taken again, a step aside,
# mostly between 0.05 and 0.25.
SAME_SCENE = 0.3
_ATTEMPTS = 16


@dataclass(frozen=True)
class Settings:
    """What is made of the pictures.

    Attributes:
        name: of the config.
        transforms: the transformations, one split each, by name.
        seed: of the parameters and of the irrelevant pictures.
        size: pixels that the longer side may have; None keeps the size.
        lossless: whether changed versions of JPEG files are stored without loss, too.
        licence: of the pictures, for the card; None if unsaid.
    """

    name: str
    transforms: Mapping[str, Transform] = field(default_factory=lambda: dict(TRANSFORMS))
    seed: int = 0
    size: int | None = None
    lossless: bool = False
    licence: str | None = None

    @property
    def recipe(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        ranges = {name: asdict(value) for name, value in self.transforms.items()}  # type: ignore[call-overload]
        known = {name: value for name, value in vars(self).items() if name != "transforms"}
        return {**known, "transforms": ranges, "format": FORMAT}

    @property
    def about(self) -> str:
        """Markdown: how the parameters were drawn, and the licence."""
        ranges = "\n".join(
            f"- {name}: {json.dumps(asdict(value))}"  # type: ignore[call-overload]
            for name, value in self.transforms.items()
        )
        licence = self.licence or "not stated by who built this"
        return (
            f"Parameters are drawn for each picture, with seed {self.seed}, uniformly from these "
            f"ranges (`pairbench_ext.synthetic.transforms`); the paper prints none.\n\n{ranges}\n\n"
            f"Licence of the pictures: {licence}. Changed versions are derived from them."
        )


def build_images(
    selection: Selection, out: Path, settings: Settings, prompts: Prompts, *, jobs: int = 1
) -> None:
    """Build a repository of one config, or bring it to completion.

    The files are the same for any number of jobs and after interruptions, which lose at most the
    split that was being written.

    Args:
        selection: the pictures, with their embeddings.
        out: the repository's folder, made if needed.
        settings: what is made of them.
        prompts: what the config is asked with.
        jobs: how many threads.

    Raises:
        BuildError: if the folder holds something else, or was built from something else.
        SourceError: if a picture was changed meanwhile.
    """
    used = [(picture.name, picture.digest.hex()) for picture in selection.used]
    recipe = {"command": "build images", **settings.recipe, "prompts": prompts, "pictures": used}

    def build() -> None:
        write_splits(out, selection.used, settings, jobs=jobs)
        write_templates(out, [prompts])
        files = {settings.name: list(settings.transforms)}
        write_card(out, settings.name, _card(selection, settings), files, settings.licence)

    build_repository(out, recipe, build)


def write_splits(out: Path, used: Sequence[Usable], settings: Settings, *, jobs: int = 1) -> None:
    """Write the splits that are not there yet.

    Raises:
        ValueError: for fewer than two pictures, or two of the same name.
    """
    if len(used) < 2:
        raise ValueError(f"irrelevant pairs need at least 2 pictures, got {len(used)}")
    names = [picture.name for picture in used]
    if len(set(names)) < len(names):
        raise ValueError("names of pictures must be unique")
    missing = [
        split
        for split in settings.transforms
        if not (out / split_file(settings.name, split)).is_file()
    ]
    pairs = (
        (split, picture, used[_other(used, index, split, settings.seed)])
        for split in missing
        for index, picture in enumerate(used)
    )
    rows = in_order(partial(_row, settings=settings), pairs, jobs)
    for split in missing:
        write_split(out / split_file(settings.name, split), islice(rows, len(used)))


def _row(pair: tuple[str, Usable, Usable], settings: Settings) -> Row:
    """`params` is JSON with the parameters of `img3` and `img4` and the name of what it shows."""
    split, picture, other = pair
    third, own = transformed(picture, settings, split)
    fourth, others = transformed(other, settings, split)
    record = {"transform": split, "img3": own, "img4": {"name": other.name, "params": others}}
    return {
        "name": picture.name,
        "img1": original(picture, settings),
        "img2": copy(picture, settings),
        "img3": third,
        "img4": fourth,
        "params": json.dumps(record, sort_keys=True),
    }


def original(usable: Usable, settings: Settings) -> bytes:
    """Return a picture as a file: its own, if it needed no conversion."""
    picture = _loaded(usable, settings.size)
    return picture.original or encode(picture.image)


def copy(usable: Usable, settings: Settings) -> bytes:
    """Return a picture at 95% of its size, as a file."""
    picture = _loaded(usable, settings.size)
    return encode(identical(picture.image), lossy=picture.lossy and not settings.lossless)


def transformed(usable: Usable, settings: Settings, split: str) -> tuple[bytes, Mapping[str, Any]]:
    """Return a transformed picture as a file, and the parameters."""
    picture, transform = _loaded(usable, settings.size), settings.transforms[split]
    params = drawn(transform, picture.image.size, settings.seed, usable.name)
    lossy = picture.lossy and not settings.lossless
    return encode(transform.apply(picture.image, params), lossy=lossy), params


@lru_cache(maxsize=16)
def _load(source: Any, size: int | None) -> Picture:
    return load_picture(source, size)


def _loaded(usable: Usable, size: int | None) -> Picture:
    picture = _load(usable.source, size)
    if image_digest(picture.image) != usable.digest:
        raise SourceError(f"{usable.name} was changed while it was used: build again")
    return picture


def irrelevant_index(
    index: int, names: Sequence[str], split: str, seed: int, attempt: int = 0
) -> int:
    """Position of the picture that is irrelevant to the one at `index`: any other, by `seed`.

    Args:
        index: the picture.
        names: of all pictures.
        split: the transformation.
        seed: of the draw.
        attempt: how many were drawn before, and were too much alike.

    Raises:
        ValueError: if there is no other picture.
    """
    again = (attempt,) if attempt else ()
    other = seeds.draw(len(names) - 1, seed, "irrelevant", split, names[index], *again)
    return other if other < index else other + 1


def _other(used: Sequence[Usable], index: int, split: str, seed: int) -> int:
    """The first of some draws that is of another scene; the farthest if none is."""
    names = [picture.name for picture in used]
    distances: dict[int, float] = {}
    for attempt in range(_ATTEMPTS):
        other = irrelevant_index(index, names, split, seed, attempt)
        distances[other] = 1 - float(used[index].vector @ used[other].vector)
        if distances[other] >= SAME_SCENE:
            return other
    return max(distances, key=lambda other: distances[other])


def _card(selection: Selection, settings: Settings) -> str:
    skipped = "".join(f"\n- {name!r}: {why}" for name, why in selection.skipped)
    return (
        f"Pairs of pictures in the layout of PairBench: {len(selection.used):,} pictures, "
        f"{len(settings.transforms)} transformations. Each row has the original (`img1`), an "
        "identical copy at 95% of its size (`img2`), the picture under the split's transformation "
        "(`img3`), and another picture under the same transformation (`img4`); `params` has the "
        "parameters of `img3` and `img4` and the name of what `img4` shows.\n\n"
        "    PAIRBENCH_DATA=/path/to/this/folder lmms-eval --model ... --tasks "
        f"pairbench_{settings.name}\n\n{settings.about}"
    ) + (f"\n\nLooked at and left out:\n{skipped}" if skipped else "")
