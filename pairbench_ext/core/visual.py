"""Prepare images for a model: convert to RGB, overlay, put side by side.

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

CAST (Appendix A) shows a pair as "two side-by-side images", in one canvas. The paper does not say
how images of different heights meet; the default here loses no pixels: the lower ones are enlarged
to the height of the tallest, in proportion.

VLM-SubtleBench (Appendix B.2) has a pair "concatenated horizontally with a 1-pixel-wide black
separator". It says nothing of heights either; its code shrinks the taller image, and so does
`concat`.
"""

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WHITE = (255, 255, 255)
BLACK = (0, 0, 0)
SEPARATOR = 1  # pixels
_PAGE = (*WHITE, 255)
_IN_PNG = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
_16_BITS = 65535
_STEP = _16_BITS // 255


def rgb(image: Image.Image) -> Image.Image:
    """Return an image of any mode as 8-bit RGB; unchanged if it is RGB already."""
    if image.mode.startswith("I"):
        return _grey((np.asarray(image).clip(0, _16_BITS).astype(np.uint32) + _STEP // 2) // _STEP)
    if image.mode == "F":
        floats = np.nan_to_num(np.asarray(image), nan=0, posinf=np.inf, neginf=0)
        shares = floats.min() >= 0 and floats.max() <= 1
        return _grey(np.rint((floats * 255 if shares else floats).clip(0, 255)))
    if image.has_transparency_data:
        shown = converted(image, "RGBA")
        return Image.alpha_composite(Image.new("RGBA", shown.size, _PAGE), shown).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


def converted(image: Image.Image, mode: str) -> Image.Image:
    """Convert an image to RGB or RGBA, as `image.convert` does, but also from mode `La`."""
    return (image.convert("LA") if image.mode == "La" else image).convert(mode)


def aligned(first: Image.Image, second: Image.Image) -> tuple[Image.Image, Image.Image]:
    """Return two images as RGB, the second resized to the size of the first."""
    left, right = rgb(first), rgb(second)
    if left.size != right.size:
        right = right.resize(left.size, Image.Resampling.LANCZOS)
    return left, right


def _grey(levels: NDArray[Any]) -> Image.Image:
    return Image.fromarray(levels.astype(np.uint8)).convert("RGB")


def side_by_side(
    images: Sequence[Image.Image],
    *,
    gap: int = 0,
    height: Callable[[Iterable[int]], int] = max,
    background: tuple[int, int, int] = WHITE,
) -> Image.Image:
    """Return the images side by side in one RGB image.

    Args:
        images: RGB images of any size; they are not changed.
        gap: pixels between neighbours.
        height: of the canvas, from those of the images, `max` or `min`: every image is resized to
            it in proportion.
        background: colour of the gaps.

    Raises:
        ValueError: if there is no image, or an image is not RGB.

    >>> side_by_side([Image.new("RGB", (30, 20)), Image.new("RGB", (10, 10))], gap=2).size
    (52, 20)
    """
    if not images:
        raise ValueError("there is no image to put side by side")
    for image in images:
        if image.mode != "RGB":
            raise ValueError(f"an image is not RGB but {image.mode!r}: convert it first")
    pixels = height(image.height for image in images)
    shown = [_of_height(image, pixels) for image in images]
    width = sum(image.width for image in shown) + gap * (len(shown) - 1)
    canvas = Image.new("RGB", (width, pixels), background)
    left = 0
    for image in shown:
        canvas.paste(image, (left, 0))
        left += image.width + gap
    return canvas


def concat(first: Image.Image, second: Image.Image) -> Image.Image:
    """Return two images side by side with a black line between them, as VLM-SubtleBench does.

    Args:
        first: of any size and mode; it is not changed. On the left.
        second: the same. On the right; the taller image is resized to the height of the lower one,
            in proportion.

    >>> concat(Image.new("L", (30, 20)), Image.new("L", (10, 10))).size
    (26, 10)
    """
    return side_by_side([rgb(first), rgb(second)], gap=SEPARATOR, height=min, background=BLACK)


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return an image as the bytes of a file; for PNG, colour modes that PNG lacks become RGB."""
    shown = rgb(image) if kind == "PNG" and image.mode not in _IN_PNG else image
    file = io.BytesIO()
    shown.save(file, kind, **options)
    return file.getvalue()


def png_url(image: Image.Image) -> str:
    """Return an image as a data URL of a PNG file."""
    return f"data:image/png;base64,{base64.b64encode(encoded(image)).decode()}"


def _of_height(image: Image.Image, height: int) -> Image.Image:
    if image.height == height:
        return image
    width = max(1, round(image.width * height / image.height))
    return image.resize((width, height), Image.Resampling.LANCZOS)
