"""Where the pictures of a build come from: a folder, a pattern of files, or a column of a table.

Nothing is decoded here. Names are unique, the same on every machine, and key all randomness.
"""

from __future__ import annotations

import fnmatch
import glob
import io
import os
import re
from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from pairbench_ext.core import sources
from pairbench_ext.core.characters import printable
from pairbench_ext.core.media import holds_images
from pairbench_ext.core.sources import SourceError

if TYPE_CHECKING:
    from datasets import Dataset

# A folder with some of these is a data set; with image files, too, it must be said what is meant.
_TABLE_FILES = (".parquet", ".arrow")
_IMAGE_FILES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")


class FileSource(NamedTuple):
    """A file that may be a picture.

    Attributes:
        name: path below the folder that was named.
        path: where it is.
        left_out: why it is not used; empty if it may be.
    """

    name: str
    path: Path
    left_out: str = ""

    def open(self) -> IO[bytes]:
        """The file, for reading.

        Raises:
            OSError: if it is not a regular file that can be read.
        """
        if self.left_out:
            raise OSError(self.left_out)
        if not self.path.is_file():  # opening a pipe would wait for ever
            raise OSError("it is no regular file, or in a folder that cannot be entered")
        return self.path.open("rb")


class Table(NamedTuple):
    """A split of a data set: the hub's, a local copy's, or a parquet file."""

    data: str
    config: str | None = None
    split: str | None = None


class CellSource(NamedTuple):
    """A cell of an image column that may be a picture.

    Attributes:
        name: the split and the number of the row.
        table: the split.
        column: the image column.
        row: the row's number.
    """

    name: str
    table: Table
    column: str
    row: int

    def open(self) -> IO[bytes]:
        """The encoded image, for reading.

        Raises:
            OSError: if the cell is empty, or its file cannot be read.
        """
        cell = _encoded(self.table, self.column)[self.row][self.column]
        if cell is None or not (cell["bytes"] or cell["path"]):
            raise OSError("the cell is empty")
        return io.BytesIO(cell["bytes"]) if cell["bytes"] else Path(cell["path"]).open("rb")


class Source(Protocol):
    """Where a picture comes from; pickle must know it."""

    @property
    def name(self) -> str:
        """Unique among the pictures."""

    def open(self) -> IO[bytes]:
        """The encoded image, for reading; an OSError says why it cannot be read."""


def find_sources(
    images: str,
    *,
    column: str = "image",
    config: str | None = None,
    split: str | None = None,
    leave_out: Path | None = None,
) -> list[Source]:
    """All that may be a picture, sorted by name.

    Args:
        images: a folder (searched through, hidden files left out), a pattern with `*`, `?` or
            `[...]`, a parquet file, a folder with a data set, or a data set on the hub.
        column: the data set's image column.
        config: the data set's config, if it has several; a folder is then a data set.
        split: the data set's split, if it has several; a folder is then a data set.
        leave_out: a folder that is not searched, such as the one that is written.

    Raises:
        SourceError: if nothing of the kind is there, or a folder may be meant in two ways.
    """
    path = Path(images).expanduser()
    if path.is_dir():
        files = _in_folder(path, leave_out)
        if config is None and split is None and not _is_table(path, files):
            return files
    elif path.is_file() and path.suffix != ".parquet":
        raise SourceError(f"{path} is one file: name a folder, a pattern or a data set")
    elif not path.exists() and glob.has_magic(images):
        return _by_pattern(str(path), leave_out)
    elif not path.exists():
        return _on_the_hub(images, Table(images, config, split), column)
    return _in_table(Table(str(path), config, split), column)


def _on_the_hub(images: str, table: Table, column: str) -> list[Source]:
    """A data set of that name, unless it is plainly a folder that is not there."""
    if not re.fullmatch(r"\w[\w.-]*/[\w.-]+", images):
        raise SourceError(
            f"no folder {images!r}, and it is neither a pattern nor a data set's name"
        )
    if Path(images).parent.is_dir():
        raise SourceError(
            f"no folder {images!r}: {str(Path(images).parent)!r} is there, and has nothing called "
            f"{Path(images).name!r}"
        )
    try:
        return _in_table(table, column)
    except SourceError as error:
        raise SourceError(f"no folder {images!r}; as a data set on the hub: {error}") from error


def _in_folder(folder: Path, leave_out: Path | None) -> list[Source]:
    """The files below a folder; linked folders are searched once, after all others."""
    unreadable: list[OSError] = []
    found: list[Path] = []
    left_out: dict[Path, str] = {}
    searched: set[Path] = set()
    waiting = deque([folder])
    while waiting:
        start = waiting.popleft()
        if start.resolve() in searched:
            left_out[start] = "a link to a folder that is searched already"
            continue
        for root, folders, files in os.walk(start, onerror=unreadable.append):
            here = Path(root)
            real = here.resolve()
            if real in searched:  # through a link to a folder above
                folders.clear()
                continue
            searched.add(real)
            folders[:] = [name for name in folders if _is_shown(here / name, leave_out)]
            waiting += [here / name for name in sorted(folders) if (here / name).is_symlink()]
            found += [here / name for name in files if _is_shown(here / name, None)]
    # What cannot be entered or is left out is named later, among the files that cannot be read.
    found += [Path(error.filename) for error in unreadable]
    return _named(folder, [*found, *left_out], left_out)


