"""Ways to show two images: under a grid, side by side, blended, or with their difference.

Paper: VLM-SubtleBench, Section 4.1 and Appendix B.2. Each turns the two images of an item into what
a request shows:

    none        the two images                     1, 2
    grid        each under a 4x4 grid              grid of 1, grid of 2
    concat      one canvas                         1 | 2
    overlap     and their 50/50 blend              1, 2, blend
    subtract    and their difference in grey       1, 2, difference
    highlight   and where they differ, boxed       1, 2, boxes on 1, boxes on 2

Variant "paper", the default, follows the text. Variant "authors" does what the authors' code
(repository `krafton-ai/VLM-SubtleBench`) does before it encodes to JPEG; it has no highlight.
It departs from Appendix B.2:

- grid: the lines are opaque, grey 76 (30% of 255) and 1 pixel wide, not black, 30% and 3 pixels.
- subtract: levels are truncated, not rounded, in single precision. Equal images give 0 / 0, which
  is black here, as on most machines.

And where the text says nothing:

- overlap and subtract: both images are resized to the smaller width and the smaller height, not the
  second to the first's size.
- concat: the width of the shrunk image is rounded down, to at least 1 pixel.
- Modes: transparency is dropped, so hidden pixels show; 16-bit levels above 255 become white, as in
  Pillow's conversion. The variant "paper" converts as `core.visual` says.

Highlight, which the paper describes in words, marks the pixels whose difference is above the 90th
percentile, after a closing and an opening, and takes their connected components. The three largest
are kept, the second and the third only if they have at least half of the largest one's area. The
paper leaves open what is chosen here:

- The kernel of the closing and the opening is a square of 3 x 3 pixels: a larger one closes noise.
  (Photographs of 512 pixels with one changed ellipse in 5% of them on average, noise of 4 levels on
  both: 3 x 3 boxes 5% of the image, 5 x 5 15%, 7 x 7 70%.) Nothing changes beyond the border.
- Pixels that touch at a side or a corner are connected. Of equal areas the upper one comes first.
- If no pixel is above the percentile (more than a tenth of them share the largest difference), the
  pixels that reach it count. If the opening leaves nothing, the result of the closing counts. So
  images that differ anywhere have at least one region.
- Dimming halves levels, rounded down. A boundary is pure green and lies around its box, or inside
  it at the edge of the image; its width is 1/200 of the longer side, at least 2 pixels.
- Equal images have no boxes and are not dimmed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray
from PIL import Image

from pairbench_ext.core.visual import (
    BLACK,
    SEPARATOR,
    aligned,
    concat,
    converted,
    rgb,
    side_by_side,
)

Variant: TypeAlias = Literal["paper", "authors"]
Pixels: TypeAlias = NDArray[np.uint8]
Box: TypeAlias = tuple[slice, slice]  # rows, columns

CELLS = 4  # of the grid, along each side
GREEN = (0, 255, 0)
PERCENTILE = 90
MOST_REGIONS, LEAST_SHARE = 3, 0.5
_SQUARE = np.ones((3, 3), dtype=bool)


def shown(
    images: str, first: Image.Image, second: Image.Image, variant: Variant = "paper"
) -> list[Image.Image]:
    """Return the images that a request shows for an image pair, in order.

    Args:
        images: the way of showing them, one of the names of `WAYS[variant]`.
        first: first image of the item, of any size and mode; it is not changed.
        second: the same for the second image.
        variant: as the paper says, or as the authors' code does.

    Returns:
        One to four RGB images; none of them is a given one, so a caller may draw on them.
    """
    return WAYS[variant][images](first, second)


def _originals(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    return [rgb(image).copy() for image in (first, second)]


def _grid(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    return [_under_grid(rgb(image), width=3, opacity=0.3, grey=0) for image in (first, second)]


def _authors_grid(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    plain = (converted(image, "RGB") for image in (first, second))
    return [_under_grid(image, width=1, opacity=1, grey=76) for image in plain]


def _under_grid(image: Image.Image, *, width: int, opacity: float, grey: int) -> Image.Image:
    """Return an image with grid lines between the cells, but not around them.

    The middle of line i is at `i * side // CELLS`. Levels under a line are
    `(1 - opacity) * level + opacity * grey`, rounded, halves up.
    """
    pixels = np.array(image)
    # 0.7 * 15 is 10.5, whatever floats say.
    levels = np.round((1 - opacity) * np.arange(256) + opacity * grey, 6)
    table = np.floor(levels + 0.5).astype(np.uint8)
    lined = np.zeros(pixels.shape[:2], dtype=bool)
    for along in (lined, lined.T):
        for line in range(1, CELLS):
            start = line * len(along) // CELLS - width // 2
            along[max(0, start) : max(0, start + width)] = True
    pixels[lined] = table[pixels[lined]]
    return Image.fromarray(pixels)


def _concat(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    return [concat(first, second)]


def _authors_concat(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    height = min(first.height, second.height)
    resized = [
        _resized(converted(image, "RGB"), (max(1, image.width * height // image.height), height))
        for image in (first, second)
    ]
    return [side_by_side(resized, gap=SEPARATOR, background=BLACK)]


def _overlap(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    return [*_originals(first, second), Image.blend(*aligned(first, second), 0.5)]


def _authors_overlap(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    # Resized before transparency is dropped, it weighs the colours.
    blend = Image.blend(*_of_one_size(first, second, "RGBA"), 0.5)
    return [*_originals(first, second), blend.convert("RGB")]


def _subtract(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    """Return the paper's S = 255 * G / max G, rounded, halves up, with G the mean of |I1 - I2|."""
    difference = _difference(*aligned(first, second))
    levels = np.floor(255 * difference / max(1, difference.max()) + 0.5)
    return [*_originals(first, second), _grey(levels)]


