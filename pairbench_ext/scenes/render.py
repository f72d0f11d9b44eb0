"""From scenes to images: anti-aliased, the same bits every time.

Each pixel has the mean of the colours inside it, as sRGB values: what a drawing of infinite
resolution gives when it is reduced with a box filter. Coverage is rounded to 1/255.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pairbench_ext.scenes.colour import to_bytes
from pairbench_ext.scenes.coverage import coverage, masks, pixel_box
from pairbench_ext.scenes.scene import HEIGHT, WIDTH, Scene, Shape

WHITE = (255, 255, 255)

_Box = tuple[int, int, int, int]


def render(scene: Scene) -> Image.Image:
    """The scene as an RGB image.

    Raises:
        GamutError: if sRGB cannot show a shape's colour.
    """
    return _drawn(scene.shapes, (0, 0, scene.width, scene.height))


def render_pair(first: Scene, second: Scene) -> tuple[Image.Image, Image.Image]:
    """Both scenes, bit for bit as `render` draws them.

    What they share is drawn once; around each shape that differs the second is drawn anew.

    Raises:
        GamutError: if sRGB cannot show a shape's colour.
    """
    image = render(first)
    changed = _changed(first, second)
    if changed is None or len(changed) > len(second.shapes) / 2:
        return image, render(second)
    other = image.copy()
    for box in sorted({pixel_box(shape) for shape in changed}):
        near = [shape for shape in second.shapes if _overlap(pixel_box(shape), box)]
        other.paste(_drawn(near, box), box[:2])
    return image, other


def coverage_mask(shape: Shape, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.float64]:
    """Which share of each pixel of a canvas a shape covers, exactly: (height, width), in [0, 1]."""
    left, top, right, bottom = pixel_box(shape)
    canvas = np.zeros((height, width))
    lines = slice(max(top, 0), max(min(bottom, height), 0))
    across = slice(max(left, 0), max(min(right, width), 0))
    target = canvas[lines, across]
    share = coverage([shape])[0][max(-top, 0) :, max(-left, 0) :]
    target[...] = share[: target.shape[0], : target.shape[1]]
    return canvas


def _changed(first: Scene, second: Scene) -> list[Shape] | None:
    """The shapes that only one scene has; None if not all of the image follows from them."""
    if (first.width, first.height) != (second.width, second.height):
        return None
    ours, theirs = set(first.shapes), set(second.shapes)
    # Where shapes overlap their order matters, and so does how often one is there.
    if [s for s in first.shapes if s in theirs] != [s for s in second.shapes if s in ours]:
        return None
    return [s for s in first.shapes if s not in theirs] + [
        s for s in second.shapes if s not in ours
    ]


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _drawn(shapes: Sequence[Shape], box: _Box) -> Image.Image:
    """What a box of the canvas shows of these shapes."""
    left, top, right, bottom = box
    image = Image.new("RGB", (right - left, bottom - top), WHITE)
    for shape, mask in zip(shapes, masks(shapes), strict=True):
        corners = pixel_box(shape)
        place = (corners[0] - left, corners[1] - top, corners[2] - left, corners[3] - top)
        image.paste(to_bytes(shape.lab), place, Image.fromarray(mask))
    return image
