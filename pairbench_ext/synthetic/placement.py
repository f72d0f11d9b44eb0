"""Place shapes at random, with gaps between them and to the canvas border.

Places are drawn uniformly and kept if they are free (random sequential adsorption), the largest
shapes first. Clear means that circumscribed circles are clear, so shapes may turn where they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from pairbench_ext.synthetic.shapes import HEIGHT, WIDTH, Scene, Shape

GAP = 4.0  # pixels between shapes, and to the border; the pixels of two shapes never touch

_TRIES = 2000  # candidates for one shape; at a density of 0.4 about one in a hundred is free
_RESTARTS = 20


class PlacementError(ValueError):
    """No free place was found for a shape on the canvas."""


def scatter(
    shapes: Sequence[Shape], rng: np.random.Generator, width: int = WIDTH, height: int = HEIGHT
) -> Scene:
    """Return a scene, sized in pixels, with the given shapes in random places without overlap.

    Raises:
        PlacementError: if no places are found.
    """
    numbers = _numbers(rng)
    order = sorted(range(len(shapes)), key=lambda index: -shapes[index].reach)
    for _ in range(_RESTARTS):
        scene = Scene((), width, height)
        for index in order:
            placed = _free(shapes[index], scene, numbers)
            if placed is None:
                break
            scene = replace(scene, shapes=(*scene.shapes, placed))
        else:
            by_index = dict(zip(order, scene.shapes, strict=True))
            return replace(scene, shapes=tuple(by_index[index] for index in range(len(shapes))))
    largest = max(shape.size for shape in shapes)
    raise PlacementError(
        f"cannot place {len(shapes)} shapes of up to {largest:g} pixels on {width} x {height} "
        "pixels: use fewer or smaller shapes"
    )


def find_place(shape: Shape, scene: Scene, rng: np.random.Generator) -> Shape:
    """Return a copy of the shape, moved to a random free place in a scene.

    Raises:
        PlacementError: if no place is found.
    """
    placed = _free(shape, scene, _numbers(rng))
    if placed is None:
        raise PlacementError(
            f"cannot place one more shape of {shape.size:g} pixels among {len(scene.shapes)}"
        )
    return placed


def find_route(
    shape: Shape, step: tuple[float, float], scene: Scene, rng: np.random.Generator
) -> Shape:
    """Return the shape at a random free place from where it can also move by `step` pixels.

    Both places are free in a scene.

    Raises:
        PlacementError: if no such place is found.
    """
    for _ in range(_TRIES):
        start = find_place(shape, scene, rng)
        end = start.moved(*step)
        if is_inside(end, scene) and all(_are_apart(end, other) for other in scene.shapes):
            return start
    raise PlacementError(
        f"cannot move a shape of {shape.size:g} pixels by ({step[0]:g}, {step[1]:g})"
    )


def is_inside(shape: Shape, scene: Scene) -> bool:
    """Return whether a shape's circle lies in the canvas, at least `GAP` from the border."""
    reach = GAP + shape.reach
    return reach <= shape.x <= scene.width - reach and reach <= shape.y <= scene.height - reach


def _are_apart(shape: Shape, other: Shape) -> bool:
    dx, dy, least = shape.x - other.x, shape.y - other.y, shape.reach + other.reach + GAP
    return dx * dx + dy * dy >= least * least


def _numbers(rng: np.random.Generator) -> Iterator[tuple[float, float]]:
    while True:
        yield from rng.uniform(-1, 1, (64, 2)).tolist()


def _free(shape: Shape, scene: Scene, numbers: Iterator[tuple[float, float]]) -> Shape | None:
    """Return the shape in a place that is clear of a scene's shapes; None if none is found.

    Plain loops over numbers: most candidates meet a neighbour soon, and arrays are slower.
    """
    reach = shape.reach
    taken = [(other.x, other.y, other.reach + reach + GAP) for other in scene.shapes]
    across, down = (side / 2 - GAP - reach for side in (scene.width, scene.height))
    if min(across, down) < 0:
        return None
    for right, below in islice(numbers, _TRIES):
        x, y = scene.width / 2 + right * across, scene.height / 2 + below * down
        for other_x, other_y, least in taken:
            dx, dy = x - other_x, y - other_y
            if dx * dx + dy * dy < least * least:
                break
        else:
            return replace(shape, x=x, y=y)
    return None
