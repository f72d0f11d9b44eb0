"""A leaf of realistic size, in the hub's layout, made of real photographs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.progress import track

from benchmarks.common import console
from lmms_eval_tasks.build.photos import load_photos
from lmms_eval_tasks.pairbench import benchmark
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core import sources
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.statistics import seeds

CONFIG, SPLIT = "coco", "rotate"
COLUMNS = ("img1", "img2", "img3", "img4")
SIZE = (640, 480)
_QUALITY = 92  # about 75 kB a picture


def leaf(folder: Path, rows: int, size: tuple[int, int] = SIZE) -> Path:
    """A data folder with one leaf of `rows` rows and four distinct JPEG pictures each."""
    import datasets

    root = folder / f"leaf-{rows}-{size[0]}x{size[1]}"
    file = root / CONFIG / f"{SPLIT}-00000-of-00001.parquet"
    if file.is_file():
        return root
    cells = [
        {"bytes": picture, "path": None}
        for picture in track(
            pictures(rows * len(COLUMNS), size),
            description=f"{rows * len(COLUMNS):,} pictures",
            total=rows * len(COLUMNS),
            console=console,
        )
    ]
    columns = {name: cells[k :: len(COLUMNS)] for k, name in enumerate(COLUMNS)}
    features = datasets.Features(dict.fromkeys(COLUMNS, datasets.Image()))
    file.parent.mkdir(parents=True)
    datasets.Dataset.from_dict(columns, features=features).to_parquet(file)
    return root


def pictures(n: int, size: tuple[int, int]) -> Iterator[bytes]:
    """Crops of the embedded photographs as JPEG, no two alike."""
    width, height = size
    enlarged = (width * 5 // 4, height * 5 // 4)
    scenes = [photo.image.resize(enlarged) for photo in load_photos(max_side=max(enlarged))]
    for number in range(n):
        rng = seeds.generator(0, "benchmark picture", number)
        left, top = int(rng.integers(width // 4 + 1)), int(rng.integers(height // 4 + 1))
        crop = scenes[number % len(scenes)].crop((left, top, left + width, top + height))
        crop.putpixel((0, 0), (number % 256, number // 256 % 256, number // 65536))
        encoded = io.BytesIO()
        crop.save(encoded, "JPEG", quality=_QUALITY)
        yield encoded.getvalue()


def source_row(root: Path) -> dict[str, Any]:
    """The entry of `sources.json` that would describe this leaf."""
    return {"config": CONFIG, "features": [SPLIT], "data": str(root)}


def docs(root: Path) -> TrialDocs:
    """The leaf's documents, as the harness gets them; a new object with empty caches."""
    return benchmark.docs([source_row(root)])


def trials(root: Path) -> PairTrials:
    """The leaf's trials; a new object."""
    made = docs(root).trials
    assert isinstance(made, PairTrials)
    return made


def table(root: Path) -> Any:
    """The leaf's source table, a memory-mapped `datasets.Dataset`."""
    return sources.open_split(str(root), CONFIG, SPLIT)
