"""From scenes to images: anti-aliased, the same bits every time.

Each pixel has the mean of the colours inside it, as sRGB values: what a drawing of infinite
resolution gives when it is reduced with a box filter. Coverage is rounded to 1/255.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pairbench_ext.synthetic.colour import WHITE, Rgb
from pairbench_ext.synthetic.colours import all_to_bytes, to_bytes
from pairbench_ext.synthetic.shapes.coverage import masks, pixel_box, runs
from pairbench_ext.synthetic.shapes.placement import are_apart
from pairbench_ext.synthetic.shapes.scene import Scene, Shape

_CHANNELS = 4  # bytes of a pixel, the last of which is not shown
_APART = 1.5  # pixels between shapes, from which on no pixel shows two: its diagonal is 1.42

_Box = tuple[int, int, int, int]


def render(scene: Scene) -> Image.Image:
    """The scene as an RGB image.

    Raises:
        GamutError: if sRGB cannot show a shape's colour.
    """
    if not are_apart(scene.shapes, _APART):
        return _in_layers(scene)
    return _image(_painted(scene, _patches(scene.shapes).values()))


def render_pair(first: Scene, second: Scene) -> tuple[Image.Image, Image.Image]:
    """Both scenes, bit for bit as `render` draws them.

    Shapes that they share are drawn once. Where these are most, the second image is made from the
    first: it is drawn anew around the shapes that differ.

    Raises:
        GamutError: if sRGB cannot show a shape's colour.
    """
    if not all(are_apart(scene.shapes, _APART) for scene in (first, second)):
        return render(first), render(second)
    patches = _patches((*first.shapes, *second.shapes))
    ours = {id(shape): patches[id(shape)] for shape in first.shapes}
    theirs = {id(shape): patches[id(shape)] for shape in second.shapes}
    canvas = _painted(first, ours.values())
    image = _image(canvas)
    is_alike = (first.width, first.height) == (second.width, second.height)
    if not is_alike or 2 * len(ours.keys() & theirs.keys()) < max(len(ours), len(theirs)):
        return image, _image(_painted(second, theirs.values()))
    gone = [patch.box for key, patch in ours.items() if key not in theirs]
    for box in gone:
        _part(canvas, box)[...] = 255
    for key, patch in theirs.items():
        # Painting what is there already changes nothing.
        if key not in ours or any(_overlap(patch.box, box) for box in gone):
            _paint(canvas, patch)
    return image, _image(canvas)


class _Patch(NamedTuple):
    """What a shape looks like on white.

    Attributes:
        box: `pixel_box` of the shape.
        pixels: (rows, columns * channels).
    """

    box: _Box
    pixels: NDArray[np.uint8]


class _Scratch(threading.local):
    """What each thread draws on. New memory costs more than what is drawn on it."""

    canvas: NDArray[np.uint8] = np.empty((0, 0), np.uint8)


_scratch = _Scratch()


def _painted(scene: Scene, patches: Iterable[_Patch]) -> NDArray[np.uint8]:
    """A canvas with shapes on it, until this thread asks for the next: (rows, columns * channels).

    Shapes that share no pixel can be painted in any order.
    """
    size = (scene.height, scene.width * _CHANNELS)
    if _scratch.canvas.shape != size:
        _scratch.canvas = np.empty(size, np.uint8)
    canvas = _scratch.canvas
    canvas.fill(255)
    for patch in patches:
        _paint(canvas, patch)
    return canvas


def _image(canvas: NDArray[np.uint8]) -> Image.Image:
    """What is on the canvas, as an image of its own."""
    height, row = canvas.shape
    return Image.frombytes("RGB", (row // _CHANNELS, height), canvas, "raw", "RGBX")


def _part(canvas: NDArray[np.uint8], box: _Box) -> NDArray[np.uint8]:
    """What a box shows of the canvas."""
    left, top, right, bottom = (max(end, 0) for end in box)
    return canvas[top:bottom, _CHANNELS * left : _CHANNELS * right]


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _paint(canvas: NDArray[np.uint8], patch: _Patch) -> None:
    """Draw a shape where nothing else is: what is darker than white is the shape."""
    target, source = _part(canvas, patch.box), patch.pixels
    if source.shape != target.shape:  # it is not all on the canvas
        left, top, *_ = patch.box
        source = source[max(-top, 0) :, _CHANNELS * max(-left, 0) :]
        source = source[: target.shape[0], : target.shape[1]]
    np.minimum(target, source, out=target)


def _patches(shapes: Sequence[Shape]) -> dict[int, _Patch]:
    """What different shapes look like, by their `id`."""
    distinct = {id(shape): shape for shape in shapes}
    if not distinct:
        return {}
    found = runs(list(distinct.values()))
    inks = list(dict.fromkeys(shape.lab for shape in distinct.values()))
    numbers = {ink: number for number, ink in enumerate(inks)}
    ink_of = np.array([numbers[shape.lab] for shape in distinct.values()])
    mixtures = _on_white(all_to_bytes(inks))
    pixels = found.patches(mixtures.take(256 * ink_of[found.shape] + found.levels))
    parts = zip(distinct, found.boxes.tolist(), pixels, strict=True)
    return {key: _Patch(tuple(box), part.view(np.uint8)) for key, box, part in parts}


def _on_white(inks: Sequence[Rgb]) -> NDArray[np.uint32]:
    """The four bytes of pixels that are covered by 0, 1, ... 255 parts of 255, ink by ink."""
    levels = np.arange(256, dtype=np.uint16)[:, None]
    pixels = np.full((len(inks), 256, _CHANNELS), 255, np.uint8)
    # Rounded as Pillow does, which draws where shapes overlap.
    mixed = 255 * 255 + 128 - levels * (255 - np.array(inks, np.uint16)[:, None])
    pixels[..., :3] = (mixed + (mixed >> 8)) >> 8
    return pixels.view(np.uint32).ravel()


def _in_layers(scene: Scene) -> Image.Image:
    """A scene in which shapes may overlap: one after the other."""
    image = Image.new("RGB", (scene.width, scene.height), WHITE)
    for shape, mask in zip(scene.shapes, masks(scene.shapes), strict=True):
        image.paste(to_bytes(shape.lab), pixel_box(shape), Image.fromarray(mask))
    return image
