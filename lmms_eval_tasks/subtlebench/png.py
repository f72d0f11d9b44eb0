"""PNG of drawings, whose rows mostly repeat the row above.

Pillow tries every filter of the format on every row, which for flat drawings takes most of the time
of a build. Here each row is stored as its difference to the row above (filter 2, "Up"; PNG
specification, Section 9), which is nothing but zeros where rows repeat.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_UP = 2
_BITS, _RGB = 8, 2


def drawing_png(image: Image.Image) -> bytes:
    """An RGB image as a PNG file, the same bytes for the same pixels.

    Raises:
        ValueError: if it is not RGB.
    """
    if image.mode != "RGB":
        raise ValueError(f"only RGB images are drawings, not {image.mode!r}")
    pixels = np.asarray(image).reshape(image.height, -1)
    rows = np.empty((image.height, pixels.shape[1] + 1), np.uint8)
    rows[:, 0] = _UP
    rows[0, 1:] = pixels[0]
    np.subtract(pixels[1:], pixels[:-1], out=rows[1:, 1:])
    packer = zlib.compressobj(1, strategy=zlib.Z_RLE)
    header = struct.pack(">IIBBBBB", *image.size, _BITS, _RGB, 0, 0, 0)
    content = packer.compress(rows.tobytes()) + packer.flush()
    parts = ((b"IHDR", header), (b"IDAT", content), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
