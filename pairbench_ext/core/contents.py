"""Turn the texts and images that a model is shown into bytes that can be compared.

Pictures count with their pixels, files with their bytes, arrays with their numbers. Whatever has no
content of this kind, such as a decoder of video, raises `UnkeyableError`: better to ask again than
to reuse the answer to something else.

A picture, sound or video behind an http(s) URL counts with its URL. Nothing is fetched, so when
what is there changes, the answer to what was there before is reused.

Pictures are hashed with XXH3 (128 bits), because a cryptographic hash would take longer than all
else; so digests withstand accidents, not somebody who forges pictures.
"""

import functools
import hashlib
import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import xxhash
from PIL import Image

_DIGEST_BYTES = 16
_READ_WHOLE = 1_000_000_000  # bytes; a longer file, a video, counts with its size and time
_READ_AT_ONCE = 1 << 20
_LONGEST_PATH = 4096
_PIXELS_AT_ONCE = 4_000_000  # Pillow keeps more in several pieces
_CLEARED_AT_ONCE = 1 << 15  # pixels; they stay in the processor's cache until they are hashed
_RGB_OF_RGBX = np.array(0x00FFFFFF, dtype="<u4")


class UnkeyableError(ValueError):
    """An image or a value shown to the model has no digest that could be compared with others."""


def image_digest(image: Image.Image) -> bytes:
    """Return a digest of a picture's mode, size, pixels, palette and orientation.

    >>> one, other = (Image.new("RGB", (2, 1), colour) for colour in ("black", "white"))
    >>> image_digest(one) == image_digest(one.copy()) != image_digest(other)
    True
    """
    hashed = xxhash.xxh3_128(f"{image.mode} {image.width}x{image.height} ".encode())
    for piece in _pixels(image):
        hashed.update(piece)
    facts = [image.info.get("exif"), image.info.get("transparency")]
    facts.append(image.getpalette("RGBA") if image.mode in ("P", "PA") else None)
    for part in content(facts):
        hashed.update(part)
    return bytes(hashed.digest())


def short(digest: bytes) -> str:
    """Return the first 16 hexadecimal digits of a digest, as logs show it."""
    return digest.hex()[:16]


