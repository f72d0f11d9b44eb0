"""Load the tables of a benchmark's data from the Hugging Face hub or from a local copy.

A local copy may hold, for each config, parquet files (`coco/rotate-00000-of-00001.parquet`,
`coco/rotate/part.parquet`) or folders written by `datasets` (`save_to_disk`), whole config or one
split at a time. A repository without configs (`config=None`) has its files at the top or in `data`.
Tables are memory-mapped; no image is decoded here. What `pairbench build` and the demos write needs
no `datasets` to read: a split is a folder of pictures and `metadata.jsonl`, whose fields named
`<column>_file_name` name pictures beside it (the form that `datasets` calls imagefolder). Rows that
a task leaves out are kept with the reasons (`LeftOut`): broken data cost a row, never the run.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from loguru import logger

from pairbench_ext.core.extras import MissingPackageError, require
from pairbench_ext.core.foreign import UnreadableError, json_in
from pairbench_ext.core.records import RecordError, is_inside, read_jsonl
from pairbench_ext.core.texts import counted

if TYPE_CHECKING:
    from datasets import Dataset


_SHARD = re.compile(r"[-.]\d{5}-of-\d{5}$")


#: The file of a split's rows, beside its pictures. Other JSON lines are no table.
PLAIN = "metadata.jsonl"
_PICTURE = "file_name"  # how fields end that name a picture
#: What needs the packages of the extra `tasks`, as errors call it.
NEEDS = "a task's data set"

#: Of a repository on the hub, the environment variable that names a local copy.
LOCAL_COPIES: dict[str, str] = {}


class SourceError(ValueError):
    """A benchmark's data are missing, or are not as expected."""


