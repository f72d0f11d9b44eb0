"""Building a data set from pictures, against the same transformations alone.

Times are those that one core is busy. Memory is that of a fresh process per number of pictures
(`python -m benchmarks.build_images FOLDER OUT`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from benchmarks import data
from benchmarks.common import (
    Row,
    Usage,
    as_size,
    as_time,
    best_seconds,
    measure,
    say,
)
from lmms_eval_tasks.build.pairs.images import Settings, fill_gallery, write_splits
from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.usable import select
from pairbench_ext.synthetic.transforms import TRANSFORMS, drawn, identical

_MEMORY_TARGET = 1.1


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        pictures: of a long and a short build, whose difference counts.
        image: their pixels.
        memory: pictures of two builds whose peak memory is compared.
        rounds: of which the best counts.
    """

    pictures: tuple[int, int] = (40, 8)
    image: tuple[int, int] = data.SIZE
    memory: tuple[int, int] = (100, 400)
    rounds: int = 3


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for the time of a picture, and for the memory."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a core is what is measured, on both sides
    try:
        return [_time_row(folder, size), _memory_row(folder, size)]
    finally:
        torch.set_num_threads(threads)


def build(pictures: Path, out: Path) -> None:
    """What `pairbench build images` does; no card, no sheets."""
    shutil.rmtree(out, ignore_errors=True)
    settings = Settings("built", TRANSFORMS)
    used = select(find_sources(str(pictures))).used
    gallery = fill_gallery(out / "scratch", used, settings, embedded=True)
    write_splits(out, out / "scratch", gallery, used, settings)


def _folder(folder: Path, n: int, size: Size) -> Path:
    """A folder with so many JPEG files."""
    place = folder / f"pictures-{n}-{size.image[0]}x{size.image[1]}"
    if not place.is_dir():
        say(f"{n} pictures")
        place.mkdir(parents=True)
        for number, content in enumerate(data.pictures(n, size.image)):
            (place / f"{number:05d}.jpg").write_bytes(content)
    return place


def _time_row(folder: Path, size: Size) -> Row:
    """What decoding, encoding, bookkeeping and the self-check add to the transformations."""
    paths = sorted(_folder(folder, size.pictures[1], size).iterdir())
    decoded = [(path.name, Image.open(path).convert("RGB")) for path in paths]

    def pixel_work() -> None:
        for file, image in decoded:
            identical(image)
            for transform in TRANSFORMS.values():
                transform.apply(image, drawn(transform, image.size, 0, file))

    # A long and a short build: what every build costs cancels.
    sides = {n: partial(build, _folder(folder, n, size), folder / "built") for n in size.pictures}
    best = best_seconds(
        "build all splits", {**sides, 0: pixel_work}, size.rounds, time.process_time
    )
    many, few = size.pictures
    ours = max(best[many] - best[few], 1e-6) / (many - few)  # tiny builds differ by noise alone
    pixels = best[0] / len(decoded)
    return Row(
        "build all five splits with the self-check, per picture",
        f"{as_time(ours)}: {(ours - pixels) / pixels:+.0%}",
        f"{as_time(pixels)}, the identical copy and the transformations alone",
        pixels / ours,
    )


def _memory_row(folder: Path, size: Size) -> Row:
    few, many = (_in_fresh_process(_folder(folder, n, size), folder) for n in size.memory)
    return Row(
        f"build all five splits of {size.memory[1]} pictures: peak memory of the process",
        as_size(many.peak),
        f"{as_size(few.peak)}, {size.memory[0]} pictures",
        few.peak / many.peak,
        f"at most {_MEMORY_TARGET - 1:+.0%}",
        many.peak <= _MEMORY_TARGET * few.peak,
    )


def _in_fresh_process(pictures: Path, folder: Path) -> Usage:
    say(f"build of {len(list(pictures.iterdir()))} pictures: memory")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.build_images", str(pictures), str(folder / "built")],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return Usage(*json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    _, source, target = sys.argv
    print(json.dumps(measure(lambda: build(Path(source), Path(target)))))
