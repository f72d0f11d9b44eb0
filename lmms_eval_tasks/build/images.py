"""Build PairBench data from any pictures, one split per transformation (Appendix D.1).

Every picture becomes a row: `img1` the original, `img2` an identical copy at 95% of its size,
`img3` the picture under the split's transformation, `img4` another one under the same
transformation. Balanced, a row has the four pairs of `build.balanced` instead.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from PIL import Image

from lmms_eval_tasks.build import balanced
from lmms_eval_tasks.build.balanced import Side
from lmms_eval_tasks.build.layout import Prompts, Row, write_about, write_split
from lmms_eval_tasks.build.pictures import Picture, Selection, Size, Usable, encode, load_picture
from lmms_eval_tasks.build.repository import split_file
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.threads import in_order
from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.transforms import TRANSFORMS, Transform, drawn, identical

FORMAT = 4  # raise when the same recipe would give other files
# Distance of two originals by the classical encoder. Of the embedded photographs, no two are nearer
# than 0.40; a copy at 95% of the size is at 0.02 or less, the same scene taken again, a step aside,
# mostly between 0.05 and 0.25.
SAME_SCENE = 0.3
_ATTEMPTS = 16


@dataclass(frozen=True)
class Settings:
    """The settings with which a data set is built from pictures.

    Attributes:
        name: of the config.
        transforms: the transformations, one split each, by name.
        seed: of the parameters and of the irrelevant pictures.
        size: pixels that the longer side may have, or the width and height of all pictures, copies
            included; None keeps the size.
        lossless: whether JPEG files are stored without loss, too.
        licence: of the pictures, for the card; None if unsaid.
        balanced: whether pairs are those of `build.balanced`; all pictures then have one size.
    """

    name: str
    transforms: Mapping[str, Transform] = field(default_factory=lambda: dict(TRANSFORMS))
    seed: int = 0
    size: Size = None
    lossless: bool = False
    licence: str | None = None
    balanced: bool = False

    @property
    def about(self) -> str:
        """Return a README section on the ranges of the transformations and on the licence."""
        ranges = "\n".join(
            f"- {name}: {json.dumps(asdict(transform))}"  # type: ignore[call-overload]
            for name, transform in self.transforms.items()
        )
        licence = self.licence or "not stated by the person who built the data"
        return (
            f"Parameters are drawn for each picture, with seed {self.seed}, uniformly from these "
            "ranges (`pairbench_ext.synthetic.transforms`); the paper prints no ranges."
            f"\n\n{ranges}\n\n"
            f"Licence of the pictures: {licence}. Changed versions are derived from them."
        )


def build_images(selection: Selection, out: Path, settings: Settings, prompts: Prompts) -> None:
    """Build a data set with one config, which has one split for each transformation.

    The number of threads does not change the result.
    """
    write_splits(out, selection.used, settings)
    splits, text = {settings.name: list(settings.transforms)}, _card(selection, settings)
    write_about(out, settings.name, text, splits, [prompts], settings.licence, selection.skipped)


def write_splits(out: Path, used: Sequence[Usable], settings: Settings) -> None:
    """Write one split for each transformation, from two or more pictures."""
    for split in settings.transforms:
        make = partial(_row, used, settings, split)
        if settings.balanced:
            others = balanced.irrelevant_pictures(used, SAME_SCENE, settings.seed, split)
            assigned = balanced.assign(others, settings.seed, split)
            make = partial(_balanced_row, used, settings, split, assigned)
        work = (partial(make, place) for place in range(len(used)))
        built = in_order(work, threads=os.cpu_count())
        rows = tracked(built, f"making pictures of {split}", len(used))
        write_split(out / split_file(settings.name, split), rows)


def _row(used: Sequence[Usable], settings: Settings, split: str, place: int) -> Row:
    """Return a row; `params` has the parameters of `img3` and `img4` and the name of `img4`."""
    picture, other = used[place], used[_other(used, place, split, settings.seed)]
    changed, params = transformed(picture, settings, split)
    unlike, unlike_params = transformed(other, settings, split)
    shown = {"name": other.name, "params": unlike_params}
    return {
        "name": picture.name,
        "img1": original(picture, settings),
        "img2": copy(picture, settings),
        "img3": changed,
        "img4": unlike,
        "params": json.dumps({"transform": split, "img3": params, "img4": shown}, sort_keys=True),
    }


def _balanced_row(
    used: Sequence[Usable],
    settings: Settings,
    split: str,
    assigned: Sequence[Sequence[tuple[Side, Side]]],
    place: int,
) -> Row:
    """Return a row; `params` is JSON: the row's parameters, and what each of 8 columns shows."""
    pairs, name = assigned[place], used[place].name
    transform, size = settings.transforms[split], settings.size
    assert isinstance(size, tuple)
    params = drawn(transform, size, settings.seed, name)
    cells: dict[str, bytes] = {}
    for columns, pair in zip(balanced.PAIRS, pairs, strict=True):
        for column, side in zip(columns, pair, strict=True):
            picture = _load(used[side.picture].source, size)
            image = _enlarged_copy(picture.image) if side.copied else picture.image
            image = transform.apply(image, params) if side.changed else image
            cells[column] = _encoded(image, picture, settings)
    names = [usable.name for usable in used]
    record = {"transform": split, "params": params, **balanced.described(pairs, names)}
    return {"name": name, **cells, "params": json.dumps(record, sort_keys=True)}


