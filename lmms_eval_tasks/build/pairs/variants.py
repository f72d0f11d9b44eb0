"""What a build makes of one source picture: its copies, their parameters, their embeddings."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lmms_eval_tasks.build.pairs.pictures import Picture, UnusableError, load_picture
from lmms_eval_tasks.build.pairs.usable import Usable
from pairbench_ext.core.contents import image_digest
from pairbench_ext.core.sources import SourceError
from pairbench_ext.judges.encoders.classical import ClassicalEncoder
from pairbench_ext.synthetic.transforms import Params, Transform, drawn, identical

if TYPE_CHECKING:
    from PIL import Image

ORIGINAL, IDENTICAL = "original", "identical"
_VECTOR = np.dtype("<f4")
_JPEG_SIDE, _WEBP_SIDE = 65_500, 16_383  # what the formats can hold


@dataclass(frozen=True)
class Variants:
    """Makes the items of a picture, as a `Gallery` keeps them.

    Items are the images `original`, `identical`, and one for each transformation under its name;
    the embedding of each of them (`vector_of`); and the parameters of each transformation as JSON
    (`params_of`).

    Attributes:
        transforms: the transformations, by name.
        seed: of their parameters.
        size: pixels that the longer side may have; None keeps the size.
        lossless: store changed versions of JPEG files without loss, too.
        embedded: whether to make the embeddings.
    """

    transforms: Mapping[str, Transform]
    seed: int = 0
    size: int | None = None
    lossless: bool = False
    embedded: bool = True

    def __call__(self, usable: Usable) -> dict[str, bytes]:
        """The items of one picture, the same bytes in every process.

        Raises:
            SourceError: if the picture is no longer what it was when it was chosen.
        """
        picture = self._load(usable)
        lossy = picture.lossy and not self.lossless
        params = {
            name: drawn(transform, picture.image.size, self.seed, usable.name)
            for name, transform in self.transforms.items()
        }
        items = {params_of(name): json.dumps(values).encode() for name, values in params.items()}
        with _one_thread():
            for name, image in self._versions(picture.image, params):  # held one at a time
                is_original = name == ORIGINAL
                items[name] = (picture.original if is_original else None) or encode(
                    image, lossy=lossy and not is_original, profile=picture.profile
                )
                if self.embedded:
                    items[vector_of(name)] = _vector(image)
        return items

    def _versions(
        self, image: Image.Image, params: Mapping[str, Params]
    ) -> Iterator[tuple[str, Image.Image]]:
        yield ORIGINAL, image
        yield IDENTICAL, identical(image)
        for name, transform in self.transforms.items():
            yield name, transform.apply(image, params[name])

    def _load(self, usable: Usable) -> Picture:
        try:
            picture = load_picture(usable.source, self.size)
        except UnusableError as error:
            raise SourceError(
                f"{usable.name} was usable and is now {error}: build again"
            ) from error
        if image_digest(picture.image).hex() != usable.digest:
            raise SourceError(f"{usable.name} was changed while it was used: build again")
        return picture


def params_of(name: str) -> str:
    """The item with the parameters of a transformation, as JSON."""
    return f"{name}.params"


def vector_of(name: str) -> str:
    """The item with the embedding of an image by the classical encoder."""
    return f"{name}.vector"


def cosine(one: bytes, other: bytes) -> float:
    """Cosine similarity of two embeddings, as they are kept."""
    first, second = (np.frombuffer(vector, _VECTOR).astype(np.float64) for vector in (one, other))
    return float(first @ second)


def encode(image: Image.Image, *, lossy: bool = False, profile: bytes | None = None) -> bytes:
    """An RGB image as a file.

    Args:
        image: what to store.
        lossy: as JPEG of high quality with full colour resolution; else as lossless WebP, which is
            smaller than PNG and faster made. What is too large for these is a PNG.
        profile: colour profile (ICC) of its values.
    """
    buffer = io.BytesIO()
    if lossy and max(image.size) <= _JPEG_SIDE:
        image.save(buffer, "JPEG", quality=95, subsampling=0, icc_profile=profile)
    elif max(image.size) <= _WEBP_SIDE:
        image.save(buffer, "WEBP", lossless=True, method=0, quality=0, icc_profile=profile)
    else:
        image.save(buffer, "PNG", compress_level=1, icc_profile=profile)
    return buffer.getvalue()


def _vector(image: Image.Image) -> bytes:
    vector: bytes = ClassicalEncoder().embed([image]).astype(_VECTOR).tobytes()
    return vector


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep torch to one thread: sums must not depend on how many there are."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
