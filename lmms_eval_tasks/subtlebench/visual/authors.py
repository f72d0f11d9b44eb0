"""The strategies as the authors' code has them, before it encodes to JPEG (quality 95).

VLM-SubtleBench, repository `krafton-ai/VLM-SubtleBench`. Where it departs from Appendix B.2, which
`grid`, `concat`, `overlap` and `subtract` of this package follow:

- grid: the lines are opaque, grey 76 (30% of 255) and 1 pixel wide, not black, 30% and 3 pixels.
- subtract: levels are truncated, not rounded, in single precision. Images that are the same give
  0 / 0; black here, which is what most machines make of it.
- highlight is not in it.

Where the text says nothing:

- overlap and subtract: both images are resized to the smaller width and the smaller height, not the
  second to the first's size.
- concat: the width of the image that is shrunk is rounded down. (Where that is 0 their code fails;
  1 pixel here.)
- Modes: transparency is dropped, and what it hid shows; 16-bit levels above 255 are white. That is
  what Pillow's conversion does.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from lmms_eval_tasks.subtlebench.visual.grid import draw_grid
from lmms_eval_tasks.subtlebench.visual.overlap import WEIGHT
from lmms_eval_tasks.subtlebench.visual.subtract import LARGEST, difference
from pairbench_ext.core.visual.aligned import converted
from pairbench_ext.core.visual.concat import BLACK, SEPARATOR, side_by_side

GRID_GREY = 76


def grid(image: Image.Image) -> Image.Image:
    """An RGB copy of `image`, of any mode, under three grey lines each way."""
    pixels = np.asarray(converted(image, "RGB"))
    return Image.fromarray(draw_grid(pixels, width=1, opacity=1, grey=GRID_GREY))


def concat(first: Image.Image, second: Image.Image) -> Image.Image:
    """Both images, of any size and mode, in the lower one's height, a black line between them."""
    height = min(first.height, second.height)
    shown = [
        _resized(converted(image, "RGB"), (max(1, image.width * height // image.height), height))
        for image in (first, second)
    ]
    return side_by_side(shown, gap=SEPARATOR, background=BLACK)


def overlap(first: Image.Image, second: Image.Image) -> Image.Image:
    """The mean of both images, of any size and mode, as RGB; halves are rounded down."""
    # Resized before transparency is dropped, it weighs the colours.
    one, other = _of_one_size(first, second, "RGBA")
    return Image.blend(one, other, WEIGHT).convert("RGB")


def subtract(first: Image.Image, second: Image.Image) -> Image.Image:
    """The difference of both images, of any size and mode, grey as RGB."""
    one, other = _of_one_size(first, second, "RGB")
    differences = difference(np.asarray(one), np.asarray(other))
    means = np.arange(LARGEST + 1, dtype=np.float32) / np.float32(3)
    levels = means / means[max(1, int(differences.max()))] * np.float32(255)
    return Image.fromarray(levels.clip(max=255).astype(np.uint8)[differences]).convert("RGB")


def _of_one_size(
    first: Image.Image, second: Image.Image, mode: str
) -> tuple[Image.Image, Image.Image]:
    size = (min(first.width, second.width), min(first.height, second.height))
    return _resized(converted(first, mode), size), _resized(converted(second, mode), size)


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    return image.resize(size, Image.Resampling.LANCZOS)
