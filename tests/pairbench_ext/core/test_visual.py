import numpy as np
import pytest
from PIL import Image

from pairbench_ext.core.visual import aligned, concat, rgb, side_by_side


def transparent_palette():
    image = Image.new("P", (2, 2), 1)
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.info["transparency"] = 1
    return image


def of(values, dtype):
    return Image.fromarray(np.array([values], dtype))


@pytest.mark.parametrize(
    ("image", "colour"),
    [
        pytest.param(Image.new("RGB", (2, 2), (1, 2, 3)), (1, 2, 3), id="RGB"),
        pytest.param(Image.new("L", (2, 2), 7), (7, 7, 7), id="L"),
        pytest.param(Image.new("1", (2, 2), 1), (255, 255, 255), id="1"),
        pytest.param(Image.new("CMYK", (2, 2), (255, 0, 0, 0)), (0, 255, 255), id="CMYK"),
        pytest.param(Image.new("HSV", (2, 2), (0, 255, 255)), (255, 0, 0), id="HSV"),
        pytest.param(Image.new("YCbCr", (2, 2), (9, 128, 128)), (9, 9, 9), id="YCbCr"),
        pytest.param(Image.new("RGBA", (2, 2), (9, 8, 7, 255)), (9, 8, 7), id="RGBA, opaque"),
        pytest.param(Image.new("RGBA", (2, 2), (9, 8, 7, 0)), (255, 255, 255), id="RGBA, hidden"),
        pytest.param(Image.new("RGBA", (2, 2), (255, 0, 0, 51)), (255, 204, 204), id="RGBA, a 5th"),
        pytest.param(Image.new("LA", (2, 2), (0, 51)), (204, 204, 204), id="LA, a fifth"),
        pytest.param(Image.new("La", (2, 2), (0, 51)), (204, 204, 204), id="La, a fifth"),
        pytest.param(Image.new("RGBa", (2, 2), (0, 0, 0, 51)), (204,) * 3, id="RGBa, a fifth"),
        pytest.param(transparent_palette(), (255, 255, 255), id="P, hidden"),
        pytest.param(Image.new("I;16", (2, 2), 257 * 99), (99, 99, 99), id="I;16"),
        pytest.param(Image.new("I;16B", (2, 2), 257 * 99), (99, 99, 99), id="I;16B"),
        pytest.param(Image.new("I", (2, 2), 65535), (255, 255, 255), id="I"),
        pytest.param(Image.new("F", (2, 2), 99.6), (100, 100, 100), id="F"),
    ],
)
def test_every_mode_becomes_what_one_sees(image, colour):
    converted = rgb(image)
    assert (converted.mode, converted.size) == ("RGB", (2, 2))
    assert converted.getpixel((0, 0)) == colour


def test_16_bits_are_scaled_to_the_nearest_level():
    every = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    levels = np.asarray(rgb(Image.fromarray(every)))[..., 1].astype(float)
    assert np.abs(levels - every * (255 / 65535)).max() <= 0.5


def test_floats_between_0_and_1_are_shares_of_white():
    assert np.asarray(rgb(of([0, 0.2, 1, np.nan], np.float32)))[0, :, 0].tolist() == [0, 51, 255, 0]
    assert np.asarray(rgb(of([0, 0.2, 1.5], np.float32)))[0, :, 0].tolist() == [0, 0, 2]


def test_the_second_gets_the_size_of_the_first():
    photo = Image.linear_gradient("L").resize((40, 30))
    first, second = aligned(photo, photo.resize((80, 60)).convert("RGBA"))
    assert (first.mode, first.size) == (second.mode, second.size) == ("RGB", (40, 30))
    assert np.abs(np.asarray(first).astype(int) - np.asarray(second)).max() <= 4


@pytest.mark.parametrize(
    ("height", "size", "boundary"),
    [
        pytest.param(max, (20 + 20, 30), 20, id="tallest"),
        pytest.param(min, (10 + 10, 15), 10, id="lowest"),
    ],
)
def test_images_are_brought_to_one_height_in_proportion(height, size, boundary):
    canvas = side_by_side(
        [Image.new("RGB", (20, 30), "red"), Image.new("RGB", (10, 15), "blue")], height=height
    )
    assert canvas.size == size
    pixels = np.asarray(canvas)
    assert (pixels[:, :boundary] == (255, 0, 0)).all()
    assert (pixels[:, boundary:] == (0, 0, 255)).all()


def test_a_pair_has_a_black_line_of_one_pixel_between():
    rng = np.random.default_rng(0)
    first, second = (rng.integers(0, 256, (9, width, 3), dtype=np.uint8) for width in (5, 7))
    pixels = np.asarray(concat(Image.fromarray(first), Image.fromarray(second)))
    black = np.zeros((9, 1, 3), np.uint8)
    np.testing.assert_array_equal(pixels, np.concatenate([first, black, second], axis=1))
