"""PairBench pairs on disk, and the demo set: built on first use and kept.

Files lie where a data set repository on the hub has them:
`<config>/<split>-00000-of-00001.parquet`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pairbench_ext.builders.photos import SOURCES, Source, load_photos
from pairbench_ext.builders.splits import build_split
from pairbench_ext.transforms import TRANSFORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import datasets

    from pairbench_ext.builders.splits import NamedImage

ROWS_PER_GROUP = 100  # readers fetch single images: small groups keep that cheap

CACHE_VARIABLE = "PAIRBENCH_CACHE"
CONFIG = "demo"
SEED = 0
MAX_SIDE = 320
FORMAT = 1  # raise when the files would come out differently for a reason not in `_fingerprint`
_LIBRARIES = (
    *("datasets", "numpy", "pillow", "pyarrow", "scikit-image"),
    *("scikit-learn", "scipy", "torch", "torchvision"),
)


def shard_name(split: str) -> str:
    """File name of a split that is one parquet file.

    >>> shard_name("rotate")
    'rotate-00000-of-00001.parquet'
    """
    return f"{split}-00000-of-00001.parquet"


def write_pairs(
    images: Sequence[NamedImage],
    out: Path,
    config: str,
    splits: Sequence[str] = tuple(TRANSFORMS),
    seed: int = 0,
    progress: bool = False,
) -> list[Path]:
    """Build `splits` and write them to `<out>/<config>/`, the layout of a hub repository.

    Each file appears complete or not at all: an interrupted build leaves nothing half-written.

    Args:
        images: names and RGB images, as for `build_split`.
        out: the repository's folder, made if needed.
        config: name of the config, a folder in `out`.
        splits: names of transformations.
        seed: of the parameters and of the irrelevant images.
        progress: show a progress bar on standard error once it takes more than two seconds.

    Returns:
        The files written, one per split.

    Raises:
        ValueError: as `build_split`.
    """
    from tqdm import tqdm

    folder = out / config
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for split in tqdm(splits, f"Building {config}", unit="split", delay=2, disable=not progress):
        path = folder / shard_name(split)
        _write(build_split(images, split, seed), path)
        written.append(path)
    return written


def cache_folder() -> Path:
    """Where built data are kept: `$PAIRBENCH_CACHE`, else `pairbench_ext` in the user's cache."""
    import platformdirs

    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("pairbench_ext")


def demo_data() -> Path:
    """Folder with the demo set, in the layout of a data set repository on the hub; built if needed.

    One config, `demo`, with a split per transformation and a row per embedded photograph
    (Appendix D.1). The folder's name has a fingerprint of all that determines its content, so new
    library versions build a new one. Safe to call from several processes at once: one builds, the
    others wait. The folder appears complete or not at all.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        FileNotFoundError: if a photograph is not installed.
    """
    folder = cache_folder() / f"{CONFIG}-{_fingerprint()}"
    if folder.is_dir():
        return folder
    photos = [(photo.name, photo.image) for photo in load_photos(MAX_SIDE)]
    try:
        _build(photos, folder)
    except OSError as error:
        raise OSError(
            f"cannot build the demo set in {folder.parent}: {error.strerror or error}; "
            f"set {CACHE_VARIABLE} to a folder that you can write to"
        ) from error
    return folder


def _write(dataset: datasets.Dataset, path: Path) -> None:
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory(prefix=".building-", dir=path.parent) as scratch:
        temporary = Path(scratch) / path.name
        pq.write_table(dataset.with_format("arrow")[:], temporary, row_group_size=ROWS_PER_GROUP)
        temporary.replace(path)


def _build(photos: list[NamedImage], folder: Path) -> None:
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if folder.is_dir():  # another process was faster
            return
        prefix = f".{folder.name}-"
        for abandoned in folder.parent.glob(f"{prefix}*"):  # by a killed process: we have the lock
            shutil.rmtree(abandoned)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=folder.parent) as scratch:
            complete = Path(scratch) / folder.name
            write_pairs(photos, complete, CONFIG, seed=SEED, progress=True)
            (complete / "README.md").write_text(_card(), encoding="utf-8")
            complete.replace(folder)


def _fingerprint() -> str:
    """Digest of what determines the bytes of the demo set."""
    libraries = [(name, version(name)) for name in _LIBRARIES]
    parts = (FORMAT, SEED, MAX_SIDE, SOURCES, TRANSFORMS, libraries)
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def _card() -> str:
    """README of the demo set: what `datasets.load_dataset` reads, and the credits."""
    files = "".join(
        f"  - split: {split}\n    path: {CONFIG}/{shard_name(split)}\n" for split in TRANSFORMS
    )
    thanks = "".join(_credit(source) for source in SOURCES)
    return (
        f"---\nconfigs:\n- config_name: {CONFIG}\n  data_files:\n{files}---\n\n"
        "# PairBench demo\n\n"
        "Pairs of photographs that scikit-image and scikit-learn install, resized to at most "
        f"{MAX_SIDE} pixels, in the layout of PairBench. All but the originals are changed by us; "
        "the parameters are in the column `params`.\n\n"
        "| name | photograph | author | licence | file |\n| --- | --- | --- | --- | --- |\n"
        f"{thanks}"
    )


def _credit(source: Source) -> str:
    file = f"{source.distribution}: {source.file}"
    return f"| {source.name} | {source.title} | {source.author} | {source.licence} | {file} |\n"
