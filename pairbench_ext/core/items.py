"""Turn the rows of a benchmark's data into items, and the items into questions to a model.

For a benchmark without peculiarities this is all there is between its declaration and the kernel: a
`Source` says where the rows are, `read` makes an item of a row, `plan` says how often and in which
variants each is asked, `ask` says what a trial shows.
"""

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from loguru import logger

from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Pictures, Request, Rounds, TaskTrials, Trial
from pairbench_ext.core.extras import require
from pairbench_ext.core.foreign import UnreadableError
from pairbench_ext.core.foreign_tables import text_rows
from pairbench_ext.core.media import ImageFiles, SourceImages
from pairbench_ext.core.readers import Candidate
from pairbench_ext.core.records import Record, RecordError, is_inside, read_each_line
from pairbench_ext.core.sources import SourceError, named
from pairbench_ext.core.trials import Plan
from pairbench_ext.statistics.seeds import Key

Item = TypeVar("Item")


@dataclass(frozen=True)
class Source:
    """The place where a benchmark's data rows are stored: a hub repository or a local folder.

    Attributes:
        variable: environment variable that names a local copy: a folder.
        hub: the repository on the hub; empty if there is none, or if its rows are in `files`.
        config: of the repository.
        split: of the repository.
        files: files of rows (JSON lines, one JSON list in `.json`, `.parquet`, `.csv`, `.tsv`)
            below the local copy, the first that is there; for rows that name image files, and for
            data that are no `datasets` repository. A local copy of what is on the hub may also
            be one file of JSON lines, whatever its name.
        images: folders of images below the local copy, where rows of files name them by less than
            their path from there.
        fetched: whether the repository on the hub has such files, too, instead of tables: each is
            fetched when it is read, and no other file replaces one that a local copy lacks.
        demo: makes a small data set that needs no download; the entry says `"data": "demo"`.
        how: what to do where nothing names the data, for the error.
    """

    variable: str
    hub: str = ""
    config: str | None = None
    split: str = "test"
    files: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    fetched: bool = False
    demo: Callable[[], Path] | None = None
    how: str = ""

    def __post_init__(self) -> None:
        sources.LOCAL_COPIES[self.hub] = self.variable  # for errors

    def locate(self, data: str | None = None) -> str:
        """Return where the data are: as the task file says, else the environment, else on the hub.

        Raises:
            SourceError: if the variable names no folder, or nothing says where the data are.
        """
        if data == "demo" and self.demo is not None:
            return str(self.demo())
        if data is not None:
            return data
        if os.environ.get(self.variable):
            folder = Path(os.environ[self.variable]).expanduser().absolute()
            if not folder.is_dir():
                raise SourceError(f"{self.variable}={folder} is not a folder")
            return str(folder)
        if not self.hub:
            raise SourceError(
                f"the data are missing: set {self.variable} to the folder that "
                f"holds them. {self.how}".strip()
            )
        return self.hub


@dataclass(frozen=True)
class ItemEntry:
    """The settings that every task has in its task file; benchmarks add their own.

    Attributes:
        data: hub repository, folder or "demo"; the source's own place by default.
        seed: of everything drawn.
        rule: which rule reads replies; the benchmark's own by default.
    """

    data: str | None = None
    seed: int = 0
    rule: str | None = None


