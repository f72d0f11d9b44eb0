import json

import numpy as np
import pytest
from PIL import Image

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.transforms import (
    TRANSFORMS,
    ColorJitter,
    Elastic,
    GaussianBlur,
    Perspective,
    Rotate,
    drawn,
    identical,
    transform,
)

NAMES = ["colorjitter", "rotate", "gaussianblur", "perspective", "elastic"]


@pytest.fixture(scope="module")
def image():
    """A picture with edges, colours and a gradient; not square, odd sides."""
    y, x = np.mgrid[0:67, 0:101]
    pixels = np.stack([x * 2, y * 3, 255 * ((x // 12 + y // 12) % 2)], axis=-1)
    return Image.fromarray(pixels.astype(np.uint8))


def pixels(image):
    return np.asarray(image, dtype=float)


def test_the_five_transformations_of_the_paper():
    assert list(TRANSFORMS) == [value.name for value in TRANSFORMS.values()] == NAMES


@pytest.mark.parametrize("name", NAMES)
class TestEveryTransformation:
    def test_keeps_size_and_mode(self, name, image):
        changed = transform(name, image, 0, "a")
        assert (changed.size, changed.mode) == (image.size, "RGB")

    def test_changes_the_image_under_every_key(self, name, image):
        for key in range(20):
            difference = np.abs(pixels(transform(name, image, 0, key)) - pixels(image)).mean()
            assert difference > 3, key

    def test_same_bits_for_the_same_seed_and_key(self, name, image):
        assert transform(name, image, 3, "a").tobytes() == transform(name, image, 3, "a").tobytes()

    def test_seed_and_key_matter(self, name, image):
        others = [(3, "a"), (4, "a"), (3, "b")]
        assert len({transform(name, image, *other).tobytes() for other in others}) == 3

    def test_recorded_parameters_alone_reproduce_the_image(self, name, image):
        recorded = json.loads(json.dumps(drawn(TRANSFORMS[name], image.size, 0, "a")))
        again = TRANSFORMS[name].apply(image, recorded)
        assert again.tobytes() == transform(name, image, 0, "a").tobytes()

    def test_does_not_depend_on_the_number_of_threads(self, name, image):
        torch = pytest.importorskip("torch")
        before, results = torch.get_num_threads(), []
        try:
            for threads in (1, 2):
                torch.set_num_threads(threads)
                results.append(transform(name, image, 0, "a").tobytes())
        finally:
            torch.set_num_threads(before)
        assert results[0] == results[1]

    def test_leaves_the_input_and_global_randomness_alone(self, name, image):
        torch = pytest.importorskip("torch")
        before, state = image.tobytes(), torch.random.get_rng_state()
        transform(name, image, 0, "a")
        assert image.tobytes() == before
        assert torch.equal(torch.random.get_rng_state(), state)

    @pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 9), (3, 3)])
    def test_tiny_images_do_not_fail(self, name, size):
        changed = transform(name, Image.new("RGB", size, (200, 100, 50)), 0, "a")
        assert changed.size == size


def draws(value, size=(320, 200)):
    return [value.draw(generator(0, "test", index), size) for index in range(200)]


@pytest.mark.parametrize("size", [(32, 32), (48, 36), (64, 48), (96, 72), (8, 8)], ids=str)
def test_a_blur_is_seen_in_a_small_image(size):
    """Where a pixel of a fine pattern is white on black, its neighbour gets a tenth of it."""
    board = (np.indices(size[::-1]).sum(0) % 2 * 255).astype(np.uint8)
    image = Image.fromarray(np.repeat(board[..., None], 3, axis=-1))
    for params in draws(GaussianBlur(), size)[:10]:
        assert np.abs(pixels(GaussianBlur().apply(image, params)) - 127.5).max() < 0.2 * 127.5


def test_colours_stay_away_from_neutral_either_way():
    factors = draws(ColorJitter())
    for key in ("brightness", "contrast", "saturation"):
        (low, below), (above, high) = getattr(ColorJitter(), key)
        values = np.array([params[key] for params in factors])
        assert np.all((low <= values) & (values <= high))
        assert np.all((values <= below) | (values >= above))
        assert 50 < np.sum(values > 1) < 150
    hues = np.array([params["hue"] for params in factors])
    assert np.all((np.abs(hues) >= 0.05) & (np.abs(hues) <= 0.12))
    assert 50 < np.sum(hues > 0) < 150


def test_perspective_moves_one_edge_inwards_and_keeps_the_opposite():
    width, height = 320, 200
    frame = [[0, 0], [width, 0], [width, height], [0, height]]
    seen = set()
    for params in draws(Perspective(), (width, height)):
        moved = tuple(new != old for new, old in zip(params["corners"], frame, strict=True))
        assert all(0 <= x <= width and 0 <= y <= height for x, y in params["corners"])
        seen.add(moved)
    assert seen == {
        (True, True, False, False),
        (False, True, True, False),
        (False, False, True, True),
        (True, False, False, True),
    }


def test_rotation_follows_the_sign():
    image = Image.new("RGB", (101, 101))
    image.putpixel((90, 50), (255, 255, 255))  # right of the centre
    turned = pixels(Rotate().apply(image, {"angle": 90.0})).sum(-1)
    assert np.unravel_index(turned.argmax(), turned.shape) == (10, 50)  # counter-clockwise: top


def test_blur_is_a_gaussian():
    point = np.zeros((41, 41, 3), np.uint8)
    point[20, 20] = 255
    blurred = pixels(GaussianBlur().apply(Image.fromarray(point), {"sigma": 1.5}))[..., 0]
    y, x = np.mgrid[-20:21, -20:21]
    expected = 255 * np.exp(-(x**2 + y**2) / (2 * 1.5**2)) / (2 * np.pi * 1.5**2)
    np.testing.assert_allclose(blurred, expected, atol=0.7)


@pytest.mark.parametrize("sigma", [16.0, 24.5, 47.0])
def test_a_wide_blur_is_a_gaussian(sigma):
    from scipy.ndimage import gaussian_filter

    noise = np.random.default_rng(0).integers(0, 256, (401, 514, 3), dtype=np.uint8)
    noise[40:200, 100:300] = (255, 0, 0)
    expected = gaussian_filter(noise.astype(float), (sigma, sigma, 0), mode="mirror", truncate=3)
    blurred = pixels(GaussianBlur().apply(Image.fromarray(noise), {"sigma": sigma}))
    assert np.abs(blurred - expected).max() < 4.5
    assert np.abs(blurred - expected)[50:-50, 50:-50].max() < 2.5
    assert np.abs(blurred - expected).mean() < 0.5


def ramps(width, height):
    """An image whose red says the column and whose green says the row, to a few pixels."""
    y, x = np.mgrid[0:height, 0:width]
    channels = (255 * x / width, 255 * y / height, 0 * x)
    return Image.fromarray(np.stack(channels, axis=-1).round().astype(np.uint8))


@pytest.mark.parametrize("sigma", [30.0, 45.0, 64.0], ids=["exact", "coarse", "coarser"])
def test_a_large_elastic_deformation_is_as_strong_and_as_smooth(sigma):
    width, height, amplitude = 1200, 900, 14.0
    params = {"amplitude": amplitude, "sigma": sigma, "seed": 3}
    moved = pixels(Elastic().apply(ramps(width, height), params))
    y, x = np.mgrid[0:height, 0:width]
    inner = np.s_[100:-100, 100:-100]
    shift = np.stack([moved[..., 0] * width / 255 - x, moved[..., 1] * height / 255 - y])
    shift = shift[:, inner[0], inner[1]]
    assert np.sqrt((shift**2).mean()) == pytest.approx(amplitude, rel=0.25)
    # A field of sigma s has a correlation of exp(-d^2 / 4 s^2) over a distance d.
    step = int(sigma)
    near = np.corrcoef(shift[:, :, :-step].ravel(), shift[:, :, step:].ravel())[0, 1]
    assert near == pytest.approx(np.exp(-0.25), abs=0.12)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((320, 200), (304, 190)), ((100, 99), (95, 94)), ((1, 1), (1, 1)), ((10, 1), (10, 1))],
)
def test_identical_has_95_percent_of_the_size(size, expected):
    assert identical(Image.new("RGB", size)).size == expected
