"""A judge that only measures pixels; it needs no model and no download.

What a model that looks and understands has to beat. Of an image and what it was made from, it knows
whether they differ, whether their edges are in the same places, and whether the image is blurred or
noisy. Of two drawings, it knows where their pixels differ and which colours are there.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL.Image import Resampling

from pairbench_ext.core.extras import require
from pairbench_ext.judges.choice_prompt import ChoicePrompt, read_prompt
from pairbench_ext.judges.local_judge import CannotAnswer, LocalJudge
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.synthetic.colours import to_bytes
from pairbench_ext.synthetic.palette import PALETTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lmms_eval.api.instance import Instance
    from numpy.typing import NDArray
    from PIL import Image

_SIDE = 128  # pixels of the square that images are compared on
_CHANGED = 0.01  # mean difference of two images, of 1, from which on they are not the same
_NOISE = 0.05  # standard deviation of noise, of 1, at which nothing is left to rate
_SHARP, _BLURRED = 0.35, 0.75  # of `skimage.measure.blur_effect`
_LINES = 3  # of a side, of which `blur_effect` takes none into account
_STEP = 8  # of 255: pixels that differ by less look alike
_PLACE = re.compile(r"at the (top|bottom) (left|right)")


class PixelJudge(LocalJudge):
    """A judge that measures pixels: it rates images for VIEScore, or says how two images differ.

    SC: the first sub-score is 10 if anything has changed at all, else 0; the others are how far the
    edges agree with those of what the image was made from (of several images, the least). PQ:
    naturalness is sharpness (`skimage.measure.blur_effect`), artifacts is the noise (Immerkaer's
    estimate). Where SC shows the synthetic image alone there is no score: only the prompt would say
    what is asked.

    Of several options, it chooses the one that names a colour or a place of the pixels that differ,
    or the image with more ink; it guesses among those that fit equally well. It sees drawings with
    `resolution` pixels across, so it misses small shapes and slight changes.
    """

    NAME = "pixel_judge"

    def __init__(self, resolution: int | str = 80, seed: int | str = 0, **harness: Any) -> None:
        """Take the arguments that lmms-eval passes to a model.

        Args:
            resolution: pixels across a drawing, when it chooses an option.
            seed: of guesses.
            harness: arguments of `LocalJudge`.

        Raises:
            MissingPackageError: if scikit-image is not installed.
        """
        require("skimage", f"the judge {self.NAME}")
        super().__init__(**harness)
        self.resolution = int(resolution)
        self.seed = int(seed)

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """Return one reply per request, in their order: a rating, or the chosen option."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Instance) -> str:
        doc, images = self.document(request)
        if doc.get("aspect") == "PQ":
            return _rating(*_quality(images[-1]))
        if len(images) < 2:
            return CannotAnswer("This judge compares two images, but only one was shown.")
        prompt = str(request.args[0])
        if choice := read_prompt(prompt):
            first, second = images[:2]
            size = (self.resolution, max(1, self.resolution * first.height // first.width))
            first, second = (image.resize(size, Resampling.BOX) for image in (first, second))
            best = _fitting(first, second, choice)
            position = best[draw(len(best), self.seed, self.NAME, prompt, request.doc_id)]
            return choice.answer(position, f"{len(best)} options fit the pixels that differ.")
        return _rating(*_consistency(images[:-1], images[-1], int(doc.get("n", 2))))


def _fitting(first: Image.Image, second: Image.Image, choice: ChoicePrompt) -> list[int]:
    """Return positions of the options that fit best what differs between two drawings on white."""
    before, after = (np.asarray(image, dtype=np.float64) for image in (first, second))
    rows, columns = np.nonzero(np.abs(before - after).max(axis=-1) > _STEP)
    # White is where a shape has gone or has not come yet: its colour is in the darker image.
    drawn = np.minimum(before, after)[rows, columns]
    inks = np.array([(255, 255, 255), *(to_bytes(lab) for lab in PALETTE.values())])
    nearest = np.linalg.norm(drawn[:, None] - inks, axis=-1).argmin(axis=1)
    shares = np.bincount(nearest, minlength=len(inks))[1:] / max(len(rows), 1)
    seen: dict[str, float] = dict(zip(PALETTE, shares.tolist(), strict=True))
    height, width = before.shape[:2]
    places = {
        "top": rows < height / 2, "bottom": rows >= height / 2,
        "left": columns < width / 2, "right": columns >= width / 2,
    }  # fmt: skip
    fuller = "first image" if before.mean() < after.mean() else "second image"

    def fit(option: str) -> float:
        if place := _PLACE.search(option):
            return float((places[place[1]] & places[place[2]]).sum())
        if option in ("first image", "second image"):
            return float((option == fuller) != ("fewer" in choice.question))
        return sum(seen.get(word, 0.0) for word in re.findall("[a-z]+", option))

    fits = [fit(option) for option in choice.options]
    return [position for position, value in enumerate(fits) if value == max(fits)]


def _rating(scores: Sequence[float], reasoning: str) -> str:
    rounded = [round(min(max(score, 0), 1) * 10) for score in scores]
    return json.dumps({"score": rounded, "reasoning": reasoning})


def _consistency(
    conditions: Sequence[Image.Image], image: Image.Image, n: int
) -> tuple[list[float], str]:
    pixels = _pixels(image)
    sources = [_pixels(condition) for condition in conditions]
    difference = min(float(np.abs(source - pixels).mean()) for source in sources)
    agreement = min(_edge_agreement(source, pixels) for source in sources)
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


def _edge_agreement(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return correlation of where the edges are, from 0 (elsewhere) to 1 (the same places)."""
    from scipy.ndimage import gaussian_filter, gaussian_gradient_magnitude

    maps = [np.sqrt(gaussian_filter(gaussian_gradient_magnitude(x, 1), 2)) for x in (first, second)]
    flat = [edges - edges.mean() for edges in maps]
    scale = float(np.sqrt((flat[0] ** 2).sum() * (flat[1] ** 2).sum()))
    return max(0.0, float((flat[0] * flat[1]).sum()) / scale) if scale > 0 else 0.0


def _noise(grey: NDArray[np.float64]) -> float:
    """Return standard deviation of the noise (Immerkaer, Fast noise variance estimation, 1996)."""
    from scipy.ndimage import convolve

    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float64)
    return float(np.abs(convolve(grey, mask)).mean() * np.sqrt(np.pi / 2) / 6)
