"""Visual prompting of one pair of large images: ours against arrays, Pillow and OpenCV.

The others are what one writes from the paper's text. All sides start from decoded RGB images and
end with the images that are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageEnhance
from scipy import ndimage

from benchmarks.common import Row, as_time, best_seconds, require, say
from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.subtlebench.visual import regions
from lmms_eval_tasks.subtlebench.visual.grid import grid
from lmms_eval_tasks.subtlebench.visual.highlight import highlight
from lmms_eval_tasks.subtlebench.visual.overlap import overlap
from lmms_eval_tasks.subtlebench.visual.subtract import subtract
from pairbench_ext.core.visual.concat import concat
from pairbench_ext.statistics import seeds

Pair: TypeAlias = tuple[Image.Image, Image.Image]
Make: TypeAlias = Callable[[Image.Image, Image.Image], tuple[Image.Image, ...]]

OURS = "ours"
FLOATS, PILLOW, OPENCV = "arrays of floats", "Pillow", "OpenCV"
_NOISE = 2.0  # levels; as a camera has it, so that no two pixels are quite the same
_GREEN = (0, 255, 0)
_ONE_LEVEL = 1  # halves are rounded in more than one way, and 30% is no 255th


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        image: pixels of both images.
        rounds: of which the best counts.
    """

    image: tuple[int, int] = (2400, 1800)
    rounds: int = 12


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for every strategy that changes an image."""
    del folder
    images = pair(size.image)
    rows = []
    for name, others in STRATEGIES.items():
        _compare(name, others, images)
        sides = {OURS: MINE[name], **others}
        work = {side: _bound(make, images) for side, make in sides.items()}
        best = best_seconds(f"visual prompting, {name}", work, size.rounds)
        rows += [
            Row(
                f"{name}, a pair of {size.image[0]:,} x {size.image[1]:,}",
                as_time(best[OURS]),
                f"{as_time(best[side])}, {side}",
                best[side] / best[OURS],
            )
            for side in others
        ]
    return rows


def pair(size: tuple[int, int]) -> Pair:
    """A photograph, and the same with one bright ellipse, both with noise."""
    scene = load_photos(max_side=512)[0].image.resize(size)
    other = scene.copy()
    left, top, right, bottom = (size[k % 2] * (3 + 2 * (k // 2)) // 8 for k in range(4))
    patch = ImageEnhance.Brightness(scene.crop((left, top, right, bottom))).enhance(1.6)
    ellipse = Image.new("L", patch.size)
    ImageDraw.Draw(ellipse).ellipse((0, 0, patch.width - 1, patch.height - 1), fill=255)
    other.paste(patch, (left, top), ellipse)
    return _noisy(scene, 1), _noisy(other, 2)


def _noisy(image: Image.Image, number: int) -> Image.Image:
    rng = seeds.generator(0, "visual prompting", number)
    levels = np.asarray(image) + rng.normal(0, _NOISE, (image.height, image.width, 3))
    return Image.fromarray(np.rint(levels).clip(0, 255).astype(np.uint8))


def _bound(make: Make, images: Pair) -> Callable[[], object]:
    return lambda: make(*images)


def _compare(name: str, others: Mapping[str, Make], images: Pair) -> None:
    say(f"visual prompting, {name}: comparing pixels")
    mine = MINE[name](*images)
    for side, make in others.items():
        for one, other in zip(mine, make(*images), strict=True):
            apart = np.abs(np.asarray(one).astype(int) - np.asarray(other))
            require(int(apart.max()) <= _ONE_LEVEL, f"the pixels of {name} by {side}")


def grids_of_floats(first: Image.Image, second: Image.Image) -> Pair:
    """A mask of the lines, and 0.7 of what is under it."""

    def drawn(image: Image.Image) -> Image.Image:
        pixels = np.asarray(image).astype(float)
        height, width = pixels.shape[:2]
        mask = np.zeros((height, width), bool)
        for k in (1, 2, 3):
            mask[height * k // 4 - 1 : height * k // 4 + 2] = True
            mask[:, width * k // 4 - 1 : width * k // 4 + 2] = True
        pixels[mask] *= 0.7
        return Image.fromarray(np.rint(pixels).astype(np.uint8))

    return drawn(first), drawn(second)


def grids_of_pillow(first: Image.Image, second: Image.Image) -> Pair:
    """Lines on a transparent overlay."""

    def drawn(image: Image.Image) -> Image.Image:
        overlay = Image.new("RGBA", image.size)
        pen, (width, height) = ImageDraw.Draw(overlay), image.size
        for k in (1, 2, 3):
            for line in (
                [(0, height * k // 4), (width, height * k // 4)],
                [(width * k // 4, 0), (width * k // 4, height)],
            ):
                pen.line(line, fill=(0, 0, 0, round(0.3 * 255)), width=3)
        return Image.alpha_composite(image.convert("RGBA"), overlay).convert("RGB")

    return drawn(first), drawn(second)


def concat_of_arrays(first: Image.Image, second: Image.Image) -> tuple[Image.Image]:
    """`np.concatenate`; the images have one height."""
    line = np.zeros((first.height, 1, 3), np.uint8)
    joined = np.concatenate([np.asarray(first), line, np.asarray(second)], axis=1)
    return (Image.fromarray(joined),)


def overlap_of_floats(first: Image.Image, second: Image.Image) -> tuple[Image.Image]:
    """The mean, as one writes it."""
    mean = (np.asarray(first).astype(float) + np.asarray(second)) / 2
    return (Image.fromarray(mean.astype(np.uint8)),)


def overlap_of_opencv(first: Image.Image, second: Image.Image) -> tuple[Image.Image]:
    """`cv2.addWeighted`."""
    mean = cv2.addWeighted(np.asarray(first), 0.5, np.asarray(second), 0.5, 0)
    return (Image.fromarray(mean),)


def subtract_of_floats(first: Image.Image, second: Image.Image) -> tuple[Image.Image]:
    """The paper's formula, as printed."""
    grey = _means(first, second)
    stretched = np.rint(255 * grey / grey.max()).astype(np.uint8)
    return (Image.fromarray(stretched).convert("RGB"),)


