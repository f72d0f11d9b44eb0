"""A limited eye: what it sees of an image of shapes on white.

The image is reduced to few pixels, each pixel gets noise, and every place is read a little off. So
small shapes are missed, neighbours run together, slight changes drown and short ways go unnoticed.
All of that is drawn by the content of the image: the same image always looks the same.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pairbench_ext.statistics.seeds import generator, stable_hash
from pairbench_ext.synthetic.colour import oklab_of
from pairbench_ext.synthetic.colours import Lab
from pairbench_ext.synthetic.shapes.measure import SPREADS

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

_LEAST_RESOLUTION = 8
# Standard deviations of noise from which on ink is ink, and next to which there may be more: one
# false shape in 40 views.
_CERTAIN, _LIKELY = 4.5, 2.5
_LEAST_INK = 0.12  # the same without noise
_DARK = 0.8  # of its darkest pixel: what shows the colour of a shape that is all border
_LAB_NOISE = 0.6  # of a component of OKLab, by noise of sRGB, for colours of medium lightness
_BORDER_NOISE = 0.04  # of the colour of a shape that is all border
_FORM_NOISE = 0.003  # of the spread, because pixels are squares
_BLUR = 1 / 6  # mean squared distance from the centre that a pixel's own size adds


class Region(NamedTuple):
    """One shape, or several that have run together, as seen.

    Attributes:
        x: centre, in pixels of the image from the left.
        y: centre, in pixels of the image from the top.
        ink: darkness, from 0 for white to 1 for black, summed over its seen pixels.
        ink_noise: standard deviation of that sum.
        lab: its colour.
        lightness_noise: standard deviation of the colour's lightness.
        hue_noise: standard deviation of its a and b.
        forms: by kind of shape, by how many standard deviations its form is another.
    """

    x: float
    y: float
    ink: float
    ink_noise: float
    lab: Lab
    lightness_noise: float
    hue_noise: float
    forms: Mapping[str, float]


class View(NamedTuple):
    """An image as seen.

    Attributes:
        regions: the shapes in it, from top to bottom.
        white: which share of the image is white.
        key: stands for what the eye was given, before any noise.
    """

    regions: list[Region]
    white: float
    key: int


@dataclass(frozen=True)
class Eye:
    """How well is seen.

    Attributes:
        resolution: pixels across the image as seen.
        noise: standard deviation of each seen colour value; these go from 0 to 1.
        jitter: standard deviation of the places that are read, in pixels of the image.
        seed: of the noise.

    Raises:
        ValueError: naming the value that is out of range.
    """

    resolution: int = 80
    noise: float = 0.12
    jitter: float = 20.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resolution < _LEAST_RESOLUTION:
            raise ValueError(
                f"resolution must be {_LEAST_RESOLUTION} pixels or more, not {self.resolution}"
            )
        for name in ("noise", "jitter"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be 0 or more, not {value}")

    def look(self, image: Image.Image) -> View:
        """What is seen of an image."""
        width = min(self.resolution, image.width)
        size = (width, max(1, round(image.height * width / image.width)))
        small = np.asarray(image.convert("RGB").resize(size, Image.Resampling.BOX))
        digest = hashlib.blake2b(small.tobytes(), digest_size=8).hexdigest()
        rng = generator(self.seed, "eye", digest)
        pixels = small / 255 + rng.normal(0, self.noise, small.shape)
        noise = self.noise / math.sqrt(3)  # of ink, the mean of three values
        blobs = _Blobs(pixels, 1 - pixels.mean(axis=-1), noise)
        offsets = rng.normal(0, self.jitter, (blobs.n, 2))
        regions = blobs.regions(image.width / width, offsets)
        return View(regions, blobs.white, stable_hash(0, digest, *size))


class _Blobs:
    """Connected pixels of ink, all measured at once, with arrays of one value for each.

    Args:
        pixels: seen colours, (rows, columns, 3).
        ink: their darkness, (rows, columns).
        noise: standard deviation of `ink`.
    """

    def __init__(self, pixels: Floats, ink: Floats, noise: float) -> None:
        from scipy.ndimage import grey_dilation, label

        likely, _ = label(ink > max(_LEAST_INK, _LIKELY * noise))
        certain = np.unique(likely[ink > max(_LEAST_INK, _CERTAIN * noise)])
        self.n = len(certain)
        self._pixels, self._ink, self._noise = pixels, ink, noise
        numbers = np.zeros(likely.max() + 1, np.int32)
        numbers[certain] = np.arange(1, self.n + 1)
        self._labels = numbers[likely]
        # A shape's ink reaches a little beyond what is likely ink.
        grown = grey_dilation(self._labels, size=3)
        self._around = np.where(self._labels > 0, self._labels, grown)

    @property
    def white(self) -> float:
        """The share of pixels without ink."""
        return 1 - float((self._labels > 0).mean())

    def regions(self, scale: float, offsets: Floats) -> list[Region]:
        """What is seen; `scale` pixels of the image are one, and places are off by `offsets`."""
        if self.n == 0:
            return []
        inner, all_border = self._inner()
        depth, n_inner = self._mean(self._ink, inner)
        depth = np.maximum(depth, _LEAST_INK)
        # Borders are mixed with white: they tell the hue, but not how light the shape is.
        bands = [self._mean(1 - band, self._labels) for band in np.moveaxis(self._pixels, -1, 0)]
        ways = np.stack([mean for mean, _ in bands], axis=-1)
        ways /= ways.mean(axis=-1, keepdims=True)
        labs = oklab_of(np.clip(1 - depth[:, None] * ways, 0, 1)).tolist()
        noise = _LAB_NOISE * math.sqrt(3) * self._noise
        lightness_noises = np.hypot(noise / np.sqrt(n_inner), _BORDER_NOISE * all_border)
        hue_noises = noise / np.sqrt(bands[0][1])
        x, y, ink, forms = self._forms(depth)
        ink_noises = self._noise * np.sqrt(self._total(self._around > 0, self._around))
        xs, ys = (scale * np.stack([x, y], axis=-1) + offsets).T
        numbers = (xs, ys, ink, ink_noises, lightness_noises, hue_noises)
        return [
            Region(x, y, dark, dark_noise, Lab(*lab), light_noise, hue_noise, form)
            for (x, y, dark, dark_noise, light_noise, hue_noise), lab, form in zip(
                np.stack(numbers, axis=-1).tolist(), labs, forms, strict=True
            )
        ]

    def _mean(self, values: Floats, labels: Labels) -> tuple[Floats, Floats]:
        """Means of values over the pixels of each label, and how many these are."""
        sizes = self._total(labels > 0, labels)
        return self._total(values, labels) / sizes, sizes

    def _total(self, values: NDArray[Any], labels: Labels) -> Floats:
        """Sums of values over the pixels of each label but 0."""
        sums = np.bincount(labels.ravel(), values.ravel().astype(np.float64), self.n + 1)
        return np.asarray(sums[1:])

    def _inner(self) -> tuple[Labels, NDArray[np.bool_]]:
        """Which pixels show a shape's own colour, and which shapes are all border.

        Inner pixels have ink all around. Of a shape without any, the darkest ones are taken.
        """
        from scipy.ndimage import binary_erosion, maximum

        inner = np.where(binary_erosion(self._labels > 0), self._labels, 0)
        all_border = np.bincount(inner.ravel(), minlength=self.n + 1) == 0
        darkest = maximum(self._ink, self._labels, np.arange(self.n + 1))
        shows = all_border[self._labels] & (self._ink >= _DARK * darkest[self._labels])
        return np.where(shows, self._labels, inner), all_border[1:]

    def _forms(self, depth: Floats) -> tuple[Floats, Floats, Floats, list[dict[str, float]]]:
        """Centres (in seen pixels), ink and forms, of blobs that are so dark inside."""
        around, ink = self._around, self._ink
        sums = np.maximum(self._total(ink, around), depth)
        rows, columns = np.indices(ink.shape) + 0.5
        x, y = (self._total(ink * places, around) / sums for places in (columns, rows))
        of = np.maximum(around - 1, 0)
        squares = (rows - y[of]) ** 2 + (columns - x[of]) ** 2
        mean = self._total(ink * squares, around) / sums
        area = sums / depth
        spread = (mean - _BLUR) / area
        noise = self._noise * np.sqrt(self._total((squares - mean[of]) ** 2, around)) / sums / area
        noise = np.hypot(noise, _FORM_NOISE)
        forms = {kind: np.abs(spread - own) / noise for kind, own in SPREADS.items()}
        each = zip(*(values.tolist() for values in forms.values()), strict=True)
        return x, y, sums, [dict(zip(forms, values, strict=True)) for values in each]
