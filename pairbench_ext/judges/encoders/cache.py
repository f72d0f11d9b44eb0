"""Plain and transformation-invariant embeddings, each computed once (Appendix C.5)."""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from pairbench_ext.core.threads import in_order
from pairbench_ext.judges.encoders.base import unit_rows
from pairbench_ext.synthetic.transforms import TRANSFORMS, transform

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from PIL import Image

    from pairbench_ext.judges.encoders.base import Encoder

# Changes of what the picture shows: no augmentation of an image can undo them.
NOT_APPLICABLE = frozenset({"spatial"})

Features = tuple[str, ...]
Key = tuple[str, Features]


def pixel_digest(image: Image.Image) -> str:
    """Digest of an image's size and pixels, equal for equal RGB images.

    Unlike `contents.image_digest` it decides which random changes an image gets: other digests
    would mean other results.
    """
    header = f"{image.mode} {image.width}x{image.height} ".encode()
    return hashlib.blake2b(header + image.tobytes(), digest_size=16).hexdigest()


def applicable(features: Iterable[str]) -> Features:
    """The features that can be applied to an image, sorted, each once.

    Spatial position cannot (Appendix C.5), so being invariant to it means the plain embedding.

    Raises:
        ValueError: for a feature that is neither a transformation nor spatial position.

    >>> applicable(["spatial", "rotate"])
    ('rotate',)
    """
    names = sorted(set(features) - NOT_APPLICABLE)
    if unknown := set(names) - set(TRANSFORMS):
        raise ValueError(f"unknown features {sorted(unknown)}: choose from {list(TRANSFORMS)}")
    return tuple(names)


class EmbeddingCache:
    """Embeds images for a purpose and remembers the result.

    The purpose is a set of features to be invariant to. Empty: the encoder's own embedding.
    Otherwise: the average of the embeddings of `k` versions of the image to which all the features
    are applied in random amounts, scaled to unit norm (Appendix C.5, k = 5). The amounts are
    determined by `seed` and the image's own pixels, so results do not depend on the order of calls.
    The next batch's versions are made in threads while the encoder works.
    """

    def __init__(self, encoder: Encoder, batch_size: int = 16, k: int = 5, seed: int = 0) -> None:
        """An empty cache.

        Args:
            encoder: what embeds.
            batch_size: images or versions embedded at once; no more than twice as many are held.
            k: versions per invariant embedding.
            seed: of the random amounts.

        Raises:
            ValueError: if `batch_size` or `k` is below 1.
        """
        for name, value in (("batch_size", batch_size), ("k", k)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        self.encoder = encoder
        self.batch_size = batch_size
        self.k = k
        self.seed = seed
        self._rows: dict[Key, NDArray[np.float32]] = {}

    def embed(
        self, images: Sequence[Image.Image], features: Sequence[Iterable[str]]
    ) -> NDArray[np.float32]:
        """Embeddings of `images`, image i invariant to `features[i]`: unit rows, shape (n, d).

        Raises:
            ValueError: if there is no image, the lengths differ, or a feature is unknown.
        """
        if not images:
            raise ValueError("there is no image to embed")
        keys: list[Key] = [
            (pixel_digest(image), applicable(names))
            for image, names in zip(images, features, strict=True)
        ]
        missing = {
            key: image for key, image in zip(keys, images, strict=True) if key not in self._rows
        }
        self._fill(missing)
        return np.stack([self._rows[key] for key in keys])

    def _fill(self, missing: dict[Key, Image.Image]) -> None:
        """Embed all versions of the missing images, a batch at a time."""
        if not missing:
            return
        sums: dict[Key, NDArray[np.float64]] = {}
        work = (
            partial(self._version, key, image, index)
            for key, image in missing.items()
            for index in range(self.k if key[1] else 1)
        )
        versions = in_order(work, self.batch_size)
        while batch := list(islice(versions, self.batch_size)):
            rows = self.encoder.embed([version for _, version in batch])
            for (key, _), row in zip(batch, rows, strict=True):
                sums[key] = sums.get(key, 0) + row.astype(np.float64)
        for key, total in sums.items():
            self._rows[key] = unit_rows(total[None])[0]

    def _version(self, key: Key, image: Image.Image, index: int) -> tuple[Key, Image.Image]:
        digest, features = key
        for name in (name for name in TRANSFORMS if name in features):
            image = transform(name, image, self.seed, "invariant", digest, index)
        return key, image