def _pixels(image: Image.Image) -> Iterator[Any]:
    """Yield the pixels as bytes, in pieces of whole rows.

    Pillow has RGB in four bytes a pixel; the fourth may hold anything and is cleared. A piece holds
    until the next one is taken.
    """
    if image.mode != "RGB":
        yield image.tobytes()
        return
    rows = max(1, _PIXELS_AT_ONCE // max(1, image.width))
    for top in range(0, image.height, rows):
        whole = rows >= image.height
        box = (0, top, image.width, min(image.height, top + rows))
        packed = np.frombuffer(_rgbx(image if whole else image.crop(box)), dtype="<u4")
        cleared = np.empty(min(_CLEARED_AT_ONCE, packed.size), dtype="<u4")
        for start in range(0, packed.size, _CLEARED_AT_ONCE):
            part = packed[start : start + _CLEARED_AT_ONCE]
            yield np.bitwise_and(part, _RGB_OF_RGBX, out=cleared[: part.size]).data


def _rgbx(image: Image.Image) -> Any:
    """Return an RGB picture as Pillow has it in memory, without a copy where that can be had."""
    if hasattr(image, "__arrow_c_array__"):  # Pillow 11.3 or later
        with suppress(ImportError, ValueError):  # not installed; memory in several pieces
            import pyarrow

            return pyarrow.array(image).buffers()[-1]
    return image.tobytes("raw", "RGBX")


def digest(parts: Iterable[bytes]) -> bytes:
    """Return a digest (16 bytes) of the byte strings, joined in their order."""
    return hashlib.blake2b(b"".join(parts), digest_size=_DIGEST_BYTES).digest()


def content(value: Any, *, shown: bool = False) -> Iterator[bytes]:
    """Yield a value as bytes that differ for different values: its type, length and content.

    Args:
        value: made of texts, numbers, lists, dictionaries, pictures and arrays.
        shown: whether a text that names a file means the file. Not inside a chat's text items. An
            http(s) URL counts as text: a picture behind it counts with its URL.

    Raises:
        UnkeyableError: if there is something else in it.
    """
    if isinstance(value, str):
        yield from _text(value)
        if shown:
            yield _path_state(value)
    elif isinstance(value, Image.Image):
        yield b"i" + _decoded(value)
    elif isinstance(value, Mapping):
        yield from _mapping(value, shown)
    elif isinstance(value, (list, tuple)):
        yield b"[%d:" % len(value)
        for item in value:
            yield from content(item, shown=shown)
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield from content((value.dtype.str, value.shape))
        yield b"a" + xxhash.xxh3_128_digest(value.tobytes())
    elif isinstance(value, Path):
        yield from content(str(value), shown=shown)
    else:
        yield _scalar(value)


def _decoded(image: Image.Image) -> bytes:
    try:
        return image_digest(image)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UnkeyableError(f"a picture that cannot be decoded ({error})") from error


def _text(value: str) -> Iterator[bytes]:
    encoded = value.encode("utf-8", "surrogatepass")
    yield b"s%d:" % len(encoded)
    yield encoded


def _mapping(value: Mapping[Any, Any], shown: bool) -> Iterator[bytes]:
    yield b"{%d:" % len(value)
    is_text = shown and value.get("type") == "text"
    for name in sorted(value, key=str):
        yield from content(name)
        # A role or a text is words, even where a file has that name.
        words = is_text or name in ("role", "type") or (name == "content" and "role" in value)
        inner = value[name]
        yield from content(inner, shown=shown and not (words and isinstance(inner, str)))


def _scalar(value: Any) -> bytes:
    if value is None:
        return b"n"
    if isinstance(value, (bool, np.bool_)):
        return b"t" if value else b"f"
    if isinstance(value, (bytes, bytearray)):
        return b"b%d:" % len(value) + bytes(value)
    if isinstance(value, (int, np.integer)):
        return b"d%d;" % int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        # 0 and 0.0 set the same temperature.
        whole = math.isfinite(number) and number.is_integer()
        return b"d%d;" % int(number) if whole else f"d{number!r};".encode()
    raise UnkeyableError(f"a {type(value).__module__}.{type(value).__qualname__} has no content")


def _path_state(text: str) -> bytes:
    """Return what is in the file or folder that a text names; empty if it names none."""
    plain = text.removeprefix("file://")
    # Models take what follows file:// as it is, or as a URL with percent signs.
    for name in (plain,) if plain == text else (plain, unquote(plain)):
        if not name or len(name) > _LONGEST_PATH:
            continue
        try:
            status = Path(name).stat()
        except (OSError, ValueError):  # no path at all, or none that exists
            continue
        return _state(name, status)
    return b""


def _state(name: str, status: os.stat_result) -> bytes:
    try:
        if stat.S_ISDIR(status.st_mode):
            raise UnkeyableError(f"{name} is a folder")
        return file_state(name, status, _READ_WHOLE) if stat.S_ISREG(status.st_mode) else b""
    except OSError as error:
        raise UnkeyableError(f"{name} cannot be read ({error.strerror})") from error


def file_state(name: str, status: os.stat_result, read_whole: int) -> bytes:
    """Return a file's bytes; for a large file, its size and time of change instead.

    Raises:
        OSError: if it cannot be read.
    """
    if status.st_size > read_whole:
        return b"G%d,%d;" % (status.st_size, status.st_mtime_ns)
    return b"F" + _file_digest(name, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=65_536)
def _file_digest(name: str, size: int, changed: int) -> bytes:  # noqa: ARG001  (they are the cache's)
    """Digest of a file's bytes, read once while its size and time stay as they are."""
    hashed = xxhash.xxh3_128()
    with Path(name).open("rb", buffering=0) as file:
        while piece := file.read(_READ_AT_ONCE):
            hashed.update(piece)
    return bytes(hashed.digest())
