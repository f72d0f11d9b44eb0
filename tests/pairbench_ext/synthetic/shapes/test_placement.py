import itertools
import math

import numpy as np
import pytest

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes import edits
from pairbench_ext.synthetic.placement import PlacementError, find_place, is_valid, scatter
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape


def shapes(n, size=35.0, kinds=SHAPE_KINDS):
    return [Shape(kinds[i % len(kinds)], "red", PALETTE["red"], size) for i in range(n)]


def least_gap(scene):
    return min(
        math.dist((one.x, one.y), (other.x, other.y)) - one.reach - other.reach
        for one, other in itertools.combinations(scene.shapes, 2)
    )


def least_margin(scene):
    return min(min(s.x, s.y, scene.width - s.x, scene.height - s.y) - s.reach for s in scene.shapes)


@pytest.mark.parametrize(
    ("n", "size"),
    [
        pytest.param(30, 35, id="existence"),
        pytest.param(128, 20, id="128 small"),
        pytest.param(10, 150, id="10 large"),
        pytest.param(56, 53, id="covers four tenths"),
    ],
)
def test_shapes_keep_their_distances(n, size):
    given = shapes(n, size)
    scene = scatter(given, generator(0, n), gap=3, margin=5)
    assert [s.kind for s in scene.shapes] == [s.kind for s in given]
    assert (scene.width, scene.height) == (800, 600)
    assert least_gap(scene) >= 3 - 1e-9
    assert least_margin(scene) >= 5 - 1e-9
    assert is_valid(scene, gap=2.999)


def test_places_follow_from_the_generator():
    places = [
        [(s.x, s.y) for s in scatter(shapes(9), generator(*k)).shapes] for k in [(0,), (0,), (1,)]
    ]
    assert places[0] == places[1] != places[2]


def test_places_are_uniform():
    xs, ys = np.array(
        [(s.x, s.y) for i in range(60) for s in scatter(shapes(5, 10), generator(0, i)).shapes]
    ).T
    for values, side in ((xs, 800), (ys, 600)):
        counts = np.histogram(values, bins=3, range=(0, side))[0]
        assert counts.min() > 70  # of 300, 100 expected


def test_any_sizes_on_any_canvas():
    mixed = [Shape("square", "red", PALETTE["red"], size) for size in (5.0, 60.0, 20.0, 5.0)]
    scene = scatter(mixed, generator(0), width=120, height=150, gap=1, margin=0)
    assert [s.size for s in scene.shapes] == [5, 60, 20, 5]
    assert is_valid(scene, gap=0.999)


def test_nothing_to_place():
    assert scatter([], generator(0)) == Scene()


@pytest.mark.parametrize(
    ("n", "size", "options", "message"),
    [
        pytest.param(40, 120, {}, r"40 shapes of up to 120 pixels on 800 x 600", id="too many"),
        pytest.param(1, 35, {"margin": 290}, "a margin of 290", id="margin"),
    ],
)
def test_what_does_not_fit_is_named(n, size, options, message):
    with pytest.raises(PlacementError, match=message):
        scatter(shapes(n, size, ("square",)), generator(0), **options)


def test_one_more_finds_a_place():
    scene = scatter(shapes(30), generator(0))
    fuller = edits.add(scene, find_place(shapes(1)[0], scene, generator(1), gap=3, margin=7))
    assert fuller.shapes[:-1] == scene.shapes
    assert least_gap(fuller) >= 3
    assert least_margin(Scene(fuller.shapes[-1:])) >= 7


def test_no_place_for_one_more_is_named():
    full = Scene((Shape("square", "red", PALETTE["red"], 500, 400, 300),))
    with pytest.raises(PlacementError, match="one more shape of 200 pixels among 1 on 800 x 600"):
        find_place(shapes(1, 200.0)[0], full, generator(0))
