"""Write files and folders so that none is overwritten by mistake or left half written.

A file is written where nothing is, or with `--overwrite` in place of another file. A folder is made
where nothing is, or in an empty folder. Neither is ever what the command reads, by whatever name or
link. All else is refused in one sentence before any work is done.

What is being written stands beside its place, in a folder whose name begins with `.building-`, and
is moved there once it is complete and on disk, whatever ends the process that writes it. A process
that is killed leaves such a folder behind, and nothing that could be taken for finished.
"""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from pairbench_ext.core.locks import try_lock

_PREFIX = ".building-"
_POLL = 0.01  # seconds


class WriteError(OSError):
    """A file or folder cannot be written; the message names it."""

    def __str__(self) -> str:
        return f"{self.filename}: cannot be written ({self.strerror}); choose another place"


@contextmanager
def appearing(path: Path, check: Callable[[], None] = lambda: None) -> Iterator[Path]:
    """Yield a temporary path; its file or folder moves to `path` when the block ends.

    After an exception nothing of it is left, and what was at `path` is untouched. The folder of
    `path` is made if needed. Where `path` is a link, what it leads to is replaced; a file that is
    replaced hands on its permissions; a device or a pipe is written to as it is.

    Args:
        path: the file or folder to be; a folder must not be there yet.
        check: raises if it may not be moved there, since another process may have written there.
            Until it is moved, no other process that uses this function writes there.

    Yields:
        A path of the same name in a folder of its own; nothing is there yet.

    Raises:
        WriteError: if it cannot be written. What else the block raises is passed on.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise WriteError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():
        yield target
        return
    with _scratch_folder(path, target.parent) as scratch:
        fresh = scratch / target.name
        yield fresh
        for part in (fresh, *fresh.rglob("*")):
            if part.is_file():
                _sync(part)  # else a machine that goes down may leave the name without it
        with _alone_in(target.parent):
            check()
            if target.is_file():
                shutil.copymode(target, fresh)
            fresh.replace(target)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep others from moving something into a folder, where its file system has locks."""
    with ExitStack() as opened:
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            opened.callback(os.close, descriptor)
            while not try_lock(descriptor):
                time.sleep(_POLL)
        yield


@contextmanager
def appearing_together(folder: Path) -> Iterator[Path]:
    """Yield an empty folder; the files written to it move into `folder` when the block ends.

    For many small files: they are brought to disk together, which takes a fraction of the time.
    After an exception none of them is there. Files of the same names are replaced.

    Args:
        folder: where they go, with the folders that they are in; made if needed.

    Raises:
        WriteError: if they cannot be written. What else the block raises is passed on.
    """
    with _scratch_folder(folder, folder) as scratch:
        yield scratch
        files = sorted(part for part in scratch.rglob("*") if part.is_file())
        for file in files:
            _sync(file)
        for file in files:
            target = folder / file.relative_to(scratch)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)


def write_atomically(path: Path, content: str | bytes | Iterable[bytes]) -> None:
    """Write a temporary file, move it to its name, and return once it is on disk.

    Args:
        path: the file; its folder is made if needed.
        content: a text, written as UTF-8 with the line breaks that it has, or bytes, or pieces of
            bytes that are taken one by one.

    Raises:
        WriteError: if it cannot be written.
    """
    if isinstance(content, str):
        content = content.encode()
    with appearing(path) as fresh, fresh.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
    sync_folder(Path(os.path.realpath(path)).parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to disk, so that a new file survives a crash.

    Raises:
        OSError: if the folder cannot be read.
    """
    if os.name != "nt":  # where folders cannot be opened
        _sync(folder)


def remove_unfinished(folder: Path, name: str | None = None) -> None:
    """Remove temporary files of killed processes; call it only when nobody else writes there.

    Args:
        folder: where to look; with a name, not in its subfolders.
        name: only what was to become the file or folder of this name; None for all that has become
            what it was to be. Folders that hold anything else are somebody else's.

    Raises:
        OSError: if something cannot be removed.
    """
    left = folder.rglob(f"{_PREFIX}*") if name is None else folder.glob(f"{_PREFIX}*")
    for scratch in [path for path in left if path.is_dir()]:
        parts = [path.relative_to(scratch) for path in scratch.rglob("*")]
        if name is None:
            ours = all((scratch.parent / part).exists() for part in parts)
        else:
            ours = Path(name) in parts
        if ours:
            shutil.rmtree(scratch)


@contextmanager
def _scratch_folder(path: Path, parent: Path) -> Iterator[Path]:
    """A folder beside a path; failures to write in it, or a full disk, are raised of the path."""
    scratch: str | None = None
    try:
        parent.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        yield Path(scratch)
    except WriteError:  # of another file
        raise
    except OSError as error:
        ours = scratch is None or str(error.filename).startswith((scratch, str(path)))
        if ours or error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WriteError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class OutputError(ValueError):
    """A command would overwrite an existing file or folder; the message says what to do."""


def check_file(path: Path, inputs: Iterable[Path] = (), *, overwrite: bool = False) -> None:
    """Check that a command may write this file. Devices and pipes may always be written.

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
                f"{path} is an input of this command ({read}): name another file to write to"
            )
    if target.stat().st_size and not overwrite:
        raise OutputError(
            f"{path} is there already: name another file to write to, or give --overwrite"
        )


def check_folder(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Check that a command may create this folder, or write into it if it exists.

    Raises:
        OutputError: if it is a file, is what the command reads, or holds that.
    """
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file, but a folder is needed: name a new folder")
    target = Path(os.path.realpath(path))
    for read in inputs:
        if _is_same(target, read):
            raise OutputError(f"{path} is an input of this command: name another folder to make")


def check_new_folder(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Check that a command may make this folder: it must be new or empty.

    Raises:
        OutputError: as `check_folder`, or if something is in it.
    """
    check_folder(path, inputs)
    check_unused(path, sorted(entry.name for entry in path.iterdir()) if path.exists() else ())


def check_unused(path: Path, names: Sequence[str]) -> None:
    """Raise an error if a folder already holds files.

    Raises:
        OutputError: if there is any, naming the first.
    """
    if names:
        raise OutputError(f"{path} is not empty, it holds {names[0]!r}: choose a new folder")


def _is_same(path: Path, other: Path) -> bool:
    """Return whether two names are of one file or folder, by links of any kind too."""
    with suppress(OSError):  # what is not there is no other's
        return path.samefile(other)
    return False
