"""PairBench pairs on disk, and the demo set: built on first use and kept.

Files lie where a data set repository on the hub has them:
`<config>/<split>-00000-of-00001.parquet`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairbench_ext.builders.cached import build_once, card, fingerprint, shard_name, write_parquet
from pairbench_ext.builders.photos import SOURCES, load_photos
from pairbench_ext.builders.splits import build_split
from pairbench_ext.transforms import TRANSFORMS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pairbench_ext.builders.splits import NamedImage

CONFIG = "demo"
SEED = 0
MAX_SIDE = 320
FORMAT = 1  # raise when the files would come out differently for a reason not in `_fingerprint`
_LIBRARIES = (
    *("datasets", "numpy", "pillow", "pyarrow", "scikit-image"),
    *("scikit-learn", "scipy", "torch", "torchvision"),
)


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

    written = []
    for split in tqdm(splits, f"Building {config}", unit="split", delay=2, disable=not progress):
        path = out / config / shard_name(split)
        write_parquet(build_split(images, split, seed), path)
        written.append(path)
    return written


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
    return build_once(CONFIG, _fingerprint(), _build)


def _build(folder: Path) -> None:
    photos = [(photo.name, photo.image) for photo in load_photos(MAX_SIDE)]
    write_pairs(photos, folder, CONFIG, seed=SEED, progress=True)
    (folder / "README.md").write_text(_card(), encoding="utf-8")


def _fingerprint() -> str:
    """Digest of what determines the bytes of the demo set."""
    return fingerprint(FORMAT, SEED, MAX_SIDE, SOURCES, TRANSFORMS, libraries=_LIBRARIES)


def _card() -> str:
    text = (
        "Pairs of photographs that scikit-image and scikit-learn install, resized to at most "
        f"{MAX_SIDE} pixels, in the layout of PairBench. All but the originals are changed by us; "
        "the parameters are in the column `params`."
    )
    files = {split: f"{CONFIG}/{shard_name(split)}" for split in TRANSFORMS}
    return card("PairBench demo", text, CONFIG, files, SOURCES)
