"""PairBench's five image transformations and its identical pairs (Section 2.1, Appendix D.1).

The paper names the transformations (colour jitter, rotation, Gaussian blur, perspective shift,
elastic transform) and prints no parameters. The ranges here are ours, chosen by eye so that a
person says "clearly changed, still the same picture": each excludes the neighbourhood of the
identity, and lengths are fractions of the image, so that a thumbnail and a photograph change alike;
what a blur is of an image that is smaller than a thumbnail, `GaussianBlur` says.
Pillow and NumPy make the pixels. They are those that torchvision makes of Pillow's images, but for
the elastic transformation, which is within one grey level.

A transformation is a value: `draw` chooses parameters (plain JSON, to be recorded), `apply` makes
the image from the parameters alone. `dataclasses.replace` gives one with other ranges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter

from pairbench_ext.statistics.seeds import Key, generator

Params = dict[str, Any]
Range = tuple[float, float]
_FINEST_FIELD = 16  # pixels of a sigma; of twice as many or more, a coarser grid has all there is
# A sigma below about 0.8 pixels falls between the pixels: nobody sees it, in an image of any size.
_LEAST_BLURRED = 90  # pixels of a shorter side; smaller images are blurred like this
Size = tuple[int, int]  # width, height, as in PIL

IDENTICAL_SCALE = 0.95


class Transform(Protocol):
    """A random change of an image, whose parameters are drawn before they are applied."""

    @property
    def name(self) -> str:
        """Return the transformation's name, as used in the names of data splits."""

    def draw(self, rng: np.random.Generator, size: Size) -> Params:
        """Return random parameters, which JSON can hold, for an image of `size` (width, height)."""

    def apply(self, image: Image.Image, params: Params) -> Image.Image:
        """Return the RGB image changed by the parameters; its size stays the same."""


def _uniform(rng: np.random.Generator, bounds: Range) -> float:
    # Rounded so that the recorded decimal is exactly the number used.
    return round(float(rng.uniform(*bounds)), 5)


def _either(rng: np.random.Generator, low: Range, high: Range) -> float:
    """Return uniform in one of two ranges, below or above the identity, with equal chance."""
    return _uniform(rng, high if rng.random() < 0.5 else low)


def _either_way(rng: np.random.Generator, magnitude: Range) -> float:
    """Return uniform in a range of magnitudes, with either sign."""
    low, high = magnitude
    return _either(rng, (-high, -low), magnitude)


@dataclass(frozen=True)
class ColorJitter:
    """Change an image's brightness, contrast, saturation and hue, each up or down at random.

    `brightness`, `contrast` and `saturation` each hold a range of factors below 1 and one above; 1
    is neutral. The hue turns by `hue` of a full circle, either way. A grey image shows only the
    brightness and contrast, so the brightness moves far enough not to be made up for by the
    contrast; the upper ranges keep most highlights from clipping.
    """

    brightness: tuple[Range, Range] = ((0.5, 0.65), (1.25, 1.4))
    contrast: tuple[Range, Range] = ((0.65, 0.8), (1.2, 1.35))
    saturation: tuple[Range, Range] = ((0.45, 0.7), (1.3, 1.5))
    hue: Range = (0.05, 0.12)
    name: str = "colorjitter"

    def draw(self, rng: np.random.Generator, size: Size) -> Params:
        """Return the factors `brightness`, `contrast`, `saturation`, and the hue rotation `hue`."""
        del size
        return {
            "brightness": _either(rng, *self.brightness),
            "contrast": _either(rng, *self.contrast),
            "saturation": _either(rng, *self.saturation),
            "hue": _either_way(rng, self.hue),
        }

    def apply(self, image: Image.Image, params: Params) -> Image.Image:
        """Return the image with changed brightness, contrast, saturation and hue."""
        changed = ImageEnhance.Brightness(image).enhance(params["brightness"])
        changed = ImageEnhance.Contrast(changed).enhance(params["contrast"])
        changed = ImageEnhance.Color(changed).enhance(params["saturation"])
        hue, *others = changed.convert("HSV").split()
        turned = hue.point([(level + int(params["hue"] * 255)) % 256 for level in range(256)])
        return Image.merge("HSV", (turned, *others)).convert(image.mode)


