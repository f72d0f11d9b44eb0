"""The image pairs of a task, read from files or drawn as scenes, and questions about them.

A row of `data/<split>.jsonl` names an image by its path in the repository, or by its URL on the
hub. The file comes from the local copy, or is fetched once from the hub's repository into the cache
of the hub's client.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

from annotated_types import Ge, Len
from PIL.Image import Image

from lmms_eval_tasks.subtlebench.items import SYNTHETIC, Item, domain_name, read_items
from lmms_eval_tasks.subtlebench.scenes import Axes, SyntheticRows
from pairbench_ext.core.benchmark import TaskTrials
from pairbench_ext.core.items import Rows, Source
from pairbench_ext.core.records import Record, RecordError, read_each_line
from pairbench_ext.core.sources import LeftOut, SourceError, named
from pairbench_ext.core.visual import rgb

SOURCE = Source(variable="SUBTLEBENCH_DATA", hub="KRAFTON/VLM-SubtleBench", fetched=True)
_SELECTED = ("category", "domain", "source")
_OF_SCENES = ("set", "n", "axes")
_Names: TypeAlias = Annotated[tuple[str, ...], Len(1)]


class Pairs(ABC):
    """The image pairs of a split or of a synthetic set, loaded when first used."""

    name: str

    def __init__(self) -> None:
        self.left_out = LeftOut()

    @property
    @abstractmethod
    def items(self) -> list[Item]:
        """Return the questions about the pairs, in the order of the rows."""

    @abstractmethod
    def originals(self, row: int) -> tuple[Image, Image]:
        """Return new copies of the two images of a row."""

    def require_images(self, row: int) -> None:  # noqa: B027  (scenes need none)
        """Check that the images of a row exist, if the check is cheap.

        Raises:
            SourceError: naming the file that is missing.
        """


class FilePairs(Pairs):
    """Pairs of image files listed in `data/<split>.jsonl` of a folder or a repository of the hub.

    Raises:
        SourceError, RecordError: on first use, naming what is missing or not as described.
    """

    def __init__(self, data: str, split: str) -> None:
        super().__init__()
        self.name = f"{data}, split {split!r}"
        self._rows = Rows(replace(SOURCE, files=(f"data/{split}.jsonl",)), data, as_is=True)

    @cached_property
    def items(self) -> list[Item]:
        """Return the questions about the pairs, in the order of the rows."""
        file = self._rows.file
        assert file is not None
        items = read_items(read_each_line(file), self.left_out)
        if not items:
            raise RecordError(named(self.left_out) or f"{file}: the file holds no rows")
        return items

    def require_images(self, row: int) -> None:
        """Check that the image files of a row exist in a local copy of the data."""
        item = self.items[row]
        self._rows.require_pictures(row, item.where, item.images)

    def originals(self, row: int) -> tuple[Image, Image]:
        """Return new copies of the two images of a row, in the colour mode of their files."""
        first, second = (self._rows.picture(row, name)()[0] for name in self.items[row].images)
        return first, second


class ScenePairs(Pairs):
    """Pairs of synthetic scenes; their images are drawn when a trial shows them.

    Raises:
        SourceError: on first use, naming the argument that is wrong.
    """

    def __init__(self, name: str, n: int | None, seed: int, axes: Axes | None) -> None:
        super().__init__()
        self.name = f"synthetic set {name!r}"
        self._arguments = name, n, seed, axes

    @cached_property
    def _rows(self) -> SyntheticRows:
        try:
            return SyntheticRows(*self._arguments)
        except ValueError as error:
            raise SourceError(f"the task's settings: {error}") from error

    @cached_property
    def items(self) -> list[Item]:
        """Return the questions about the pairs, in the order of the rows."""
        rows = enumerate(self._rows)
        records = (Record(f"{self.name}, row {number}", row) for number, row in rows)
        return read_items(records, self.left_out)

    def originals(self, row: int) -> tuple[Image, Image]:
        """Draw the two images of a row."""
        return self._rows.images(row)


@dataclass(frozen=True)
class PairEntry:
    """The settings that select image pairs for a task; their letter case does not matter.

    Attributes:
        data: hub repository, folder, or "synthetic": scenes drawn here; by default what
            `SUBTLEBENCH_DATA` names, or the hub.
        split: "test", the default, or "val"; not for scenes.
        category: types of difference, such as "attribute"; all by default.
        domain: such as "medical"; all by default.
        source: data sets that images are from, such as "mvtec-ad"; all by default.
        set: which scenes, a name of `scenes.NAMES`; "mix" by default.
        n: number of scenes, in a controlled set per cell; the paper's number by default.
        axes: other values for the axes of a controlled set, by name.
        seed: of scenes, and of the order of options.
        greedy: whether the task decodes greedily; a note for whoever reads the entry.
    """

    data: str | None = None
    split: Literal["test", "val"] | None = None
    category: _Names | None = None
    domain: _Names | None = None
    source: _Names | None = None
    set: str | None = None
    n: Annotated[int, Ge(1)] | None = None
    axes: Mapping[str, Any] | None = None
    seed: int = 0
    greedy: bool = False

    def __post_init__(self) -> None:
        for key in ("split", *_SELECTED) if self.data == SYNTHETIC else _OF_SCENES:
            if getattr(self, key) is not None:
                kind = f'"data": "{SYNTHETIC}"' if key in _OF_SCENES else "data from files"
                raise SourceError(f"the task's settings: {key!r} is only possible for {kind}")

    def open(self) -> Pairs:
        """Return all image pairs of the data, whether the settings select them or not."""
        if self.data == SYNTHETIC:
            return ScenePairs(self.set or "mix", self.n, self.seed, self.axes)
        return FilePairs(SOURCE.locate(self.data), self.split or "test")


SomeEntry = TypeVar("SomeEntry", bound=PairEntry)


class PairTrials(TaskTrials[SomeEntry], Generic[SomeEntry]):
    """Trials that ask about two images.

    Raises:
        SourceError, RecordError: on first use, if the data are missing or not as described.
    """

    unit, strata = "pair", ("category",)
    source = SOURCE

    @cached_property
    def pairs(self) -> Pairs:
        """Return all image pairs of the task's data."""
        return self.entry.open()

    def keep(self, item: Item) -> bool:  # noqa: ARG002
        """Return whether the task can ask about an item."""
        return True

    @cached_property
    def rows(self) -> list[int]:
        """Return the rows that the settings select and the task can ask about."""
        items = self.pairs.items
        rows = list(range(len(items)))
        for key in _SELECTED:
            names = getattr(self.entry, key)
            if names is None:
                continue
            wanted = {domain_name(n) if key == "domain" else n.lower() for n in names}
            labels = [str(getattr(item, key)).lower() for item in items]
            if wanted - {*labels}:
                raise SourceError(
                    f"{self.pairs.name}: no row has the {key} {min(wanted - {*labels})!r}; the "
                    f"data have {sorted({*labels})}"
                )
            rows = [row for row in rows if labels[row] in wanted]
        self.left_out.extend(self.pairs.left_out)
        kept = []
        for row in rows:
            with self.left_out.unless_usable(items[row].where):
                if self.keep(items[row]):
                    self.pairs.require_images(row)
                    kept.append(row)
        self.left_out.warn()
        if not kept:
            nothing = (
                f"{self.pairs.name}: the task's settings select no row that can be asked about"
            )
            raise SourceError(named(self.left_out) or nothing)
        return kept

    def describe_item(self, item: Item) -> dict[str, Any]:
        """Return the fields of an item that every VLM-SubtleBench task logs."""
        return {"item": item.name, **{name: getattr(item, name) for name in ("pair", *_SELECTED)}}

    def images(self, row: int) -> list[Image]:
        """Return the two images of a row, converted to RGB."""
        return [rgb(image) for image in self.pairs.originals(row)]
