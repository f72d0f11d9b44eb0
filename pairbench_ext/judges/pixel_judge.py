"""A judge of synthetic images that needs no download and reads no prompt: it measures pixels.

What a model that looks and understands has to beat. It knows whether an image differs from what it
was made from, whether its edges are in the same places, and whether it is blurred or noisy.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from pairbench_ext.core.extras import require
from pairbench_ext.judges.local_judge import CannotAnswer, LocalJudge, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lmms_eval.api.instance import Instance
    from numpy.typing import NDArray
    from PIL import Image

_SIDE = 128  # pixels of the square that images are compared on
_CHANGED = 0.01  # mean difference of two images, of 1, from which on they are not the same
_NOISE = 0.05  # standard deviation of noise, of 1, at which nothing is left to rate
_SHARP, _BLURRED = 0.35, 0.75  # of `skimage.measure.blur_effect`
_LINES = 3  # of a side, of which `blur_effect` takes none into account


class PixelJudge(LocalJudge):
    """Rates images in the format of VIEScore, by rules.

    SC: the first sub-score is 10 if anything has changed at all, else 0; the others are how far the
    edges agree with those of what the image was made from (of several images, the least). PQ:
    naturalness is sharpness (`skimage.measure.blur_effect`), artifacts is the noise (Immerkaer's
    estimate). Where SC shows the synthetic image alone there is no score: only the prompt would say
    what is asked.
    """

    NAME = "pixel_judge"

    def __init__(
        self,
        batch_size: int | str = 1,
        device: str | None = None,
        max_batch_size: int | None = None,
        **unknown: object,
    ) -> None:
        """Take the harness's arguments.

        Args:
            batch_size: passed by the harness.
            device: passed by the harness; not needed.
            max_batch_size: passed by the harness; not needed.
            unknown: rejected.

        Raises:
            ValueError: for an argument that does not exist.
            MissingPackageError: if scikit-image is not installed.
        """
        require("skimage", f"the judge {self.NAME}")
        super().__init__(batch_size)
        del device, max_batch_size
        refuse_unknown(self.NAME, unknown, ("batch_size",))

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """One rating per request."""
        return [self._rate(request) for request in requests]

    def _rate(self, request: Instance) -> str:
        _, _, doc_to_visual, doc_id, task, split = request.args
        doc: Mapping[str, Any] = self.task_dict[task][split][doc_id]
        images = [image.convert("RGB") for image in doc_to_visual(doc)]
        if doc.get("aspect") == "PQ":
            return _answer(*_quality(images[-1]))
        if len(images) < 2:
            return CannotAnswer(
                "This judge reads no prompt, and there is no other image to compare with."
            )
        return _answer(*_consistency(images[:-1], images[-1], int(doc.get("n", 2))))


def _answer(scores: Sequence[float], reasoning: str) -> str:
    rounded = [round(min(max(score, 0), 1) * 10) for score in scores]
    return json.dumps({"score": rounded, "reasoning": reasoning})


def _consistency(
    conditions: Sequence[Image.Image], image: Image.Image, n: int
) -> tuple[list[float], str]:
    pixels = _pixels(image)
    difference = min(float(np.abs(_pixels(one) - pixels).mean()) for one in conditions)
    agreement = min(_edge_agreement(_pixels(one), pixels) for one in conditions)
    changed = 1.0 if difference > _CHANGED else 0.0
    reasoning = f"Difference {difference:.3f}; edges agree {agreement:.2f}."
    return [changed, *[agreement] * (n - 1)], reasoning


def _quality(image: Image.Image) -> tuple[list[float], str]:
    from skimage.measure import blur_effect

    grey = np.asarray(image.convert("L"), dtype=np.float64) / 255
    # Of so few lines `blur_effect` looks at none, and is undefined.
    blur = float(blur_effect(grey)) if min(grey.shape) > _LINES else 1.0
    noise = _noise(grey)
    sharpness = (_BLURRED - blur) / (_BLURRED - _SHARP)
    return [sharpness, 1 - noise / _NOISE], f"Blur {blur:.2f}; noise {noise:.3f}."


def _pixels(image: Image.Image) -> NDArray[np.float64]:
    return np.asarray(image.convert("L").resize((_SIDE, _SIDE)), dtype=np.float64) / 255


def _edge_agreement(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Correlation of where the edges are, from 0 (elsewhere) to 1 (the same places)."""
    from scipy.ndimage import gaussian_filter, gaussian_gradient_magnitude

    maps = [
        np.sqrt(gaussian_filter(gaussian_gradient_magnitude(image, 1), 2)) for image in (one, other)
    ]
    flat = [one - one.mean() for one in maps]
    scale = float(np.sqrt((flat[0] ** 2).sum() * (flat[1] ** 2).sum()))
    return max(0.0, float((flat[0] * flat[1]).sum()) / scale) if scale > 0 else 0.0


def _noise(grey: NDArray[np.float64]) -> float:
    """Standard deviation of the noise (Immerkaer, Fast noise variance estimation, 1996)."""
    from scipy.ndimage import convolve

    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float64)
    return float(np.abs(convolve(grey, mask)).mean() * np.sqrt(np.pi / 2) / 6)
