"""Folders that are built once and kept in the user's cache, such as demo data."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.core.extras import version_of
from pairbench_ext.core.files import appearing, remove_unfinished
from pairbench_ext.core.locks import acquire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CACHE_VARIABLE = "PAIRBENCH_CACHE"


def cache_folder() -> Path:
    """Return the folder for built data: `$PAIRBENCH_CACHE`, else a folder in the user's cache."""
    import platformdirs

    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("pairbench_ext")


def fingerprint(*parts: object, libraries: Iterable[str]) -> str:
    """Return a digest (12 hexadecimal digits) of everything that a cached folder depends on.

    Args:
        parts: values whose `repr` tells them apart and is the same in every process.
        libraries: distributions whose versions count too.

    Raises:
        MissingPackageError: if one of an extra of ours is not installed.
    """
    versions = [(name, version_of(name)) for name in libraries]
    return hashlib.blake2b(repr((*parts, versions)).encode(), digest_size=6).hexdigest()


def build_once(name: str, digest: str, build: Callable[[Path], None]) -> Path:
    """Return the cached folder `<name>-<digest>`, which `build` makes if it is missing.

    Safe to call from several processes at once: one builds, the others wait. The folder appears
    complete or not at all.

    Args:
        name: what is kept in it, the start of the folder's name.
        digest: its `fingerprint`: other content means another folder.
        build: fills the folder that it is given; the folder does not exist yet.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
    """
    folder = cache_folder() / f"{name}-{digest}"
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with acquire(folder.with_name(f"{folder.name}.lock")):
            if not folder.is_dir():  # no other process was faster
                remove_unfinished(folder.parent, folder.name)
                with appearing(folder) as complete:
                    build(complete)
    except OSError as error:
        raise OSError(
            f"cannot build {folder.name} in {folder.parent}: {error.strerror or error}; "
            f"set {CACHE_VARIABLE} to a folder that you can write to"
        ) from error
    return folder