def _authors_subtract(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    means = _difference(*_of_one_size(first, second, "RGB")).astype(np.float32) / np.float32(3)
    levels = means / (means.max() or np.float32(1)) * np.float32(255)
    return [*_originals(first, second), _grey(levels)]


def _difference(first: Image.Image, second: Image.Image) -> NDArray[np.int64]:
    """Return 3 times the paper's G: the sum over the channels of |first - second|, in [0, 765]."""
    levels = [np.asarray(image, dtype=np.int16) for image in (first, second)]
    total: NDArray[np.int64] = np.abs(levels[0] - levels[1]).sum(axis=2)
    return total


def _grey(levels: NDArray[np.floating[Any]]) -> Image.Image:
    return Image.fromarray(levels.astype(np.uint8)).convert("RGB")


def _of_one_size(
    first: Image.Image, second: Image.Image, mode: str
) -> tuple[Image.Image, Image.Image]:
    size = (min(first.width, second.width), min(first.height, second.height))
    return _resized(converted(first, mode), size), _resized(converted(second, mode), size)


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    return image.resize(size, Image.Resampling.LANCZOS)


def highlight(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    """Return both images as RGB in the first one's size, dimmed except where they differ most."""
    both = aligned(first, second)
    boxes = regions(_difference(*both))
    return [Image.fromarray(_marked(np.asarray(image), boxes)) for image in both]


def _highlight(first: Image.Image, second: Image.Image) -> list[Image.Image]:
    return [*_originals(first, second), *highlight(first, second)]


def regions(difference: NDArray[np.int64]) -> list[Box]:
    """Return the boxes of at most three regions in which two images differ, the largest first.

    Args:
        difference: shape (height, width), from 0 on, in any unit.
    """
    threshold = np.percentile(difference, PERCENTILE, method="lower")
    changed = difference > threshold
    if threshold > 0 and not changed.any():
        changed = difference >= threshold
    # Padded, because scipy's closing erodes what touches the border.
    closed = scipy.ndimage.binary_closing(np.pad(changed, 1), _SQUARE)[1:-1, 1:-1]
    opened = scipy.ndimage.binary_opening(closed, _SQUARE)
    labels, count = scipy.ndimage.label(opened if opened.any() else closed, _SQUARE)
    if count == 0:
        return []
    areas = np.bincount(labels.ravel())[1:]
    largest = np.argsort(-areas, kind="stable")[:MOST_REGIONS]
    boxes = scipy.ndimage.find_objects(labels)
    return [boxes[n] for n in largest if areas[n] >= LEAST_SHARE * areas[largest[0]]]


def _marked(pixels: Pixels, boxes: Sequence[Box]) -> Pixels:
    marked: Pixels = pixels // np.uint8(2) if boxes else pixels.copy()
    for box in boxes:
        marked[box] = pixels[box]
    width = max(2, round(max(pixels.shape[:2]) / 200))
    for box in boxes:
        framed = marked[tuple(slice(max(0, s.start - width), s.stop + width) for s in box)]
        framed[:width] = framed[-width:] = GREEN
        framed[:, :width] = framed[:, -width:] = GREEN
    return marked


WAYS: Mapping[Variant, Mapping[str, Callable[[Image.Image, Image.Image], list[Image.Image]]]] = {
    "paper": {
        "none": _originals,
        "grid": _grid,
        "concat": _concat,
        "overlap": _overlap,
        "subtract": _subtract,
        "highlight": _highlight,
    },
    "authors": {
        "none": _originals,
        "grid": _authors_grid,
        "concat": _authors_concat,
        "overlap": _authors_overlap,
        "subtract": _authors_subtract,
    },
}
