"""The pairs of images of a task and what is asked about them: of files, or of drawn scenes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lmms_eval_tasks.subtlebench.items import IMAGES, Item, read_items
from lmms_eval_tasks.subtlebench.repository import HubFile, Repository
from lmms_eval_tasks.subtlebench.sets.axes import Axes
from lmms_eval_tasks.subtlebench.sets.rows import SyntheticRows
from pairbench_ext.core.left_out import LeftOut, named
from pairbench_ext.core.media import ImageFiles
from pairbench_ext.core.records import Record, RecordError, read_each_line
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.visual.aligned import rgb

if TYPE_CHECKING:
    from PIL.Image import Image


class Pairs(ABC):
    """The pairs of a split or of a synthetic set. Nothing is read before it is needed.

    Attributes:
        left_out: rows that cannot be used, and why; complete once `items` are known.
    """

    def __init__(self) -> None:
        self.left_out = LeftOut()

    @property
    @abstractmethod
    def name(self) -> str:
        """How errors call them."""

    @property
    @abstractmethod
    def items(self) -> list[Item]:
        """What is asked, row by row."""

    @abstractmethod
    def originals(self, row: int) -> tuple[Image, Image]:
        """The two images of a row, of any size and mode; the caller's own."""

    def require_images(self, row: int) -> None:  # noqa: B027  (scenes need none)
        """Check that the images of a row can be had, as far as that costs nothing.

        Raises:
            SourceError: naming the file that is missing.
        """

    def images(self, row: int) -> tuple[Image, Image]:
        """The same as RGB."""
        first, second = self.originals(row)
        return rgb(first), rgb(second)


class FilePairs(Pairs):
    """Pairs of image files, listed in `data/<split>.jsonl` of a repository.

    Args:
        data: folder of a local copy, or owner/name on the hub.
        split: which list.

    Raises:
        SourceError, RecordError: on first use, naming what is missing or not as described.
    """

    def __init__(self, data: str, split: str) -> None:
        super().__init__()
        self._data = data
        self._split = split

    @cached_property
    def _repository(self) -> Repository:
        return Repository(self._data)

    @cached_property
    def _list(self) -> Path:
        file = HubFile(f"data/{self._split}.jsonl")
        return self._repository.file(file, f"{self._data}, split {self._split!r}")

    @property
    def name(self) -> str:
        """The file of the list."""
        return str(self._list)

    @cached_property
    def items(self) -> list[Item]:
        """What is asked, row by row."""
        items = read_items(read_each_line(self._list), self.left_out)
        if not items:
            raise RecordError(named(self.left_out) or f"{self._list}: no rows in it")
        return items

    def require_images(self, row: int) -> None:
        """Check that the files of a local copy are there; nothing is fetched."""
        item = self.items[row]
        for field, file in zip(IMAGES, item.images, strict=True):
            self._repository.require(file, f"{item.where}, field {field!r}")

    def _locate(self, row: int, field: str) -> Path:
        item = self.items[row]
        file = item.images[IMAGES.index(field)]
        return self._repository.file(file, f"{item.where}, field {field!r}")

    @cached_property
    def _images(self) -> ImageFiles:
        return ImageFiles(self._locate, self.name, as_is=True)

    def originals(self, row: int) -> tuple[Image, Image]:
        """The two images of a row, as their files have them; the caller's own."""
        return self._images.get(row, IMAGES[0]), self._images.get(row, IMAGES[1])


class ScenePairs(Pairs):
    """Pairs of scenes that are drawn when they are shown; for the arguments, see `SyntheticRows`.

    Raises:
        SourceError: on first use, naming what there is no such set of.
    """

    def __init__(self, name: str, n: int | None, seed: int, axes: Axes | None) -> None:
        super().__init__()
        self._set, self._n, self._seed, self._axes = name, n, seed, axes

    @property
    def name(self) -> str:
        """The set."""
        return f"synthetic set {self._set!r}"

    @cached_property
    def _rows(self) -> SyntheticRows:
        try:
            return SyntheticRows(self._set, self._n, self._seed, self._axes)
        except ValueError as error:
            raise SourceError(f"the task's entry: {error}") from error

    @cached_property
    def items(self) -> list[Item]:
        """What is asked, row by row."""
        rows = enumerate(self._rows)
        records = (Record(f"{self.name}, row {number}", row) for number, row in rows)
        return read_items(records, self.left_out)

    def originals(self, row: int) -> tuple[Image, Image]:
        """The two images of a row, drawn now."""
        return self._rows.images(self._rows[row])
