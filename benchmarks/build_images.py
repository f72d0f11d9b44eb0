"""Building a data set from pictures, against the transformations alone.

Times are those that one core is busy.
"""

from __future__ import annotations

import shutil
import time
from functools import partial
from pathlib import Path

from PIL import Image

from benchmarks import data
from benchmarks.common import Line, as_time, best_seconds, compared, say
from lmms_eval_tasks.pairbench.build.images import Settings, write_splits
from lmms_eval_tasks.pairbench.build.pictures import find_sources, select
from pairbench_ext.synthetic.transforms import TRANSFORMS, drawn, identical


def run(
    folder: Path,
    pictures: tuple[int, int] = (40, 8),
    image: tuple[int, int] = data.SIZE,
    rounds: int = 3,
) -> list[Line]:
    """Return a line for a build of all five splits.

    Args:
        folder: for pictures and builds.
        pictures: of a long and a short build, whose difference counts.
        image: their pixels.
        rounds: of which the best counts.
    """
    long, short = (_folder(folder, n, image) for n in pictures)
    decoded = [(path.name, Image.open(path).convert("RGB")) for path in sorted(short.iterdir())]

    def pixel_work() -> None:
        for file, picture in decoded:
            identical(picture)
            for transform in TRANSFORMS.values():
                transform.apply(picture, drawn(transform, picture.size, 0, file))

    best = best_seconds(
        "build all splits",
        {
            "long": partial(build, long, folder / "built"),
            "short": partial(build, short, folder / "built"),
            "pixels": pixel_work,
        },
        rounds,
        time.process_time,
    )
    # What every build costs cancels; tiny builds differ by noise alone.
    ours = max(best["long"] - best["short"], 1e-6) / (pictures[0] - pictures[1])
    return [
        compared(
            "build all five splits, per picture",
            ours,
            best["pixels"] / len(decoded),
            as_time,
            "the identical copy and the transformations alone",
        )
    ]


def build(pictures: Path, out: Path) -> None:
    """Do what `pairbench build images` does, but for the card."""
    shutil.rmtree(out, ignore_errors=True)
    selection = select(find_sources(pictures), embedded=True)
    write_splits(out, selection.used, Settings("built"))


def _folder(folder: Path, n: int, image: tuple[int, int]) -> Path:
    """Return a new folder with so many JPEG files."""
    say(f"{n} pictures")
    place = folder / f"pictures-{n}"
    place.mkdir()
    for number, content in enumerate(data.pictures(n, image)):
        (place / f"{number:05d}.jpg").write_bytes(content)
    return place
