"""Building a data set from pictures, against the transformations alone.

Times are those that one core is busy.
"""

from __future__ import annotations

import shutil
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from benchmarks import data
from benchmarks.common import Row, as_time, best_seconds, say, two_digits
from lmms_eval_tasks.pairbench.build.images import Settings, write_splits
from lmms_eval_tasks.pairbench.build.pictures import find_sources, select
from pairbench_ext.synthetic.transforms import TRANSFORMS, drawn, identical


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        pictures: of a long and a short build, whose difference counts.
        image: their pixels.
        rounds: of which the best counts.
    """

    pictures: tuple[int, int] = (40, 8)
    image: tuple[int, int] = data.SIZE
    rounds: int = 3


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Return a row for a build of all five splits."""
    long, short = (_folder(folder, n, size) for n in size.pictures)
    decoded = [(path.name, Image.open(path).convert("RGB")) for path in sorted(short.iterdir())]

    def pixel_work() -> None:
        for file, image in decoded:
            identical(image)
            for transform in TRANSFORMS.values():
                transform.apply(image, drawn(transform, image.size, 0, file))

    best = best_seconds(
        "build all splits",
        {
            "long": partial(build, long, folder / "built"),
            "short": partial(build, short, folder / "built"),
            "pixels": pixel_work,
        },
        size.rounds,
        time.process_time,
    )
    # What every build costs cancels; tiny builds differ by noise alone.
    ours = max(best["long"] - best["short"], 1e-6) / (size.pictures[0] - size.pictures[1])
    pixels = best["pixels"] / len(decoded)
    return [
        Row(
            "build all five splits, per picture",
            f"{as_time(ours)} ({two_digits(1 / ours)} per second and core)",
            f"{as_time(pixels)}, the identical copy and the transformations alone",
            pixels / ours,
        )
    ]


def build(pictures: Path, out: Path) -> None:
    """Do what `pairbench build images` does, but for the card."""
    shutil.rmtree(out, ignore_errors=True)
    selection = select(find_sources(pictures))
    write_splits(out, selection.used, Settings("built"))


def _folder(folder: Path, n: int, size: Size) -> Path:
    """Return a folder with so many JPEG files."""
    place = folder / f"pictures-{n}-{size.image[0]}x{size.image[1]}"
    if not place.is_dir():
        say(f"{n} pictures")
        place.mkdir(parents=True)
        for number, content in enumerate(data.pictures(n, size.image)):
            (place / f"{number:05d}.jpg").write_bytes(content)
    return place
