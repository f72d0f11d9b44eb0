"""Building a data set from pictures, against the same transformations called directly.

Times are those that one core is busy. Memory is that of a fresh process per number of pictures
(`python -m benchmarks.build_images FOLDER OUT`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from benchmarks import data
from benchmarks.common import (
    Row,
    Usage,
    as_size,
    as_time,
    best_seconds,
    measure,
    require,
    say,
    two_digits,
)
from lmms_eval_tasks.build.pairs.images import Settings, fill_gallery, write_splits
from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.repository_files import split_file, write_split
from lmms_eval_tasks.build.pairs.splits import SplitRows
from lmms_eval_tasks.build.pairs.usable import select
from pairbench_ext.synthetic.transforms import TRANSFORMS, Params, Transform, drawn, identical

_OVERHEAD_TARGET = 0.3
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
    """Rows for each transformation alone, for all of them, and for the memory."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a core is what is measured, on both sides
    try:
        return [
            *(_split_row(folder, name, size) for name in TRANSFORMS),
            *_whole_rows(folder, size),
            _memory_row(folder, size),
        ]
    finally:
        torch.set_num_threads(threads)


def build(pictures: Path, out: Path, transforms: Mapping[str, Transform], *, checked: bool) -> None:
    """What `pairbench build images` does, with or without the self-check; no card, no sheets."""
    shutil.rmtree(out, ignore_errors=True)
    settings = Settings("built", transforms)
    used = select(find_sources(str(pictures))).used
    gallery = fill_gallery(out / "scratch", used, settings, embedded=checked)
    if checked:
        write_splits(out, out / "scratch", gallery, used, settings)
        return
    for name in transforms:
        rows = SplitRows(gallery, used, name, settings.seed, apart=checked)
        write_split(out / split_file("built", name), map(rows.row, range(len(rows))))


def directly(name: str, image: Image.Image, params: Params) -> Image.Image:
    """The transformation as one writes it with torchvision, on a decoded picture."""
    from torchvision.transforms import v2
    from torchvision.transforms.v2 import functional as F  # noqa: N812

    bilinear = F.InterpolationMode.BILINEAR
    width, height = image.size
    if name == "colorjitter":
        changed: Any = F.adjust_brightness(image, params["brightness"])
        changed = F.adjust_contrast(changed, params["contrast"])
        changed = F.adjust_saturation(changed, params["saturation"])
        changed = F.adjust_hue(changed, params["hue"])
    elif name == "rotate":
        changed = F.rotate(image, params["angle"], bilinear)
    elif name == "gaussianblur":
        side = 2 * int(np.ceil(3 * params["sigma"])) + 1
        changed = F.gaussian_blur(image, [side, side], [params["sigma"]] * 2)
    elif name == "perspective":
        start = [[0, 0], [width, 0], [width, height], [0, height]]
        changed = F.perspective(image, start, params["corners"], bilinear)
    else:  # its displacements are its own: smoothed noise, not brought to an amplitude
        changed = v2.ElasticTransform(params["amplitude"] * 10, params["sigma"])(image)
    assert isinstance(changed, Image.Image)
    return changed


def _folder(folder: Path, n: int, size: Size) -> Path:
    """A folder with so many JPEG files."""
    place = folder / f"pictures-{n}-{size.image[0]}x{size.image[1]}"
    if not place.is_dir():
        say(f"{n} pictures")
        place.mkdir(parents=True)
        for number, content in enumerate(data.pictures(n, size.image)):
            (place / f"{number:05d}.jpg").write_bytes(content)
    return place


def _builds(
    folder: Path, transforms: Mapping[str, Transform], size: Size, *, checked: bool
) -> dict[str, Callable[[], object]]:
    """A long and a short build: what every build costs cancels."""
    return {
        length: partial(
            build, _folder(folder, n, size), folder / "built", transforms, checked=checked
        )
        for length, n in zip(("long", "short"), size.pictures, strict=True)
    }


def _per_picture(best: Mapping[str, float], size: Size) -> float:
    seconds = max(best["long"] - best["short"], 1e-6)  # tiny builds differ by noise alone
    return seconds / (size.pictures[0] - size.pictures[1])


def _decoded(folder: Path, size: Size) -> list[tuple[str, Image.Image]]:
    paths = sorted(_folder(folder, size.pictures[1], size).iterdir())
    return [(path.name, Image.open(path).convert("RGB")) for path in paths]


def _split_row(folder: Path, name: str, size: Size) -> Row:
    """A build of one split against torchvision on decoded pictures."""
    transform = TRANSFORMS[name]
    work = [
        (image, drawn(transform, image.size, 0, file)) for file, image in _decoded(folder, size)
    ]
    _require_same(transform, work[:4])
    if name == "elastic":  # torchvision smooths in two dimensions, which takes ten seconds
        work = work[:1]
    best = best_seconds(
        f"build {name}",
        {
            **_builds(folder, {name: transform}, size, checked=False),
            "directly": lambda: [directly(name, image, params) for image, params in work],
        },
        size.rounds,
        time.process_time,
    )
    ours, other = _per_picture(best, size), best["directly"] / len(work)
    return Row(
        f"build {name} alone, per picture",
        f"{as_time(ours)} ({two_digits(1 / ours)} per second and core)",
        f"{as_time(other)}, torchvision on decoded pictures",
        other / ours,
    )


def _require_same(transform: Transform, work: Sequence[tuple[Image.Image, Params]]) -> None:
    """Ours are torchvision's pixels; but for rounding where we blur in two passes."""
    if transform.name == "elastic":
        return
    for image, params in work:
        ours = np.asarray(transform.apply(image, params)).astype(int)
        other = np.asarray(directly(transform.name, image, params))
        allowed = 1 if transform.name == "gaussianblur" else 0
        require(bool(np.abs(ours - other).max() <= allowed), f"{transform.name}'s pixels")


def _whole_rows(folder: Path, size: Size) -> list[Row]:
    """All splits: what decoding, encoding and bookkeeping add, and what the self-check does."""
    decoded = _decoded(folder, size)

    def pixel_work() -> None:
        for file, image in decoded:
            identical(image)
            for transform in TRANSFORMS.values():
                transform.apply(image, drawn(transform, image.size, 0, file))

    plain = _builds(folder, TRANSFORMS, size, checked=False)
    checked = _builds(folder, TRANSFORMS, size, checked=True)
    best = best_seconds(
        "build all splits",
        {
            **plain,
            **{f"checked {key}": side for key, side in checked.items()},
            "pixels": pixel_work,
        },
        size.rounds,
        time.process_time,
    )
    pixels, ours = best["pixels"] / len(decoded), _per_picture(best, size)
    with_check = _per_picture({key: best[f"checked {key}"] for key in plain}, size)
    overhead = (ours - pixels) / pixels
    return [
        Row(
            "build all five splits, per picture",
            f"{as_time(ours)} ({two_digits(1 / ours)} per second and core): {overhead:+.0%}",
            f"{as_time(pixels)}, the identical copy and the transformations alone",
            pixels / ours,
            f"at most {_OVERHEAD_TARGET:+.0%}",
            overhead <= _OVERHEAD_TARGET,
        ),
        Row(
            "build all five splits with the self-check, per picture",
            f"{as_time(with_check)}: {(with_check - pixels) / pixels:+.0%}",
            f"{as_time(pixels)}, the identical copy and the transformations alone",
            pixels / with_check,
        ),
    ]


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
    print(json.dumps(measure(lambda: build(Path(source), Path(target), TRANSFORMS, checked=True))))
