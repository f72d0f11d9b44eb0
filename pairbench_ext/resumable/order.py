"""The order in which requests are asked: those that show pictures of one size are neighbours.

A backend fills up the shorter prompts of a batch to its longest, and a picture is most of a prompt.
Requests of one batch that show as many pixels need no filling.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from PIL import Image

from pairbench_ext.core.media import SourceImages

if TYPE_CHECKING:
    from pairbench_ext.resumable.asks import Ask


def pixels_of(shown: Any) -> int:
    """How many pixels the pictures have that a request shows: a list of media, or messages.

    >>> picture = Image.new("RGB", (4, 3))
    >>> pixels_of([picture, "a text", picture]), pixels_of([{"content": [{"url": picture}]}])
    (24, 12)
    """
    if isinstance(shown, Image.Image):
        return shown.width * shown.height
    inner = shown.values() if isinstance(shown, Mapping) else shown
    if isinstance(inner, str) or not hasattr(inner, "__iter__"):
        return 0
    if isinstance(shown, (Mapping, list, tuple)):
        return sum(map(pixels_of, inner))
    return 0


def largest_first(asks: Sequence[Ask], pixels: Callable[[Ask], int]) -> Iterator[tuple[int, Ask]]:
    """Requests with their places, in the order in which they are asked.

    Tasks stay as they come. Within a task those that show most pixels are first, so that memory
    runs out at once if at all; equals keep their order, in which trials of a row are neighbours. A
    task that draws answers keeps its order: they are drawn together in blocks of it.
    """
    for _, group in groupby(enumerate(asks), key=lambda numbered: numbered[1].parts.task):
        task = list(group)
        if not any(ask.is_sampled for _, ask in task):
            task.sort(key=lambda numbered: -pixels(numbered[1]))
        yield from task


class Sizes:
    """How many pixels documents show, by the headers of their pictures; none is decoded."""

    def __init__(self) -> None:
        """Nothing was looked at."""
        self._images: dict[int, SourceImages] = {}

    def of(self, docs: Any, number: int) -> int:
        """Of documents that tell (`pixels`), or have columns of images; of others 0.

        >>> Sizes().of([{"image": Image.new("RGB", (4, 3))}], 0)
        0
        """
        if hasattr(docs, "pixels"):
            return int(docs.pixels(number))
        if not isinstance(docs, getattr(sys.modules.get("datasets"), "Dataset", ())):
            return 0
        if id(docs) not in self._images:
            self._images[id(docs)] = SourceImages(docs, "the documents")
        images = self._images[id(docs)]
        return sum(images.pixels(number, column) for column in images.columns)