def _by_pattern(pattern: str, leave_out: Path | None) -> list[Source]:
    """Files that fit, named by their path below the last folder that the pattern spells out."""
    folder = Path(pattern)
    while glob.has_magic(str(folder)):
        folder = folder.parent
    if "**" in Path(pattern).parts:
        return _below(folder, PurePath(pattern).relative_to(folder).parts, leave_out)
    found = [Path(path) for path in glob.glob(pattern)]  # noqa: PTH207  (it may be absolute)
    kept = [path for path in found if not path.is_dir() and not _is_within(path, leave_out)]
    return _named(folder, kept)


def _below(folder: Path, parts: Sequence[str], leave_out: Path | None) -> list[Source]:
    """Files at any depth that fit; links in a circle would keep `glob` busy for ever."""
    pieces = [r"(?:[^/]+/)*" if part == "**" else _fitting(part) for part in parts]
    fits = re.compile("".join(pieces[:-1]) + (".*" if parts[-1] == "**" else pieces[-1][:-1]))
    found = _in_folder(folder, leave_out) if folder.is_dir() else []
    return [one for one in found if fits.fullmatch(one.name)]


def _fitting(part: str) -> str:
    """A part of a pattern as a regular expression, with the slash after it."""
    return fnmatch.translate(part).removeprefix("(?s:").removesuffix(r")\Z") + "/"


def _is_within(path: Path, folder: Path | None) -> bool:
    return folder is not None and folder.resolve() in path.resolve().parents


def _is_shown(path: Path, leave_out: Path | None) -> bool:
    return not path.name.startswith(".") and (
        leave_out is None or path.resolve() != leave_out.resolve()
    )


def _named(
    folder: Path, paths: Sequence[Path], left_out: Mapping[Path, str] | None = None
) -> list[Source]:
    # A name that is not valid Unicode cannot be stored as text, and one that steers a terminal is
    # not to be: their odd bytes and characters are spelt out.
    names = (
        printable(
            os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")
        )
        for path in paths
    )
    reasons = left_out or {}
    return [
        FileSource(name, path.absolute(), reasons.get(path, ""))
        for name, path in sorted(zip(names, paths, strict=True))
    ]


def _is_table(folder: Path, found: Sequence[Source]) -> bool:
    examples = {Path(source.name).suffix.lower(): source.name for source in found}
    tables = [examples[ending] for ending in _TABLE_FILES if ending in examples]
    images = [examples[ending] for ending in _IMAGE_FILES if ending in examples]
    if tables and images:  # a data set with figures, or photographs with a list of them
        raise SourceError(
            f"{folder} holds pictures ({images[0]!r}) and tables ({tables[0]!r}): name the "
            f"pictures by a pattern such as '{folder}/**/*.png', or the data set with --split"
        )
    return bool(tables)


def _in_table(table: Table, column: str) -> list[Source]:
    table = table._replace(split=table.split or _only_split(table))
    rows = len(_encoded(table, column))
    digits = len(str(rows))
    return [CellSource(f"{table.split}-{k:0{digits}d}", table, column, k) for k in range(rows)]


def _only_split(table: Table) -> str:
    if Path(table.data).is_file():
        return Path(table.data).stem
    splits = sources.split_names(table.data, table.config)
    if len(splits) > 1:
        raise SourceError(f"{table.data} has the splits {list(splits)}: choose one with --split")
    return splits[0]


@lru_cache(maxsize=4)
def _encoded(table: Table, column: str) -> Dataset:
    """The column without the others, its images as they are stored."""
    import datasets

    rows = _opened(table)
    images = [name for name, kind in rows.features.items() if holds_images(kind)]
    if column not in images:
        kind = rows.features.get(column)
        there = "" if kind is None else f" (that one holds {getattr(kind, 'dtype', kind)!s:.60})"
        raise SourceError(
            f"{table.data} has no image column {column!r}{there}, only {images}; choose one with "
            "--column, or name the pictures' files by a pattern"
        )
    return rows.select_columns([column]).cast_column(column, datasets.Image(decode=False))


def _opened(table: Table) -> Any:
    import datasets

    if not Path(table.data).is_file():
        assert table.split is not None
        return sources.open_split(table.data, table.config, table.split)
    try:  # datasets raises a dozen unrelated types here
        return datasets.Dataset.from_parquet(table.data)
    except Exception as error:
        raise SourceError(f"cannot read {table.data} ({error})") from error


def describe(found: Sequence[Source]) -> str:
    """How many of what there are.

    >>> describe([FileSource("a.png", Path("a.png"))])
    '1 file'
    """
    what = "row" if found and isinstance(found[0], CellSource) else "file"
    return f"{len(found):,} {what}{'s' if len(found) != 1 else ''}"


def read(source: Source) -> bytes:
    """The encoded image.

    Raises:
        OSError: if it cannot be read.
    """
    with source.open() as file:
        return file.read()