def _enlarged_copy(image: Image.Image) -> Image.Image:
    """Return a picture that was reduced to 95% and enlarged again."""
    return identical(image).resize(image.size, Image.Resampling.BICUBIC)


def original(usable: Usable, settings: Settings) -> bytes:
    """Return an unchanged picture as the bytes of an image file."""
    picture = _load(usable.source, settings.size)
    return _encoded(picture.image, picture, settings)


def copy(usable: Usable, settings: Settings) -> bytes:
    """Return a copy of a picture, reduced to 95%, as the bytes of an image file.

    If all pictures have one size, the copy is enlarged again.
    """
    picture = _load(usable.source, settings.size)
    one_size = isinstance(settings.size, tuple)
    image = _enlarged_copy(picture.image) if one_size else identical(picture.image)
    return _encoded(image, picture, settings)


def transformed(usable: Usable, settings: Settings, split: str) -> tuple[bytes, Mapping[str, Any]]:
    """Return a transformed picture as the bytes of an image file, and its parameters."""
    picture, transform = _load(usable.source, settings.size), settings.transforms[split]
    params = drawn(transform, picture.image.size, settings.seed, usable.name)
    return _encoded(transform.apply(picture.image, params), picture, settings), params


def _encoded(image: Image.Image, made_of: Picture, settings: Settings) -> bytes:
    return encode(image, lossy=made_of.lossy and not settings.lossless)


_load = lru_cache(maxsize=16)(load_picture)


def irrelevant_index(
    index: int, names: Sequence[str], split: str, seed: int, attempt: int = 0
) -> int:
    """Draw, by seed, a picture other than `index` for the irrelevant pair; return its index."""
    again = (attempt,) if attempt else ()
    other = seeds.draw(len(names) - 1, seed, "irrelevant", split, names[index], *again)
    return other if other < index else other + 1


def _other(used: Sequence[Usable], index: int, split: str, seed: int) -> int:
    """Return the first drawn picture of another scene; without one, the most dissimilar picture.

    Raises:
        SourceError: if all others are crops of the same photograph.
    """
    names = [picture.name for picture in used]
    drawn = (irrelevant_index(index, names, split, seed, n) for n in range(_ATTEMPTS))
    rest = (other for other in range(len(used)) if other != index)
    distances: dict[int, float] = {}
    for other in dict.fromkeys(chain(drawn, rest)):
        if used[index].shares_photograph(used[other]):
            continue
        distances[other] = 1 - float(used[index].vector @ used[other].vector)
        if distances[other] >= SAME_SCENE:
            return other
    if not distances:
        raise SourceError(
            f"{names[index]!r} overlaps every other picture, like crops of one photograph, so it "
            "cannot be in an irrelevant pair: add pictures of other scenes"
        )
    return max(distances, key=lambda other: distances[other])


_COLUMNS = """\
Each row has the original (`img1`), an identical copy at 95% of its size (`img2`), a transformed
version of the original (`img3`), and another picture with the same transformation (`img4`). The
split names the transformation. `params` has its parameters for `img3` and `img4`, and the name of
the picture in `img4`."""
_BALANCED_COLUMNS = """\
Each row has four pairs: identical (`img1`, `img2`), transformed (`img3`, `img4`), irrelevant for
the sensitive condition (`img5`, `img6`), irrelevant for the invariant condition (`img7`, `img8`).
In every block of four rows, the first picture of a pair is transformed as often as the second. It
is also shrunk to 95% and enlarged again as often as the second. So a judge that only looks for
traces of the transformation in each picture alone gets an MMScore of 0.
`params` says what each column shows. Do not average these numbers with those of PairBench's own
pairs."""


def _card(selection: Selection, settings: Settings) -> str:
    return (
        f"Pairs of pictures in the layout of PairBench: {len(selection.used):,} pictures, "
        f"{len(settings.transforms)} transformations.\n\n"
        f"{_BALANCED_COLUMNS if settings.balanced else _COLUMNS}\n\n"
        "    PAIRBENCH_DATA=/path/to/this/folder lmms-eval --model ... --tasks "
        f"pairbench_{settings.name}\n\n{settings.about}"
    )
