"""Any image that a folder may hold, as an upright RGB picture, or the reason why not.

What is done to it: grey, palette, CMYK and 16-bit images become 8-bit RGB; transparency is laid on
white; the orientation of the EXIF header is applied; of an animation the first frame is taken; with
a size, larger pictures are reduced. A JPEG or PNG that needs none of this is kept byte for byte.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from lmms_eval_tasks.build.pairs.jpeg import jpeg_complaint
from lmms_eval_tasks.build.pairs.picture_sources import Source, read
from pairbench_ext.core.extras import MissingPackageError, require

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What Pillow reads by a signature. Not EPS (runs a program) nor formats that random bytes may be.
FORMATS = (
    *("AVIF", "BMP", "DIB", "GIF", "ICO", "JPEG", "JPEG2000"),
    *("PNG", "PPM", "QOI", "TIFF", "WEBP"),
    "HEIF",  # with the extra `heic`
)
_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
HEIC_HINT = "pictures in HEIC need pillow-heif: run pip install 'pairbench-ext[heic]'"
KEPT_FORMATS = ("JPEG", "PNG")
MIN_SIDE = 32  # pixels; below, neither a person nor a model sees what changed
MAX_PIXELS = 25_000_000  # blurring takes about 90 bytes for each
_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")
_ORIENTATION = 0x0112  # tag of the EXIF header; 1 is upright
_REDUCTION = 3  # a JPEG is decoded at not less than three times the size asked for


class UnusableError(ValueError):
    """The image cannot be used.

    Attributes:
        kind: why, in two words: "unreadable", "not an image", "in HEIC", "damaged", "without
            content", "too small", "too large".
        detail: what exactly; may be empty.
    """

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind} ({detail})" if detail else kind)
        self.kind = kind
        self.detail = detail


class Picture(NamedTuple):
    """A picture that is ready to be used.

    Attributes:
        image: upright, RGB.
        original: the file, byte for byte, if it needed no conversion; else None.
        lossy: whether the file was a JPEG.
        profile: the file's colour profile (ICC), if it is one of RGB; no pixel is changed by it,
            but all versions of a picture must have the same.
    """

    image: Image.Image
    original: bytes | None
    lossy: bool
    profile: bytes | None


def load_picture(source: Source, size: int | None = None) -> Picture:
    """Read, check and convert an image.

    Args:
        source: where it is.
        size: pixels that the longer side may have; None keeps the size.

    Raises:
        UnusableError: with the reason.
    """
    try:
        content = read(source)
    except OSError as error:
        raise UnusableError("unreadable", str(error.strerror or error)) from error
    try:
        with _strictly():
            return _load(content, size)
    except UnusableError:
        raise
    except Image.DecompressionBombError as error:
        raise UnusableError("too large", _beyond_reading()) from error
    except Exception as error:  # Pillow's readers raise anything on a damaged file
        raise UnusableError("damaged", str(error) or type(error).__name__) from error


@contextmanager
def _strictly() -> Iterator[None]:
    """Refuse images that are cut off, whatever Pillow was told; be silent about large ones."""
    lenient = ImageFile.LOAD_TRUNCATED_IMAGES  # the harness switches it on
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = lenient


def _load(content: bytes, size: int | None) -> Picture:
    try:
        opened = Image.open(io.BytesIO(content), formats=_known_formats())
    except UnidentifiedImageError as error:
        if content[4:8] == b"ftyp" and content[8:12] in _HEIC_BRANDS:
            raise UnusableError("in HEIC", HEIC_HINT) from error
        raise UnusableError("not an image") from error
    with opened:
        _check_size(opened.size, size)
        lossy = opened.format == "JPEG"
        profile = opened.info.get("icc_profile") if opened.mode in ("RGB", "RGBA") else None
        keep = _needs_no_conversion(opened) and (size is None or max(opened.size) <= size)
        if size is not None:
            opened.draft(None, (_REDUCTION * size, _REDUCTION * size))
        ImageOps.exif_transpose(opened, in_place=True)
        opened.load()
        image = as_rgb(opened)
        complaint = jpeg_complaint(content) if lossy else ""
        if complaint:
            raise UnusableError("damaged", complaint)
    if size is not None:
        image.thumbnail((size, size), Image.Resampling.LANCZOS)
        _check_size(image.size, size)
    image.info = {}
    return Picture(image, content if keep else None, lossy, profile)


def _known_formats() -> list[str]:
    Image.init()
    if "HEIF" not in Image.OPEN:
        with suppress(MissingPackageError):  # then such pictures are left out, with a hint
            require("pillow_heif", "HEIC").register_heif_opener()
    return [name for name in FORMATS if name in Image.OPEN]


def _check_size(pixels: tuple[int, int], size: int | None) -> None:
    width, height = pixels
    if min(width, height) < MIN_SIDE:
        raise UnusableError(
            "too small", f"{width} x {height} pixels; the shorter side needs {MIN_SIDE}"
        )
    if size is None and width * height > MAX_PIXELS:
        limit = f"{MAX_PIXELS / 1e6:.0f} million are allowed"
        raise UnusableError(
            "too large", f"{width} x {height} pixels; {limit}, reduce larger ones with --size"
        )


def _beyond_reading() -> str:
    most = 2 * (Image.MAX_IMAGE_PIXELS or 0)  # Pillow warns of half as many
    return f"it claims to have more than {most:,} pixels, and such files are not opened"


def _needs_no_conversion(opened: Image.Image) -> bool:
    # Pillow reads PNG with 16 bits per channel as RGB, which only the raw mode tells.
    tiles: Any = getattr(opened, "tile", None) or [("", None, 0, ("RGB",))]
    arguments = tiles[0][3]
    raw = arguments if isinstance(arguments, str) else arguments[0]
    return (
        opened.format in KEPT_FORMATS
        and (opened.mode, raw) == ("RGB", "RGB")
        and "transparency" not in opened.info
        and getattr(opened, "n_frames", 1) == 1
        and opened.getexif().get(_ORIENTATION, 1) == 1
    )


def as_rgb(image: Image.Image) -> Image.Image:
    """Any image as RGB with 8 bits per channel; what is transparent shows white.

    Images with more bits and one channel are scaled: 16-bit ones from their whole range, others
    from the range of their values.

    Raises:
        UnusableError: if nothing shows: all is transparent, or no pixel has a value.
    """
    transparent = image.mode in _WITH_ALPHA or "transparency" in image.info
    if image.mode == "RGB" and not transparent:
        return image
    if image.mode.startswith(("I", "F")):
        if not np.isfinite(np.asarray(image)).any():
            raise UnusableError("without content", "no pixel has a value")
        return Image.fromarray(_to_8_bits(np.asarray(image), image.mode)).convert("RGB")
    if transparent:
        layer = image.convert("RGBA")
        if layer.getchannel("A").getextrema() == (0, 0):
            raise UnusableError("without content", "every pixel is transparent")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return image.convert("RGB")


def _to_8_bits(values: NDArray[Any], mode: str) -> NDArray[np.uint8]:
    finite = np.nan_to_num(values.astype(np.float64), posinf=0, neginf=0)
    low, high = float(finite.min()), float(finite.max())
    # Mode "I" is what some readers make of 16 bits.
    if mode.startswith("I;16") or (mode == "I" and low >= 0 and 255 < high <= 65535):
        low, high = 0.0, 65535.0
    scaled: NDArray[np.float64] = (finite - low) / max(high - low, 1e-12) * 255
    eight: NDArray[np.uint8] = np.round(scaled).astype(np.uint8)
    return eight
