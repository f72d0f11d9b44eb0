"""The folder that a data set is built in: it appears complete or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pairbench_ext.core.files import appearing
from pairbench_ext.core.outputs import check_new_folder

# What the pixels and the files depend on.
LIBRARIES = ("datasets", "numpy", "pillow", "pyarrow", "scipy", "torch", "torchvision")


@contextmanager
def new_repository(out: Path, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """Yield an empty folder to build in, which becomes `out` when the block ends.

    Args:
        out: the repository's folder, which is new or empty.
        inputs: files and folders that the build reads.

    Raises:
        OutputError: if `out` is a file, holds something, or is what the build reads.
        WriteError: if it cannot be written.
    """
    check_new_folder(out, inputs)
    if out.exists():
        out.rmdir()
    with appearing(out) as folder:
        folder.mkdir()
        yield folder
