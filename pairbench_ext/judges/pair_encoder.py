"""A judge that rates two images by the cosine of their embeddings (Appendix C.5)."""

from __future__ import annotations

import hashlib
import math
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pairbench_ext.core.threads import in_order
from pairbench_ext.judges.encoders import load_encoder, unit_rows
from pairbench_ext.judges.local_judge import CannotAnswer, LocalJudge
from pairbench_ext.synthetic.transforms import TRANSFORMS, transform

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lmms_eval.api.instance import Instance
    from numpy.typing import NDArray
    from PIL import Image

    from pairbench_ext.judges.encoders import Encoder

# Changes of what the picture shows: no augmentation of an image can undo them.
NOT_APPLICABLE = frozenset({"spatial"})

Features = tuple[str, ...]
Key = tuple[str, Features]


def pixel_digest(image: Image.Image) -> str:
    """Return a digest (hash) of an image's size and pixels; equal RGB images have equal digests.

    Unlike `contents.image_digest` it decides which random changes an image gets: other digests
    would mean other results.
    """
    header = f"{image.mode} {image.width}x{image.height} ".encode()
    return hashlib.blake2b(header + image.tobytes(), digest_size=16).hexdigest()


def applicable(features: Iterable[str]) -> Features:
    """Return the features that an encoder can be made to ignore, sorted, without duplicates.

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


def similarity_score(cosine: float) -> int:
    """Return a rating of two images, from 1 to 10, given the cosine of their embeddings.

    The paper scales the cosine to 1-10 and rounds to the nearest integer, without saying what it
    does below zero. Here 0 (unrelated) maps to 1 and 1 (same direction) to 10, linearly; a negative
    cosine counts as unrelated. Halves round up.

    >>> [similarity_score(cosine) for cosine in (-0.3, 0.0, 0.5, 0.9, 1.0)]
    [1, 1, 6, 9, 10]
    """
    return math.floor(1 + 9 * min(max(cosine, 0.0), 1.0) + 0.5)


class _Trial(NamedTuple):
    """One request: the images that it shows and what the judge has to be invariant to."""

    images: list[Image.Image]
    condition: str
    features: tuple[str, ...]


class PairEncoder(LocalJudge):
    """A judge that rates two images by the cosine similarity of their embeddings.

    In the sensitive condition an image is represented by its embedding; in the invariant one by the
    average embedding of `k` versions to which the condition's transformations are applied in random
    amounts. The cosine is scaled to 1-10 and rounded, and the answer reads `Score: ... Reason: ...`
    like that of any other judge.

    A document says what it wants in `condition` ("sens" or "inv") and `features` (names of
    transformations, or "spatial", which cannot be applied to an image). Documents without them, of
    other tasks, are compared as they are. Anything but two images gets an answer without a score.
    """

    NAME = "pair_encoder"

    def __init__(
        self,
        encoder: str = "classical",
        device: str | None = None,
        k: int | str = 5,
        seed: int | str = 0,
        **harness: Any,
    ) -> None:
        """Load the encoder that embeds the images.

        Args:
            encoder: "classical" (scikit-image features), or the name or folder of a transformers
                vision encoder.
            device: torch device of a pretrained encoder; None takes this rank's GPU, if any.
            k: versions per invariant embedding.
            seed: of the random amounts.
            harness: arguments of `LocalJudge`.

        Raises:
            ValueError: for an encoder that cannot be loaded.
        """
        super().__init__(**harness)
        self.encoder = load_encoder(str(encoder), self._encoder_device(device), self._batch_size)
        self._cache = EmbeddingCache(self.encoder, self._batch_size, int(k), int(seed))

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """Return one reply per request: a score and a reason, or why there is no score."""
        return self._compare([self._trial(request) for request in requests])

    def _trial(self, request: Instance) -> _Trial:
        doc, images = self.document(request)
        condition = str(doc.get("condition", "sens"))
        features = applicable(doc.get("features", ())) if condition == "inv" else ()
        return _Trial(images, condition, features)

    def _compare(self, trials: Sequence[_Trial]) -> list[str]:
        """Return answers to a chunk of trials; images not seen before are embedded in batches."""
        pairs = [trial for trial in trials if len(trial.images) == 2]
        images = [image for trial in pairs for image in trial.images]
        features = [trial.features for trial in pairs for _ in trial.images]
        rows = self._cache.embed(images, features) if images else np.empty((0, 0), np.float32)
        cosines = iter(np.einsum("nd,nd->n", rows[::2], rows[1::2], dtype=np.float64).tolist())
        return [
            self._answer(trial, next(cosines))
            if len(trial.images) == 2
            else CannotAnswer(f"This judge compares two images; it was shown {len(trial.images)}.")
            for trial in trials
        ]

    def _answer(self, trial: _Trial, cosine: float) -> str:
        # Neural encoders differ in the last bits between batches: rounding keeps them out.
        cosine = round(cosine, 4)
        versions = (
            f"averaged over {self._cache.k} versions of each image that differ in "
            f"{', '.join(trial.features)}"
            if trial.features
            else "plain embeddings"
        )
        return (
            f"Score: {similarity_score(cosine)}\n"
            f"Reason: The cosine similarity of the two images is {cosine:.3f} "
            f"({self.encoder.name} encoder, condition {trial.condition}, {versions})."
        )

    def _encoder_device(self, device: str | None) -> str | None:
        """This rank's own GPU, unless a device was chosen exactly."""
        if device in (None, "cuda") and self.accelerator.device.type == "cuda":
            return str(self.accelerator.device)
        return device


class EmbeddingCache:
    """A cache of image embeddings, keyed by image and by the features that an embedding ignores.

    The purpose is a set of features to be invariant to. Empty: the encoder's own embedding.
    Otherwise: the average of the embeddings of `k` versions of the image to which all the features
    are applied in random amounts, scaled to unit norm (Appendix C.5, k = 5). The amounts are
    determined by `seed` and the image's own pixels, so results do not depend on the order of calls.
    The next batch's versions are made in threads while the encoder works.
    """

    def __init__(self, encoder: Encoder, batch_size: int = 16, k: int = 5, seed: int = 0) -> None:
        """Begin with an empty cache.

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
        """Return the images' unit embeddings, shape (n, d); embedding i ignores `features[i]`.

        Raises:
            ValueError: if there is no image, the lengths differ, or a feature is unknown.
        """
        if not images:
            raise ValueError("no image was given to embed; give at least one")
        keys: list[Key] = [
            (pixel_digest(image), applicable(names))
            for image, names in zip(images, features, strict=True)
        ]
        missing = {k: image for k, image in zip(keys, images, strict=True) if k not in self._rows}
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
