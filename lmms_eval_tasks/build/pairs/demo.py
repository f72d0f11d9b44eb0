"""PairBench's demo set: built from the embedded photographs on first use, and kept."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lmms_eval_tasks.build.common.hub_layout import card
from lmms_eval_tasks.build.common.photos import SOURCES, Source, locate
from lmms_eval_tasks.build.pairs.images import Settings, fill_gallery, write_splits
from lmms_eval_tasks.build.pairs.picture_sources import FileSource
from lmms_eval_tasks.build.pairs.repository_files import split_file
from lmms_eval_tasks.build.pairs.usable import Usable, look
from pairbench_ext.core.user_cache import build_once, fingerprint
from pairbench_ext.synthetic.transforms import TRANSFORMS

CONFIG = "demo"
SEED = 0
MAX_SIDE = 320
FORMAT = 2  # raise when the files would come out differently for a reason not in `_fingerprint`
_LIBRARIES = (
    *("datasets", "numpy", "pillow", "pyarrow", "scikit-image"),
    *("scikit-learn", "scipy", "torch", "torchvision"),
)


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
    settings = Settings(CONFIG, TRANSFORMS, SEED, MAX_SIDE, lossless=True)
    used = [_usable(source) for source in SOURCES]
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        gallery = fill_gallery(Path(scratch), used, settings, progress=True)
        write_splits(folder, Path(scratch), gallery, used, settings)
        gallery.close()
    (folder / "README.md").write_text(_card(), encoding="utf-8")


def _usable(source: Source) -> Usable:
    seen = look(FileSource(source.name, locate(source)), MAX_SIDE)
    if not isinstance(seen, Usable):
        raise FileNotFoundError(f"the photograph {seen.name!r} is {seen.kind}: {seen.detail}")
    return seen


def _fingerprint() -> str:
    """Digest of what determines the bytes of the demo set."""
    return fingerprint(FORMAT, SEED, MAX_SIDE, SOURCES, TRANSFORMS, libraries=_LIBRARIES)


def _card() -> str:
    text = (
        "Pairs of photographs that scikit-image and scikit-learn install, resized to at most "
        f"{MAX_SIDE} pixels, in the layout of PairBench. All but the originals are changed by us; "
        "the parameters are in the column `params`."
    )
    files = {split: split_file(CONFIG, split) for split in TRANSFORMS}
    return card("PairBench demo", text, CONFIG, files, SOURCES)
