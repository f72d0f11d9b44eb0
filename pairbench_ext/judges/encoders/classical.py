"""An encoder that needs no download: classical features from scikit-image.

Deterministic and offline, good enough to tell copies, changed copies and other pictures apart. It
knows nothing of what a picture means; use a pretrained encoder for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from pairbench_ext.core.extras import require
from pairbench_ext.judges.encoders.base import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

THUMBNAIL = 8
HISTOGRAM = 64
GRADIENTS = 128
CELL = 16
LAB_BINS = (6, 8, 8)
LAB_RANGE = ((0.0, 100.0), (-80.0, 80.0), (-80.0, 80.0))
WINDOW = 0.4
# Squared, these are the blocks' shares of the cosine: layout 0.4, edges 0.35, colours 0.25. Set by
# hand on the embedded photographs so that unrelated pictures land well below changed copies under
# all five transformations; no metric was optimised.
WEIGHTS = np.sqrt([0.4, 0.35, 0.25])


class ClassicalEncoder:
    """Layout, edges and colours of an image as one unit vector of length 2144.

    Three blocks, each centred and of unit norm, so that unrelated images have a cosine near zero:
    a Lab thumbnail (layout), histograms of oriented gradients (edges), and the square root of a
    smoothed Lab histogram (colours). All look through a Gaussian window on the centre, because
    rotation and perspective leave black borders that would make any two images alike.
    """

    name = "classical"

    def __init__(self) -> None:
        require("skimage", "the encoder `classical`")

    def embed(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Embeddings of RGB images, float32 rows of unit norm, shape (len(images), 2144)."""
        if not images:
            raise ValueError("there is no image to embed")
        return unit_rows(np.stack([_features(image) for image in images]))


def _features(image: Image.Image) -> NDArray[np.float64]:
    blocks = (_layout(image), _edges(image), _colours(image))
    weighted = zip(WEIGHTS, blocks, strict=True)
    return np.concatenate([weight * block for weight, block in weighted])


def _window(side: int) -> NDArray[np.float64]:
    """Gaussian weights on the image's centre, shape (side, side), the largest near 1."""
    position = (np.arange(side) + 0.5) / side * 2 - 1
    profile = np.exp(-((position / WINDOW) ** 2) / 2)
    return np.outer(profile, profile)


def _unit(block: NDArray[np.float64]) -> NDArray[np.float64]:
    norm = np.linalg.norm(block)
    # A uniform image has no layout and no edges: rounding noise must not be scaled up.
    return block.ravel() / norm if norm > 1e-6 else np.zeros(block.size)


def _lab(image: Image.Image, side: int) -> NDArray[np.float64]:
    from skimage.color import rgb2lab

    lab: NDArray[np.float64] = rgb2lab(np.asarray(image.resize((side, side), Image.Resampling.BOX)))
    return lab


def _layout(image: Image.Image) -> NDArray[np.float64]:
    """What colour is where, relative to the mean colour."""
    lab, window = _lab(image, THUMBNAIL), _window(THUMBNAIL)[..., None]
    mean = (lab * window).sum((0, 1)) / window.sum()
    return _unit((lab - mean) * window)


def _edges(image: Image.Image) -> NDArray[np.float64]:
    """Gradient directions on a grid of cells (HOG), contrast normalised."""
    from skimage.feature import hog

    small = image.convert("L").resize((GRADIENTS, GRADIENTS), Image.Resampling.BOX)
    grey, window = np.asarray(small, dtype=np.float64) / 255, _window(GRADIENTS)
    centred = (grey - (grey * window).sum() / window.sum()) * window
    cells = hog(centred, orientations=8, pixels_per_cell=(CELL, CELL), cells_per_block=(2, 2))
    blocks = GRADIENTS // CELL - 1
    deviations = (cells - cells.mean()).reshape(blocks, blocks, -1)
    return _unit(deviations * _window(blocks)[..., None])


def _colours(image: Image.Image) -> NDArray[np.float64]:
    """Which colours are there, wherever they are."""
    from scipy.ndimage import gaussian_filter

    low, high = np.transpose(LAB_RANGE)
    lab = np.clip(_lab(image, HISTOGRAM).reshape(-1, 3), low, high)
    weights = _window(HISTOGRAM).ravel()
    counts, _ = np.histogramdd(lab, bins=LAB_BINS, range=LAB_RANGE, weights=weights)
    smooth = np.sqrt(gaussian_filter(counts / weights.sum(), 0.7, mode="nearest"))
    return _unit(smooth - smooth.mean())
