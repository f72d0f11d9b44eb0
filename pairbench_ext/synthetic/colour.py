"""Colour spaces: sRGB, OKLab and CIELAB, for arrays of colours of shape (..., 3).

OKLab: Ottosson, "A perceptual color space for image processing" (2020), with the matrices that the
post prints. CIELAB: CIE 1976 for the illuminant D65 and the observer of 2 degrees, with the rounded
constants of easyrgb.com that scikit-image uses, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rgb = tuple[int, int, int]  # bytes of sRGB

BLACK: Rgb = (0, 0, 0)
WHITE: Rgb = (255, 255, 255)

_RGB_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LAB_TO_LMS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_LMS_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)
_RGB_TO_XYZ = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)
_WHITE_XYZ = np.array([0.95047, 1.0, 1.08883])


def linear_of(srgb: ArrayLike) -> NDArray[np.float64]:
    """Linear light, in [0, 1], of sRGB values in [0, 1]."""
    encoded = np.asarray(srgb, dtype=np.float64)
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def oklab_of(srgb: ArrayLike) -> NDArray[np.float64]:
    """OKLab colours of sRGB values in [0, 1]: lightness in [0, 1], green to red, blue to yellow."""
    return np.asarray(np.cbrt(linear_of(srgb) @ _RGB_TO_LMS.T) @ _LMS_TO_LAB.T)


def linear_of_oklab(oklab: ArrayLike) -> NDArray[np.float64]:
    """Linear light of OKLab colours; in [0, 1] for colours that sRGB can show."""
    lms = np.asarray(oklab, dtype=np.float64) @ _LAB_TO_LMS.T
    return np.asarray(lms**3 @ _LMS_TO_RGB.T)


def srgb_of(oklab: ArrayLike) -> NDArray[np.float64]:
    """The sRGB values of OKLab colours; in [0, 1] for colours that sRGB can show."""
    linear = linear_of_oklab(oklab)
    size = np.abs(linear)
    encoded = np.where(size <= 0.0031308, 12.92 * size, 1.055 * size ** (1 / 2.4) - 0.055)
    return np.copysign(encoded, linear)


def cielab_of(srgb: ArrayLike) -> NDArray[np.float64]:
    """CIELAB colours of sRGB values in [0, 1]: lightness in [0, 100], a and b about +-100."""
    light = linear_of(srgb) @ _RGB_TO_XYZ.T / _WHITE_XYZ
    x, y, z = np.moveaxis(
        np.where(light > 0.008856, np.cbrt(light), 7.787 * light + 16 / 116), -1, 0
    )
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)
