"""What pixels show: shapes on white, and the objects of a drawing, whatever their scene says."""

import math
from typing import NamedTuple

import numpy as np
from coloraide import Color
from matplotlib.colors import CSS4_COLORS, XKCD_COLORS
from scipy.ndimage import find_objects, label

from pairbench_ext.synthetic.colours import Lab
from pairbench_ext.synthetic.objects.render import OVERSAMPLING, layers
from pairbench_ext.synthetic.palette import CLEAR, nearest_name

_WHITE = 253  # a pixel is white if all its bytes are this or more
_INNER = 0.97  # pixels inside differ from white by this share of the greatest difference or more
UNIT_AREAS = {"circle": math.pi / 4, "square": 1.0, "triangle": math.sqrt(3) / 4}
# Mean squared distance from the centre by area: neither size nor rotation changes it.
_SPREADS = {"circle": 1 / (2 * math.pi), "square": 1 / 6, "triangle": 1 / (3 * math.sqrt(3))}


# What CSS and the people of xkcd's survey call so.
STANDARDS = {name: [Color(CSS4_COLORS[name]), Color(XKCD_COLORS[f"xkcd:{name}"])] for name in CLEAR}


class Found(NamedTuple):
    """A shape in an image: its centre, area and size in pixels, its mean colour and kind."""

    x: float
    y: float
    area: float
    lab: Lab
    colour: str
    kind: str
    size: float


def from_bytes(rgb):
    """The OKLab colour of sRGB bytes, by another library."""
    return Lab(*Color("srgb", [value / 255 for value in rgb]).convert("oklab").coords())


def called(lab, distances=("2000",)):
    """The colours, of ten, that are nearest by these distances, and by either standard."""
    colour = Color("oklab", lab)
    return {
        min(STANDARDS, key=lambda name: colour.delta_e(STANDARDS[name][which], method=by))
        for which in (0, 1)
        for by in distances
    }


def find_shapes(image):
    """The shapes on a white canvas, from top to bottom; shapes that touch are one."""
    pixels = np.asarray(image.convert("RGB"))
    labels, _ = label((pixels < _WHITE).any(axis=-1), structure=np.ones((3, 3)))
    return [
        _measured(pixels[window], labels[window] == number, window)
        for number, window in enumerate(find_objects(labels), start=1)
    ]


def _measured(pixels, inside, window):
    ink = np.where(inside, 3 * 255 - pixels.sum(axis=-1, dtype=np.float64), 0)
    inner = pixels[ink >= _INNER * ink.max()].mean(axis=0)
    share = np.minimum(ink / (3 * 255 - inner.sum()), 1)
    area = float(share.sum())
    rows, columns = (np.arange(share.shape[axis]) + 0.5 + window[axis].start for axis in range(2))
    x = float(share.sum(axis=0) @ columns) / area
    y = float(share.sum(axis=1) @ rows) / area
    squares = share.sum(axis=0) @ (columns - x) ** 2 + share.sum(axis=1) @ (rows - y) ** 2
    # Anti-aliasing blurs by a pixel, whose own mean squared distance is 1 / 6.
    spread = (float(squares) / area - 1 / 6) / area
    kind = min(_SPREADS, key=lambda name: abs(_SPREADS[name] - spread))
    lab = from_bytes(inner.tolist())
    return Found(x, y, area, lab, nearest_name(lab), kind, math.sqrt(area / UNIT_AREAS[kind]))


def object_masks(scene, width):
    """The pixels that show the first object of a scene, and the second; not their shadows."""
    columns, rows = width * OVERSAMPLING, width * 3 // 4 * OVERSAMPLING
    owner = np.full((rows, columns), -1)
    for number, canvas in layers(scene, (columns, rows)):
        if number is not None:
            owner[canvas.mask] = number
    middle = slice(OVERSAMPLING // 2, None, OVERSAMPLING)
    return owner[middle, middle] == 0, owner[middle, middle] == 1
