"""A judge that needs no download: cosine similarity of image embeddings (Appendix C.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lmms_eval.api.model import lmms

from pairbench_ext.encoders.cache import EmbeddingCache, applicable
from pairbench_ext.encoders.load import load_encoder
from pairbench_ext.encoders.similarity import similarity_score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import torch
    from lmms_eval.api.instance import Instance
    from PIL import Image

DEFAULT_BATCH_SIZE = 16
_ARGUMENTS = ("encoder", "device", "batch_size", "k", "seed")


class _Trial(NamedTuple):
    """One request: the images that it shows and what the judge has to be invariant to."""

    images: list[Image.Image]
    condition: str
    features: tuple[str, ...]


class PairEncoder(lmms):
    """Scores a pair of images by the cosine similarity of their embeddings.

    In the sensitive condition an image is represented by its embedding; in the invariant one by the
    average embedding of `k` versions to which the condition's transformations are applied in random
    amounts. The cosine is scaled to 1-10 and rounded, and the answer reads `Score: ... Reason: ...`
    like that of any other judge.

    A document says what it wants in `condition` ("sens" or "inv") and `features` (names of
    transformations, or "spatial", which cannot be applied to an image). Documents without them, of
    other tasks, are compared as they are. Anything but two images gets an answer without a score.
    """

    is_simple = True

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
        super().__init__()
        del max_batch_size
        if unknown:
            raise ValueError(
                f"pair_encoder has no argument {', '.join(map(repr, unknown))}: "
                f"it takes {', '.join(_ARGUMENTS)}"
            )
        from accelerate import Accelerator

        self.accelerator = Accelerator()
        self._rank = self.accelerator.process_index
        self._world_size = self.accelerator.num_processes
        self._batch_size = _parse_batch_size(batch_size)
        self.encoder = load_encoder(str(encoder), self._encoder_device(device), self._batch_size)
        self._cache = EmbeddingCache(
            self.encoder, self._batch_size, _parse_integer("k", k), _parse_integer("seed", seed)
        )

    @property
    def device(self) -> torch.device:
        """Where the harness gathers the ranks' results; the encoder may be elsewhere."""
        device: torch.device = self.accelerator.device
        return device

    @property
    def batch_size(self) -> int:
        """How many images are embedded at once."""
        return self._batch_size

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """One answer per request, in their order: a score and a reason, or why there is none."""
        from tqdm import tqdm

        answers: list[str] = []
        bar = tqdm(total=len(requests), desc="Model Responding", disable=self.rank != 0)
        for chunk in _chunks(requests, self._batch_size):
            replies = self._compare([self._trial(request) for request in chunk])
            for request, reply in zip(chunk, replies, strict=True):
                self.cache_hook.add_partial("generate_until", request.args[:2], reply)
            answers.extend(replies)
            bar.update(len(chunk))
        bar.close()
        return answers

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Not available: an encoder has no language."""
        raise NotImplementedError(
            "pair_encoder compares two images; it gives no likelihood of text"
        )

    def generate_until_multi_round(self, requests: Sequence[Instance]) -> list[str]:
        """Not available: an encoder has no language."""
        raise NotImplementedError("pair_encoder compares two images; it holds no conversation")

    def _trial(self, request: Instance) -> _Trial:
        _, _, doc_to_visual, doc_id, task, split = request.args
        doc: Mapping[str, Any] = self.task_dict[task][split][doc_id]
        images = [image.convert("RGB") for image in _pictures(doc_to_visual(doc))]
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
            else f"This judge compares two images; it was shown {len(trial.images)}."
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


def _pictures(visuals: Any) -> list[Image.Image]:
    """What `doc_to_visual` returned, without what is not a picture."""
    from PIL import Image

    shown = visuals if isinstance(visuals, (list, tuple)) else [visuals]
    return [visual for visual in shown if isinstance(visual, Image.Image)]


def _parse_batch_size(value: int | str) -> int:
    """A batch size from what the harness passes: a number, or "auto", possibly as text."""
    if str(value).startswith("auto"):
        return DEFAULT_BATCH_SIZE
    size = _parse_integer("batch_size", value)
    return DEFAULT_BATCH_SIZE if size == 1 else size


def _parse_integer(name: str, value: int | str) -> int:
    try:
        return int(value)
    except ValueError as error:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from error


def _chunks(requests: Sequence[Instance], size: int) -> Iterator[Sequence[Instance]]:
    for start in range(0, len(requests), size):
        yield requests[start : start + size]
