import numpy as np
import pytest
from PIL import Image

from pairbench_ext.core.visual import concat, side_by_side

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def plain(colour, size):
    return Image.new("RGB", size, colour)


def test_equal_heights_are_pasted_pixel_by_pixel():
    rng = np.random.default_rng(0)
    arrays = [rng.integers(0, 256, (9, width, 3), dtype=np.uint8) for width in (5, 7, 3)]
    canvas = side_by_side([Image.fromarray(array) for array in arrays])
    assert (np.asarray(canvas) == np.concatenate(arrays, axis=1)).all()


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


def test_kept_sizes_are_centred_on_the_background():
    canvas = side_by_side([plain(RED, (4, 9)), plain(BLUE, (6, 3))], height="keep")
    assert canvas.size == (10, 9)
    pixels = np.asarray(canvas)
    assert (pixels[:, :4] == RED).all()
    assert (pixels[3:6, 4:] == BLUE).all()
    assert (pixels[:3, 4:] == WHITE).all()
    assert (pixels[6:, 4:] == WHITE).all()


def test_a_pair_has_a_black_line_of_one_pixel_between():
    rng = np.random.default_rng(0)
    first, second = (rng.integers(0, 256, (9, width, 3), dtype=np.uint8) for width in (5, 7))
    pixels = np.asarray(concat(Image.fromarray(first), Image.fromarray(second)))
    black = np.zeros((9, 1, 3), np.uint8)
    np.testing.assert_array_equal(pixels, np.concatenate([first, black, second], axis=1))


@pytest.mark.parametrize(
    ("first", "second", "size"),
    [
        pytest.param((20, 30), (10, 15), (10 + 1 + 10, 15), id="first is taller"),
        pytest.param((10, 15), (20, 30), (10 + 1 + 10, 15), id="second is taller"),
        pytest.param((1, 1), (1, 1), (3, 1), id="pixels"),
    ],
)
def test_the_taller_of_a_pair_is_shrunk(first, second, size):
    canvas = concat(plain(RED, first), plain(BLUE, second).convert("P"))
    assert (canvas.mode, canvas.size) == ("RGB", size)
    assert canvas.getpixel((0, 0)) == RED
    assert canvas.getpixel((size[0] - 1, 0)) == BLUE
