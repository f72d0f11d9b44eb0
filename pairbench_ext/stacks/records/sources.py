"""Which files are records, which of them belong together, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.records.tables import Row, kind_of, rows_of


class Source(NamedTuple):
    """Rows that belong together: of a file, or of a folder of files with a row each.

    Attributes:
        path: the file or folder.
        files: its files.
        known: what its path says, by column.
    """

    path: Path
    files: tuple[Path, ...]
    known: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """Where images that rows name may be."""
        return self.path if self.path.is_dir() else self.path.parent

    def rows(self) -> Iterator[Row]:
        """All rows, with what the path says."""
        for row in (row for file in self.files for row in rows_of(file)):
            yield (
                row
                if isinstance(row, RecordError)
                else Record(row.where, {**self.known, **row.fields})
            )


def sources_of(paths: Sequence[Path], pattern: str = "") -> list[Source]:
    """The files of records that paths name or hold.

    Args:
        paths: files and folders.
        pattern: of the ends of the files' paths, such as `{judge}/{part}.jsonl`.

    Raises:
        RecordError: if there are none.
    """
    expression = re.escape(pattern).replace(r"\*", "[^/]*")
    expression = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+?)", expression)
    found: list[Source] = []
    for path in paths:
        if not path.exists():
            raise RecordError(f"{path}: no such file or folder")
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if kind_of(p))
        by_folder: dict[Path, list[Source]] = {}
        for file in files:
            match = re.search(f"(?:^|/){expression}$", file.as_posix())
            if (match or not pattern) and kind_of(file) and file.stat().st_size:
                known = match.groupdict() if match else {}
                by_folder.setdefault(file.parent, []).append(Source(file, (file,), known))
        for folder, own in by_folder.items():
            alone = len(own) > 2 and all(len(list(islice(s.rows(), 2))) == 1 for s in own[:3])
            every = tuple(source.path for source in own)
            found += [Source(folder, every, own[0].known)] if alone else own
    if not found:
        raise RecordError(
            f"{paths[0]}: no file of records in it{f' like {pattern}' * bool(pattern)}"
        )
    return found


def judges_of(sources: Sequence[Source], paths: Sequence[Path], pattern: str = "") -> list[str]:
    """Names of judges from the paths of their records: what tells them apart.

    Where a pattern says something else of the paths, all are of one judge.
    """
    places = [source.path for source in sources]
    if len(places) == 1 or (pattern and "{judge}" not in pattern):
        name = (places if len(places) == 1 else paths)[0].name
        return [name.removesuffix(".gz").removesuffix(kind_of(Path(name)))] * len(places)
    parts = [re.split(r"(?<=[/_.])", path.as_posix()) for path in places]
    while all(len(p) > 1 for p in parts) and len({p[0] for p in parts}) == 1:
        parts = [part[1:] for part in parts]
    while all(len(p) > 1 for p in parts) and len({p[-1] for p in parts}) == 1:
        parts = [part[:-1] for part in parts]
    return ["".join(part).strip("/_.") for part in parts]


def folder_of(judge: str) -> str:
    """A name of a folder for a judge."""
    return re.sub(r"[^\w.,()+@=-]+", "_", judge)[:100].strip(".") or "judge"


def image_in(folder: Path, name: str) -> str:
    """An image's path, from the folder of the records if it is there."""
    return str((folder / name).absolute()) if name and (folder / name).is_file() else name
