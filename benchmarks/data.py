"""A leaf of realistic size in the hub's layout, its pictures and its trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import datasets
import numpy as np
from PIL import Image

from benchmarks.common import say
from lmms_eval_tasks.build.photos import load_photos
from lmms_eval_tasks.pairbench import benchmark
from pairbench_ext.core import sources
from pairbench_ext.core.visual import encoded
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.statistics import seeds

CONFIG, SPLIT = "coco", "rotate"
COLUMNS = ("img1", "img2", "img3", "img4")
SIZE = (640, 480)
_QUALITY = 92  # about 75 kB a picture


def leaf(folder: Path, rows: int) -> Path:
    """A data folder with one leaf of `rows` rows and four distinct JPEG pictures each."""
    root = folder / f"leaf-{rows}"
    if not root.is_dir():
        n = rows * len(COLUMNS)
        say(f"{n:,} pictures")
        write_leaf(root, pictures(n))
    return root


def write_leaf(root: Path, encoded: Iterable[bytes]) -> None:
    """Write a leaf of these pictures in the hub's layout, four in a row."""
    cells = [{"bytes": picture, "path": None} for picture in encoded]
    columns = {name: cells[k :: len(COLUMNS)] for k, name in enumerate(COLUMNS)}
    features = datasets.Features(dict.fromkeys(COLUMNS, datasets.Image()))
    (root / CONFIG).mkdir(parents=True)
    file = root / CONFIG / f"{SPLIT}-00000-of-00001.parquet"
    datasets.Dataset.from_dict(columns, features=features).to_parquet(file)


def pictures(n: int) -> Iterator[bytes]:
    """Crops of the embedded photographs as JPEG, no two alike."""
    width, height = SIZE
    enlarged = (width * 5 // 4, height * 5 // 4)
    scenes = [photo.image.resize(enlarged) for photo in load_photos(max_side=max(enlarged))]
    for number in range(n):
        rng = seeds.generator(0, "benchmark picture", number)
        left, top = int(rng.integers(width // 4 + 1)), int(rng.integers(height // 4 + 1))
        crop = scenes[number % len(scenes)].crop((left, top, left + width, top + height))
        crop.putpixel((0, 0), (number % 256, number // 256 % 256, number // 65536))
        yield encoded(crop, "JPEG", quality=_QUALITY)


def noise(n: int, sizes: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """Noise with the spectrum of photographs (amplitude falls with frequency), as JPEG.

    It takes about as long to decode as photographs and is about as large. The pictures of a row of
    a leaf have one size; sizes take turns.
    """
    for number in range(n):
        rng = seeds.generator(0, "noise like photographs", number)
        width, height = sizes[number // len(COLUMNS) % len(sizes)]
        frequencies = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width))
        amplitude = 1 / np.maximum(frequencies, 1 / width)
        spectrum = np.fft.rfft2(rng.standard_normal((3, height, width))) * amplitude
        planes = np.fft.irfft2(spectrum, (height, width))
        levels = np.clip(128 + 48 * planes / planes.std(), 0, 255).astype(np.uint8)
        image = Image.fromarray(np.ascontiguousarray(levels.transpose(1, 2, 0)))
        yield encoded(image, "JPEG", quality=_QUALITY)


def docs(root: Path) -> TrialDocs:
    """The leaf's documents, as the harness gets them; a new object with empty caches."""
    made: TrialDocs = benchmark.docs([{"config": CONFIG, "features": [SPLIT], "data": str(root)}])
    return made


def table(root: Path) -> Any:
    """The leaf's source table, a memory-mapped `datasets.Dataset`."""
    return sources.open_split(str(root), CONFIG, SPLIT)
