"""Exact coverage: which share of each pixel a shape covers.

The outline is cut wherever it crosses a border between pixels, so that each piece lies in one
pixel. A piece adds to its pixel the area between itself and the pixel's right border, and to all
pixels to the right of it its height; going clockwise, pieces on the left (upwards) add and those on
the right take away. Summed along the rows that is the area of each pixel that lies inside. Nothing
is sampled: edges give trapezoids and arcs circular segments. All shapes of a scene are done at
once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    layout = _layout(shapes)
    return _split(_shares(shapes, layout), layout)


def masks(shapes: Sequence[Shape]) -> list[NDArray[np.uint8]]:
    """The same as `coverage`, in steps of 1 / 255."""
    if not shapes:
        return []
    layout = _layout(shapes)
    shares = _shares(shapes, layout)
    shares *= 255
    # Half a step is common (edges in the middle of pixels): it goes up, whatever its last bits are.
    shares += 0.5 + 1e-6
    return _split(shares.astype(np.uint8), layout)


class _Layout(NamedTuple):
    """One array for the pixels of all patches: row by row, each with a pixel to spare at its end.

    Attributes:
        origins: left and top of each patch, (n, 2).
        columns: of each patch, without the one to spare, (n,).
        rows: of each patch, (n,).
        starts: of each patch in the array, and the array's length, (n + 1,).
    """

    origins: Ints
    columns: Ints
    rows: Ints
    starts: Ints


def _layout(shapes: Sequence[Shape]) -> _Layout:
    boxes = np.array([pixel_box(shape) for shape in shapes], dtype=np.intp)
    columns, rows = (boxes[:, 2:] - boxes[:, :2]).T
    return _Layout(boxes[:, :2], columns, rows, np.append(0, np.cumsum((columns + 1) * rows)))


def _shares(shapes: Sequence[Shape], layout: _Layout) -> Floats:
    _, columns, rows, starts = layout
    edges, arcs = _edges(shapes, layout.origins), _arcs(shapes, layout.origins)
    of, x, y, height, moment = (np.concatenate(parts) for parts in zip(edges, arcs, strict=True))
    stride = columns[of] + 1
    # Rounding may put the middle of a tiny piece on the patch's border.
    column = np.clip(x.astype(np.intp), 0, stride - 2)
    row = np.clip(y.astype(np.intp), 0, rows[of] - 1)
    pixel = starts[of] + row * stride + column
    own = (column + 1) * height - moment
    # In place from here on: new arrays of this size cost more than what is done with them.
    shares = np.bincount(
        np.concatenate([pixel, pixel + 1]), np.concatenate([own, height - own]), starts[-1]
    )
    # Outlines are closed: every row sums to 0, so that one sum does for all rows of all patches.
    np.cumsum(shares, out=shares)
    return np.asarray(np.clip(shares, 0, 1, out=shares))


def _split(values: NDArray[Any], layout: _Layout) -> list[NDArray[Any]]:
    """The patches, as views."""
    starts = layout.starts.tolist()
    parts = zip(starts[:-1], starts[1:], layout.columns.tolist(), strict=True)
    return [values[one:end].reshape(-1, columns + 1)[:, :columns] for one, end, columns in parts]


def _edges(shapes: Sequence[Shape], origins: Ints) -> _Pieces:
    """Pieces of the polygons."""
    of = np.array([i for i, shape in enumerate(shapes) for _ in shape.corners], dtype=np.intp)
    ends = [
        (*one, *other)
        for shape in shapes
        for one, other in zip(shape.corners, (*shape.corners[1:], *shape.corners[:1]), strict=True)
    ]
    x, y, to_x, to_y = (np.array(ends).reshape(-1, 4) - np.tile(origins[of], 2)).T
    dx, dy = to_x - x, to_y - y
    every = np.arange(len(of))
    cuts = [(every, np.zeros(len(of))), (every, np.ones(len(of)))]
    for start, end, change in ((x, to_x, dx), (y, to_y, dy)):
        edge, border = _borders(np.minimum(start, end), np.maximum(start, end))
        cuts.append((edge, (border - start[edge]) / change[edge]))
    edge, t, until = _spans(cuts, 1.0)
    middle = (t + until) / 2
    middle_x, change = x[edge] + middle * dx[edge], dy[edge]
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
    return pair, first[pair] + np.arange(len(pair)) - before[pair]


def _spans(cuts: Sequence[tuple[Ints, Floats]], full: float) -> tuple[Ints, Floats, Floats]:
    """From each cut of a curve to the next: which curve, from where and until where along it."""
    curve, along = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
    order = np.argsort(curve * (2 * full) + along)
    curve, along = curve[order], along[order]
    same = curve[:-1] == curve[1:]
    return curve[:-1][same], along[:-1][same], along[1:][same]