def highlight_of_scipy(first: Image.Image, second: Image.Image) -> Pair:
    """The steps of the paper with numpy and scipy.ndimage."""
    grey = _means(first, second)
    square = np.ones((regions.KERNEL, regions.KERNEL), bool)
    mask = ndimage.binary_closing(grey > np.percentile(grey, 90), square)
    labels, count = ndimage.label(ndimage.binary_opening(mask, square), np.ones((3, 3)))
    areas = ndimage.sum_labels(labels > 0, labels, np.arange(1, count + 1))
    places = ndimage.find_objects(labels)
    found = [(float(area), *_corners(*place)) for area, place in zip(areas, places, strict=True)]
    return _marked(first, second, found)


def highlight_of_opencv(first: Image.Image, second: Image.Image) -> Pair:
    """The steps of the paper with OpenCV; it has no percentile."""
    grey = cv2.absdiff(np.asarray(first), np.asarray(second)).mean(axis=2)
    mask = (grey > np.percentile(grey, 90)).astype(np.uint8)
    square = np.ones((regions.KERNEL, regions.KERNEL), np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, square)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, square)
    _, _, table, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    found = [(float(area), x, y, x + w, y + h) for x, y, w, h, area in table[1:].tolist()]
    return _marked(first, second, found)


def _means(first: Image.Image, second: Image.Image) -> NDArray[np.float64]:
    apart = np.abs(np.asarray(first).astype(float) - np.asarray(second).astype(float))
    means: NDArray[np.float64] = apart.mean(axis=2)
    return means


def _corners(rows: slice, columns: slice) -> tuple[int, int, int, int]:
    return columns.start, rows.start, columns.stop, rows.stop


def _marked(
    first: Image.Image, second: Image.Image, found: list[tuple[float, int, int, int, int]]
) -> Pair:
    """Area and corners of every component to images with at most three boxes."""
    three = sorted(found, key=lambda one: -one[0])[: regions.MOST]
    kept = [one[1:] for one in three if one[0] >= regions.SHARE * three[0][0]]

    def marked(image: Image.Image) -> Image.Image:
        shown = image.point(lambda level: level // 2)
        for box in kept:
            shown.paste(image.crop(box), box[:2])
        pen, line = ImageDraw.Draw(shown), max(2, round(max(image.size) / 200))
        for left, top, right, bottom in kept:
            around = (left - line, top - line, right + line - 1, bottom + line - 1)
            pen.rectangle(around, outline=_GREEN, width=line)
        return shown

    return marked(first), marked(second)


MINE: Mapping[str, Make] = {
    "grid": lambda first, second: (grid(first), grid(second)),
    "concat": lambda first, second: (concat(first, second),),
    "overlap": lambda first, second: (overlap(first, second),),
    "subtract": lambda first, second: (subtract(first, second),),
    "highlight": highlight,
}
STRATEGIES: Mapping[str, Mapping[str, Make]] = {
    "grid": {FLOATS: grids_of_floats, f"{PILLOW}'s overlay": grids_of_pillow},
    "concat": {"np.concatenate": concat_of_arrays},
    "overlap": {FLOATS: overlap_of_floats, OPENCV: overlap_of_opencv},
    "subtract": {FLOATS: subtract_of_floats},
    "highlight": {
        "floats and scipy": highlight_of_scipy,
        f"{OPENCV} and np.percentile": highlight_of_opencv,
    },
}
