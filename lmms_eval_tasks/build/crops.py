"""Detect pictures that are overlapping crops of one photograph.

Such pictures are of one scene, though their layout and colours may differ. Phase correlation
(Kuglin and Hines, "The Phase Correlation Image Alignment Method", 1975) proposes by how much one is
shifted against the other; the details of what they then share must agree. Crops that do not
overlap, or of which one was scaled, are not found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image

# Of 1,920 pairs of crops of different embedded photographs 1% reach it, which costs a draw; of
# crops of one of them nine in ten do that share a quarter or more.
ALIKE = 0.6
_SIDE = 128  # pixels
_PEAKS = 6
_LEAST = 0.1  # of the smaller picture is shared
_PLAIN = 0.3  # of a picture's contrast: what is shared must have more, such as more than sky


class Small(NamedTuple):
    """A picture in grey, halved `halvings` times: shape (height, width), values 0 to 255."""

    halvings: int
    grey: NDArray[np.uint8]


def small(image: Image.Image) -> Small:
    """Return a grey version of a picture, halved until both sides have at most 128 pixels."""
    halvings = 0
    while max(image.size) >> halvings > _SIDE:
        halvings += 1
    return Small(halvings, np.asarray(image.convert("L").reduce(1 << halvings)))


def of_one_photograph(first: Small, second: Small) -> bool:
    """Return whether two pictures look like overlapping crops of one photograph."""
    halvings = max(first.halvings, second.halvings)
    first_details, second_details = (_details(picture, halvings) for picture in (first, second))
    if min(*first_details.shape, *second_details.shape) < 8:
        return False
    shape = [a + b for a, b in zip(first_details.shape, second_details.shape, strict=True)]
    crossed = np.fft.rfft2(first_details, shape) * np.conj(np.fft.rfft2(second_details, shape))
    rows, columns = np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1])[None]
    smooth = np.exp(-(rows**2 + columns**2) / (2 * 0.15**2))
    surface = np.fft.irfft2(crossed / (np.abs(crossed) + 1e-9) * smooth, shape)
    for _ in range(_PEAKS):
        down, right = np.unravel_index(surface.argmax(), surface.shape)
        surface[max(0, down - 2) : down + 3, max(0, right - 2) : right + 3] = -np.inf
        shift = [
            int(at if at < side else at - whole)
            for at, side, whole in zip((down, right), first_details.shape, shape, strict=True)
        ]
        if _agreement(first_details, second_details, shift) >= ALIKE:
            return True
    return False


def _details(picture: Small, halvings: int) -> NDArray[np.float32]:
    """Return the fine structure of a picture after so many halvings of its size."""
    from scipy.ndimage import gaussian_filter

    grey = picture.grey.astype(np.float32)
    for _ in range(halvings - picture.halvings):
        height, width = (side // 2 * 2 for side in grey.shape)
        grey = grey[:height, :width].reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
    return np.asarray(grey - gaussian_filter(grey, 3))


def _agreement(first: NDArray[np.float32], second: NDArray[np.float32], shift: list[int]) -> float:
    """Return the correlation of two pictures' overlap, the second moved by `shift`."""
    ours, theirs = [], []
    for start, length, second_length in zip(shift, first.shape, second.shape, strict=True):
        low, high = max(0, start), min(length, second_length + start)
        ours.append(slice(low, max(low, high)))
        theirs.append(slice(low - start, max(low, high) - start))
    a, b = first[tuple(ours)], second[tuple(theirs)]
    if min(a.shape) < 8 or a.size < _LEAST * min(first.size, second.size):
        return 0.0
    if a.std() <= _PLAIN * first.std() or b.std() <= _PLAIN * second.std():
        return 0.0
    return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))
