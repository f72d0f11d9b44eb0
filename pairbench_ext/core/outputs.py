"""Where commands write: one rule for all of them, so that nothing of the user's is ever lost.

A file is written where nothing is, or with `--overwrite` in place of another file. A folder is made
where nothing is, or in an empty folder. Neither is ever what the command reads, by whatever name or
link. All else is refused in one sentence before any work is done; what is written then appears
whole or not at all (`pairbench_ext.core.files`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path


class OutputError(ValueError):
    """A command may not write there; the message says why and what to do."""


def check_file(path: Path, inputs: Iterable[Path] = (), *, overwrite: bool = False) -> None:
    """Whether a command may write this file. Devices and pipes may always be written to.

    Args:
        path: the file to write.
        inputs: files and folders that the command reads. New files may be written beside those in
            such a folder.
        overwrite: whether a file that is there may be replaced, an input never.

    Raises:
        OutputError: if it may not.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"{path} is a folder: name a file to write to")
    if not target.is_file():
        return
    for read in inputs:
        if _is_same(target, read) or any(_is_same(parent, read) for parent in target.parents):
            raise OutputError(
                f"{path} is what this command reads ({read}): name another file to write to"
            )
    if target.stat().st_size and not overwrite:
        raise OutputError(
            f"{path} is there already: name another file to write to, or give --overwrite"
        )


def check_folder(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Whether a command may make this folder, or go on with it, as far as its inputs say.

    Raises:
        OutputError: if it is a file, is what the command reads, or holds that.
    """
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file: name the folder to make")
    target = Path(os.path.realpath(path))
    for read in inputs:
        if _is_same(target, read):
            raise OutputError(f"{path} is what this command reads: name another folder to make")


def check_new_folder(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Whether a command may make this folder, which is new or empty.

    Raises:
        OutputError: as `check_folder`, or if something is in it.
    """
    check_folder(path, inputs)
    check_unused(path, sorted(entry.name for entry in path.iterdir()) if path.exists() else ())


def check_unused(path: Path, names: Sequence[str]) -> None:
    """Refuse a folder that holds something which no build has made.

    Args:
        path: the folder.
        names: of what it holds.

    Raises:
        OutputError: if there is any, naming the first.
    """
    if names:
        raise OutputError(f"{path} holds something else, such as {names[0]!r}: choose a new folder")


def _is_same(path: Path, other: Path) -> bool:
    """Whether two names are of one file or folder, by links of any kind too."""
    with suppress(OSError):  # what is not there is no other's
        return path.samefile(other)
    return False