@dataclass(frozen=True)
class Rotate:
    """Rotate an image about its centre by a random angle; uncovered corners are black."""

    degrees: Range = (20.0, 45.0)
    name: str = "rotate"

    def draw(self, rng: np.random.Generator, size: Size) -> Params:
        """Return a random rotation `angle` in degrees; counter-clockwise is positive."""
        del size
        return {"angle": _either_way(rng, self.degrees)}

    def apply(self, image: Image.Image, params: Params) -> Image.Image:
        """Return the image turned by `angle`, cropped to its original size."""
        return image.rotate(params["angle"], Image.Resampling.BILINEAR)


@dataclass(frozen=True)
class GaussianBlur:
    """Blur an image by a Gaussian; its standard deviation is a fraction of the shorter side.

    That of an image with a shorter side of less than 90 pixels is the same fraction of 90: a
    Gaussian that is narrower than a pixel changes none.
    """

    fraction: Range = (0.009, 0.014)
    name: str = "gaussianblur"

    def draw(self, rng: np.random.Generator, size: Size) -> Params:
        """Return the blur's standard deviation `sigma`, in pixels."""
        return {"sigma": round(_uniform(rng, self.fraction) * max(_LEAST_BLURRED, min(size)), 5)}

    def apply(self, image: Image.Image, params: Params) -> Image.Image:
        """Return the image blurred by Pillow's approximation of a Gaussian."""
        return image.filter(ImageFilter.GaussianBlur(params["sigma"]))


@dataclass(frozen=True)
class Perspective:
    """Show an image as if seen at an angle: one edge shrinks, and uncovered areas are black.

    The far edge loses `shrink` of its length at each end and moves in by `recede` of the image.
    """

    shrink: Range = (0.12, 0.22)
    recede: Range = (0.1, 0.25)
    name: str = "perspective"

    def draw(self, rng: np.random.Generator, size: Size) -> Params:
        """Return `corners`: the corners' new positions, in pixels, clockwise from top left."""
        width, height = size
        corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
        edge = int(rng.integers(4))  # top, right, bottom, left
        away, along = (1, 0) if edge % 2 == 0 else (0, 1)
        recede = _uniform(rng, self.recede)
        for corner in (corners[edge], corners[(edge + 1) % 4]):
            corner[along] = abs(corner[along] - _uniform(rng, self.shrink))
            corner[away] = abs(corner[away] - recede)
        return {"corners": [[round(x * width, 3), round(y * height, 3)] for x, y in corners]}

    def apply(self, image: Image.Image, params: Params) -> Image.Image:
        """Return the image, distorted so that its corners lie at `corners`."""
        width, height = image.size
        terms = _projection(params["corners"], [(0, 0), (width, 0), (width, height), (0, height)])
        return image.transform(
            image.size, Image.Transform.PERSPECTIVE, terms, Image.Resampling.BILINEAR
        )


@dataclass(frozen=True)
class Elastic:
    """Displace an image's pixels smoothly at random, as if seen through moving water.

    Displacements are Gaussian-smoothed noise: `smoothness` is the smoothing's standard deviation
    and `amplitude` the root mean square displacement, both as fractions of the shorter side.
    """

    amplitude: Range = (0.013, 0.018)
    smoothness: Range = (0.04, 0.05)
    name: str = "elastic"

    def draw(self, rng: np.random.Generator, size: Size) -> Params:
        """Return `amplitude` and smoothness `sigma` (in pixels) and the `seed` of displacements."""
        return {
            "amplitude": round(_uniform(rng, self.amplitude) * min(size), 5),
            "sigma": round(_uniform(rng, self.smoothness) * min(size), 5),
            "seed": int(rng.integers(2**53)),  # any JSON reader can hold it
        }

    def apply(self, image: Image.Image, params: Params) -> Image.Image:
        """Return the image with displaced pixels; beyond its borders, the nearest pixel repeats."""
        shift = displacement(image.size, params["amplitude"], params["sigma"], params["seed"])
        x, y = (
            np.clip(np.expand_dims(np.arange(side), axis) + shift[..., axis], 0, side - 1)
            for axis, side in enumerate(image.size)
        )
        return _taken_from(image, x, y)


