"""The images of a benchmark's data, loaded only when a trial shows them.

`dataset[i]` decodes every image column of a row, shown or not, every time. Trials of one row are
neighbours and share images, so a small cache of decoded images does most of the work.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pairbench_ext.core.foreign import Encoded, UnreadableError, decoded, picture_size
from pairbench_ext.core.sources import PlainTable, SourceError, Table
from pairbench_ext.core.visual import rgb

if TYPE_CHECKING:
    from PIL import Image

_BYTES_PER_PIXEL = 4  # Pillow stores RGB in four
MAX_BYTES = 256_000_000  # of decoded pixels that a process keeps
_Key: TypeAlias = tuple[int, int, str]  # owner, row, column


class DecodedImages:
    """A thread-safe cache of recently used images, limited by their total size."""

    def __init__(self) -> None:
        self.max_bytes = MAX_BYTES
        self.bytes = 0
        self._images: OrderedDict[_Key, Image.Image] = OrderedDict()
        # A finalizer may run in a thread that holds the lock already.
        self._lock = threading.RLock()

    def get(self, key: _Key) -> Image.Image | None:
        """Return an image from the cache and mark it as used; None if it is not cached."""
        with self._lock:
            image = self._images.get(key)
            if image is not None:
                self._images.move_to_end(key)
            return image

    def keep(self, key: _Key, image: Image.Image) -> None:
        """Store an image in the cache, and drop the least recently used images if it is full."""
        with self._lock:
            if key in self._images:
                return
            self._images[key] = image
            self.bytes += _bytes_of(image)
            while self.bytes > self.max_bytes and len(self._images) > 1:
                _, dropped = self._images.popitem(last=False)
                self.bytes -= _bytes_of(dropped)

    def forget(self, owner: int) -> None:
        """Drop all cached images of one data source."""
        with self._lock:
            for key in [key for key in self._images if key[0] == owner]:
                self.bytes -= _bytes_of(self._images.pop(key))


def _bytes_of(image: Image.Image) -> int:
    return image.width * image.height * _BYTES_PER_PIXEL


_shared = DecodedImages()  # one for all sources of a process: a group has dozens of leaves


@contextmanager
def fewer_images_kept(max_bytes: int) -> Iterator[None]:
    """Limit, while the block runs, how many bytes of decoded images the process keeps."""
    before = _shared.max_bytes
    _shared.max_bytes = min(before, max_bytes)
    try:
        yield
    finally:
        _shared.max_bytes = before


_owners = itertools.count()
# Trials that are neighbours show the same images: of threads that want one, one decodes it.
_decoding = tuple(threading.RLock() for _ in range(64))


class ImageFiles:
    """Images in files, found by row and column, with one cache for all data. Thread-safe.

    Args:
        locate: the file of a row and column. It is asked when an image is decoded, not before, so
            it may have to fetch the file; its errors are raised as they are.
        name: how error messages call what the rows are of.
        as_is: leave images in the mode of their file.
    """

    def __init__(
        self, locate: Callable[[int, str], Encoded], name: str, *, as_is: bool = False
    ) -> None:
        self._locate = locate
        self.name = name
        self._as_is = as_is
        self._sizes: dict[tuple[int, str], tuple[int, int]] = {}
        self._owner = next(_owners)
        weakref.finalize(self, _shared.forget, self._owner)

    def get(self, row: int, column: str) -> Image.Image:
        """Return an upright image, given its row and column: RGB, or its own mode with `as_is`.

        Every call returns an image of its own: a model that draws on it harms nobody.

        Raises:
            SourceError: if there is no such image column or the image cannot be decoded.
        """
        key = (self._owner, row, column)
        image = _shared.get(key)
        if image is None:
            with _decoding[hash(key) % len(_decoding)]:
                image = _shared.get(key)  # another thread may have decoded it meanwhile
                if image is None:
                    where = self._where(row, column)
                    image = read_image(self._locate(row, column), where, as_is=self._as_is)
                    _shared.keep(key, image)
        return image.copy()

    def _where(self, row: int, column: str) -> str:  # noqa: ARG002
        """Return how errors call an image: by its file, which may be of several rows."""
        return f"{self.name}: {column!r}"

    def size(self, row: int, column: str) -> tuple[int, int]:
        """Return the width and height of an image from its header; 0, 0 if the row has none."""
        key = (row, column)
        if key not in self._sizes:
            try:
                self._sizes[key] = picture_size(self._locate(row, column))
            except (SourceError, UnreadableError, OSError):
                self._sizes[key] = (0, 0)  # it is said where the image is shown
        return self._sizes[key]

    def pixels(self, row: int, column: str) -> int:
        """Return the number of pixels of an image from its header; 0 if the row has none."""
        return math.prod(self.size(row, column))


def read_image(encoded: Encoded, where: str, *, as_is: bool = False) -> Image.Image:
    """Return an image as a person sees it: upright by its EXIF orientation, 8-bit RGB.

    Transparency lies on white, and 16 bits are scaled, as `visual.rgb` has it.

    Args:
        encoded: the file.
        where: how an error calls it.
        as_is: leave it in the mode of the file.

    Raises:
        SourceError: if it cannot be decoded.
    """
    try:
        image = decoded(encoded)
        return image if as_is else rgb(image)
    except (UnreadableError, OSError, ValueError) as error:
        reason = str(error)
        if isinstance(encoded, str | os.PathLike) and str(encoded) not in where:
            reason = f"{encoded}: {reason}"
        raise SourceError(f"{where} is not a readable image ({reason})") from error


class SourceImages(ImageFiles):
    """The images in a table's image columns, as RGB, with a cache. Thread-safe.

    Image columns hold images of `datasets`, the bytes of image files, or lists of either; or, in a
    `PlainTable`, paths. Of a list in `images`, the first image is called `images[0]`.

    Args:
        table: the source table; its images stay where they are.
        name: how error messages call the table.
        as_is: leave images in the mode of their file.
    """

    def __init__(self, table: Table, name: str, *, as_is: bool = False) -> None:
        super().__init__(self._encoded, name, as_is=as_is)
        self._columns: dict[str, Any]
        self._lists: dict[str, Any]
        if isinstance(table, PlainTable):
            self._columns, self._lists = dict.fromkeys(sorted(table.pictures), table), {}
            return
        self._columns, self._lists = (
            {
                column: table.select_columns([column]).with_format("arrow")
                for column, feature in table.features.items()
                if holds_images(feature if one_each else _of_list(feature))
            }
            for one_each in (True, False)
        )

    def _where(self, row: int, column: str) -> str:
        return f"{self.name}, row {row}: {column!r}"

    @property
    def columns(self) -> frozenset[str]:
        """Return the names of the columns that hold an image or a list of images."""
        return frozenset((*self._columns, *self._lists))

    def named(self, row: int) -> dict[str, str | list[str]]:
        """Return the names under which a row stores its images, keyed by column."""
        lists = {
            column: [f"{column}[{place}]" for place in range(self._lengths(column)[row])]
            for column in self._lists
        }
        return {**dict(zip(self._columns, self._columns, strict=True)), **lists}

    @cache  # noqa: B019  (as long as the table is)
    def _lengths(self, column: str) -> list[int]:
        import pyarrow.compute

        return [
            n or 0
            for n in pyarrow.compute.list_value_length(self._lists[column][:][column]).to_pylist()
        ]

    @cache  # noqa: B019  (as long as the table is)
    def empty(self, name: str) -> frozenset[int]:
        """Return the row numbers of the rows that have no image in this column.

        Raises:
            SourceError: if there is no such column.
        """
        column, place = self._find(name)
        if place is not None:
            return frozenset(row for row, n in enumerate(self._lengths(column)) if n <= place)
        table = self._columns[column]
        if isinstance(table, PlainTable):
            filled = [cell is not None and Path(cell).is_file() for cell in table[column]]
        else:
            filled = table[:][column].is_valid().to_pylist()
        return frozenset(row for row, holds in enumerate(filled) if not holds)

    def _find(self, name: str) -> tuple[str, int | None]:
        """Return the column of an image, and its place in the column's lists."""
        if name in self._columns:
            return name, None
        column, _, place = name.removesuffix("]").rpartition("[")
        if column in self._lists and place.isdecimal():
            return column, int(place)
        columns = sorted((*self._columns, *(f"{column}[0]" for column in self._lists)))
        raise SourceError(f"{self.name} has no image column {name!r}, only {columns}")

    def _encoded(self, row: int, column: str) -> Encoded:
        holder, place = self._find(column)
        cell: Any = None
        if isinstance(self._columns.get(holder), PlainTable):
            cell = {"bytes": None, "path": self._columns[holder][row].get(holder)}
        elif place is None:
            cell = self._columns[holder][row][holder][0].as_py()
        elif row not in self.empty(column):
            cell = self._lists[holder][row][holder][0][place].as_py()
        image = {"bytes": cell, "path": None} if isinstance(cell, bytes) else cell
        if image is None or (image["bytes"] is None and image["path"] is None):
            raise SourceError(f"{self.name}, row {row}: {column!r} is empty")
        return io.BytesIO(image["bytes"]) if image["bytes"] is not None else str(image["path"])


def holds_images(feature: object) -> bool:
    """Return whether a column holds image files, even if its type does not say so."""
    import datasets

    as_files = isinstance(feature, dict) and set(feature) == {"bytes", "path"}
    as_bytes = getattr(feature, "dtype", None) in ("binary", "large_binary")
    return as_files or as_bytes or isinstance(feature, datasets.Image)


def _of_list(feature: Any) -> object:
    """Return what a column's lists hold; None where it holds none."""
    return feature[0] if isinstance(feature, list) else getattr(feature, "feature", None)
