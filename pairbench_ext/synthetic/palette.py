"""Named colours, and their shades that scenes draw; people call each shade by its colour's name.

A scene draws its shades anew, so that no shade tells whether it is the first or the second image's.
That people call them so is tested with the colours that 222,500 of them named (the survey of xkcd,
in matplotlib): at every corner of what is drawn, most of the nearest ones are called like that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pairbench_ext.synthetic.colours import Lab, from_polar, in_gamut, shift_hue
from pairbench_ext.synthetic.draws import Range, one_of

if TYPE_CHECKING:
    import numpy as np

HUES = 4.0  # degrees by which shades of a name differ from its hue, either way
PALER = 0.1  # share by which they can be paler than it


class Tone(NamedTuple):
    """The range of shades that one colour name covers.

    Attributes:
        lightness: the lowest and the highest one, before and after a change.
        chroma: of the most saturated shades; sRGB has it at each lightness.
        hue: in degrees.
        spread: share of the usual range of hues and paler shades.
    """

    lightness: Range
    chroma: float
    hue: float
    spread: float = 1.0

    @property
    def typical(self) -> Lab:
        """Return the colour in the middle of the range of shades."""
        return self.shade(sum(self.lightness) / 2, 0.5, 0.5)

    def shade(self, lightness: float, paler: float, turn: float) -> Lab:
        """Return a shade of given lightness; two numbers from 0 to 1 set its paleness and hue."""
        hue = self.hue + self.spread * HUES * (2 * turn - 1)
        return from_polar(lightness, self.chroma * (1 - self.spread * PALER * paler), hue)


# Ours: the paper names no colours. In (a, b) they are so far apart that a shade is nearest to the
# colour of its name, however light.
TONES: Mapping[str, Tone] = MappingProxyType(
    {
        "red": Tone((0.40, 0.66), 0.15, 26),
        "orange": Tone((0.66, 0.80), 0.13, 60),
        "yellow": Tone((0.78, 0.90), 0.135, 98),
        "green": Tone((0.45, 0.80), 0.125, 145),
        "cyan": Tone((0.62, 0.88), 0.095, 196),
        "blue": Tone((0.39, 0.66), 0.135, 262),
        "purple": Tone((0.38, 0.68), 0.15, 305),
        "pink": Tone((0.63, 0.80), 0.125, 355),
        "brown": Tone((0.34, 0.52), 0.068, 55),
        "grey": Tone((0.42, 0.80), 0.0, 0),
    }
)
# The same names where a question hangs on them alone, and nothing has to change its lightness: of
# each name the shades that everybody calls so. A shade is nearest to the colour that CSS and people
# give its name, by four distances that are not ours; `TONES` has shades that are not, as maroon.
CLEAR: Mapping[str, Tone] = MappingProxyType(
    {
        "red": Tone((0.61, 0.63), 0.246, 28, 0.4),
        "orange": Tone((0.72, 0.76), 0.158, 62, 0.4),
        "yellow": Tone((0.88, 0.92), 0.183, 106, 0.4),
        "green": Tone((0.58, 0.62), 0.178, 144, 0.4),
        "cyan": Tone((0.80, 0.86), 0.13, 204, 0.4),
        "blue": Tone((0.46, 0.50), 0.268, 268, 0.4),
        "purple": Tone((0.40, 0.46), 0.19, 317, 0.4),
        "pink": Tone((0.76, 0.80), 0.13, 350, 0.4),
        "brown": Tone((0.40, 0.45), 0.088, 52, 0.4),
        "grey": Tone((0.58, 0.66), 0.0, 0, 0.4),
    }
)
PALETTE: Mapping[str, Lab] = MappingProxyType({name: tone.typical for name, tone in TONES.items()})

# Appendix C.4 tests two greens, blue, red and magenta, with L in [0.4, 0.8]. Here the lightness is
# that at which the name fits: there is no lime as dark as this, and at its own lightness sRGB does
# not have the hues around it.
SENSITIVITY: Mapping[str, Tone] = MappingProxyType(
    {
        "green": Tone((0.62, 0.68), 0.125, 145),
        "olive": Tone((0.53, 0.57), 0.108, 111),
        "blue": Tone((0.52, 0.58), 0.135, 262),
        "red": Tone((0.52, 0.58), 0.155, 26),
        "magenta": Tone((0.53, 0.57), 0.2, 346),
    }
)
FARTHEST = 0.18  # Delta E that every shade of these can be turned by, one way or the other


def shade(rng: np.random.Generator, tone: Tone, shift: float = 0.0) -> Lab:
    """Return a random shade of a tone whose lightness can still rise by `shift`."""
    low, high = tone.lightness
    share, paler, turn = rng.random(3).tolist()
    return tone.shade(low + (high - low - shift) * share, paler, turn)


def shades(
    rng: np.random.Generator, names: Iterable[str] = TONES, tones: Mapping[str, Tone] = TONES
) -> dict[str, Lab]:
    """Return a random shade for each name of `TONES` or `CLEAR`."""
    return {name: shade(rng, tones[name]) for name in names}


@lru_cache(maxsize=64)
def shiftable(shift: float) -> tuple[str, ...]:
    """Return the colour names that still fit after lightness changes by `shift`.

    >>> "grey" in shiftable(0.3), "yellow" in shiftable(0.3)
    (True, False)
    """
    return tuple(
        name
        for name, tone in TONES.items()
        if tone.lightness[1] - tone.lightness[0] >= shift - 1e-9
    )


def turned(rng: np.random.Generator, lab: Lab, delta_e: float) -> Lab:
    """Return the colour with its hue turned, at this distance; see `shift_hue`.

    Raises:
        ValueError: if there is none.
    """
    ways = [other for way in (1, -1) if in_gamut(other := shift_hue(lab, delta_e, way))]
    if not ways:
        raise ValueError(f"sRGB has no hue that is {delta_e:g} from {lab}")
    return one_of(rng, ways)


def nearest_name(lab: Lab, colours: Mapping[str, Lab] = PALETTE) -> str:
    """Return the name of the colour that is nearest in (a, b), the hue plane of OKLab.

    >>> nearest_name(PALETTE["brown"]._replace(lightness=0.6))
    'brown'
    """
    return min(colours, key=lambda name: math.dist(lab[1:], colours[name][1:]))
