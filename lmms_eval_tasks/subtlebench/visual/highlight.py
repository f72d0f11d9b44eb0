"""Two images, dimmed but for the regions in which they differ most.

Paper: VLM-SubtleBench, Appendix B.2: "dimming the background (using alpha = 0.5) while preserving
the original appearance only inside the selected bounding boxes. Finally, we draw a green-colored
boundary around each box". Both images get the same boxes (`visual.regions`).

The paper leaves open, and here is:

- Dimmed levels are half of what they were, rounded down.
- A boundary is pure green and lies around its box, so that it hides nothing inside; where the image
  ends, it lies inside. Its width is 1/200 of the longer side, at least 2 pixels: one still sees it
  when a model shrinks the image.
- Images that are the same have no boxes and are not dimmed: they are shown as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lmms_eval_tasks.subtlebench.visual.regions import Box, regions
from lmms_eval_tasks.subtlebench.visual.subtract import difference
from pairbench_ext.core.visual.aligned import aligned

GREEN = (0, 255, 0)


def highlight(first: Image.Image, second: Image.Image) -> tuple[Image.Image, Image.Image]:
    """Both images as RGB in the first's size: what differs most in green boxes, the rest dimmed.

    Args:
        first: of any size and mode; it is not changed.
        second: the same; resized to the first's size.
    """
    one, other = (np.asarray(image) for image in aligned(first, second))
    boxes = regions(difference(one, other))
    return Image.fromarray(mark(one, boxes)), Image.fromarray(mark(other, boxes))


def mark(
    pixels: NDArray[np.uint8], boxes: Sequence[Box], width: int | None = None
) -> NDArray[np.uint8]:
    """A copy of an image, dimmed outside of the boxes, with green boundaries around them.

    Args:
        pixels: shape (height, width, 3), 8-bit levels.
        boxes: what to keep as it is, each inside the image; without any, nothing is dimmed.
        width: of the boundaries in pixels, at least 1; None is `width_of` the shape.
    """
    marked: NDArray[np.uint8] = pixels // np.uint8(2) if boxes else pixels.copy()
    for left, top, right, bottom in boxes:
        marked[top:bottom, left:right] = pixels[top:bottom, left:right]
    for box in boxes:
        _outline(marked, box, width_of(pixels.shape) if width is None else width)
    return marked


def width_of(shape: tuple[int, ...]) -> int:
    """Width of the boundaries in an image of `shape` (height, width, ...), in pixels."""
    return max(2, round(max(shape[:2]) / 200))


def _outline(pixels: NDArray[np.uint8], box: Box, width: int) -> None:
    """Draw around the box, in place."""
    rows = slice(max(0, box.top - width), box.bottom + width)
    columns = slice(max(0, box.left - width), box.right + width)
    framed = pixels[rows, columns]
    framed[:width] = framed[-width:] = GREEN
    framed[:, :width] = framed[:, -width:] = GREEN
