import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.colours import GamutError, Lab, to_bytes
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.shapes import edits
from pairbench_ext.synthetic.shapes.coverage import pixel_box
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.shapes import render, render_pair
from pairbench_ext.synthetic.shapes import HEIGHT, SHAPE_KINDS, WIDTH, Scene, Shape
from tests.pairbench_ext.synthetic.shapes.test_coverage import coverage


def shape(kind="square", size=40.0, x=100.0, y=90.0, rotation=0.0, colour="red"):
    return Shape(kind, colour, PALETTE[colour], size, x, y, rotation)


def crowd(seed=0, n=24, **options):
    rng = generator(seed, "crowd")
    names = list(PALETTE)
    shapes = [
        shape(SHAPE_KINDS[i % 3], 35, rotation=float(rng.uniform(0, 360)), colour=names[i % 10])
        for i in range(n)
    ]
    return scatter(shapes, rng, **options)


def coverage_mask(shape, width=WIDTH, height=HEIGHT):
    """Which share of each pixel of a canvas a shape covers, exactly: (height, width), in [0, 1]."""
    left, top, right, bottom = pixel_box(shape)
    canvas = np.zeros((height, width))
    lines = slice(max(top, 0), max(min(bottom, height), 0))
    across = slice(max(left, 0), max(min(right, width), 0))
    target = canvas[lines, across]
    share = coverage([shape])[0][max(-top, 0) :, max(-left, 0) :]
    target[...] = share[: target.shape[0], : target.shape[1]]
    return canvas


def pixels(image):
    return np.asarray(image, dtype=float)


def supersampled(scene, factor=8):
    """Pillow's own shapes, drawn larger and reduced."""
    image = Image.new("RGB", (scene.width * factor, scene.height * factor), "white")
    draw = ImageDraw.Draw(image)
    for one in scene.shapes:
        if one.corners:
            # Pillow's pixels have their centres at integers.
            at = [tuple(factor * value - 0.5 for value in corner) for corner in one.corners]
            draw.polygon(at, fill=to_bytes(one.lab))
        else:
            left, top, right, bottom = (factor * value for value in one.bounds)
            draw.ellipse((left, top, right - 1, bottom - 1), fill=to_bytes(one.lab))
    return image.reduce(factor)


def test_as_pillow_supersampled():
    scene = crowd()
    ours, theirs = pixels(render(scene)), pixels(supersampled(scene))
    difference = np.abs(ours - theirs)
    inked = (theirs < 255).any(axis=-1)
    assert difference[~inked].mean() < 0.01
    # Bytes. Pillow draws borders half a sub-pixel too wide, or one, in steps of a sub-pixel.
    assert difference[inked].mean() < 1.2
    assert difference.max() < 60


def test_size_mode_and_background():
    image = render(Scene((), 40, 30))
    assert (image.size, image.mode) == ((40, 30), "RGB")
    assert (pixels(image) == 255).all()
    assert render(Scene()).size == (800, 600)


@pytest.mark.parametrize("colour", PALETTE)
@pytest.mark.parametrize("kind", SHAPE_KINDS)
def test_pixels_inside_have_the_colour_to_the_byte(kind, colour):
    one = shape(kind, 41.3, rotation=33, colour=colour)
    image = np.asarray(render(Scene((one,))))
    inside = coverage_mask(one) > 1 - 1e-9
    assert inside.sum() > 0.8 * one.area
    assert (image[inside] == to_bytes(one.lab)).all()
    assert (image[coverage_mask(one) == 0] == 255).all()


def test_pixels_of_the_border_are_mixed_by_area():
    one = shape("triangle", 41.3, rotation=33)
    share = coverage_mask(one)[..., None]
    expected = 255 + share * (np.array(to_bytes(one.lab)) - 255)
    np.testing.assert_allclose(pixels(render(Scene((one,)))), expected, atol=1.01)


@pytest.mark.parametrize(
    ("x", "y"),
    [(0, 0), (800, 300), (400, 600), (-5, 590), (795, 4), (-100, 300), (400, 900)],
)
def test_shapes_are_cut_at_the_canvas(x, y):
    one = shape("circle", 40, x, y)
    middle = Scene((shape("circle", 40, x + 200, y + 200),), 1200, 1200)
    expected = pixels(render(middle))[200:800, 200:1000]
    assert (pixels(render(Scene((one,)))) == expected).all()
    mask = coverage_mask(middle.shapes[0], 1200, 1200)[200:800, 200:1000]
    np.testing.assert_allclose(coverage_mask(one), mask, atol=1e-9)


