"""Colours in OKLab space: change them by an exact distance, and convert them to sRGB.

OKLab: Ottosson, "A perceptual color space for image processing" (2020), with the matrices that the
post prints. Lightness is in [0, 1], from black to white; (a, b) has the hue as its angle and the
chroma as its length. Differences are Euclidean; about 0.02 is just noticeable.

A change that sRGB cannot show raises: nothing is clipped, so what is asked for is what is drawn.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rgb = tuple[int, int, int]  # bytes of sRGB

BLACK: Rgb = (0, 0, 0)
WHITE: Rgb = (255, 255, 255)

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
_TOLERANCE = 1e-6  # of linear sRGB; the printed matrices turn white into 1 + 4e-8


class GamutError(ValueError):
    """The colour is outside the range of colours that sRGB can show."""


class Lab(NamedTuple):
    """A colour in the OKLab space.

    Attributes:
        lightness: L, from 0 (black) to 1 (white).
        a: from green (below 0) to red.
        b: from blue (below 0) to yellow.
    """

    lightness: float
    a: float
    b: float

    @property
    def chroma(self) -> float:
        """Return the colour's chroma: its distance from the grey of the same lightness."""
        return math.hypot(self.a, self.b)

    @property
    def hue(self) -> float:
        """Return the hue in [0, 360) degrees: red near 30, green near 145, blue near 265."""
        return math.degrees(math.atan2(self.b, self.a)) % 360


def from_polar(lightness: float, chroma: float, hue: float) -> Lab:
    """Return the colour with a given lightness, chroma and hue (OKLCh, hue in degrees)."""
    angle = math.radians(hue)
    return Lab(lightness, chroma * math.cos(angle), chroma * math.sin(angle))


def in_gamut(lab: Lab) -> bool:
    """Return whether sRGB can show a colour.

    >>> in_gamut(Lab(0.6, 0.0, 0.0)), in_gamut(Lab(0.6, 0.3, 0.3))
    (True, False)
    """
    linear = _linear(lab)
    return bool(((linear >= -_TOLERANCE) & (linear <= 1 + _TOLERANCE)).all())


def to_bytes(lab: Lab) -> Rgb:
    """Return a colour as sRGB: red, green and blue from 0 to 255.

    Raises:
        GamutError: if sRGB cannot show it.

    >>> to_bytes(Lab(1.0, 0.0, 0.0))
    (255, 255, 255)
    """
    light = _linear(_checked(lab)).clip(0, 1)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(255 * encoded).astype(int).tolist()
    return red, green, blue


def shift_lightness(lab: Lab, delta: float) -> Lab:
    """Return the colour with `delta` added to its lightness, at the same hue and chroma.

    VLM-SubtleBench, Appendix A.1: "shift the lightness channel (L) by 5-10%"; L ends at 1, so 5%
    is 0.05.

    Raises:
        GamutError: if sRGB cannot show it.
    """
    return _checked(lab._replace(lightness=lab.lightness + delta))


def shift_hue(lab: Lab, delta_e: float, direction: int) -> Lab:
    """Return a colour that differs only in hue, at distance `delta_e` from the given colour.

    VLM-SubtleBench, Appendix C.4: "applied by modifying (a, b) while keeping L constant". The hue
    turns until the distance in (a, b), a chord of the circle of equal chroma, is `delta_e`.

    Args:
        lab: the colour to change.
        delta_e: Euclidean distance in OKLab, from 0 to twice the chroma.
        direction: 1 turns from red to yellow, green and blue; -1 the other way.

    Raises:
        ValueError: if the colour has too little chroma for the distance.
    """
    if not 0 <= delta_e <= 2 * lab.chroma:
        raise ValueError(
            f"no other hue has a distance of {delta_e} from a colour with chroma {lab.chroma:.3f}: "
            f"the distance must be from 0 to {2 * lab.chroma:.3f}"
        )
    turn = direction * 2 * math.asin(delta_e / (2 * lab.chroma))
    cos, sin = math.cos(turn), math.sin(turn)
    return Lab(lab.lightness, cos * lab.a - sin * lab.b, sin * lab.a + cos * lab.b)


def _linear(lab: Lab) -> NDArray[np.float64]:
    """Return linear light of a colour, in [0, 1] for those that sRGB can show."""
    return np.asarray((_LAB_TO_LMS @ lab) ** 3 @ _LMS_TO_RGB.T)


def _checked(lab: Lab) -> Lab:
    if not in_gamut(lab):
        values = ", ".join(f"{value:.3f}" for value in lab)
        raise GamutError(f"sRGB cannot show the OKLab colour ({values})")
    return lab
