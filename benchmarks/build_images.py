"""Building a data set from pictures, against the transformations alone.

Times are those that one core is busy.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image

from benchmarks import data
from benchmarks.common import Line, as_time, best_seconds, compared, say
from lmms_eval_tasks.build.images import Settings, write_splits
from lmms_eval_tasks.build.pictures import find_sources, select
from pairbench_ext.synthetic.transforms import TRANSFORMS, drawn, identical


def run(folder: Path, long: int = 40, short: int = 8, rounds: int = 3) -> list[Line]:
    """Return a line for a build of all five splits.

    Args:
        folder: for pictures and builds.
        long: pictures of a long build.
        short: of a short one; the difference counts.
        rounds: of which the best counts.
    """
    many, few = (_folder(folder, n) for n in (long, short))
    decoded = [(path.name, Image.open(path).convert("RGB")) for path in sorted(few.iterdir())]

    def pixel_work() -> None:
        for file, picture in decoded:
            identical(picture)
            for transform in TRANSFORMS.values():
                transform.apply(picture, drawn(transform, picture.size, 0, file))

    sides: dict[str, Callable[[], object]] = {
        "long": partial(build, many, folder / "built"),
        "short": partial(build, few, folder / "built"),
        "pixels": pixel_work,
    }
    best = best_seconds("build all splits", sides, rounds, time.process_time)
    # What every build costs cancels; tiny builds differ by noise alone.
    ours = max(best["long"] - best["short"], 1e-6) / (long - short)
    how = "the identical copy and the transformations alone"
    pixels = best["pixels"] / len(decoded)
    return [compared("build all five splits, per picture", ours, pixels, as_time, how)]


def build(pictures: Path, out: Path) -> None:
    """Do what `pairbench build images` does, but for the card."""
    shutil.rmtree(out, ignore_errors=True)
    write_splits(out, select(find_sources(pictures)).used, Settings("built"))


def _folder(folder: Path, n: int) -> Path:
    """Return a new folder with so many JPEG files."""
    say(f"{n} pictures")
    place = folder / f"pictures-{n}"
    place.mkdir()
    for number, content in enumerate(data.pictures(n)):
        (place / f"{number:05d}.jpg").write_bytes(content)
    return place