class PlainTable(Sequence[Any]):
    """Rows held in memory, with the methods of `datasets.Dataset` that this package uses.

    Args:
        rows: of the table; a picture is the path of its file.
        pictures: the columns of pictures.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], pictures: Iterable[str]) -> None:
        self._rows = [*rows]
        self.pictures = frozenset(pictures)
        self.column_names = [*dict.fromkeys(name for row in self._rows for name in row)]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Any:
        """Return a row by its number, or the cells of a column by its name."""
        return [row.get(key) for row in self._rows] if isinstance(key, str) else self._rows[key]

    def rename_columns(self, names: Mapping[str, str]) -> PlainTable:
        """Return a copy of the rows with some columns renamed."""
        renamed = ({names.get(name, name): row[name] for name in row} for row in self._rows)
        return PlainTable(renamed, (names.get(name, name) for name in self.pictures))

    def remove_columns(self, names: Iterable[str]) -> PlainTable:
        """Return a copy of the rows without the named columns."""
        left_out = {*names}
        kept = ({name: row[name] for name in row if name not in left_out} for row in self._rows)
        return PlainTable(kept, self.pictures - left_out)


Table: TypeAlias = "Dataset | PlainTable"


@contextmanager
def without_noise() -> Iterator[None]:
    """Turn off the progress bars and notes of `datasets` while the block opens local tables."""
    if find_spec("datasets") is None:
        yield
        return
    import datasets

    bars, level = datasets.are_progress_bars_disabled(), datasets.logging.get_verbosity()
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity_error()
    try:
        yield
    finally:
        datasets.logging.set_verbosity(level)
        if not bars:
            datasets.enable_progress_bars()


def offline_unless_reached(seconds: float = 2.0) -> bool:
    """Return whether the hub answers; if it does not, later calls use the local cache only.

    Returns:
        Whether the run has just become one without a network.
    """
    if find_spec("datasets") is None:
        return False
    import datasets
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or datasets.config.HF_HUB_OFFLINE:
        return False
    import urllib.error
    import urllib.request

    answered = threading.Event()

    def ask() -> None:
        with suppress(OSError):
            with suppress(urllib.error.HTTPError):  # an answer
                urllib.request.urlopen(constants.ENDPOINT, timeout=seconds).close()  # noqa: S310
            answered.set()

    threading.Thread(target=ask, daemon=True).start()
    if answered.wait(seconds):
        return False
    os.environ["HF_HUB_OFFLINE"] = "1"
    constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = True
    return True


def is_local(data: str) -> bool:
    """Return whether `data` is a folder, not a repository on the hub.

    A folder is meant if it exists, or if the text cannot be a repository id (`owner/name`).
    """
    return Path(data).expanduser().is_dir() or not re.fullmatch(r"\w[\w.-]*/[\w.-]+", data)


def has_config(data: str, config: str) -> bool:
    """Return whether a repository or local copy has this config.

    On the hub only a definite "no" counts: a hub that cannot be reached, or a cache that holds
    other configs alone, raises. (Listing the configs offline would not do: it names none.)

    Raises:
        SourceError: if that cannot be told.
    """
    if is_local(data):
        return config in _local_configs(data)
    try:
        split_names(data, config)
    except SourceError as error:
        if "BuilderConfig" in str(error.__cause__) and "not found" in str(error.__cause__):
            return False
        raise
    return True


@lru_cache(maxsize=64)
def split_names(data: str, config: str | None) -> tuple[str, ...]:
    """Return the names of the splits of one config, sorted.

    Raises:
        SourceError: if there is no such folder, repository or config.
    """
    if is_local(data):
        return tuple(sorted(_local_splits(data, config)))
    datasets = require("datasets", NEEDS)

    try:  # datasets raises a dozen unrelated types here and below
        return tuple(sorted(datasets.get_dataset_split_names(data, config)))
    except Exception as error:
        raise SourceError(_hub_message(data, config, error)) from error


@lru_cache(maxsize=64)
def open_split(data: str, config: str | None, split: str) -> Table:
    """Return one split of a config: a memory-mapped `datasets.Dataset`, or plain rows.

    Raises:
        SourceError: if it does not exist or cannot be read.
    """
    if not is_local(data):
        datasets = require("datasets", NEEDS)
        try:
            return datasets.load_dataset(data, config, split=split)
        except Exception as error:
            raise SourceError(_hub_message(data, config, error)) from error
    splits = _local_splits(data, config)
    if split not in splits:
        raise SourceError(
            f"{_config_folder(data, config)} has no split {split!r}, only {sorted(splits)}"
        )
    place = splits[split]
    if isinstance(place, list) and place[0].name == PLAIN:
        return _plain_table(place[0])
    datasets = require("datasets", NEEDS)
    try:
        if isinstance(place, list):
            return datasets.Dataset.from_parquet([str(file) for file in place])
        return datasets.load_from_disk(str(place))
    except Exception as error:
        names = ", ".join(str(file) for file in (place if isinstance(place, list) else [place]))
        raise SourceError(f"cannot read {names}: {error}; copy the data again") from error


def _plain_table(file: Path) -> PlainTable:
    rows, pictures = [], set()
    try:
        for record in read_jsonl(file):
            row = {}
            for name, cell in record.fields.items():
                if not name.endswith(_PICTURE):
                    row[name] = cell
                    continue
                column = name.removesuffix(_PICTURE).rstrip("_") or "image"
                pictures.add(column)
                row[column] = str(file.parent / cell) if isinstance(cell, str) and cell else None
                if row[column] and not is_inside(file.parent, Path(row[column])):
                    raise RecordError(f"{record.where}: the picture {cell!r} is outside the folder")
            rows.append(row)
    except RecordError as error:
        raise SourceError(f"{error}; copy the file again") from error
    return PlainTable(rows, pictures)


def open_file(file: Path) -> Dataset:
    """Return the rows of one `.parquet` file.

    Raises:
        SourceError: if it cannot be read.
    """
    datasets = require("datasets", NEEDS)

    try:
        return datasets.Dataset.from_parquet(str(file))
    except Exception as error:
        raise SourceError(f"cannot read {file}: {error}; copy the file again") from error


def json_list(file: Path) -> list[Any]:
    """Return the list of objects that a JSON file of data holds.

    Raises:
        SourceError: if it cannot be read, or is no list.
    """
    try:
        rows = json_in(file)
    except UnreadableError as error:
        raise SourceError(f"{file}: cannot be read as JSON ({error}); copy it again") from error
    if not isinstance(rows, list):
        raise SourceError(f"{file}: the file must hold a list of JSON objects")
    return rows


def local_configs(data: str) -> list[str]:
    """Return the configs of a local copy: the names of its folders that hold data, sorted.

    Raises:
        SourceError: if there is no such folder.
    """
    # Not searched through to the bottom: any folder may be named, also one with many files.
    files = ("*.parquet", "dataset_info.json", PLAIN)
    marks = [*files, *(f"*/{name}" for name in files)]
    return [
        name
        for name in _local_configs(data)
        if not name.startswith(".")
        and any(next((local_folder(data) / name).glob(mark), None) is not None for mark in marks)
    ]


def text_columns(data: str, config: str, split: str) -> frozenset[str]:
    """Return the names of a split's text columns, read from the header of its local file.

    Raises:
        SourceError: if it does not exist or cannot be read.
    """
    splits = _local_splits(data, config)
    if split not in splits:
        raise SourceError(f"{_config_folder(data, config)} has no split {split!r}")
    place = splits[split]
    if isinstance(place, list) and place[0].name == PLAIN:
        return frozenset(texts_of(open_split(data, config, split)))
    require("pyarrow", NEEDS)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if isinstance(place, list):
            texts = [field.name for field in pq.read_schema(place[0]) if _is_text(str(field.type))]
        else:
            info = json.loads((place / "dataset_info.json").read_text(encoding="utf-8"))
            kinds = info["features"].items()
            texts = [name for name, kind in kinds if _is_text(str(kind.get("dtype")))]
    except (OSError, pa.ArrowException, ValueError, KeyError, AttributeError) as error:
        file = place[0] if isinstance(place, list) else place
        raise SourceError(f"cannot read the header of {file}: {error}; copy it again") from error
    return frozenset(texts)


def texts_of(table: Table) -> list[str]:
    """Return the names of the columns of a table that hold texts."""
    if isinstance(table, PlainTable):
        others = (name for name in table.column_names if name not in table.pictures)
        return [name for name in others if all(isinstance(cell, str) for cell in table[name])]
    columns = table.features.items()
    return [name for name, kind in columns if _is_text(str(getattr(kind, "dtype", None)))]


def _is_text(dtype: str) -> bool:
    return dtype in ("string", "large_string")


def local_folder(data: str) -> Path:
    """Return the folder with a local copy of the data, after a check that it exists.

    Raises:
        SourceError: if there is none.
    """
    root = Path(data).expanduser()
    if not root.is_dir():
        raise SourceError(f"no data folder {data!r}: it does not exist or is not a folder")
    return root


def _local_configs(data: str) -> list[str]:
    return sorted(child.name for child in local_folder(data).iterdir() if child.is_dir())


def _config_folder(data: str, config: str | None) -> Path:
    if config is None:
        return local_folder(data)
    folder = local_folder(data) / config
    if not folder.is_dir():
        raise SourceError(
            f"data folder {data!r} has no config {config!r}, only {_local_configs(data)}"
        )
    return folder


def holds_tables(folder: Path) -> bool:
    """Return whether a folder holds parquet files or plain rows, at any depth."""
    return next(table_files(folder), None) is not None


def table_files(folder: Path) -> Iterator[Path]:
    """Yield the parquet files and the files of plain rows in a folder, at any depth."""
    for pattern in ("*.parquet", f"*/{PLAIN}"):
        yield from sorted(folder.rglob(pattern))


def _local_splits(data: str, config: str | None) -> dict[str, list[Path] | Path]:
    """Split name -> its files of rows, or the folder of a saved dataset."""
    folder = _config_folder(data, config)
    splits: dict[str, list[Path] | Path] = {}
    for file in table_files(folder):
        # `rotate-00000-of-00001.parquet` and `rotate.parquet` name their split themselves,
        # `rotate/0000.parquet` is named by its folder.
        nested = file.parent not in (folder, folder / "data") and not _SHARD.search(file.stem)
        files = splits.setdefault(file.parent.name if nested else _SHARD.sub("", file.stem), [])
        if isinstance(files, list):
            files.append(file)
    for info in sorted(folder.rglob("dataset_info.json")):
        # A folder written by `Dataset.save_to_disk`; `DatasetDict` writes one per split.
        if (info.parent / "state.json").is_file():
            default = "train" if info.parent == folder else info.parent.name
            splits[_saved_split(info.parent) or default] = info.parent
    if not splits:
        raise SourceError(
            f"{folder} holds neither Parquet files nor folders saved by `datasets`; "
            f"expected files such as <split>-00000-of-00001.parquet or <split>/{PLAIN}"
        )
    return splits


def _saved_split(folder: Path) -> str | None:
    """Return the split that a folder written by `save_to_disk` says to hold, if it does."""
    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except ValueError:
        return None
    return state.get("_split") if isinstance(state, dict) else None


def _hub_message(data: str, config: str | None, error: Exception) -> str:
    what = "the data set" if config is None else f"config {config!r}"
    summary = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return (
        f"cannot read {what} of {data!r} from the hub ({summary}); check the network, or set "
        f"{LOCAL_COPIES.get(data, 'the variable of its task')} to the folder of a local copy"
    )


_SHOWN = 3  # reasons that are named


def why(error: Exception, where: str = "") -> str:
    """Return the message of an error, in one line."""
    is_ours = isinstance(error, (RecordError, SourceError, MissingPackageError))
    text = " ".join(str(error).split()) if is_ours else f"{type(error).__name__}: {error}"[:300]
    if isinstance(error, KeyError):
        text = f"{error} is missing"
    return text if is_ours or not where else f"{where}: {text}"


def named(reasons: Iterable[str]) -> str:
    """Return a text with the first few reasons, and how many more reasons there are.

    >>> named(["row 1: empty", "row 4: empty", "row 7: empty", "row 9: empty"])
    'row 1: empty; row 4: empty; row 7: empty; and 1 more'
    """
    listed = list(dict.fromkeys(reasons))
    more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return "; ".join(listed[:_SHOWN]) + more


class LeftOut(list[str]):
    """The reasons for leaving out rows or columns of a task's data.

    They are in the log of the task's first trial, and counted in the results.
    """

    def warn(self) -> None:
        """Warn how many rows or columns are left out, and give the first few reasons."""
        if self:
            logger.warning(f"{counted(len(self), 'row')} skipped: {named(self)}")

    @contextmanager
    def unless_usable(self, where: str = "") -> Iterator[None]:
        """Catch an error in the block, and note it as the reason for leaving out these data.

        Args:
            where: names it, for errors that do not.
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001  (data may be wrong in any way)
            self.append(why(error, where))


class NothingLeftOut(LeftOut):
    """A `LeftOut` that leaves nothing out: the first problem in the data stops the run."""

    def append(self, reason: str) -> None:
        """Raise this reason as a SourceError, in place of storing it."""
        raise SourceError(reason)

    def extend(self, reasons: Iterable[str]) -> None:
        """Raise the reasons as a SourceError, if there are any."""
        given = list(reasons)
        if given:
            raise SourceError(named(given))

    @contextmanager
    def unless_usable(self, where: str = "") -> Iterator[None]:  # noqa: ARG002
        """Let an error in the block stop the run."""
        yield


EVERYTHING_USABLE = NothingLeftOut()  # it never holds anything
