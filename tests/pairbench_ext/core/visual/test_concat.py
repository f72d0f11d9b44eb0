import numpy as np
import pytest
from PIL import Image

from pairbench_ext.core.visual import concat, side_by_side

RED, BLUE = (255, 0, 0), (0, 0, 255)


def plain(colour, size):
    return Image.new("RGB", size, colour)


@pytest.mark.parametrize(
    ("height", "size", "boundary"),
    [
        pytest.param("max", (20 + 20, 30), 20, id="tallest"),
        pytest.param("min", (10 + 10, 15), 10, id="lowest"),
        pytest.param(60, (40 + 40, 60), 40, id="pixels"),
    ],
)
def test_images_are_brought_to_one_height_in_proportion(height, size, boundary):
    canvas = side_by_side([plain(RED, (20, 30)), plain(BLUE, (10, 15))], height=height)
    assert canvas.size == size
    pixels = np.asarray(canvas)
    assert (pixels[:, :boundary] == RED).all()
    assert (pixels[:, boundary:] == BLUE).all()


def test_a_pair_has_a_black_line_of_one_pixel_between():
    rng = np.random.default_rng(0)
    first, second = (rng.integers(0, 256, (9, width, 3), dtype=np.uint8) for width in (5, 7))
    pixels = np.asarray(concat(Image.fromarray(first), Image.fromarray(second)))
    black = np.zeros((9, 1, 3), np.uint8)
    np.testing.assert_array_equal(pixels, np.concatenate([first, black, second], axis=1))
