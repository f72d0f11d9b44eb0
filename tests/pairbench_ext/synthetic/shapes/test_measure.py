import math

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import label

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import delta_e
from pairbench_ext.synthetic.palette import PALETTE, SENSITIVITY, nearest_name
from pairbench_ext.synthetic.shapes import edits
from tests.scene_measures import find_shapes
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.shapes import render
from pairbench_ext.synthetic.shapes import SHAPE_KINDS, Scene, Shape


def drawn(n, size, colours=PALETTE, turn=360.0, seed=0):
    rng = generator(seed, "measured", n)
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
    found = find_shapes(render(scene))
    assert len(found) == len(scene.shapes)
    pairs = [(s, min(found, key=lambda f: math.dist(f[:2], (s.x, s.y)))) for s in scene.shapes]
    assert len({id(f) for _, f in pairs}) == len(pairs)
    return pairs


@pytest.mark.parametrize(
    ("n", "size", "turn"),
    [
        pytest.param(10, 80, 0, id="attribute"),
        pytest.param(30, 35, 360, id="existence"),
        pytest.param(64, 30, 0, id="upright"),
        pytest.param(128, 20, 360, id="complex"),
        pytest.param(60, 9, 360, id="tiny"),
        pytest.param(60, 9, 0, id="tiny, upright"),
    ],
)
def test_the_scene_agrees_with_its_pixels(n, size, turn):
    for shape, found in matched(drawn(n, size, turn=turn)):
        assert (found.kind, found.colour) == (shape.kind, shape.colour)
        assert math.dist((found.x, found.y), (shape.x, shape.y)) < 0.03
        assert found.area == pytest.approx(shape.area, rel=0.004)
        assert found.size == pytest.approx(shape.size, rel=0.002)
        assert delta_e(found.lab, shape.lab) < 0.004  # a byte is up to 0.003


EDITS = {
    "brighten": lambda s: edits.brighten(s, 3, 0.05),
    "scale": lambda s: edits.scale(s, 3, 1.05),
    "translate": lambda s: edits.translate(s, 3, 0.5, 0.0),
    "remove": lambda s: edits.remove(s, 3),
    "pan": lambda s: edits.pan(s, 0.0, 20.0),
    "rotate": lambda s: edits.rotate(s, 5.0),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits_are_seen_in_the_pixels(name):
    rng = generator(0, name)
    shapes = [Shape("square", n, lab, 40) for n, lab in PALETTE.items()]
    scene = scatter(shapes, rng, margin=48)
    after = EDITS[name](scene)
    was, now = ({f.colour: f for f in find_shapes(render(s))} for s in (scene, after))
    assert set(now) == {shape.colour for shape in after.shapes}
    for shape in after.shapes:
        old = next(one for one in scene.shapes if one.colour == shape.colour)
        seen, before = now[shape.colour], was[shape.colour]
        assert seen.x - before.x == pytest.approx(shape.x - old.x, abs=0.02)
        assert seen.y - before.y == pytest.approx(shape.y - old.y, abs=0.02)
        assert seen.size / before.size == pytest.approx(shape.size / old.size, abs=0.002)
        brighter = seen.lab.lightness - before.lab.lightness
        assert brighter == pytest.approx(shape.lab.lightness - old.lab.lightness, abs=0.003)


def test_components_are_those_of_scipy():
    image = render(drawn(50, 25))
    inked = (np.asarray(image) < 253).any(axis=-1)
    labels, count = label(inked, structure=np.ones((3, 3)))
    found = find_shapes(image)
    assert len(found) == count
    assert [labels[int(f.y), int(f.x)] for f in found] == list(range(1, count + 1))


def test_colours_of_the_sensitivity_analysis():
    typical = {name: tone.typical for name, tone in SENSITIVITY.items()}
    for shape, found in matched(drawn(25, 30, typical)):
        assert nearest_name(found.lab, typical) == shape.colour


def test_shapes_that_touch_are_one():
    red = PALETTE["red"]
    pair = Scene((Shape("square", "red", red, 20, 50, 50), Shape("square", "red", red, 20, 70, 50)))
    assert [round(one.area) for one in find_shapes(render(pair))] == [800]


def test_an_empty_canvas_and_other_modes():
    assert find_shapes(Image.new("RGB", (50, 40), "white")) == []
    image = render(drawn(5, 40))
    assert find_shapes(image.convert("RGBA")) == find_shapes(image)
