"""Embed data in the report page: compressed JSON, and each picture once."""

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from PIL import Image

from pairbench_ext.core.contents import image_digest
from pairbench_ext.core.texts import encodable
from pairbench_ext.core.visual import encoded

Size: TypeAlias = Literal["full", "thumb", "none"]
_SIDES = {"thumb": 320, "full": 16_383}  # pixels of the longer side; WebP holds no more
_QUALITY = {"thumb": 72, "full": 88}
_METHOD = 2  # of 0 to 6: the next one takes twice as long for files 5% smaller


def packed(value: Any) -> str:
    """Return a value as compressed JSON in base64, which is safe inside an HTML block."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
    return base64.b64encode(zlib.compress(encodable(text).encode())).decode("ascii")


def block(name: str, content: str) -> bytes:
    """Return an HTML block that holds data under an id; browsers do not run it as a script."""
    return f'<script type="text/plain" id="{name}">{content}</script>\n'.encode("ascii")


def marked(text: str, span: tuple[int, int] | None) -> dict[str, Any]:
    """Return a reply for the page, and the position of the verdict in the reply.

    Places count UTF-16 units, as JavaScript does; they are -1 where the verdict's place is unknown.
    """
    start, end = (utf16(text, place) for place in span) if span else (-1, -1)
    return {"text": text, "start": start, "end": end}


def utf16(text: str, place: int) -> int:
    """Return a position in a text as JavaScript counts it, in UTF-16 units.

    >>> utf16("a\U0001f600b", 2)
    3
    """
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


class Picture(NamedTuple):
    """A picture in the report page: its number, and its displayed size in pixels."""

    number: int
    width: int
    height: int


class PictureStore:
    """The pictures of the report page; each picture is written once, as WebP.

    Args:
        size: "full" as they are, unless WebP cannot hold that, "thumb" 320 pixels at most, "none"
            not at all.
        write: writes a block of the page.
    """

    def __init__(self, size: Size, write: Callable[[bytes], object]) -> None:
        self.size = size
        self._write = write
        self._pictures: dict[bytes, Picture] = {}

    def __len__(self) -> int:
        return len(self._pictures)

    def add(self, image: Image.Image) -> Picture:
        """Return a picture's number in the page; pictures with the same pixels share one number."""
        digest = image_digest(image)
        if digest not in self._pictures:
            shown = image if image.mode in ("RGB", "RGBA") else image.convert("RGB")
            if max(shown.size) > _SIDES[self.size]:
                shown = shown.copy()
                side = (_SIDES[self.size], _SIDES[self.size])
                shown.thumbnail(side, Image.Resampling.HAMMING)
            self._pictures[digest] = Picture(len(self._pictures), *shown.size)
            file = encoded(shown, "WEBP", quality=_QUALITY[self.size], method=_METHOD)
            text = base64.b64encode(file).decode("ascii")
            self._write(block(f"picture-{self._pictures[digest].number}", text))
        return self._pictures[digest]
