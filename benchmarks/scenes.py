"""Pairs of scenes: drawn by exact coverage, against both canvases drawn at four times the size.

A pair includes its scene: shapes are drawn by lot and placed, one image is made from the other's
where they agree. Memory is that of a fresh process (`python -m benchmarks.scenes SIZE`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.common import (
    Row,
    Usage,
    as_size,
    as_time,
    best_seconds,
    measure,
    quotient,
    require,
    say,
)
from pairbench_ext.scenes import edits
from pairbench_ext.scenes.colour import PALETTE, to_bytes
from pairbench_ext.scenes.placement import scatter
from pairbench_ext.scenes.render import render_pair
from pairbench_ext.scenes.scene import KINDS, Scene, Shape
from pairbench_ext.seeds import generator

_PER_SECOND = 200
_MOST_GROWTH = 2_000_000
_FACTOR = 4  # by which the naive canvas is larger
_SHIFT = 80.0
_NEAR = 4.0  # bytes, on average where shapes are; Pillow draws them half a sub-pixel wider

Scenes = tuple[Scene, Scene]
Images = tuple[Image.Image, Image.Image]


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        pairs: drawn by us in a round; few, so that some rounds meet no other load.
        naive: of these, drawn the other way.
        compared: of these, how many are compared pixel by pixel.
        remembered: drawn by us to measure the memory, after a tenth of it.
        rounds: of which the best counts.
    """

    pairs: int = 10
    naive: int = 2
    compared: int = 5
    remembered: int = 2_000
    rounds: int = 40


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for a shape that is missing, for a camera that pans, and for memory."""
    del folder
    rows = [_time_row(what, draw, size) for what, draw in KINDS_OF_PAIRS.items()]
    return [*rows, _memory_row(size)]


def missing(number: int) -> Scenes:
    """Existence (Appendix A.6): 20-30 shapes of 35 pixels, of which one disappears."""
    scene = _scene("missing", number)
    return scene, edits.remove(scene, 0)


def panned(number: int) -> Scenes:
    """Viewpoint (Appendix A.9) on the same scenes: all shapes are moved."""
    scene = _scene("panned", number)
    return scene, edits.pan(scene, _SHIFT, 0)


KINDS_OF_PAIRS: dict[str, Callable[[int], Scenes]] = {
    "one of 20-30 shapes missing": missing,
    "20-30 shapes, all moved": panned,
}


def _scene(*key: str | int) -> Scene:
    rng = generator(0, *key)
    names = list(PALETTE)
    shapes = []
    for _ in range(int(rng.integers(20, 31))):
        kind, name = KINDS[int(rng.integers(len(KINDS)))], names[int(rng.integers(len(names)))]
        shapes.append(Shape(kind, name, PALETTE[name], 35, rotation=float(rng.uniform(0, 360))))
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


def _time_row(what: str, draw: Callable[[int], Scenes], size: Size) -> Row:
    for number in range(size.compared):
        scenes = draw(number)
        for one, other in zip(render_pair(*scenes), naive_pair(*scenes), strict=True):
            require(_difference(one, other) < _NEAR, f"an image of pair {number}")

    def ours() -> None:
        for number in range(size.pairs):
            render_pair(*draw(number))

    def naive() -> None:
        for number in range(size.naive):
            naive_pair(*draw(number))

    best = best_seconds(f"scenes, {what}", {"ours": ours, "naive": naive}, size.rounds)
    each, otherwise = best["ours"] / size.pairs, best["naive"] / size.naive
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


def _child(size: Size) -> Usage:
    def pairs(first: int, end: int) -> None:
        for number in range(first, end):
            render_pair(*missing(number))

    before = size.remembered // 10
    pairs(0, before)
    return measure(lambda: pairs(before, before + size.remembered))


def _memory_row(size: Size) -> Row:
    say(f"scenes: memory of {size.remembered:,} pairs")
    command = [sys.executable, "-m", "benchmarks.scenes", json.dumps(size)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True, text=True)
    growth = Usage(*json.loads(done.stdout)).growth
    scene = missing(0)[0]
    kept = size.remembered * 2 * scene.width * scene.height * 4  # Pillow takes four bytes a pixel
    return Row(
        f"{size.remembered:,} pairs of scenes after the first {size.remembered // 10:,}: memory",
        as_size(growth),
        f"{as_size(kept)}, a list of them (computed)",
        quotient(kept, growth),
        f"at most {as_size(_MOST_GROWTH)}",
        growth <= _MOST_GROWTH,
    )


if __name__ == "__main__":
    print(json.dumps(_child(Size(*json.loads(sys.argv[1])))))