def _projection(
    corners: Sequence[Sequence[float]], before: Sequence[tuple[int, int]]
) -> list[float]:
    """The eight numbers by which Pillow finds the place in a picture that is shown at another."""
    rows, places = [], []
    for (x, y), (u, v) in zip(corners, before, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        places += [u, v]
    # In single precision before and after, as torchvision has it: the pixels are the same.
    equations = np.array(rows, np.float32).astype(np.float64)
    solved: list[float] = np.linalg.solve(equations, places).astype(np.float32).tolist()
    return solved


def _taken_from(image: Image.Image, x: NDArray[Any], y: NDArray[Any]) -> Image.Image:
    """The image of which each pixel is that of another at a place between pixels (bilinear)."""
    pixels = np.asarray(image, np.float32)
    left, top = x.astype(np.intp), y.astype(np.intp)
    right = np.minimum(left + 1, image.width - 1)
    below = np.minimum(top + 1, image.height - 1)
    across, down = (x - left)[..., None], (y - top)[..., None]
    upper = pixels[top, left] * (1 - across) + pixels[top, right] * across
    lower = pixels[below, left] * (1 - across) + pixels[below, right] * across
    return Image.fromarray(np.rint(upper * (1 - down) + lower * down).astype(np.uint8))


def displacement(size: Size, amplitude: float, sigma: float, seed: int) -> NDArray[np.float64]:
    """Return a smooth random displacement (x, y) of each pixel, shape (height, width, 2).

    If the noise is smoothed by 32 pixels or more, it is drawn on a coarser grid and enlarged.

    Args:
        size: width and height of the image.
        amplitude: root mean square displacement in pixels, per axis.
        sigma: standard deviation of the smoothing in pixels.
        seed: of the noise.
    """
    from scipy.ndimage import gaussian_filter

    step = max(1, int(sigma // _FINEST_FIELD))
    width, height = size
    noise = np.random.default_rng(seed).uniform(-1, 1, (2, -(-height // step), -(-width // step)))
    field = np.stack([gaussian_filter(plane, sigma / step, mode="reflect") for plane in noise])
    field *= amplitude / max(float(np.sqrt(np.mean(field**2))), 1e-12)
    planes = [Image.fromarray(plane.astype(np.float32)) for plane in field]
    box = (0, 0, width / step, height / step)
    enlarged = [plane.resize(size, Image.Resampling.BICUBIC, box) for plane in planes]
    return np.stack([np.asarray(plane) for plane in enlarged], axis=-1, dtype=np.float64)


TRANSFORMS: dict[str, Transform] = {
    value.name: value
    for value in (ColorJitter(), Rotate(), GaussianBlur(), Perspective(), Elastic())
}


def drawn(transform: Transform, size: Size, seed: int, *key: Key) -> Params:
    """Return a transformation's random parameters; the same arguments give the same parameters."""
    return transform.draw(generator(seed, "transform", transform.name, *key), size)


def transform(name: str, image: Image.Image, seed: int, *key: Key) -> Image.Image:
    """Return a transformed RGB image; the same seed and key give the same random change.

    Raises:
        KeyError: for an unknown name.
    """
    chosen = TRANSFORMS[name]
    return chosen.apply(image, drawn(chosen, image.size, seed, *key))


def identical(image: Image.Image) -> Image.Image:
    """Return the image scaled to 95% of its size, for an identical pair (Appendix D.1)."""
    width, height = (max(1, round(IDENTICAL_SCALE * side)) for side in image.size)
    return image.resize((width, height), Image.Resampling.BICUBIC)
