"""The demo preferences: pairs of answers about photographs, in VL-RewardBench's schema.

The pairs in `demo_preferences.json` are written by hand for this project. One answer of each is
right; the other is wrong in one fact that the photograph shows. Like the benchmark's (Section 2.3)
they are balanced: in every group each position is right equally often, and so is the longer answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmms_eval_tasks.build.hub_layout import card, shard_name, write_parquet
from lmms_eval_tasks.build.photos import SOURCES, load_photos
from pairbench_ext.core.user_cache import build_once, fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import datasets
    from PIL import Image

SPLIT = "test"
FILE = f"data/{shard_name(SPLIT)}"
MAX_SIDE = 320
FORMAT = 1  # raise when the files would come out differently for a reason not in `_fingerprint`
_LIBRARIES = ("datasets", "pillow", "pyarrow", "scikit-image", "scikit-learn")
_PAIRS = Path(__file__).with_name("demo_preferences.json")
_WRITTEN = "written for this demo"
_COLUMNS = (
    *("id", "query", "response", "image", "human_ranking", "models", "judge", "rationale"),
    *("query_source", "ground_truth", "error_type"),
)


@dataclass(frozen=True)
class Preference:
    """A question about a photograph, and two answers to it.

    Attributes:
        id: unique; its prefix puts the pair into a group, as in the benchmark.
        photo: name of the photograph in `photos.SOURCES`.
        query: the question.
        response: the two answers.
        human_ranking: rank of each answer: 0 marks the better one, 1 the worse one.
        error_type: what the worse answer gets wrong: existence, counting, attribute, recognition or
            reasoning.
        rationale: the error, and what the photograph shows.
    """

    id: str
    photo: str
    query: str
    response: tuple[str, str]
    human_ranking: tuple[int, int]
    error_type: str
    rationale: str


def read_preferences() -> tuple[Preference, ...]:
    """The hand-written pairs, in an order in which error types and positions alternate."""
    return tuple(_preference(row) for row in json.loads(_PAIRS.read_text(encoding="utf-8")))


def preference_table(
    pairs: Sequence[Preference], images: Mapping[str, Image.Image]
) -> datasets.Dataset:
    """The pairs in the schema of the hub's `MMInstruction/VL-RewardBench`, with `error_type` added.

    Images are stored as PNG, so the same arguments and library versions give the same bytes.

    Args:
        pairs: one row each.
        images: RGB images by the name in `photo`.

    Returns:
        Columns `id`, `query`, `response` (two), `image` (`datasets.Image`), `human_ranking` (two),
        `models` (two), `judge`, `rationale`, `query_source` (the photograph), `ground_truth`
        (empty: the benchmark has it for reasoning alone) and `error_type`.

    Raises:
        KeyError: for a `photo` that is not in `images`.
    """
    import datasets

    rows = [_row(pair, images[pair.photo]) for pair in pairs]
    return datasets.Dataset.from_list(rows, features=_features())


def demo_preferences() -> Path:
    """Folder with the demo preferences, in the layout of the hub's repository; built if needed.

    One split, `test`. The folder's name has a fingerprint of all that determines its content, so
    new library versions build a new one. Safe to call from several processes at once: one builds,
    the others wait. The folder appears complete or not at all.

    Raises:
        OSError: if the cache cannot be written; the message names it and `PAIRBENCH_CACHE`.
        FileNotFoundError: if a photograph is not installed.
    """
    return build_once("preferences", _fingerprint(), _build)


def _build(folder: Path) -> None:
    images = {photo.name: photo.image for photo in load_photos(MAX_SIDE)}
    pairs = read_preferences()
    write_parquet(preference_table(pairs, images), folder / FILE)
    (folder / "README.md").write_text(_card(pairs), encoding="utf-8")


def _fingerprint() -> str:
    """Digest of what determines the bytes of the demo preferences."""
    return fingerprint(FORMAT, MAX_SIDE, SOURCES, read_preferences(), libraries=_LIBRARIES)


def _preference(row: Mapping[str, Any]) -> Preference:
    lists = {name: tuple(row[name]) for name in ("response", "human_ranking")}
    return Preference(**{**row, **lists})


def _features() -> datasets.Features:
    import datasets

    text = datasets.Value("string")
    others = dict.fromkeys(("response", "models"), datasets.Sequence(text))
    others["human_ranking"] = datasets.Sequence(datasets.Value("int64"))
    others["image"] = datasets.Image()
    return datasets.Features({name: others.get(name, text) for name in _COLUMNS})


def _row(pair: Preference, image: Image.Image) -> dict[str, Any]:
    return {
        "id": pair.id,
        "query": pair.query,
        "response": list(pair.response),
        "image": image,
        "human_ranking": list(pair.human_ranking),
        "models": [_WRITTEN, _WRITTEN],
        "judge": _WRITTEN,
        "rationale": pair.rationale,
        "query_source": pair.photo,
        "ground_truth": "",
        "error_type": pair.error_type,
    }


def _card(pairs: Sequence[Preference]) -> str:
    text = (
        f"{len(pairs)} pairs of answers, written by hand for pairbench-ext (MIT licence), in the "
        "schema of VL-RewardBench with a column `error_type`. The worse answer is wrong in one "
        "fact that the photograph shows; `rationale` says which. The photographs are installed by "
        f"scikit-image and scikit-learn and resized to at most {MAX_SIDE} pixels."
    )
    used = {pair.photo for pair in pairs}
    credited = [source for source in SOURCES if source.name in used]
    return card("VL-RewardBench demo", text, {"default": {SPLIT: FILE}}, credited)