class Rows(Sequence[Record]):
    """The rows of a benchmark's data; an image is loaded only when it is shown to a model.

    Args:
        source: where they are.
        data: what the task's entry says of it.
        split: of the source, if not its own.
        as_is: leave images in the mode of their file.
    """

    def __init__(
        self, source: Source, data: str | None, split: str | None = None, *, as_is: bool = False
    ) -> None:
        self._as_is = as_is
        self.place = source.locate(data)
        self.source = source
        self.split = split or source.split

    @property
    def name(self) -> str:
        """Return the name of these data, for use in error messages."""
        return self.place if self._table is None else f"{self.place}, split {self.split!r}"

    @cached_property
    def file(self) -> Path | None:
        """Return the file that holds the rows; None if the rows are a table in memory.

        Raises:
            SourceError: if there is no such folder; naming the files that are expected, if none is
                in it.
        """
        if not sources.is_local(self.place):
            return self._locate(self.source.files[0]) if self.source.fetched else None
        root = Path(self.place).expanduser()
        file = next((root / name for name in self.source.files if (root / name).is_file()), None)
        elsewhere = self.source.hub and not self.source.fetched
        if file is None and elsewhere and not sources.holds_tables(root):
            lines = [*root.glob("*.jsonl"), *root.glob("data/*.jsonl")]
            file = lines[0] if len(lines) == 1 else None
        if file is None and self.source.files:
            sources.local_folder(self.place)  # else that is what is wrong
            expected = " or ".join(self.source.files)
            raise SourceError(f"{self.place} has no {expected}. {self.source.how}".strip())
        return file

    @cached_property
    def _table(self) -> Any:
        if self.file is not None:
            return None
        place, config = self.place, self.source.config
        try:
            return sources.open_split(place, config, self.split)
        except SourceError:
            splits = sources.split_names(place, config)
            if len(splits) != 1 or self.split in splits:
                raise
            logger.warning(
                f"{place} has no split {self.split!r}; its only split, {splits[0]!r}, is "
                "read instead"
            )
            self.split = splits[0]
            return sources.open_split(place, config, self.split)

    @cached_property
    def _records(self) -> Sequence[Mapping[str, Any] | RecordError]:
        if self._table is not None:
            return self._table.remove_columns(sorted(self._images.columns))  # type: ignore[no-any-return]
        assert self.file is not None
        if self.file.suffix == ".json":
            return _json_list(self.file)
        if self.file.suffix == ".parquet":
            return sources.open_file(self.file)  # type: ignore[no-any-return]
        if self.file.suffix in (".csv", ".tsv"):
            return _table_rows(self.file)
        records = read_each_line(self.file)
        return [record if isinstance(record, RecordError) else record.fields for record in records]

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, row: Any) -> Any:
        record = self._records[row]
        if isinstance(record, RecordError):
            raise record
        images = {} if self._table is None else self._images.named(row)
        return Record(f"{self.name}, row {row}", {**record, **images})

    @cached_property
    def _images(self) -> SourceImages:
        return SourceImages(self._table, self.name, as_is=self._as_is)

    @cached_property
    def _image_files(self) -> ImageFiles:
        name = f"the images of {self.place}"
        return ImageFiles(lambda _, name: self._locate(name), name, as_is=self._as_is)

    @cached_property
    def _folders(self) -> list[Path]:
        assert self.file is not None
        root = Path(self.place).expanduser()
        return [self.file.parent, root, *(root / name for name in self.source.images)]

    def _locate(self, name: str) -> Path:
        if not sources.is_local(self.place):
            hub = require("huggingface_hub", sources.NEEDS)
            return Path(hub.hf_hub_download(self.place, name, repo_type="dataset"))
        paths = (folder / name for folder in self._folders)
        return next((path for path in paths if path.is_file()), self._folders[0] / name)

    def require_pictures(self, row: int, where: str, names: Sequence[str]) -> None:
        """Check that a row's images exist, in columns of the table or as files beside the rows.

        Nothing is fetched for it.

        Raises:
            RecordError: naming the file or the cell that is not.
            SourceError: naming the column that is not, of which no row has an image.
        """
        if self.source.fetched and not sources.is_local(self.place):
            return
        for name in names:
            if self.file is None and row in self._images.empty(name):
                raise RecordError(f"{where}: {name!r} is empty")
            if self.file is None:
                continue
            file = self._locate(name)
            if not is_inside(Path(self.place).expanduser(), file):
                raise RecordError(f"{where}: the image file {name!r} is outside {self.place}")
            if not file.is_file():
                raise RecordError(f"{where}: no image file {name!r} in {self.place}")

    def pixels(self, row: int, column: str) -> int:
        """Return the number of pixels of an image, read from its header."""
        if self.file is not None:
            return self._image_files.pixels(0, column)
        return self._images.pixels(row, column)

    def picture(self, row: int, column: str) -> Pictures:
        """Return a function that loads a row's image from a column or from an image file."""
        if self.file is not None:
            return lambda: [self._image_files.get(0, column)]
        return lambda: [self._images.get(row, column)]


def _json_list(file: Path) -> list[Mapping[str, Any] | RecordError]:
    return [
        row
        if isinstance(row, dict)
        else RecordError(f"{file}, row {number}: expected a JSON object, not {row!r:.60}")
        for number, row in enumerate(sources.json_list(file))
    ]


