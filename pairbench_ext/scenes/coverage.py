"""Exact coverage: which share of each pixel a shape covers.

The outline is cut wherever it crosses a border between pixels, so that each piece lies in one
pixel. A piece adds to its pixel the area between itself and the pixel's right border, and to all
pixels to the right of it its height; going clockwise, pieces on the left (upwards) add and those on
the right take away. Summed along the rows that is the area of each pixel that lies inside. Nothing
is sampled: edges give trapezoids and arcs circular segments. All shapes of a scene are done at
once, and between two pixels of the outline all are covered alike, so they are kept as one run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairbench_ext.scenes.scene import Shape

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class _Pieces(NamedTuple):
    """Pieces of outlines, each within one pixel.

    Attributes:
        shape: which shape's outline.
        x: middle, from the shape's patch's left.
        y: middle, from the patch's top.
        height: from where it starts to where it ends, upwards.
        moment: integral of x along the height.
    """

    shape: Ints
    x: Floats
    y: Floats
    height: Floats
    moment: Floats


class Runs(NamedTuple):
    """Pixels of equal coverage, through the patches of all shapes row by row.

    Attributes:
        shape: whose patch a run is in; what goes on into the next patch covers nothing.
        share: of each pixel that is inside the shape, in [0, 1].
        length: how many pixels, possibly 0.
        boxes: `pixel_box` of every shape, (n, 4).
    """

    shape: Ints
    share: Floats
    length: Ints
    boxes: Ints

    @property
    def levels(self) -> NDArray[np.uint8]:
        """The shares in steps of 1 / 255."""
        # Half a step is common (edges in the middle of pixels): it goes up, whatever its last bits.
        return (self.share * 255 + (0.5 + 1e-6)).astype(np.uint8)

    def patches(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """What each pixel has, if `values` are what each run has: (rows, columns) by shape."""
        columns, rows = (self.boxes[:, 2:] - self.boxes[:, :2]).T
        ends = np.cumsum(columns * rows).tolist()
        pixels = np.repeat(values, self.length)
        parts = zip([0, *ends], ends, rows.tolist(), columns.tolist(), strict=False)
        return [pixels[one:end].reshape(size) for one, end, *size in parts]


def pixel_box(shape: Shape) -> tuple[int, int, int, int]:
    """Left, top, right and bottom (both excluded) of the pixels that a shape can touch."""
    left, top, right, bottom = shape.bounds
    return math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)


def coverage(shapes: Sequence[Shape]) -> list[Floats]:
    """The share of each pixel that is inside the shape, in [0, 1]: (rows, columns) of `pixel_box`.

    Where the canvas ends does not matter.
    """
    if not shapes:
        return []
    found = runs(shapes)
    return found.patches(found.share)


def masks(shapes: Sequence[Shape]) -> list[NDArray[np.uint8]]:
    """The same as `coverage`, in steps of 1 / 255."""
    if not shapes:
        return []
    found = runs(shapes)
    return found.patches(found.levels)


def runs(shapes: Sequence[Shape]) -> Runs:
    """The same as `coverage`, for at least one shape, as runs of equal pixels."""
    boxes = np.array([pixel_box(shape) for shape in shapes], dtype=np.intp)
    columns, rows = (boxes[:, 2:] - boxes[:, :2]).T
    areas = columns * rows
    starts = np.cumsum(areas) - areas
    parts = zip(_edges(shapes, boxes[:, :2]), _arcs(shapes, boxes[:, :2]), strict=True)
    of, x, y, height, moment = (np.concatenate(both) for both in parts)
    # Rounding may put the middle of a tiny piece on the patch's border.
    column = np.clip(x.astype(np.intp), 0, columns[of] - 1)
    row = np.clip(y.astype(np.intp), 0, rows[of] - 1)
    pixel = starts[of] + row * columns[of] + column
    own = (column + 1) * height - moment

    order = np.argsort(pixel)
    pixel = pixel[order]
    # Where a pixel's pieces start and end. Outlines are closed, so that every row sums to 0 and one
    # sum does for all rows of all patches.
    first = np.flatnonzero(np.diff(pixel, prepend=-1))
    last = np.append(first[1:], len(pixel)) - 1
    after = np.cumsum(height[order])[last]
    pixel = pixel[first]
    inside = np.add.reduceat(own[order], first)
    inside[1:] += after[:-1]
    share, length = np.zeros(2 * len(pixel) + 1), np.ones(2 * len(pixel) + 1, dtype=np.intp)
    share[1::2], share[2::2] = inside, after
    length[::2] = np.diff(pixel, prepend=-1, append=starts[-1] + areas[-1]) - 1
    shape = np.zeros(len(share), dtype=np.intp)
    shape[1::2] = shape[2::2] = of[order][first]
    return Runs(shape, np.clip(share, 0, 1), length, boxes)


def _edges(shapes: Sequence[Shape], origins: Ints) -> _Pieces:
    """Pieces of the polygons."""
    sizes = np.array([len(shape.corners) for shape in shapes], dtype=np.intp)
    of = np.repeat(np.arange(len(shapes)), sizes)
    corners = chain.from_iterable(chain.from_iterable(shape.corners for shape in shapes))
    start = np.array(list(corners)).reshape(-1, 2) - origins[of]
    following, ends = np.arange(1, len(of) + 1), np.cumsum(sizes)
    is_polygon = sizes > 0
    following[ends[is_polygon] - 1] = (ends - sizes)[is_polygon]
    end = start[following]
    every = np.arange(len(of))
    cuts = [(every, np.zeros(len(of))), (every, np.ones(len(of)))]
    for one, other in zip(start.T, end.T, strict=True):
        edge, border = _borders(np.minimum(one, other), np.maximum(one, other))
        cuts.append((edge, (border - one[edge]) / (other - one)[edge]))
    edge, t, until = _spans(cuts, 1.0)
    (x, y), (dx, dy) = start.T, (end - start).T
    middle, change = (t + until) / 2, dy[edge]
    middle_x = x[edge] + middle * dx[edge]
    height = (t - until) * change
    return _Pieces(of[edge], middle_x, y[edge] + middle * change, height, height * middle_x)


def _arcs(shapes: Sequence[Shape], origins: Ints) -> _Pieces:
    """Pieces of the circles."""
    of = np.array([i for i, shape in enumerate(shapes) if not shape.corners], dtype=np.intp)
    centres = np.array([(shapes[i].x, shapes[i].y) for i in of]).reshape(-1, 2) - origins[of]
    radii = np.array([shapes[i].reach for i in of])
    full = 2 * math.pi
    cuts = [(np.arange(len(of)), np.zeros(len(of))), (np.arange(len(of)), np.full(len(of), full))]
    for centre, zero in zip(centres.T, (0.0, math.pi / 2), strict=True):
        circle, border = _borders(centre - radii, centre + radii)
        angle = np.arccos(np.clip((border - centre[circle]) / radii[circle], -1, 1))
        cuts += [(circle, (zero + angle) % full), (circle, (zero - angle) % full)]
    circle, angle, until = _spans(cuts, full)
    (x, y), radius = centres[circle].T, radii[circle]
    middle = (angle + until) / 2
    height = radius * (np.sin(angle) - np.sin(until))
    segment = (until - angle) + (np.sin(2 * until) - np.sin(2 * angle)) / 2
    return _Pieces(
        of[circle],
        x + radius * np.cos(middle),
        y + radius * np.sin(middle),
        height,
        x * height - radius**2 / 2 * segment,
    )


def _borders(low: Floats, high: Floats) -> tuple[Ints, Floats]:
    """The integers strictly between each low and high: of which pair, and the integer."""
    first = np.floor(low) + 1
    count = np.maximum(np.ceil(high) - first, 0).astype(np.intp)
    pair = np.repeat(np.arange(len(low)), count)
    before = np.cumsum(count) - count
    return pair, np.arange(len(pair)) + (first - before)[pair]


def _spans(cuts: Sequence[tuple[Ints, Floats]], full: float) -> tuple[Ints, Floats, Floats]:
    """From each cut of a curve to the next: which curve, from where and until where along it."""
    curve, along = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
    order = np.argsort(curve * (2 * full) + along)
    curve, along = curve[order], along[order]
    start = np.flatnonzero(curve[:-1] == curve[1:])
    return curve[start], along[start], along[start + 1]
