"""What is asked: pairs of PairBench in both orders and conditions, of pictures of COCO's sizes.

The pictures are noise with the spectrum of photographs (amplitude falls with frequency), so they
take about as long to decode and are about as large.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks import data
from pairbench_ext.harness import hooks
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.statistics import seeds

TASK, SPLIT = "pairbench_coco_rotate", "test"
PER_ROW = 12  # three pairs, both orders, both conditions
# The longer side of nearly all of COCO's pictures has 640 pixels, the shorter mostly 480 or 427.
SIZES = ((640, 480), (640, 427), (480, 640), (640, 480), (427, 640), (640, 427), (500, 375))
TINY_SIZES = ((64, 48), (48, 64))


def leaf(folder: Path, prompts: int, sizes: tuple[tuple[int, int], ...] = SIZES) -> Path:
    """A data folder with a leaf in the hub's layout, of at least so many prompts.

    The pictures of a row have one size; sizes take turns.
    """
    import datasets

    columns: dict[str, list[Any]] = {name: [] for name in data.COLUMNS}
    for row in range(-(-prompts // PER_ROW)):
        for name in data.COLUMNS:
            picture = _picture(sizes[row % len(sizes)], row, name)
            columns[name].append({"bytes": picture, "path": None})
    features = datasets.Features(dict.fromkeys(data.COLUMNS, datasets.Image()))
    (folder / data.CONFIG).mkdir(parents=True)
    file = folder / data.CONFIG / f"{data.SPLIT}-00000-of-00001.parquet"
    datasets.Dataset.from_dict(columns, features=features).to_parquet(file)
    return folder


def _picture(size: tuple[int, int], row: int, name: str) -> bytes:
    rng = seeds.generator(0, "noise like photographs", row, name)
    width, height = size
    frequencies = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width))
    amplitude = 1 / np.maximum(frequencies, 1 / width)
    planes = np.fft.irfft2(
        np.fft.rfft2(rng.standard_normal((3, height, width))) * amplitude, (height, width)
    )
    levels = np.clip(128 + 48 * planes / planes.std(), 0, 255).astype(np.uint8)
    encoded = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(levels.transpose(1, 2, 0))).save(
        encoded, "JPEG", quality=92
    )
    return encoded.getvalue()


def requests(docs: TrialDocs, prompts: int, tokens: int) -> list[Any]:
    """The harness's requests for the first prompts, as its evaluator makes them."""
    from lmms_eval.api.instance import Instance

    made = []
    for number in range(prompts):
        settings = {"temperature": 0, "do_sample": False, "max_new_tokens": tokens}
        text = hooks.doc_to_text(docs[number])
        made.append(
            Instance(
                request_type="generate_until",
                arguments=(text, hooks.doc_to_messages, settings, number, TASK, SPLIT),
                idx=0,
                metadata={"task": TASK, "doc_id": number, "repeats": 1},
            )
        )
    return made
