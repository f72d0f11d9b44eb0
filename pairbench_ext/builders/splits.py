"""One split of PairBench from images (Section 2.1, Appendix D.1).

Every image becomes a row: `img1` the original, `img2` an identical copy at 95% of its size, `img3`
the image under the split's transformation, `img4` another image under the same transformation.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from pairbench_ext import seeds
from pairbench_ext.transforms import Params, get_transform, identical, parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    import datasets
    from PIL import Image

NamedImage = tuple[str, "Image.Image"]

IMAGE_COLUMNS = ("img1", "img2", "img3", "img4")


def irrelevant_index(index: int, names: Sequence[str], split: str, seed: int) -> int:
    """Position of the image that is irrelevant to the one at `index`: any other, drawn by `seed`.

    Raises:
        ValueError: if there is no other image.
    """
    other = seeds.draw(len(names) - 1, seed, "irrelevant", split, names[index])
    return other if other < index else other + 1


def build_split(images: Sequence[NamedImage], split: str, seed: int = 0) -> datasets.Dataset:
    """One split: a row per image, under the transformation that `split` names.

    The irrelevant image of a row is another row's transformed image. Images are stored as PNG, so
    the same arguments and library versions give the same bytes.

    Args:
        images: names (unique, they key the randomness) and RGB images.
        split: a key of `TRANSFORMS`.
        seed: of the parameters and of the irrelevant images.

    Returns:
        Columns `img1` to `img4` (`datasets.Image`), `name`, and `params`: JSON with the parameters
        of `img3` and `img4` and the name of the image that `img4` shows.

    Raises:
        ValueError: for an unknown split, fewer than two images, a repeated name or an image that is
            not RGB.
    """
    import datasets

    transformation = get_transform(split)
    names = _checked_names(images)
    drawn = [parameters(split, image.size, seed, name) for name, image in images]
    changed = [
        _png(transformation.apply(image, params))
        for (_, image), params in zip(images, drawn, strict=True)
    ]
    others = [irrelevant_index(index, names, split, seed) for index in range(len(names))]
    columns: dict[str, list[Any]] = {
        "name": names,
        "img1": [_png(image) for _, image in images],
        "img2": [_png(identical(image)) for _, image in images],
        "img3": changed,
        "img4": [changed[other] for other in others],
        "params": [
            _record(split, params, names[other], drawn[other])
            for params, other in zip(drawn, others, strict=True)
        ],
    }
    text = datasets.Value("string")
    types = {name: datasets.Image() if name in IMAGE_COLUMNS else text for name in columns}
    return datasets.Dataset.from_dict(columns, features=datasets.Features(types))


def _checked_names(images: Sequence[NamedImage]) -> list[str]:
    names = [name for name, _ in images]
    if len(names) < 2:
        raise ValueError(f"irrelevant pairs need at least 2 images, found {len(names)}")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"image names must be unique: {twice[0]!r} is used more than once")
    for name, image in images:
        if image.mode != "RGB":
            raise ValueError(f"image {name!r} is not RGB but {image.mode!r}: convert it first")
    return names


def _record(split: str, params: Params, other: str, other_params: Params) -> str:
    irrelevant = {"name": other, "params": other_params}
    return json.dumps({"transform": split, "img3": params, "img4": irrelevant}, sort_keys=True)


def _png(image: Image.Image) -> dict[str, Any]:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return {"bytes": buffer.getvalue(), "path": None}
