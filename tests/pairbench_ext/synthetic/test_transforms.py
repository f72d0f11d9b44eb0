import json

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.transforms import (
    TRANSFORMS,
    GaussianBlur,
    Rotate,
    displacement,
    drawn,
    identical,
    transform,
)
from tests.conftest import REPOSITORY

VECTORS = REPOSITORY / "tests" / "vectors" / "transforms"
NAMES = ["colorjitter", "rotate", "gaussianblur", "perspective", "elastic"]


@pytest.fixture(scope="module")
def image():
    """A picture with edges, colours and a gradient; not square, odd sides."""
    y, x = np.mgrid[0:67, 0:101]
    pixels = np.stack([x * 2, y * 3, 255 * ((x // 12 + y // 12) % 2)], axis=-1)
    return Image.fromarray(pixels.astype(np.uint8))


def pixels(image):
    return np.asarray(image, dtype=float)


@pytest.mark.parametrize("name", NAMES)
class TestEveryTransformation:
    def test_changes_the_image_under_every_key_and_seed(self, name, image):
        changes = [transform(name, image, seed, key) for seed in (0, 1) for key in range(10)]
        for changed in changes:
            assert (changed.size, changed.mode) == (image.size, "RGB")
            assert np.abs(pixels(changed) - pixels(image)).mean() > 3
        assert len({changed.tobytes() for changed in changes}) > 0.8 * len(changes)

    def test_recorded_parameters_alone_reproduce_the_image(self, name, image):
        recorded = json.loads(json.dumps(drawn(TRANSFORMS[name], image.size, 0, "a")))
        again = TRANSFORMS[name].apply(image, recorded)
        assert again.tobytes() == transform(name, image, 0, "a").tobytes()

    @pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 9), (3, 3)])
    def test_tiny_images_do_not_fail(self, name, size):
        assert transform(name, Image.new("RGB", size, (200, 100, 50)), 0, "a").size == size


@pytest.mark.parametrize(
    ("name", "within"), [("colorjitter", 0), ("rotate", 0), ("perspective", 0), ("elastic", 1)]
)
def test_the_pixels_are_torchvision_s(name, within, image):
    """Torchvision 0.29 made the files, of the parameters that are drawn here."""
    with Image.open(VECTORS / f"{name}.png") as golden:
        apart = np.abs(pixels(transform(name, image, 0, "golden")) - pixels(golden))
    assert apart.max() <= within
    assert (apart > 0).mean() < 0.05


def draws(value, size=(320, 200)):
    return [value.draw(generator(0, "test", index), size) for index in range(200)]


@pytest.mark.parametrize("size", [(32, 32), (48, 36), (64, 48), (96, 72), (8, 8)], ids=str)
def test_a_blur_is_seen_in_a_small_image(size):
    """Where a pixel of a fine pattern is white on black, its neighbour gets an eighth of it."""
    board = (np.indices(size[::-1]).sum(0) % 2 * 255).astype(np.uint8)
    image = Image.fromarray(np.repeat(board[..., None], 3, axis=-1))
    for params in draws(GaussianBlur(), size)[:10]:
        assert np.abs(pixels(GaussianBlur().apply(image, params)) - 127.5).max() < 0.25 * 127.5


def test_rotation_follows_the_sign():
    image = Image.new("RGB", (101, 101))
    image.putpixel((90, 50), (255, 255, 255))  # right of the centre
    turned = pixels(Rotate().apply(image, {"angle": 90.0})).sum(-1)
    assert np.unravel_index(turned.argmax(), turned.shape) == (10, 50)  # counter-clockwise: top


@pytest.mark.parametrize("sigma", [1.0, 1.5, 4.0, 24.5, 47.0])
def test_blur_is_nearly_a_gaussian(sigma):
    noise = np.random.default_rng(0).integers(0, 256, (401, 514, 3), dtype=np.uint8)
    noise[40:200, 100:300] = (255, 0, 0)
    expected = gaussian_filter(noise.astype(float), (sigma, sigma, 0), mode="nearest")
    blurred = pixels(GaussianBlur().apply(Image.fromarray(noise), {"sigma": sigma}))
    assert np.abs(blurred - expected)[50:-50, 50:-50].max() < 6
    assert np.abs(blurred - expected).mean() < 1.2


def test_an_elastic_displacement_is_as_strong_and_as_smooth_as_asked_for():
    for sigma in (30.0, 64.0):  # drawn on all pixels, and on a coarser grid
        field = displacement((1200, 900), 14.0, sigma, seed=3)
        assert np.sqrt((field**2).mean()) == pytest.approx(14, rel=0.05)
        # A field of sigma s has a correlation of exp(-d^2 / 4 s^2) over a distance d.
        step = int(sigma)
        near = np.corrcoef(field[:, :-step].ravel(), field[:, step:].ravel())[0, 1]
        assert near == pytest.approx(np.exp(-0.25), abs=0.12)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((320, 200), (304, 190)), ((100, 99), (95, 94)), ((1, 1), (1, 1)), ((10, 1), (10, 1))],
)
def test_identical_has_95_percent_of_the_size(size, expected):
    assert identical(Image.new("RGB", size)).size == expected
