"""Shapes are drawn where and as large as scenes say, and placed clear of each other."""

import math

import pytest

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.placement import PlacementError, find_place, find_route, scatter
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape, render, rotated
from tests.scene_measures import find_shapes


def drawn(n, size, colours=PALETTE, turn=360.0):
    """A scene of shapes of about a size, all kinds and colours in turn."""
    rng = generator(0, "measured", n)
    names = list(colours)
    shapes = [
        Shape(
            SHAPE_KINDS[i % 3],
            names[i % len(names)],
            colours[names[i % len(names)]],
            size * float(rng.uniform(0.9, 1.1)),
            rotation=float(rng.uniform(0, turn)) if turn else 0.0,
        )
        for i in range(n)
    ]
    return scatter(shapes, rng)


def matched(scene):
    """Each shape with what was found nearest to it, once each."""
    seen = find_shapes(render(scene))
    assert len(seen) == len(scene.shapes)
    pairs = [(s, min(seen, key=lambda f: math.dist(f[:2], (s.x, s.y)))) for s in scene.shapes]
    assert len({id(f) for _, f in pairs}) == len(pairs)
    return pairs


@pytest.mark.parametrize(
    ("n", "size", "turn"),
    [
        pytest.param(10, 80, 0, id="attribute"),
        pytest.param(30, 35, 360, id="existence"),
        pytest.param(128, 20, 360, id="complex"),
        pytest.param(60, 10, 360, id="tiny"),
        pytest.param(60, 10, 0, id="tiny, upright"),
    ],
)
def test_pixels_show_the_scene(n, size, turn):
    for shape, seen in matched(drawn(n, size, turn=turn)):
        assert (seen.kind, seen.colour) == (shape.kind, shape.colour)
        assert math.dist((seen.x, seen.y), (shape.x, shape.y)) < 0.06
        # Pillow draws them a little wider: half of a pixel that is 16 times smaller, on each side.
        assert -0.05 < seen.size - shape.size < 0.17
        assert math.dist(seen.lab, shape.lab) < 0.004  # a byte is up to 0.003


def test_turning_is_rigid_and_clockwise_about_the_centre():
    shape = Shape("triangle", "red", PALETTE["red"], 40, 500, 320, 10)
    [turned] = rotated(Scene((shape,)), 90).shapes
    for before, after in zip(shape.corners, turned.corners, strict=True):
        assert after == pytest.approx((400 - (before[1] - 300), 300 + (before[0] - 400)))


def shapes(n, size=35.0, kinds=SHAPE_KINDS):
    return [Shape(kinds[i % len(kinds)], "red", PALETTE["red"], size) for i in range(n)]


def test_what_does_not_fit_is_named():
    with pytest.raises(PlacementError, match="40 shapes of up to 120 pixels on 800 x 600"):
        scatter(shapes(40, 120, ("square",)), generator(0))
    full = Scene((Shape("square", "red", PALETTE["red"], 500, 400, 300),))
    with pytest.raises(PlacementError, match="one more shape of 200 pixels among 1"):
        find_place(shapes(1, 200.0)[0], full, generator(0))
    with pytest.raises(PlacementError, match=r"cannot move .* by \(790, 0\)"):
        find_route(shapes(1, 90.0)[0], (790, 0), Scene(), generator(0))
