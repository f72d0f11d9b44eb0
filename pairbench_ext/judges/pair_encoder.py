"""A judge that needs no download: cosine similarity of image embeddings (Appendix C.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pairbench_ext.judges.encoders.base import load_encoder
from pairbench_ext.judges.encoders.cache import EmbeddingCache, applicable
from pairbench_ext.judges.local_judge import CannotAnswer, LocalJudge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lmms_eval.api.instance import Instance
    from PIL import Image


def similarity_score(cosine: float) -> int:
    """The rating, 1 to 10, that an encoder gives to a pair of images with this cosine similarity.

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
    """Scores a pair of images by the cosine similarity of their embeddings.

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
        """Load the encoder.

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
        """One answer per request: a score and a reason, or why there is none."""
        return self._compare([self._trial(request) for request in requests])

    def _trial(self, request: Instance) -> _Trial:
        doc, images = self.document(request)
        condition = str(doc.get("condition", "sens"))
        features = applicable(doc.get("features", ())) if condition == "inv" else ()
        return _Trial(images, condition, features)

    def _compare(self, trials: Sequence[_Trial]) -> list[str]:
        """Answers to a chunk of trials; images not seen before are embedded in batches."""
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
            f"averaged over {self._cache.k} versions under {', '.join(trial.features)}"
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
