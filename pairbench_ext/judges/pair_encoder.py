"""A judge that needs no download: cosine similarity of image embeddings (Appendix C.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pairbench_ext.judges.encoders.cache import EmbeddingCache, applicable
from pairbench_ext.judges.encoders.load import load_encoder
from pairbench_ext.judges.encoders.similarity import similarity_score
from pairbench_ext.judges.local_judge import (
    DEFAULT_BATCH_SIZE,
    CannotAnswer,
    LocalJudge,
    parse_number,
    pictures,
    refuse_unknown,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lmms_eval.api.instance import Instance
    from PIL import Image

_ARGUMENTS = ("encoder", "device", "batch_size", "k", "seed")


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
        batch_size: int | str = DEFAULT_BATCH_SIZE,
        k: int | str = 5,
        seed: int | str = 0,
        max_batch_size: int | None = None,
        **unknown: object,
    ) -> None:
        """Load the encoder.

        Args:
            encoder: "classical" (scikit-image features), or the name or folder of a transformers
                vision encoder.
            device: torch device of a pretrained encoder; None takes this rank's GPU, if any.
            batch_size: images embedded at once. 1, which the harness passes when nothing was
                chosen, and "auto" mean 16: the batch does not change the results.
            k: versions per invariant embedding.
            seed: of the random amounts.
            max_batch_size: passed by the harness; not needed.
            unknown: rejected.

        Raises:
            ValueError: for an argument that does not exist or an encoder that cannot be loaded.
        """
        super().__init__(batch_size)
        del max_batch_size
        refuse_unknown(self.NAME, unknown, _ARGUMENTS)
        self.encoder = load_encoder(str(encoder), self._encoder_device(device), self._batch_size)
        self._cache = EmbeddingCache(
            self.encoder,
            self._batch_size,
            parse_number("k", k, int),
            parse_number("seed", seed, int),
        )

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """One answer per request: a score and a reason, or why there is none."""
        return self._compare([self._trial(request) for request in requests])

    def _trial(self, request: Instance) -> _Trial:
        _, _, doc_to_visual, doc_id, task, split = request.args
        doc: Mapping[str, Any] = self.task_dict[task][split][doc_id]
        images = [image.convert("RGB") for image in pictures(doc_to_visual(doc))]
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
