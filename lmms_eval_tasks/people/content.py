"""Digests of what raters are shown: the same for the same pixels and texts, in any process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image


def digest_of(parts: Iterable[bytes]) -> str:
    """Digest of several parts, each with its length: 16 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def of_image(image: Image.Image) -> tuple[bytes, bytes]:
    """The parts of an image: its mode and size, and its pixels."""
    return f"{image.mode} {image.size}".encode(), image.tobytes()


def of_text(text: str) -> bytes:
    """A text as a part, whatever it holds: a file name may hold halves of pairs."""
    return text.encode(errors="surrogatepass")
