"""Two images of any size and mode, as RGB images that lie on each other.

VLM-SubtleBench (Appendix B.2) speaks of "aligned inputs" in [0, 255]^(H x W x 3) and does not say
how other images become that. Here:

- **Transparency** lies on white, as on a page: colours that it hides are no difference.
- **16 bits** (`I;16` and its kin, and `I`, as which such files may open too) are scaled by their
  full range, 65535 to 255. Pillow's own conversion turns every level above 255 white. The scale is
  the same for every image, so a pair that differs in brightness still does.
- **Floats** (`F`) are rounded within [0, 255], where Pillow has them; where all lie in [0, 1], as
  most programs write them, 1 is white. NaN is black.
- Other modes become RGB as Pillow converts them.
- **Sizes**: the second image is resized to the first's (Lanczos), not in proportion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_WHITE = (255, 255, 255, 255)
_16_BITS = 65535
_STEP = _16_BITS // 255


def rgb(image: Image.Image) -> Image.Image:
    """`image` as 8-bit RGB of the same size; the image itself if it is that already.

    Args:
        image: of any mode that Pillow has; it is not changed.
    """
    if image.mode.startswith("I"):
        levels = np.asarray(image).clip(0, _16_BITS).astype(np.uint32)
        return _grey((levels + _STEP // 2) // _STEP)
    if image.mode == "F":
        floats = np.nan_to_num(np.asarray(image), nan=0, posinf=np.inf, neginf=0)
        shares = floats.min() >= 0 and floats.max() <= 1
        return _grey(np.rint((floats * 255 if shares else floats).clip(0, 255)))
    if image.has_transparency_data:
        shown = converted(image, "RGBA")
        page = Image.new("RGBA", shown.size, _WHITE)
        return Image.alpha_composite(page, shown).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


def converted(image: Image.Image, mode: str) -> Image.Image:
    """`image.convert(mode)` for RGB and RGBA, also from `La`, from which Pillow knows no way."""
    return (image.convert("LA") if image.mode == "La" else image).convert(mode)


def aligned(first: Image.Image, second: Image.Image) -> tuple[Image.Image, Image.Image]:
    """Both images as RGB, the second resized to the first's size.

    Args:
        first: of any size and mode; it is not changed.
        second: the same.
    """
    left, right = rgb(first), rgb(second)
    if left.size != right.size:
        right = right.resize(left.size, Image.Resampling.LANCZOS)
    return left, right


def _grey(levels: NDArray[Any]) -> Image.Image:
    return Image.fromarray(levels.astype(np.uint8)).convert("RGB")