def test_later_shapes_lie_on_top():
    below, above = shape(colour="red"), shape("circle", 20, colour="blue")
    assert render(Scene((below, above))).getpixel((100, 90)) == to_bytes(PALETTE["blue"])
    assert render(Scene((above, below))).getpixel((100, 90)) == to_bytes(PALETTE["red"])


def test_a_colour_that_cannot_be_shown_is_refused():
    with pytest.raises(GamutError, match="cannot show"):
        render(Scene((Shape("circle", "red", Lab(0.6, 0.3, 0.3), 10, 50, 50),)))


EDITS = {
    "nothing": lambda s: s,
    "brighten": lambda s: edits.brighten(s, 3, 0.05),
    "scale": lambda s: edits.scale(s, 4, 1.2),
    "translate": lambda s: edits.translate(s, 5, 3.3, -2),
    "translate onto others": lambda s: edits.translate(s, 5, 150, 100),
    "add": lambda s: edits.add(s, shape("triangle", 35, 400, 300, 20, "green")),
    "remove": lambda s: edits.remove(s, 6),
    "remove from an overlap": lambda s: edits.remove(edits.translate(s, 5, 150, 100), 6),
    "several": lambda s: edits.scale(edits.remove(edits.brighten(s, 1, -0.05), 9), 15, 0.8),
    "all removed": lambda s: Scene(),
    "pan": lambda s: edits.pan(s, 20, 0),
    "rotate": lambda s: edits.rotate(s, 7),
    "another order": lambda s: Scene(tuple(reversed(s.shapes))),
    "one of two equal ones": lambda s: Scene((*s.shapes, s.shapes[0])),
    "another canvas": lambda s: Scene(s.shapes, 700, 600),
}


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("name", EDITS)
def test_pairs_are_drawn_as_each_by_itself(name, overlapping):
    first = crowd()
    if overlapping:
        first = Scene(tuple(edits.scale(first, i, 3).shapes[i] for i in range(len(first.shapes))))
    second = EDITS[name](first)
    images = render_pair(first, second)
    assert [i.tobytes() for i in images] == [render(s).tobytes() for s in (first, second)]
    assert [i.tobytes() for i in render_pair(second, first)] == [i.tobytes() for i in images[::-1]]


def test_images_of_a_pair_are_independent():
    first, second = render_pair(crowd(), crowd())
    first.putpixel((0, 0), (1, 2, 3))
    assert second.getpixel((0, 0)) == (255, 255, 255)


def test_what_is_drawn_later_leaves_an_image_alone():
    image = render(crowd(0))
    before = image.tobytes()
    render_pair(crowd(1), crowd(2))
    assert image.tobytes() == before


def test_threads_do_not_draw_on_each_other():
    scenes = [crowd(seed, 30 - seed) for seed in range(12)] * 4
    expected = [render(scene).tobytes() for scene in scenes[:12]] * 4
    with ThreadPoolExecutor(4) as threads:
        drawn = threads.map(lambda scene: render(scene).tobytes(), scenes)
        assert list(drawn) == expected


@pytest.mark.parametrize("gap", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("lightness", [0.2, 0.9])
def test_apart_or_not_each_shape_is_laid_over_the_others(gap, lightness):
    """The darker of two pixels is only taken where no pixel shows two shapes."""
    light = Lab(lightness, 0.0, 0.0)
    one, other = shape("circle", 40.3), shape("circle", 20.1, 130.2 + gap + 0.05, 90)
    scene = Scene((one, replace(other, lab=light)), 200, 180)
    background = pixels(render(Scene((one,), 200, 180)))
    share = coverage_mask(other, 200, 180)[..., None]
    expected = background + share * (np.array(to_bytes(light)) - background)
    np.testing.assert_allclose(pixels(render(scene)), expected, atol=1.1)


DIGEST = """
import hashlib
from pairbench_ext.synthetic.palette import PALETTE
from pairbench_ext.synthetic.placement import scatter
from pairbench_ext.synthetic.shapes import render
from pairbench_ext.synthetic.shapes import SHAPE_KINDS
from pairbench_ext.synthetic.shapes import Shape
from pairbench_ext.statistics.seeds import generator

shapes = [Shape(k, n, lab, 30, rotation=33) for n, lab in PALETTE.items() for k in SHAPE_KINDS]
image = render(scatter(shapes, generator(0, "process")))
print(hashlib.sha256(image.tobytes()).hexdigest())
"""


def test_the_same_bits_in_every_process():
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
