import dataclasses
from functools import partial

import numpy as np
import pytest
from PIL import Image

from pairbench_ext.judges.differences.regions import Eye
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import delta_e
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes.placement import scatter
from pairbench_ext.synthetic.shapes.render import render
from pairbench_ext.synthetic.shapes.scene import SHAPE_KINDS, Scene, Shape

SHARP = Eye(resolution=400, noise=0.0, jitter=0.0)


def drawn(size, n=10):
    names = list(PALETTE)
    shapes = [
        Shape(SHAPE_KINDS[i % 3], names[i % 10], PALETTE[names[i % 10]], size, rotation=17.0 * i)
        for i in range(n)
    ]
    return scatter(shapes, generator(0, "seen", n))


def test_a_sharp_eye_sees_what_is_drawn():
    scene = drawn(60)
    view = SHARP.look(render(scene))
    assert len(view.regions) == len(scene.shapes)
    for shape in scene.shapes:
        region = min(view.regions, key=lambda s: (s.x - shape.x) ** 2 + (s.y - shape.y) ** 2)
        assert (region.x, region.y) == pytest.approx((shape.x, shape.y), abs=1)
        assert delta_e(region.lab, shape.lab) < 0.01
        assert min(region.forms, key=region.forms.get) == shape.kind


def test_ink_grows_with_the_area():
    small, large = (
        SHARP.look(render(Scene((Shape("square", "blue", PALETTE["blue"], size, 400, 300),))))
        for size in (40, 80)
    )
    assert large.regions[0].ink == pytest.approx(4 * small.regions[0].ink, rel=0.02)
    assert small.white == pytest.approx(1 - 40**2 / (800 * 600), abs=0.001)


def unlike(one, other):
    """How far two regions are from each other, in place and colour."""
    place = (one.x - other.x) ** 2 + (one.y - other.y) ** 2
    return place / 20**2 + (delta_e(one.lab, other.lab) / 0.05) ** 2


def test_noise_is_as_large_as_is_said():
    scene = drawn(60, n=8)
    truth = SHARP.look(render(scene)).regions
    errors = []
    for seed in range(20):
        for region in Eye(resolution=100, noise=0.1, seed=seed).look(render(scene)).regions:
            own = min(truth, key=partial(unlike, region))
            errors.append(
                [
                    (region.lab.lightness - own.lab.lightness) / region.lightness_noise,
                    (region.lab.a - own.lab.a) / region.hue_noise,
                    (region.ink - own.ink / 16) / region.ink_noise,  # 400 pixels across are 100
                    (region.x - own.x) / 20,
                ]
            )
    assert len(errors) == pytest.approx(20 * len(scene.shapes), rel=0.05)
    deviations = np.sqrt(np.mean(np.square(errors), axis=0))
    assert (deviations > 0.5).all()
    assert (deviations < 1.6).all()


def test_the_same_image_always_looks_the_same():
    image, other = render(drawn(30)), render(drawn(30, n=9))
    assert Eye().look(image) == Eye().look(image.copy())
    assert Eye().look(image).key != Eye().look(other).key
    assert Eye().look(image) != Eye(seed=1).look(image)
    assert Eye().look(image).key == Eye(seed=1).look(image).key  # before any noise


def test_shapes_get_lost_the_smaller_they_are():
    seen = [len(Eye().look(render(drawn(size, 30))).regions) for size in (8, 14, 40)]
    assert seen[0] < seen[1] < seen[2]
    assert seen[0] < 6
    assert seen[2] == pytest.approx(30, abs=2)


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "P"])
@pytest.mark.parametrize("size", [(1, 1), (3, 900), (5, 4)])
def test_any_image_can_be_looked_at(mode, size):
    assert Eye().look(Image.new(mode, size)).white in (0, 1)


def test_white_is_white_and_a_photograph_is_not():
    noise = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    assert Eye().look(Image.new("RGB", (80, 60), "white")).white > 0.99
    assert Eye().look(Image.fromarray(noise)).white < 0.3


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"resolution": 7}, "resolution must be 8 pixels or more, not 7"),
        ({"noise": -0.1}, "noise must be 0 or more, not -0.1"),
        ({"jitter": float("nan")}, "jitter must be 0 or more, not nan"),
    ],
)
def test_wrong_values(values, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(Eye(), **values)
