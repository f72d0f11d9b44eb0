"""What is asked: pairs of PairBench in both orders and conditions, of pictures of COCO's size.

The pictures are noise with the spectrum of photographs (amplitude falls with frequency), so they
take about as long to decode and are about as large.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks import data
from pairbench_ext.harness import hooks
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.statistics import seeds

TASK, SPLIT = "pairbench_coco_rotate", "test"
PER_PAIR = 4  # both orders, both conditions
PAIRS_PER_ROW = 3
# The longer side of nearly all of COCO's pictures has 640 pixels, the shorter mostly 480 or 427.
SIZES = ((640, 480), (640, 427), (480, 640), (640, 480), (427, 640), (640, 427), (500, 375))
_QUALITY = 92
_FIELDS = 8  # of noise, of which pictures are cut out


def leaf(folder: Path, pairs: int, sizes: tuple[tuple[int, int], ...] = SIZES) -> Path:
    """A data folder with a leaf in the hub's layout, of at least so many pairs.

    The pictures of a row have one size, but for the irrelevant one.
    """
    import datasets

    rows = -(-pairs // PAIRS_PER_ROW)
    root = folder / f"gpu-{pairs}"
    if root.is_dir():
        return root
    fields = list(_noise(max(max(size) for size in sizes)))
    columns: dict[str, list[Any]] = {name: [] for name in data.COLUMNS}
    for row in range(rows):
        for place, name in enumerate(data.COLUMNS):
            size = sizes[(row + (place == len(data.COLUMNS) - 1)) % len(sizes)]
            picture = _picture(fields, size, row, place)
            columns[name].append({"bytes": picture, "path": None})
    features = datasets.Features(dict.fromkeys(data.COLUMNS, datasets.Image()))
    table = datasets.Dataset.from_dict(columns, features=features)
    (root / data.CONFIG).mkdir(parents=True)
    table.to_parquet(root / data.CONFIG / f"{data.SPLIT}-00000-of-00001.parquet")
    return root


def requests(docs: TrialDocs, pairs: int, tokens: int, *, simple: bool = False) -> list[Any]:
    """The harness's requests for the first pairs, as its evaluator makes them."""
    from lmms_eval.api.instance import Instance

    settings = {"temperature": 0, "do_sample": False, "max_new_tokens": tokens}
    made = []
    for number in range(min(len(docs), pairs * PER_PAIR)):
        text = hooks.doc_to_text(docs[number])
        own = dict(settings)
        show = (own, hooks.doc_to_visual) if simple else (hooks.doc_to_messages, own)
        made.append(
            Instance(
                request_type="generate_until",
                arguments=(text, *show, number, TASK, SPLIT),
                idx=0,
                metadata={"task": TASK, "doc_id": number, "repeats": 1},
            )
        )
    return made


def _noise(side: int) -> Iterator[np.ndarray[Any, Any]]:
    """Squares of RGB noise, twice as wide as the longest side of a picture."""
    side *= 2
    frequencies = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None])
    fall = 1 / np.maximum(frequencies, 1 / side)
    for number in range(_FIELDS):
        rng = seeds.generator(0, "photo-like noise", number)
        planes = []
        for _ in range(3):
            plane = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((side, side))) * fall)
            planes.append(np.clip(128 + 48 * plane / plane.std(), 0, 255))
        yield np.stack(planes, axis=-1).astype(np.uint8)


def _picture(
    fields: list[np.ndarray[Any, Any]], size: tuple[int, int], row: int, place: int
) -> bytes:
    rng = seeds.generator(0, "photo-like picture", row, place)
    field = fields[int(rng.integers(len(fields)))]
    width, height = size
    top, left = (int(rng.integers(len(field) - side + 1)) for side in (height, width))
    encoded = io.BytesIO()
    cut = Image.fromarray(np.ascontiguousarray(field[top : top + height, left : left + width]))
    cut.save(encoded, "JPEG", quality=_QUALITY)
    return encoded.getvalue()
