import math

import pytest

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import GamutError
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes import edits
from pairbench_ext.synthetic.placement import is_valid, scatter
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape

NAMES = ("red", "green", "blue")


@pytest.fixture
def scene():
    shapes = [
        Shape(k, n, PALETTE[n], 40, rotation=10) for k, n in zip(SHAPE_KINDS, NAMES, strict=True)
    ]
    return scatter(shapes, generator(0), margin=140)


ONE_SHAPE = {
    "brighten": (lambda s, i: edits.brighten(s, i, 0.05), {"lab"}),
    "scale": (lambda s, i: edits.scale(s, i, 1.2), {"size"}),
    "translate": (lambda s, i: edits.translate(s, i, 8, -6), {"x", "y"}),
}
FIELDS = ("kind", "colour", "lab", "size", "x", "y", "rotation")


@pytest.mark.parametrize("index", [0, 1, -1])
@pytest.mark.parametrize("name", ONE_SHAPE)
def test_one_shape_changes_in_nothing_else(scene, name, index):
    edit, fields = ONE_SHAPE[name]
    edited = edit(scene, index)
    before, after = list(scene.shapes), list(edited.shapes)
    old, new = before.pop(index), after.pop(index)
    assert before == after
    assert {field for field in FIELDS if getattr(old, field) != getattr(new, field)} == fields
    assert (edited.width, edited.height) == (scene.width, scene.height)


@pytest.mark.parametrize("edit", [edits.remove, *(e for e, _ in ONE_SHAPE.values())])
@pytest.mark.parametrize("index", [3, -4])
def test_a_shape_that_is_not_there(scene, edit, index):
    with pytest.raises(IndexError):
        edit(scene, index)


def test_how_much_changes(scene):
    old = scene.shapes[0]
    brighter = edits.brighten(scene, 0, 0.05).shapes[0]
    assert brighter.lab.lightness - old.lab.lightness == pytest.approx(0.05)
    assert edits.scale(scene, 0, 0.85).shapes[0].size == pytest.approx(34)
    moved = edits.translate(scene, 0, 8, -6).shapes[0]
    assert (moved.x - old.x, moved.y - old.y) == (pytest.approx(8), pytest.approx(-6))


def test_a_colour_out_of_gamut_is_refused(scene):
    with pytest.raises(GamutError, match="cannot show"):
        edits.brighten(scene, 0, 0.4)


def test_a_size_of_nothing_is_refused(scene):
    with pytest.raises(ValueError, match="not 0"):
        edits.scale(scene, 0, 0)


def test_adding_undoes_removing_the_last(scene):
    less = edits.remove(scene, -1)
    assert less.shapes == scene.shapes[:-1]
    assert edits.remove(scene, 1).shapes == (scene.shapes[0], scene.shapes[2])
    assert edits.add(less, scene.shapes[-1]) == scene


def test_pan_moves_every_shape_alike(scene):
    panned = edits.pan(scene, 80, -20)
    for old, new in zip(scene.shapes, panned.shapes, strict=True):
        assert (new.x - old.x, new.y - old.y) == (pytest.approx(80), pytest.approx(-20))
        assert (new.rotation, new.size) == (old.rotation, old.size)
    assert is_valid(panned)


def test_turning_is_clockwise_about_the_centre():
    right = Shape("triangle", "red", PALETTE["red"], 40, 500, 300)
    turned = edits.rotate(Scene((right,)), 90).shapes[0]
    assert (turned.x, turned.y) == (pytest.approx(400), pytest.approx(400))  # at the bottom
    assert turned.rotation == 90


@pytest.mark.parametrize("degrees", [5, -20])
def test_turning_is_rigid(scene, degrees):
    turned = edits.rotate(scene, degrees)
    for old, new in zip(scene.shapes, turned.shapes, strict=True):
        angle = math.radians(degrees)
        for before, after in zip(old.corners, new.corners, strict=True):
            x, y = before[0] - 400, before[1] - 300
            expected = (
                400 + x * math.cos(angle) - y * math.sin(angle),
                300 + x * math.sin(angle) + y * math.cos(angle),
            )
            assert after == pytest.approx(expected)
    assert is_valid(turned)


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        pytest.param(lambda s: s, True, id="as placed"),
        pytest.param(lambda s: edits.pan(s, 800, 0), False, id="out on the right"),
        pytest.param(lambda s: edits.pan(s, 0, -600), False, id="out at the top"),
        pytest.param(lambda s: edits.add(s, s.shapes[0]), False, id="twice in one place"),
        pytest.param(lambda s: Scene(), True, id="nothing"),
    ],
)
def test_validity(scene, change, valid):
    assert is_valid(change(scene)) is valid


def test_validity_with_a_gap():
    one = Shape("circle", "red", PALETTE["red"], 20, 100, 100)
    pair = Scene((one, Shape("circle", "red", PALETTE["red"], 20, 125, 100)))
    assert is_valid(pair, gap=5)
    assert not is_valid(pair, gap=5.1)
