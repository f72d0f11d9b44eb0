"""The demo preferences: pairs of answers about photographs, in VL-RewardBench's schema.

The pairs in `demo_preferences.json` are written by hand for this project. One answer of each is
right; the other is wrong in one fact that the photograph shows. Like the benchmark's pairs (Section
2.3) they are balanced: in every group the first and the second answer are right equally often, and
so are the longer and the shorter one.
"""

import json
from pathlib import Path
from typing import Any

from lmms_eval_tasks.build.layout import write_split
from lmms_eval_tasks.build.photos import SOURCES, load_photos
from lmms_eval_tasks.build.pictures import encode
from lmms_eval_tasks.build.repository import split_file, write_card
from pairbench_ext.core.user_cache import build_once, fingerprint

SPLIT = "test"
FILE = split_file("data", SPLIT)
MAX_SIDE = 320
FORMAT = 3  # raise when the files would come out differently for a reason not in the fingerprint
_LIBRARIES = ("pillow", "scikit-image", "scikit-learn")
_PAIRS = Path(__file__).with_name("demo_preferences.json")
_WRITTEN = "written for this demo"
_ABOUT = (
    "Pairs of answers, written by hand for pairbench-ext (MIT licence), in the schema of "
    "VL-RewardBench with a column `error_type`. The worse answer is wrong in one fact that the "
    "photograph shows; `rationale` says which. The photographs are installed by scikit-image and "
    f"scikit-learn and resized to at most {MAX_SIDE} pixels."
)


def read_preferences() -> list[dict[str, Any]]:
    """Return the hand-written pairs, in an order in which error types and positions alternate.

    Fields: `id` (unique; its prefix puts the pair into a group, as in the benchmark), `photo` (a
    name in `photos.SOURCES`), `query`, `response` (two), `human_ranking` (two; 0 marks the better
    answer), `error_type` (what the worse answer gets wrong: existence, counting, attribute,
    recognition or reasoning), `rationale` (the error, and what the photograph shows).
    """
    return list(json.loads(_PAIRS.read_text(encoding="utf-8")))


def demo_preferences() -> Path:
    """Return the folder with the demo preferences, and build it if needed.

    One split, `test`, in the schema of the hub's `MMInstruction/VL-RewardBench` with `error_type`
    added; `ground_truth` is empty, since the benchmark has it for reasoning tasks only. The
    folder's name has a fingerprint of all that determines its content, so new library versions
    build a new one. Safe to call from several processes at once: one builds, the others wait.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        MissingPackageError: if a photograph is not installed.
    """
    digest = fingerprint(FORMAT, MAX_SIDE, SOURCES, read_preferences(), libraries=_LIBRARIES)
    return build_once("preferences", digest, _build)


def _build(folder: Path) -> None:
    images = {photo.name: encode(photo.image) for photo in load_photos(MAX_SIDE)}
    written = {"models": [_WRITTEN, _WRITTEN], "judge": _WRITTEN, "ground_truth": ""}
    rows = []
    for pair in read_preferences():
        photo = pair.pop("photo")
        rows.append({**pair, "image": images[photo], "query_source": photo, **written})
    write_split(folder / FILE, rows)
    used = {row["query_source"] for row in rows}
    credited = [source for source in SOURCES if source.name in used]
    write_card(folder, "VL-RewardBench demo", _ABOUT, {"default": {SPLIT: FILE}}, credited)
