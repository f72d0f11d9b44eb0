"""Pairs of scenes: drawn by exact coverage, against both canvases drawn at four times the size.

A pair includes its scene: shapes are drawn by lot and placed, one image is made from the other's
where they agree. Ours runs in a process that does nothing else (`python -m benchmarks.scenes SIZE`)
and keeps the last pairs, as the rows of a synthetic set do; the other way runs in this one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.common import (
    Row,
    as_size,
    as_time,
    best_seconds,
    measure,
    quotient,
    require,
    say,
)
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import to_bytes
from pairbench_ext.synthetic.palette import shades
from pairbench_ext.synthetic.shapes import edits
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.shapes import render_pair
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape

_PER_SECOND = 200
_MOST_GROWTH = 2_000_000
_KEPT = 4  # pairs of images, as in `lmms_eval_tasks.subtlebench.sets.rows`
_FACTOR = 4  # by which the naive canvas is larger
_SHIFT = 80.0
_NEAR = 4.0  # bytes, on average where shapes are; Pillow draws them half a sub-pixel wider

Scenes = tuple[Scene, Scene]
Images = tuple[Image.Image, Image.Image]


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        pairs: drawn by us in a round; few, so that some rounds meet no other load.
        naive: drawn the other way in a round.
        compared: how many are compared pixel by pixel.
        remembered: drawn by us to measure the memory, after a tenth of it.
        rounds: of which the best counts.
    """

    pairs: int = 3
    naive: int = 1
    compared: int = 5
    remembered: int = 2_000
    rounds: int = 100


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for a shape that is missing, for a camera that pans, and for memory."""
    del folder
    ours = _in_a_process_of_its_own(size)
    rows = [_time_row(what, draw, ours.seconds[what], size) for what, draw in PAIRS.items()]
    return [*rows, _memory_row(ours.growth, size)]


def missing(number: int) -> Scenes:
    """Existence (Appendix A.6): 20-30 shapes of 35 pixels, of which one disappears."""
    scene = _scene("missing", number)
    return scene, edits.remove(scene, 0)


def panned(number: int) -> Scenes:
    """Viewpoint (Appendix A.9) on the same scenes: all shapes are moved."""
    scene = _scene("panned", number)
    return scene, edits.pan(scene, _SHIFT, 0)


PAIRS: dict[str, Callable[[int], Scenes]] = {
    "one of 20-30 shapes missing": missing,
    "20-30 shapes, all moved": panned,
}


def _scene(*key: str | int) -> Scene:
    rng = generator(0, *key)
    colours = shades(rng)
    names = list(colours)
    shapes = []
    for _ in range(int(rng.integers(20, 31))):
        kind = SHAPE_KINDS[int(rng.integers(len(SHAPE_KINDS)))]
        name = names[int(rng.integers(len(names)))]
        shapes.append(Shape(kind, name, colours[name], 35, rotation=float(rng.uniform(0, 360))))
    return scatter(shapes, rng, margin=_SHIFT)


def naive_pair(first: Scene, second: Scene) -> Images:
    """Both canvases drawn larger, then reduced."""
    return _supersampled(first), _supersampled(second)


def _supersampled(scene: Scene) -> Image.Image:
    image = Image.new("RGB", (scene.width * _FACTOR, scene.height * _FACTOR), "white")
    draw = ImageDraw.Draw(image)
    for shape in scene.shapes:
        colour = to_bytes(shape.lab)
        if shape.corners:
            # Pillow's pixels have their centres at integers.
            draw.polygon([(x * _FACTOR - 0.5, y * _FACTOR - 0.5) for x, y in shape.corners], colour)
        else:
            left, top, right, bottom = (_FACTOR * side for side in shape.bounds)
            draw.ellipse((left, top, right - 1, bottom - 1), colour)
    return image.reduce(_FACTOR)


def _time_row(what: str, draw: Callable[[int], Scenes], each: float, size: Size) -> Row:
    """The row for a kind of pairs of which each takes us so many seconds."""
    for number in range(size.compared):
        scenes = draw(number)
        for one, other in zip(render_pair(*scenes), naive_pair(*scenes), strict=True):
            require(_difference(one, other) < _NEAR, f"an image of pair {number}")

    def naive() -> None:
        for number in range(size.naive):
            naive_pair(*draw(number))

    best = best_seconds(f"scenes, {what}, otherwise", {"naive": naive}, size.rounds)
    otherwise = best["naive"] / size.naive
    return Row(
        f"a pair of scenes, {what}",
        f"{as_time(each)} ({1 / each:.0f} pairs/s)",
        f"{as_time(otherwise)}, drawn {_FACTOR}x and reduced",
        otherwise / each,
        f"at least {_PER_SECOND} pairs/s",
        1 / each >= _PER_SECOND,
    )


def _difference(one: Image.Image, other: Image.Image) -> float:
    """Mean difference in bytes over the pixels that are not white in both."""
    pixels = np.stack([np.asarray(one, dtype=float), np.asarray(other, dtype=float)])
    inked = (pixels < 255).any(axis=(0, -1))
    return float(np.abs(pixels[0] - pixels[1])[inked].mean())


class Ours(NamedTuple):
    """What we take in a process that draws pairs only.

    Attributes:
        growth: by how many bytes its memory's peak rises after the first tenth of
            `Size.remembered` pairs, while it draws so many more.
        seconds: for a pair, by kind.
    """

    growth: int
    seconds: Mapping[str, float]


def _in_a_process_of_its_own(size: Size) -> Ours:
    command = [sys.executable, "-m", "benchmarks.scenes", json.dumps(size)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True, text=True)
    return Ours(*json.loads(done.stdout))


def _child(size: Size) -> Ours:
    kept: deque[Images] = deque(maxlen=_KEPT)

    def pairs(draw: Callable[[int], Scenes], first: int, end: int) -> None:
        for number in range(first, end):
            kept.append(render_pair(*draw(number)))

    say(f"scenes: memory of {size.remembered:,} pairs")
    before = size.remembered // 10
    first = measure(lambda: pairs(missing, 0, before))
    rest = measure(lambda: pairs(missing, before, before + size.remembered))
    works = {what: partial(pairs, draw, 0, size.pairs) for what, draw in PAIRS.items()}
    best = best_seconds("scenes", works, size.rounds)
    growth = max(0, rest.peak - first.peak)
    return Ours(growth, {what: seconds / size.pairs for what, seconds in best.items()})


def _memory_row(growth: int, size: Size) -> Row:
    scene = missing(0)[0]
    together = size.remembered * 2 * scene.width * scene.height * 4  # Pillow has 4 bytes a pixel
    return Row(
        f"{size.remembered:,} pairs of scenes after the first {size.remembered // 10:,}: memory",
        as_size(growth),
        f"{as_size(together)}, a list of them (computed)",
        quotient(together, growth),
        f"at most {as_size(_MOST_GROWTH)}",
        growth <= _MOST_GROWTH,
    )


if __name__ == "__main__":
    print(json.dumps(_child(Size(*json.loads(sys.argv[1])))))
