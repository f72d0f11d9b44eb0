"""A smooth random displacement of an image's pixels, for PairBench's elastic transformation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Pixels of the smoothing's sigma: of twice as many or more, a coarser field shows all there is.
_FINEST = 16.0
_AT_ONCE = 2_000_000  # pixels that are displaced at a time, at 100 bytes each


class Displacement:
    """Where every pixel of an image is taken from: smoothed noise.

    What is smoothed by 32 pixels or more is drawn on a coarser grid and enlarged: the field is
    another one of the same kind, at a fraction of the work.

    Args:
        size: width and height of the image.
        amplitude: root mean square displacement in pixels.
        sigma: standard deviation of the smoothing in pixels.
        seed: of the noise.
    """

    def __init__(self, size: tuple[int, int], amplitude: float, sigma: float, seed: int) -> None:
        from scipy.ndimage import gaussian_filter

        self.size = size
        self.step = max(1, int(sigma / _FINEST))
        shape = [2, *(-(-side // self.step) for side in reversed(size))]
        noise = np.random.default_rng(seed).uniform(-1, 1, shape)
        coarse = sigma / self.step
        field = np.stack([gaussian_filter(plane, coarse, mode="reflect") for plane in noise])
        field *= amplitude / max(float(np.sqrt(np.mean(field**2))), 1e-12)
        self.planes: NDArray[np.float64] = field

    def applied(self, image: Image.Image) -> Image.Image:
        """The displaced RGB image; positions outside of it show the nearest pixel inside."""
        if image.width * image.height <= _AT_ONCE:
            return _displaced(image, self.between(0, image.height))
        changed = Image.new("RGB", image.size)
        height = max(1, _AT_ONCE // image.width)
        for top in range(0, image.height, height):
            bottom = min(top + height, image.height)
            changed.paste(self._strip(image, top, bottom), (0, top))
        return changed

    def between(self, top: int, bottom: int) -> NDArray[np.float64]:
        """Displacements of some rows in pixels, shape (2, rows, width): along x and along y.

        They lead to positions inside of the image.
        """
        field: NDArray[np.float64]
        if self.step == 1:
            field = self.planes[:, top:bottom].copy()
        else:
            field = np.stack([self._enlarged(plane, top, bottom) for plane in self.planes])
        width, height = self.size
        across, down = np.arange(width, dtype=float), np.arange(top, bottom, dtype=float)[:, None]
        field[0] = np.clip(across + field[0], 0, width - 1) - across
        field[1] = np.clip(down + field[1], 0, height - 1) - down
        return field

    def _enlarged(self, plane: NDArray[np.float64], top: int, bottom: int) -> NDArray[np.float64]:
        width = self.size[0]
        box = (0, top / self.step, width / self.step, bottom / self.step)
        coarse = Image.fromarray(plane.astype(np.float32))
        fine = coarse.resize((width, bottom - top), Image.Resampling.BICUBIC, box=box)
        return np.array(fine).astype(np.float64)

    def _strip(self, image: Image.Image, top: int, bottom: int) -> Image.Image:
        """Some rows of the displaced image, from those of the image that they show."""
        shift = self.between(top, bottom)
        reach = int(np.ceil(np.abs(shift[1]).max())) + 1
        first, last = max(0, top - reach), min(image.height, bottom + reach)
        moved = np.zeros((2, last - first, image.width))
        moved[:, top - first : bottom - first] = shift
        part = _displaced(image.crop((0, first, image.width, last)), moved)
        return part.crop((0, top - first, image.width, bottom - first))


def _displaced(image: Image.Image, shift: NDArray[np.float64]) -> Image.Image:
    """The image with every pixel taken from where `shift` leads."""
    import torch
    from torchvision.transforms.v2 import functional as F  # noqa: N812

    for axis, side in enumerate(image.size):
        shift[axis] *= 2 / side  # torchvision's unit is half the image's side
    moved = F.elastic(image, torch.from_numpy(shift.transpose(1, 2, 0)[None].astype("f4")))
    assert isinstance(moved, Image.Image)  # as what it was given
    return moved
