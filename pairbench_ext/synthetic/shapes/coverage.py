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

from pairbench_ext.synthetic.shapes.scene import Shape

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


def masks(shapes: Sequence[Shape]) -> list[NDArray[np.uint8]]:
    """The share of each pixel inside the shape in steps of 1 / 255: (rows, columns) of `pixel_box`.

    Where the canvas ends does not matter.
    """
    if not shapes:
        return []
    found = runs(shapes)
    return found.patches(found.levels)


def runs(shapes: Sequence[Shape]) -> Runs:
    """The share of each pixel inside the shape, for at least one, as runs of equal pixels."""
    boxes = np.array([pixel_box(shape) for shape in shapes], dtype=np.intp)
    columns, rows = (boxes[:, 2:] - boxes[:, :2]).T
    areas = columns * rows
    starts = np.cumsum(areas) - areas
    parts = zip(_edges(shapes, boxes[:, :2]), _arcs(shapes, boxes[:, :2]), strict=True)
    of, x, y, height, moment = (np.concatenate(both) for both in parts)
    # Rounding may put the middle of a tiny piece on the patch's border.
    width = columns[of]
    column = np.minimum(x.astype(np.intp), width - 1)
    row = np.minimum(y.astype(np.intp), rows[of] - 1)
    pixel = starts[of] + row * width + column
    own = (column + 1) * height - moment
    any_piece, inside, after = _summed(pixel, own, height)
    # Each pixel of the outline, and after it those up to the next one.
    outline = np.append(pixel[any_piece], starts[-1] + areas[-1])
    n_runs = 2 * len(inside) + 1
    share, length = np.zeros(n_runs), np.ones(n_runs, dtype=np.intp)
    share[1::2], share[2::2] = inside, after
    length[0], length[2::2] = outline[0], outline[1:] - outline[:-1] - 1
    shape = np.zeros(n_runs, dtype=np.intp)
    shape[1::2] = shape[2::2] = of[any_piece]
    return Runs(shape, np.clip(share, 0, 1), length, boxes)


def _summed(pixel: Ints, own: Floats, height: Floats) -> tuple[Ints, Floats, Floats]:
    """What pieces add up to, by pixel in ascending order.

    Args:
        pixel: where each piece is.
        own: what it adds to this pixel.
        height: what it adds to all pixels after it. In every row that sums to 0, for outlines are
            closed, so one sum does for all rows of all patches.

    Returns:
        One of the pieces in each pixel; its share; the share of the pixels from there to the next.
    """
    order = np.argsort(pixel, kind="stable")  # faster here: neighbours are in order already
    ordered = pixel[order]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(pixel) - 1)
    first = np.append(0, last[:-1] + 1)
    after = np.cumsum(height[order])[last]
    inside = np.add.reduceat(own[order], first)
    inside[1:] += after[:-1]
    return order[first], inside, after


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
    edge, along = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
    first, last = _neighbours(edge, along)
    edge, t, until = edge[first], along[first], along[last]
    (x, y), (dx, dy) = start.T, (end - start).T
    middle, change = (t + until) / 2, dy[edge]
    middle_x = x[edge] + middle * dx[edge]
    height = (t - until) * change
    return _Pieces(of[edge], middle_x, y[edge] + middle * change, height, height * middle_x)


def _arcs(shapes: Sequence[Shape], origins: Ints) -> _Pieces:
    """Pieces of the circles, of a quarter at most."""
    of = np.array([i for i, shape in enumerate(shapes) if not shape.corners], dtype=np.intp)
    centres = np.array([(shapes[i].x, shapes[i].y) for i in of]).reshape(-1, 2) - origins[of]
    radii = np.array([shapes[i].reach for i in of])
    # Cuts by their directions from the centre, from -180 to 180 degrees.
    every = np.arange(len(of))
    cuts = [
        (every, np.full(len(of), cos), np.full(len(of), sin))
        for cos, sin in ((-1.0, -0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
    ]
    for axis, centre in enumerate(centres.T):
        circle, border = _borders(centre - radii, centre + radii)
        along = np.clip((border - centre[circle]) / radii[circle], -1, 1)
        across = np.sqrt(1 - along**2)
        found = ((along, across), (along, -across))
        cuts += [(circle, *(pair if axis == 0 else pair[::-1])) for pair in found]
    circle, cos, sin = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
    angle = np.arctan2(sin, cos)
    first, last = _neighbours(circle, angle)
    circle = circle[first]
    x, y = (centre[circle] for centre in centres.T)
    radius = radii[circle]
    (cos, to_cos), (sin, to_sin) = ((part[first], part[last]) for part in (cos, sin))
    middle_x, middle_y = cos + to_cos, sin + to_sin
    scale = radius / np.sqrt(middle_x**2 + middle_y**2)
    height = radius * (sin - to_sin)
    segment = angle[last] - angle[first] + to_sin * to_cos - sin * cos
    return _Pieces(
        of[circle],
        x + scale * middle_x,
        y + scale * middle_y,
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


def _neighbours(curve: Ints, along: Floats) -> tuple[Ints, Ints]:
    """Which cuts of curves follow each other on the same one.

    Args:
        curve: which curve each cut is on.
        along: where on it, in an interval that is shorter than 10.
    """
    order = np.argsort(10 * curve + along)
    sorted_curve = curve[order]
    first = np.flatnonzero(sorted_curve[:-1] == sorted_curve[1:])
    return order[first], order[first + 1]
