import math
import pickle

import pytest

from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape

RED = PALETTE["red"]


def shape(kind, size=10.0, x=50.0, y=40.0, rotation=0.0):
    return Shape(kind, "red", RED, size, x, y, rotation)


def polygon_area(corners):
    """Above 0 where they are clockwise as seen, because y points downwards."""
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    return sum(x * v - u * y for (x, y), (u, v) in pairs) / 2


@pytest.mark.parametrize("rotation", [0, 17.5, 90, 200])
@pytest.mark.parametrize("kind", ["square", "triangle"])
def test_corners_are_those_of_a_regular_polygon_of_that_side(kind, rotation):
    one = shape(kind, rotation=rotation)
    corners = one.corners
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        assert math.dist(start, end) == pytest.approx(10)
        assert math.dist(start, (50, 40)) == pytest.approx(one.reach)
    assert polygon_area(corners) == pytest.approx(one.area)
    assert [sum(values) / len(corners) for values in zip(*corners, strict=True)] == [
        pytest.approx(50),
        pytest.approx(40),
    ]


def test_a_circle_has_a_diameter():
    circle = shape("circle", rotation=30)
    assert circle.corners == ()
    assert circle.bounds == (45, 35, 55, 45)
    assert circle.area == pytest.approx(math.pi * 25)


def test_a_triangle_points_upwards_and_turns_clockwise():
    assert shape("triangle").corners[0] == pytest.approx((50, 40 - 10 / math.sqrt(3)))
    assert shape("triangle", rotation=90).corners[0] == pytest.approx((50 + 10 / math.sqrt(3), 40))


def test_bounds_of_a_square():
    assert shape("square").bounds == pytest.approx((45, 35, 55, 45))
    half = 10 / math.sqrt(2)
    turned = shape("square", rotation=45).bounds
    assert turned == pytest.approx((50 - half, 40 - half, 50 + half, 40 + half))


def test_scenes_are_values():
    scenes = [Scene(tuple(shape(kind) for kind in SHAPE_KINDS)) for _ in range(2)]
    _ = scenes[0].shapes[1].corners  # kept, and no part of the value
    assert scenes[0] == scenes[1]
    assert hash(scenes[0]) == hash(scenes[1])
    assert pickle.loads(pickle.dumps(scenes[0])) == scenes[1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: shape("star"), "'star'.*circle, square, triangle", id="kind"),
        pytest.param(lambda: shape("circle", size=0), "above 0 pixels, not 0", id="size"),
        pytest.param(lambda: shape("circle", size=math.nan), "not nan", id="no number"),
        pytest.param(lambda: Scene(width=0), "0 x 600", id="canvas"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
