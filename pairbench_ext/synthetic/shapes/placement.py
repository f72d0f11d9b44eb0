"""Random places for shapes, clear of each other and of the canvas's border.

Places are drawn uniformly and kept if they are free (random sequential adsorption), the largest
shapes first. Clear means that circumscribed circles are clear, so shapes may turn where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from pairbench_ext.synthetic.shapes.scene import HEIGHT, WIDTH, Scene, Shape

GAP = 4.0  # pixels; enough that the pixels of two shapes never touch

_TRIES = 2000  # candidates for one shape; at a density of 0.4 about one in a hundred is free
_RESTARTS = 20

_Circle = tuple[float, float, float]  # centre and radius


class PlacementError(ValueError):
    """The shapes do not fit, or cannot be made to by chance."""


def scatter(
    shapes: Sequence[Shape],
    rng: np.random.Generator,
    *,
    width: int = WIDTH,
    height: int = HEIGHT,
    gap: float = GAP,
    margin: float = GAP,
) -> Scene:
    """A scene of these shapes in random places; where they are now does not matter.

    Args:
        shapes: what to place.
        rng: draws the places.
        width: of the canvas in pixels.
        height: of the canvas in pixels.
        gap: least distance of two circumscribed circles, in pixels.
        margin: least distance of a circumscribed circle from the border, in pixels.

    Raises:
        PlacementError: if no places are found.
    """
    canvas, numbers = _Canvas(width, height, margin), _numbers(rng)
    order = sorted(range(len(shapes)), key=lambda index: -shapes[index].reach)
    reaches = [shapes[index].reach for index in order]
    for _ in range(_RESTARTS):
        circles = _circles(reaches, canvas, gap, numbers)
        if circles is not None:
            break
    else:
        largest = max(shape.size for shape in shapes)
        raise PlacementError(
            f"no places found for {len(shapes)} shapes of up to {largest:g} pixels on "
            f"{canvas.name}, {gap:g} apart: take fewer or smaller ones"
        )
    placed = list(shapes)
    for index, (x, y, _) in zip(order, circles, strict=True):
        placed[index] = replace(shapes[index], x=x, y=y)
    return Scene(tuple(placed), width, height)


def find_place(
    shape: Shape,
    scene: Scene,
    rng: np.random.Generator,
    *,
    gap: float = GAP,
    margin: float = GAP,
) -> Shape:
    """The shape in a random place that is free in a scene; arguments as for `scatter`.

    Raises:
        PlacementError: if no place is found.
    """
    canvas = _Canvas(scene.width, scene.height, margin)
    taken = [(other.x, other.y, other.reach) for other in scene.shapes]
    found = _free_circle(shape.reach, taken, canvas, gap, _numbers(rng))
    if found is None:
        raise PlacementError(
            f"no place found for one more shape of {shape.size:g} pixels among "
            f"{len(scene.shapes)} on {canvas.name}, {gap:g} apart"
        )
    return replace(shape, x=found[0], y=found[1])


def find_route(
    shape: Shape, step: tuple[float, float], scene: Scene, rng: np.random.Generator
) -> Shape:
    """The shape in a random place from which it can go a step, to the right and downwards.

    Both places are free in a scene, by `GAP`.

    Raises:
        PlacementError: if no such place is found.
    """
    for _ in range(_TRIES):
        start = find_place(shape, scene, rng)
        end = replace(start, x=start.x + step[0], y=start.y + step[1])
        if is_inside(end, scene) and all(are_apart((end, other), GAP) for other in scene.shapes):
            return start
    raise PlacementError(
        f"no way found for a shape of {shape.size:g} pixels to go ({step[0]:g}, {step[1]:g})"
    )


def is_valid(scene: Scene, gap: float = 0.0) -> bool:
    """Whether all shapes are inside the canvas, their circumscribed circles `gap` apart or more."""
    for left, top, right, bottom in (shape.bounds for shape in scene.shapes):
        if left < 0 or top < 0 or right > scene.width or bottom > scene.height:
            return False
    return are_apart(scene.shapes, gap)


def is_inside(shape: Shape, scene: Scene) -> bool:
    """Whether a circumscribed circle is `GAP` or more inside a scene's canvas."""
    reach = GAP + shape.reach
    return reach <= shape.x <= scene.width - reach and reach <= shape.y <= scene.height - reach


def are_apart(shapes: Sequence[Shape], gap: float = 0.0) -> bool:
    """Whether the shapes' circumscribed circles are `gap` pixels apart or more."""
    xs, ys, reaches = np.array([(s.x, s.y, s.reach) for s in shapes]).reshape(-1, 3).T
    least = reaches + (reaches + gap)[:, None]
    squares = (xs - xs[:, None]) ** 2 + (ys - ys[:, None]) ** 2
    np.fill_diagonal(squares, np.inf)
    return bool((squares >= least**2).all())


class _Canvas:
    """Where the centres of shapes may be."""

    def __init__(self, width: int, height: int, margin: float) -> None:
        self._centre = (width / 2, height / 2)
        self._margin = margin
        self.name = f"{width} x {height} pixels with a margin of {margin:g}"

    def point(self, reach: float, across: float, down: float) -> tuple[float, float] | None:
        """A centre for a shape, by two numbers from -1 to 1; None if it leaves the margin."""
        centre_x, centre_y = self._centre
        limit_x, limit_y = centre_x - self._margin - reach, centre_y - self._margin - reach
        if limit_x < 0 or limit_y < 0:
            return None
        return centre_x + across * limit_x, centre_y + down * limit_y


def _numbers(rng: np.random.Generator) -> Iterator[tuple[float, float]]:
    while True:
        yield from rng.uniform(-1, 1, (64, 2)).tolist()


def _circles(
    reaches: Iterable[float], canvas: _Canvas, gap: float, numbers: Iterator[tuple[float, float]]
) -> list[_Circle] | None:
    """Circles of these radii, in this order; None if one finds no room."""
    placed: list[_Circle] = []
    for reach in reaches:
        found = _free_circle(reach, placed, canvas, gap, numbers)
        if found is None:
            return None
        placed.append(found)
    return placed


def _free_circle(
    reach: float,
    taken: Sequence[_Circle],
    canvas: _Canvas,
    gap: float,
    numbers: Iterator[tuple[float, float]],
) -> _Circle | None:
    """A circle that is clear of the others; None if none is found.

    Plain loops: most candidates meet a neighbour soon, so that arrays take several times as long.
    """
    for across, down in islice(numbers, _TRIES):
        point = canvas.point(reach, across, down)
        if point is None:
            continue
        x, y = point
        for other_x, other_y, other_reach in taken:
            dx, dy, least = x - other_x, y - other_y, reach + other_reach + gap
            if dx * dx + dy * dy < least * least:
                break
        else:
            return x, y, reach
    return None
