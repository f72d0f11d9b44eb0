"""Data inside the page: compressed JSON, cut texts, and pictures, each once."""

from __future__ import annotations

import base64
import io
import json
import zlib
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any, Literal, NamedTuple, TypeAlias

from PIL import Image

from pairbench_ext.core.characters import encodable
from pairbench_ext.core.contents import image_digest

LONGEST = 50_000  # characters of a text; of longer ones, the page has the beginning and the end
Size: TypeAlias = Literal["full", "thumb", "none"]
_SIDES = {"thumb": 320, "full": 16_383}  # pixels of the longer side; WebP holds no more
_QUALITY = {"thumb": 72, "full": 88}
_METHOD = 2  # of 0 to 6: the next one takes twice as long for files 5% smaller
_KEPT = 32_000_000  # bytes in memory; more is in a file


def packed(value: Any) -> str:
    """Return compressed JSON (zlib) in base64: nothing in it can end the block that holds it."""
    text = json.dumps(encodable(value), ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode("ascii")


def block(name: str, content: str) -> bytes:
    """Return a block of data with an id, which no browser runs; `content` is in base64."""
    return f'<script type="text/plain" id="{name}">{content}</script>\n'.encode("ascii")


def cut(text: str) -> str:
    """Return a text; of a very long one, the beginning and the end."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n[... {left:,} characters are left out here ...]\n{text[-half:]}"


def marked(text: str, span: tuple[int, int] | None) -> dict[str, Any]:
    """Return a reply as the page has it, and from where to where its verdict was read.

    Places count UTF-16 units, as JavaScript does; they are -1 where the verdict's place is unknown
    or left out.
    """
    shown = cut(text)
    start, end = span or (-1, -1)
    if len(text) > LONGEST and end > LONGEST // 2:
        moved = len(shown) - len(text)
        inside = start >= len(text) - LONGEST // 2
        start, end = (start + moved, end + moved) if inside else (-1, -1)
    places = [place if place < 0 else utf16(shown, place) for place in (start, end)]
    return {"text": shown, "start": places[0], "end": places[1]}


def utf16(text: str, place: int) -> int:
    """Return a place in a text as JavaScript counts: characters beyond U+FFFF are two.

    >>> utf16("a\U0001f600b", 2)
    3
    """
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


class Picture(NamedTuple):
    """A picture of the page: its number, and the size at which it is shown, in pixels."""

    number: int
    width: int
    height: int


class PictureStore:
    """Pictures that the page shows, each written once, as WebP.

    Args:
        size: "full" as they are, unless WebP cannot hold that, "thumb" 320 pixels at most, "none"
            not at all.
    """

    def __init__(self, size: Size = "thumb") -> None:
        self.size = size
        self._pictures: dict[bytes, Picture] = {}
        self._file = SpooledTemporaryFile(max_size=_KEPT)  # noqa: SIM115  (as long as the store is)

    def __len__(self) -> int:
        return len(self._pictures)

    def add(self, image: Image.Image) -> Picture:
        """Return the page's picture of an image; images with the same pixels share one."""
        digest = image_digest(image)
        if digest not in self._pictures:
            shown = image if image.mode in ("RGB", "RGBA") else image.convert("RGB")
            if max(shown.size) > _SIDES[self.size]:
                shown = shown.copy()
                side = (_SIDES[self.size], _SIDES[self.size])
                shown.thumbnail(side, Image.Resampling.HAMMING)
            self._pictures[digest] = Picture(len(self._pictures), *shown.size)
            encoded = io.BytesIO()
            shown.save(encoded, "WEBP", quality=_QUALITY[self.size], method=_METHOD)
            text = base64.b64encode(encoded.getvalue()).decode("ascii")
            self._file.write(block(f"picture-{self._pictures[digest].number}", text))
        return self._pictures[digest]

    def blocks(self) -> Iterator[bytes]:
        """Yield what the page holds of them, piece by piece, and close the store."""
        self._file.seek(0)
        while piece := self._file.read(1 << 20):
            yield piece
        self._file.close()
