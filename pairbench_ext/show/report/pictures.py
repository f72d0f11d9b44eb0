"""Pictures of the page: each once, small, in a file until the page is written."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Literal, NamedTuple, TypeAlias

from PIL import Image

from pairbench_ext.core.contents import image_digest, short
from pairbench_ext.show.report.pieces import block

Size: TypeAlias = Literal["full", "thumb", "none"]
SIDE = 320  # pixels of a thumbnail's longer side
_LONGEST = 16_383  # pixels of a side that WebP can hold
_QUALITY = {"thumb": 72, "full": 88}
_METHOD = 2  # of 0 to 6: the next one takes twice as long for files 5% smaller
_KEPT = 32_000_000  # bytes in memory; more is in a file


class Kept(NamedTuple):
    """A picture of the page.

    Attributes:
        number: by which the page knows it.
        width, height: as it is shown, in pixels.
    """

    number: int
    width: int
    height: int


class PictureStore:
    """Pictures that the page shows, each written once, as WebP.

    Args:
        size: "full" as they are, unless WebP cannot hold that, "thumb" `SIDE` pixels at most,
            "none" not at all.
    """

    def __init__(self, size: Size = "thumb") -> None:
        self.size = size
        self._kept: dict[bytes, Kept] = {}
        self._file = SpooledTemporaryFile(max_size=_KEPT)  # noqa: SIM115  (as long as the store is)

    def __len__(self) -> int:
        return len(self._kept)

    def __enter__(self) -> PictureStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, image: Image.Image) -> Kept:
        """Keep a picture, unless one with the same pixels is kept already."""
        digest = image_digest(image)
        if digest not in self._kept:
            shown = self._shown(image)
            self._kept[digest] = Kept(len(self._kept), *shown.size)
            encoded = io.BytesIO()
            shown.save(encoded, "WEBP", quality=_QUALITY[self.size], method=_METHOD)
            text = base64.b64encode(encoded.getvalue()).decode("ascii")
            self._file.write(block(f"picture-{self._kept[digest].number}", text).encode("ascii"))
        return self._kept[digest]

    def digest(self, image: Image.Image) -> str:
        """What its pixels are logged as."""
        return short(image_digest(image))

    def blocks(self) -> Iterator[bytes]:
        """What the page holds of them, piece by piece."""
        self._file.seek(0)
        while piece := self._file.read(1 << 20):
            yield piece

    def _shown(self, image: Image.Image) -> Image.Image:
        made = image if image.mode in ("RGB", "RGBA") else image.convert("RGB")
        most = SIDE if self.size == "thumb" else _LONGEST
        if max(made.size) > most:
            scale = most / max(made.size)
            width, height = (max(1, round(side * scale)) for side in made.size)
            made = made.resize((width, height), Image.Resampling.HAMMING, reducing_gap=2.0)
        return made
