"""Where two images differ, and how much.

Paper: VLM-SubtleBench, Appendix B.2: G is the mean over the three channels of |I1 - I2|, and
S = 255 * G / max G. Computed in whole numbers: what is kept of G is three times it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pairbench_ext.core.visual.aligned import aligned

LARGEST = 3 * 255


def subtract(first: Image.Image, second: Image.Image) -> Image.Image:
    """The paper's S: a grey image, RGB, in the first's size. Black if the images are the same.

    Args:
        first: of any size and mode; it is not changed.
        second: the same; resized to the first's size.
    """
    one, other = aligned(first, second)
    grey = stretched(difference(np.asarray(one), np.asarray(other)))
    return Image.fromarray(grey).convert("RGB")


def difference(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Three times the paper's G: the sum over the channels of |first - second|.

    Args:
        first: shape (height, width, 3), 8-bit levels.
        second: the same shape.

    Returns:
        Shape (height, width), in [0, 765].
    """
    apart = np.maximum(first, second) - np.minimum(first, second)
    total = apart[..., 0].astype(np.uint16)
    total += apart[..., 1]
    total += apart[..., 2]
    return total


def stretched(differences: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """The paper's S: `255 * G / max G`, rounded, halves up; all 0 where G is.

    Args:
        differences: of `difference`, shape (height, width), in [0, 765].
    """
    largest = max(1, int(differences.max()))
    levels = (np.arange(LARGEST + 1) * (2 * 255) + largest) // (2 * largest)
    return levels.clip(max=255).astype(np.uint8)[differences]
