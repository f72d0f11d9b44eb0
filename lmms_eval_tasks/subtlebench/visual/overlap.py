"""Two images in one, half and half.

Paper: VLM-SubtleBench, Appendix B.2: "Two aligned inputs are blended with equal weights (50%
contribution each) in pixel space, producing a composite image that visually merges both inputs."
"""

from __future__ import annotations

from PIL import Image

from pairbench_ext.core.visual.aligned import aligned

WEIGHT = 0.5


def overlap(first: Image.Image, second: Image.Image) -> Image.Image:
    """The mean of two images, halves rounded down: RGB, in the first's size.

    Args:
        first: of any size and mode; it is not changed.
        second: the same; resized to the first's size.

    >>> overlap(Image.new("L", (2, 1), 7), Image.new("L", (2, 1), 100)).getpixel((1, 0))
    (53, 53, 53)
    """
    # Several times faster than an array, which would have to be copied from and to Pillow.
    return Image.blend(*aligned(first, second), WEIGHT)