def _table_rows(file: Path) -> list[Mapping[str, Any]]:
    """Return the rows of a table in a text file; a column that holds only numbers has numbers."""
    try:
        rows = [row for _, row in text_rows(file, "\t" if file.suffix == ".tsv" else ",")]
    except UnreadableError as error:
        raise SourceError(f"{error}; copy the file again") from error
    names = rows[0] if rows else ()
    columns = (_as_numbers([row[name] for row in rows]) for name in names)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _as_numbers(texts: Sequence[str]) -> Sequence[Any]:
    for kind in (int, float):
        with suppress(ValueError):
            return [kind(text) if text else None for text in texts]
    return [text or None for text in texts]


class ItemTrials(TaskTrials[Any], Generic[Item]):
    """The questions about a benchmark's items; rows without a readable image are left out.

    Such rows are counted, and the first ones named, before anything is generated.

    Subclasses set `source` and `entry_type`, and define `read`, `plan`, `describe_item` and `show`.
    """

    source: ClassVar[Source]
    entry_type: ClassVar[type[Any]] = ItemEntry
    title: ClassVar[str] = ""

    def read(self, record: Record) -> Item:
        """Return the item that a row describes.

        Raises:
            RecordError: naming the field that is missing or wrong.
        """
        raise NotImplementedError

    def keep(self, item: Item) -> bool:  # noqa: ARG002
        """Return whether this task asks about an item; by default, it asks about every item."""
        return True

    def key(self, item: Item) -> str:
        """Return the item's name, from which its random draws (such as orders) are seeded."""
        return str(item.key)  # type: ignore[attr-defined]

    def images(self, item: Item) -> Sequence[str]:
        """Return the names of the columns or files that hold the item's images."""
        return getattr(item, "images", ())

    def plan(self) -> Plan:
        """Return the plan: in which repeats and variants each item is asked about."""
        return Plan({})

    def describe_item(self, item: Item, request: Trial) -> dict[str, Any]:
        """Return the fields that the log of a trial holds about its item."""
        raise NotImplementedError

    def show(self, item: Item, trial: Trial) -> Request | Rounds:
        """Return the request that shows a trial to the model. Benchmarks define it."""
        raise NotImplementedError

    @cached_property
    def rows(self) -> Rows:
        """Return the data set's rows, limited to the `part` and `split` of the task's settings."""
        source = replace(self.source, config=getattr(self.entry, "part", self.source.config))
        return Rows(source, self.entry.data, getattr(self.entry, "split", None))

    @cached_property
    def items(self) -> dict[int, Item]:
        """Return the items that this task asks about, keyed by row number.

        Raises:
            SourceError: if there is none.
        """
        items: dict[int, Item] = {}
        for row in range(len(self.rows)):
            with self.left_out.unless_usable(f"{self.rows.name}, row {row}"):
                record = self.rows[row]
                item = self.read(record)
                if self.keep(item):
                    self.rows.require_pictures(row, record.where, self.images(item))
                    items[row] = item
        self.left_out.warn()
        if not items:
            nothing = f"{self.rows.name}: no row of the data can be turned into a question"
            raise SourceError(named(self.left_out) if self.left_out else nothing)
        return items

    @cached_property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Return, for every trial, the row of its item and the variant in which it is asked."""
        numbers = list(self.items)
        return self.plan().expand(numbers, [self.key(item) for item in self.items.values()])

    def unit_of(self, request: Trial) -> tuple[Key, Hashable]:
        """Return the item that a request is about, and the item's stratum for sampling."""
        name, stratum = super().unit_of(request)
        return (self.key(self.items[request["row"]]) if self.unit == "row" else name), stratum

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return the fields that a trial logs: its row, its variant, its item, the reading rule."""
        of_item = self.describe_item(self.items[request["row"]], request)
        return {**request, **of_item, "rule": self.entry.rule}

    def pixels(self, trial: Trial) -> int:
        """Return the number of pixels of the item's images, read from their headers."""
        row = trial["row"]
        return sum(self.rows.pixels(row, name) for name in self.images(self.items[row]))

    def answers_to(self, trial: Trial, prompt: str, answers: Sequence[str]) -> list[Candidate]:
        """Return answers for a reward model to score, each with the trial's prompt and images."""
        asked = self.ask(trial)
        assert isinstance(asked, Request)
        return [Candidate(asked.images, prompt, answer) for answer in answers]

    def ask(self, trial: Trial) -> Request | Rounds:
        """Return the request that shows a trial."""
        return self.show(self.items[trial["row"]], trial)
