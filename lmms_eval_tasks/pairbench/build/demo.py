"""PairBench's demo set: built from the embedded photographs on first use, and kept."""

from __future__ import annotations

from pathlib import Path

from lmms_eval_tasks.build.hub_layout import card
from lmms_eval_tasks.build.photos import SOURCES, locate
from lmms_eval_tasks.pairbench.build.images import FORMAT, Settings, write_splits
from lmms_eval_tasks.pairbench.build.layout import split_file
from lmms_eval_tasks.pairbench.build.pictures import Source, Usable, look
from pairbench_ext.core.user_cache import build_once, fingerprint
from pairbench_ext.synthetic.transforms import TRANSFORMS

CONFIG = "demo"
SEED = 0
MAX_SIDE = 320
_LIBRARIES = ("datasets", "numpy", "pillow", "pyarrow", "scikit-image", "scikit-learn", "scipy")


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
    made_of = FORMAT, SEED, MAX_SIDE, SOURCES, TRANSFORMS
    return build_once(CONFIG, fingerprint(*made_of, libraries=_LIBRARIES), _build)


def _build(folder: Path) -> None:
    settings = Settings(CONFIG, TRANSFORMS, SEED, MAX_SIDE, lossless=True)
    photos = (Source(photo.name, locate(photo)) for photo in SOURCES)
    seen = [look(photo, MAX_SIDE, embedded=True) for photo in photos]
    write_splits(folder, [photo for photo in seen if isinstance(photo, Usable)], settings)
    text = (
        "Pairs of photographs that scikit-image and scikit-learn install, resized to at most "
        f"{MAX_SIDE} pixels, in the layout of PairBench. All but the originals are changed by us; "
        "the parameters are in the column `params`."
    )
    files = {split: split_file(CONFIG, split) for split in TRANSFORMS}
    readme = card("PairBench demo", text, CONFIG, files, SOURCES)
    (folder / "README.md").write_text(readme, encoding="utf-8")
