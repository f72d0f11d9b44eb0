import numpy as np
import pytest
from PIL import Image, ImageDraw

from lmms_eval_tasks.subtlebench.visual.grid import draw_grid, grid


def noise(height, width):
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_lines_on_a_small_image():
    """Three pixels wide around columns 3, 6, 9 of 12 leaves one column at each side."""
    drawn = draw_grid(np.full((12, 12), 100, np.uint8))
    assert drawn[0].tolist() == [100, 100, *[70] * 9, 100]
    assert drawn[6].tolist() == [70] * 12
    assert drawn[:, 0].tolist() == drawn[0].tolist()


@pytest.mark.parametrize("size", [(96, 64), (101, 77), (640, 427)], ids=str)
def test_it_is_an_overlay_of_black_lines_with_30_per_cent_opacity(size):
    image = Image.fromarray(noise(size[1], size[0]))
    overlay = Image.new("RGBA", size)
    pen = ImageDraw.Draw(overlay)
    for i in (1, 2, 3):
        x, y = size[0] * i // 4, size[1] * i // 4
        pen.line([(0, y), (size[0], y)], fill=(0, 0, 0, round(0.3 * 255)), width=3)
        pen.line([(x, 0), (x, size[1])], fill=(0, 0, 0, round(0.3 * 255)), width=3)
    expected = np.asarray(Image.alpha_composite(image.convert("RGBA"), overlay).convert("RGB"))
    drawn = np.asarray(grid(image)).astype(int)
    # An opacity in 255ths is not quite 30%.
    assert np.abs(drawn - expected).max() <= 1
    untouched = np.asarray(overlay)[..., 3] == 0
    assert 0.7 < untouched.mean() < 1
    np.testing.assert_array_equal(drawn[untouched], np.asarray(image)[untouched])


def test_levels_are_rounded_halves_up():
    every = np.arange(256, dtype=np.uint8)[:, None]
    drawn = draw_grid(every, cells=2, width=1)  # a single column: all of it is under a line
    assert drawn[:, 0].tolist() == [(7 * level + 5) // 10 for level in range(256)]


@pytest.mark.parametrize(
    ("options", "row"),
    [
        pytest.param({"cells": 1}, [200] * 8, id="one cell has no line"),
        pytest.param({"cells": 2, "width": 1}, [200] * 4 + [140] + [200] * 3, id="one line"),
        pytest.param({"cells": 2, "width": 2}, [200] * 3 + [140] * 2 + [200] * 3, id="even width"),
        pytest.param(
            {"cells": 2, "width": 1, "opacity": 1, "grey": 76},
            [200] * 4 + [76] + [200] * 3,
            id="grey",
        ),
        pytest.param({"cells": 2, "opacity": 0}, [200] * 8, id="invisible"),
        pytest.param({"cells": 8, "width": 99}, [140] * 8, id="nothing but lines"),
    ],
)
def test_options(options, row):
    assert draw_grid(np.full((64, 8), 200, np.uint8), **options)[0].tolist() == row


def test_the_smallest_image_is_under_the_line():
    assert grid(Image.new("RGB", (1, 1), (100, 50, 0))).getpixel((0, 0)) == (70, 35, 0)


def test_the_pixels_given_stay():
    pixels = noise(20, 30)
    before = pixels.copy()
    draw_grid(pixels)
    np.testing.assert_array_equal(pixels, before)
